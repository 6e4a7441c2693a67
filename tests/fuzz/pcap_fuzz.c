// SPDX-License-Identifier: BSD-2-Clause
// Any bytes as a capture file: read or refused in a sentence that names it, and every frame that
// is reported can be read to its end.
#include "packet/pcap.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	volatile uint8_t sink = 0;
	struct err err = {0};
	struct pcapfile p;

	if (pcapfile_read_memory("fuzz.pcap", data, size, &p, &err) < 0) {
		if (strncmp(err.msg, "fuzz.pcap: ", 11) != 0)
			abort();
		return 0;
	}
	for (uint32_t i = 0; i < p.n; i++) {
		if (p.frames[i].len > p.frames[i].wire_len)
			abort();
		for (uint32_t k = 0; k < p.frames[i].len; k++)
			sink = (uint8_t)(sink + p.frames[i].data[k]);
	}
	pcapfile_free(&p);
	return 0;
}

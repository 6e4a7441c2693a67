// SPDX-License-Identifier: BSD-2-Clause
// Any text as the name of a port: refused in one line, or taken apart into parts that hold nothing a
// driver's argument list is made of.
#include "port/spec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PCI_GROWS = 12 - 5 }; // "0:0.0" is written in full

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct port_spec s;
	struct err err = {0};

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (port_spec_parse(text, &s, &err) != 0) {
		if (err.code != EINVAL || err.msg[0] == '\0')
			abort();
	} else {
		if (s.kind >= PORT_KINDS || strpbrk(s.name, ",=[]{}()\"'\\/ ") != NULL)
			abort();
		if (s.kind == PORT_MEMIF && strpbrk(s.in, ",=[]{}()\"'\\ ") != NULL)
			abort();
		if (strlen(s.in) + strlen(s.out) + strlen(s.name) > size + PCI_GROWS)
			abort();
	}
	free(text);
	return 0;
}

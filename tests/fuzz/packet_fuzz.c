// SPDX-License-Identifier: BSD-2-Clause
// Any bytes as a frame: the parser stays inside them (a copy of exactly that size lets the
// sanitizer see one byte over), and what it reports lies inside too.
#include "packet/parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_result(enum drop why, const struct hdrs *h, unsigned have, unsigned len)
{
	check((unsigned)why < DROP_COUNT);
	check(h->n_vlan <= 2);
	check(h->l3 <= have);
	check(h->end <= len);
	if (why != DROP_NONE)
		return;
	check(h->family == 0 || h->l3 >= 14);
	check(h->family == 0 || h->end >= h->l3 + 20u);
	check(h->l4 == 0 || (h->l4 >= h->l3 + 20u && h->l4 <= h->end && h->l4 <= have));
	check(h->frag != FRAG_LATER || h->l4 == 0);
	check(!h->l4_short || (h->tcp_flags | h->icmp_type) == 0);
	check(h->has_ports || (h->sport | h->dport) == 0);
}

static void parse_copy(const uint8_t *data, unsigned have, unsigned len)
{
	uint8_t *copy = malloc(have + 1u);
	struct hdrs h;

	if (copy == NULL)
		return;
	// One byte in, so that the end of the block is the end of the frame at any size.
	memcpy(copy + 1, data, have);
	check_result(packet_parse_head(copy + 1, have, len, &h), &h, have, len);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned len = size > 65535 ? 65535 : (unsigned)size;

	parse_copy(data, len, len);
	if (len > 0) // a head of the frame whose length its last byte chooses
		parse_copy(data, len - data[len - 1] % len, len);
	return 0;
}

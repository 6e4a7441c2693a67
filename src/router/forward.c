// SPDX-License-Identifier: BSD-2-Clause
#include "packet/burst.h"
#include "router/slow.h"

#include <rte_mbuf.h>

// Takes out of the burst what `gone` marks.
static void compact(struct burst *b, uint64_t gone)
{
	unsigned live = 0;

	for (unsigned i = 0; i < b->n; i++)
		if (i >= BURST_MAX || (gone >> i & 1) == 0)
			burst_keep(b, live++, i);
	b->n = live;
}

void router_forward(struct router *r, struct burst *b, uint64_t now_ns)
{
	struct slow s = {.r = r, .b = b, .now_ns = now_ns};
	unsigned n = b->n;
	uint64_t gone = 0;

	for (unsigned i = 0; i < n; i++) {
		enum drop why;

		s.m = b->pkt[i];
		why = slow_packet(&s, &b->out[i]);
		if (why == DROP_NONE)
			continue;
		burst_drop(b, i, why);
		gone |= 1ull << i;
	}
	if (gone != 0)
		compact(b, gone);
}

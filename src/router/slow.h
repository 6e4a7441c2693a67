// SPDX-License-Identifier: BSD-2-Clause
// slow.h - one packet at a time through everything the standards ask.  The fast path leaves to it
// whatever is not plain; it is also the reference the fast path is tested against.
#pragma once

#include "packet/parse.h"
#include "router/inside.h"

struct slow {
	struct router *r;
	struct burst *b; // packets made are put behind it, drops of those counted in it
	struct rte_mbuf *m;
	uint64_t now_ns;
	uint8_t *frame; // first byte of m; one contiguous piece
	uint8_t *ip;    // its IP header
	struct hdrs h;
	bool chain_ok; // h holds all IPv6 extension headers
};

// DROP_NONE: the packet at s->m, rewritten, leaves by port *out.  Else the reason to drop it.
// The caller has filled in the first four fields.
enum drop slow_packet(struct slow *s, uint16_t *out);

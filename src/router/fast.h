// SPDX-License-Identifier: BSD-2-Clause
// fast.h - bursts of plain packets: IPv4 without options, IPv6 without hop-by-hop options, nothing
// wrong with them, a next hop with a MAC, and small enough for it.
#pragma once

#include "router/inside.h"

struct rte_mbuf;

// Forwards what is plain of n <= BURST_MAX packets that came in by port `in`: rewrites it and sets
// its out[].  The others are left as they were; their indices go to left[], ascending.  Returns how
// many those are.
unsigned fast4(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left);
unsigned fast6(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left);

// SPDX-License-Identifier: BSD-2-Clause
// Three passes over the burst: check and collect destinations, look all of them up, rewrite.  No
// branch depends on packet data but one in the last pass, which is not taken by what is plain.
//
// Everything that can disqualify a packet ends in one comparison: need[i], the packet's length, is
// set beyond any MTU by a failed check, and a next hop that is not a station has an MTU of 0.
#include "router/fast.h"

#include "router/check.h"
#include "router/rewrite.h"

enum { ETH_HDR = 14, NO_PORT = UINT16_MAX };

// Whether packet i cannot take this next hop here.  no_out: a port that needs a redirect.
static inline bool misfit(uint32_t need, const struct hop *hop, uint32_t no_out)
{
	return __builtin_expect((need > hop->mtu) | (hop->port == no_out), 0);
}

static unsigned all_left(unsigned n, uint8_t *left)
{
	for (unsigned i = 0; i < n; i++)
		left[i] = (uint8_t)i;
	return n;
}

unsigned fast4(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left)
{
	uint32_t no_out = r->conf.redirect4 ? in : NO_PORT;
	const struct hop *hop0 = r->hops.hop;
	uint64_t hops[BURST_MAX];
	unsigned n_left = 0;
	struct checked c;

	if (!r->conf.forward4)
		return all_left(n, left);
	r->check4(pkt, n, r->port[in].mac48, &c);
	fib4_lookup(r->fib4, c.dst4, hops, n);
	for (unsigned i = 0; i < n; i++) {
		const struct hop *hop = &hop0[hops[i]];

		if (misfit(c.need[i], hop, no_out)) {
			left[n_left++] = (uint8_t)i;
			continue;
		}
		out[i] = hop->port;
		rewrite_eth(c.frame[i], hop);
		memcpy(c.frame[i] + ETH_HDR + 8, &c.ttl[i], sizeof(c.ttl[i]));
	}
	return n_left;
}

unsigned fast6(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left)
{
	uint32_t no_out = r->conf.redirect6 ? in : NO_PORT;
	const struct hop *hop0 = r->hops.hop;
	uint64_t hops[BURST_MAX];
	unsigned n_left = 0;
	struct checked c;

	if (!r->conf.forward6)
		return all_left(n, left);
	r->check6(pkt, n, r->port[in].mac48, &c);
	fib6_lookup(r->fib6, c.dst6, hops, n);
	for (unsigned i = 0; i < n; i++) {
		const struct hop *hop = &hop0[hops[i]];

		if (misfit(c.need[i], hop, no_out)) {
			left[n_left++] = (uint8_t)i;
			continue;
		}
		out[i] = hop->port;
		rewrite_eth(c.frame[i], hop);
		c.frame[i][ETH_HDR + 7]--;
	}
	return n_left;
}

// SPDX-License-Identifier: BSD-2-Clause
// Three passes over the burst: check and collect destinations, look all of them up, rewrite.  No
// branch depends on packet data but one in the last pass, which is not taken by what is plain.
//
// Everything that can disqualify a packet ends in one comparison: need[i], the packet's length, is
// set beyond any MTU by a failed check, and a next hop that is not a station has an MTU of 0.  A
// packet that fails may be shorter than the 54 bytes read of it: its buffer is not (port_pool makes
// none below 2 KB), and what lies behind its end counts for nothing.
//
// The checks are those of slow.c; tests hold the two against each other.
#include "router/fast.h"

#include "router/rewrite.h"

#include <rte_mbuf.h>
#include <string.h>

enum { ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, FRAME_MIN = 60, NO_PORT = UINT16_MAX };
enum { NEVER = 1 << 17 }; // above any length of a packet

static inline uint16_t load16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

// Not 0 if the frame is for another MAC, in several buffers, or had a VLAN tag.
static inline uint64_t frame_differs(const struct rte_mbuf *m, const uint8_t *f, uint64_t mac48)
{
	return ((load64(f) ^ mac48) << 16) | (m->pkt_len ^ m->data_len) |
	       (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED);
}

// Whether a packet of `total` bytes does not fill a frame of len bytes, padding of the shortest
// frame aside.  True also if it is longer.
static inline uint32_t length_differs(uint32_t len, uint32_t total)
{
	uint32_t shortest = FRAME_MIN - ETH_HDR;
	uint32_t pad = total < shortest ? shortest - total : 0;

	return len - ETH_HDR - total > pad; // wraps far beyond if negative
}

// The one's complement sum of the 20 bytes of header, folded; 0xffff if the header is right.
static inline uint32_t sum20(uint64_t w0, uint64_t w1, uint32_t w2)
{
	uint64_t s = (w0 & UINT32_MAX) + (w0 >> 32) + (w1 & UINT32_MAX) + (w1 >> 32) + w2;

	s = (s & 0xffff) + (s >> 16); // below 2^20, and a multiple of 0xffff if right
	return (uint32_t)((s & 0xffff) + (s >> 16));
}

// special_src4 as arithmetic, of the address in host order.
static inline uint32_t src4_special(uint32_t src)
{
	return (src - (1u << 24) >= 223u << 24) | (src >> 24 == 127) | (src >> 16 == 0xa9fe);
}

// Returns the length of the packet, or NEVER and more; *dst gets its destination.
static inline uint32_t check4(const struct rte_mbuf *m, uint64_t mac48, uint32_t *dst)
{
	const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *), *ip = f + ETH_HDR;
	uint64_t w0 = load64(ip), w1 = load64(ip + 8);
	uint32_t w2 = load32(ip + 16);
	uint32_t total = __builtin_bswap16((uint16_t)(w0 >> 16));
	uint64_t differs = frame_differs(m, f, mac48);
	uint32_t bad;

	*dst = __builtin_bswap32(w2);
	differs |= (load32(f + 12) & 0xffffff) ^ 0x450008; // IPv4, 20 bytes of header
	differs |= sum20(w0, w1, w2) ^ 0xffff;
	bad = (differs != 0) | (total < IP4_HDR) | length_differs(m->data_len, total) |
	      ((w1 & 0xfe) == 0) | src4_special(__builtin_bswap32((uint32_t)(w1 >> 32)));
	return total | bad << 17;
}

static inline uint32_t check6(const struct rte_mbuf *m, uint64_t mac48, struct ip6 *dst)
{
	const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *), *ip = f + ETH_HDR;
	uint32_t total = __builtin_bswap16(load16(ip + 4)) + IP6_HDR;
	uint64_t differs = frame_differs(m, f, mac48), src = load64(ip + 8);
	uint32_t bad;

	memcpy(dst, ip + 24, IP6_LEN);
	differs |= (load32(f + 12) & 0xf0ffff) ^ 0x60dd86;
	// Sources with 64 bits of zero in front hold all special ones that are not groups (and what
	// is not assigned); from fe80:: on there are link-local addresses and groups.
	bad = (differs != 0) | length_differs(m->data_len, total) | (ip[6] == 0) | (ip[7] < 2) |
	      (src == 0) | (__builtin_bswap16((uint16_t)src) >= 0xfe80);
	return total | bad << 17;
}

unsigned fast4(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left)
{
	uint32_t dst[BURST_MAX], need[BURST_MAX];
	uint64_t hops[BURST_MAX], mac48 = r->port[in].mac48;
	uint32_t no_out = r->conf.redirect4 ? in : NO_PORT;
	uint32_t never = r->conf.forward4 ? 0 : NEVER;
	const struct hop *hop0 = r->hops.hop;
	unsigned n_left = 0;

	for (unsigned i = 0; i < n; i++)
		need[i] = check4(pkt[i], mac48, &dst[i]) | never;
	fib4_lookup(r->fib4, dst, hops, n);
	for (unsigned i = 0; i < n; i++) {
		const struct hop *hop = &hop0[hops[i]];
		uint8_t *f;

		if (__builtin_expect((need[i] > hop->mtu) | (hop->port == no_out), 0)) {
			left[n_left++] = (uint8_t)i;
			continue;
		}
		f = rte_pktmbuf_mtod(pkt[i], uint8_t *);
		out[i] = hop->port;
		ttl_lower(f + ETH_HDR);
		rewrite_eth(f, hop);
	}
	return n_left;
}

unsigned fast6(const struct router *r, uint16_t in, struct rte_mbuf *const *pkt, uint16_t *out,
	unsigned n, uint8_t *left)
{
	uint32_t need[BURST_MAX];
	struct ip6 dst[BURST_MAX];
	uint64_t hops[BURST_MAX], mac48 = r->port[in].mac48;
	uint32_t no_out = r->conf.redirect6 ? in : NO_PORT;
	uint32_t never = r->conf.forward6 ? 0 : NEVER;
	const struct hop *hop0 = r->hops.hop;
	unsigned n_left = 0;

	for (unsigned i = 0; i < n; i++)
		need[i] = check6(pkt[i], mac48, &dst[i]) | never;
	fib6_lookup(r->fib6, dst, hops, n);
	for (unsigned i = 0; i < n; i++) {
		const struct hop *hop = &hop0[hops[i]];
		uint8_t *f;

		if (__builtin_expect((need[i] > hop->mtu) | (hop->port == no_out), 0)) {
			left[n_left++] = (uint8_t)i;
			continue;
		}
		f = rte_pktmbuf_mtod(pkt[i], uint8_t *);
		out[i] = hop->port;
		f[ETH_HDR + 7]--;
		rewrite_eth(f, hop);
	}
	return n_left;
}

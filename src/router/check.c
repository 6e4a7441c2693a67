// SPDX-License-Identifier: BSD-2-Clause
// The checks one packet at a time, without branches on its data.  A packet that fails may be shorter
// than the 54 bytes read of it: its buffer is not (port_pool makes none below 2 KB), and what lies
// behind its end counts for nothing.
//
// The checks are those of slow.c; tests hold the two, and check_avx512.c, against each other.
#include "router/check.h"

#include "base/load.h"
#include "router/rewrite.h"

#include <rte_mbuf.h>
#include <string.h>

enum { ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, FRAME_MIN = 60 };

// Not 0 if the frame is for another MAC, in several buffers, or had a VLAN tag.
static inline uint64_t frame_differs(const struct rte_mbuf *m, const uint8_t *f, uint64_t mac48)
{
	return ((load64(f) ^ mac48) << 16) | (m->nb_segs ^ 1u) |
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

void check4(struct rte_mbuf *const *pkt, unsigned n, uint64_t mac48, struct checked *out)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkt[i];
		uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *), *ip = f + ETH_HDR;
		uint64_t w0 = load64(ip), w1 = load64(ip + 8);
		uint32_t w2 = load32(ip + 16), total = __builtin_bswap16((uint16_t)(w0 >> 16));
		uint64_t differs = frame_differs(m, f, mac48);
		uint32_t bad;

		differs |= (load32(f + 12) & 0xffffff) ^ 0x450008; // IPv4, 20 bytes of header
		differs |= sum20(w0, w1, w2) ^ 0xffff;
		bad = (differs != 0) | (total < IP4_HDR) | length_differs(m->data_len, total) |
		      ((w1 & 0xfe) == 0) | src4_special(__builtin_bswap32((uint32_t)(w1 >> 32)));
		out->frame[i] = f;
		out->need[i] = total | bad << 17;
		out->ttl[i] = ttl_word_lower((uint32_t)w1);
		out->dst4[i] = __builtin_bswap32(w2);
	}
}

void check6(struct rte_mbuf *const *pkt, unsigned n, uint64_t mac48, struct checked *out)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkt[i];
		uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *), *ip = f + ETH_HDR;
		uint32_t total = load_be16(ip + 4) + IP6_HDR;
		uint64_t differs = frame_differs(m, f, mac48), src = load64(ip + 8);
		uint32_t bad;

		differs |= (load32(f + 12) & 0xf0ffff) ^ 0x60dd86;
		// Sources with 64 bits of zero in front hold all special ones that are not groups
		// (and what is not assigned); from fe80:: on there are link-local ones and groups.
		bad = (differs != 0) | length_differs(m->data_len, total) | (ip[6] == 0) |
		      (ip[7] < 2) | (src == 0) | (__builtin_bswap16((uint16_t)src) >= 0xfe80);
		out->frame[i] = f;
		out->need[i] = total | bad << 17;
		memcpy(&out->dst6[i], ip + 24, IP6_LEN);
	}
}

bool check_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl");
}

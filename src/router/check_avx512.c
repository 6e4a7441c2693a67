// SPDX-License-Identifier: BSD-2-Clause
// The checks of check.c for 16 packets at a time.  The bytes 2 to 33 of 16 frames are turned into
// eight registers that hold the same word of every frame, and each check is then a comparison of 16
// words.  A first loop over the whole burst fetches what lies in the mbufs and the first two bytes
// of the frames; its stores have left the store buffer by the time the vectors are loaded from them.
#include "router/check.h"

#include "base/turn.h"

#include <immintrin.h>
#include <rte_mbuf.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

enum { LANES = 16, ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, FRAME_MIN = 60, TURNED = 2 };

// The words at 2, 10, 14, 18 ... 30 of 16 frames.  The one at 6 holds nothing that is checked.
struct words {
	__m512i w2, w10, w14, w18, w22, w26, w30;
};

// What is not in the frames' bytes from 2 on.
struct aside {
	uint16_t len[BURST_MAX];  // data_len
	uint16_t mac0[BURST_MAX]; // the first two bytes
};

// Fills in frame[]; false if a packet has several buffers or had a VLAN tag.  What lies behind n is
// filled with the last packet, so that whole groups can be checked.
static inline bool fetch(
	struct rte_mbuf *const *pkt, unsigned n, struct checked *out, struct aside *a)
{
	unsigned end = (n + LANES - 1) / LANES * LANES;
	uint64_t odd = 0;

	for (unsigned i = 0; i < end; i++) {
		const struct rte_mbuf *m = pkt[i < n ? i : n - 1];
		uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *);

		odd |= (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) | (m->nb_segs ^ 1u);
		out->frame[i] = f;
		a->len[i] = m->data_len;
		memcpy(&a->mac0[i], f, 2);
	}
	return odd == 0;
}

AVX512 static inline __m512i pair(uint8_t *const *f)
{
	return turn_pair(f[0] + TURNED, f[4] + TURNED);
}

AVX512 static inline void turn(uint8_t *const *f, struct words *w)
{
	const __m512i r[8] = {pair(f), pair(f + 1), pair(f + 2), pair(f + 3), pair(f + 8),
		pair(f + 9), pair(f + 10), pair(f + 11)};
	__m512i c[8];

	turn_pairs(r, c);
	*w = (struct words){c[0], c[2], c[3], c[4], c[5], c[6], c[7]};
}

AVX512 static inline __m512i all(uint32_t v)
{
	return _mm512_set1_epi32((int)v);
}

// Bytes 0-3 of every word, most significant first; 15 (with the top bit) gives 0.
AVX512 static inline __m512i bytes_of(__m512i v, uint32_t order)
{
	const __m512i lane = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
	__m512i pick = _mm512_add_epi8(all(order), lane);

	return _mm512_shuffle_epi8(v, pick);
}

AVX512 static inline __m512i bswap32(__m512i v)
{
	return bytes_of(v, 0x00010203);
}

// Frames for another MAC, of another type (the 16 bits at 12), or of a length that differs.
AVX512 static inline __mmask16 frame_differs(const struct words *w, const struct aside *a,
	uint64_t mac48, uint32_t type, __m512i total, unsigned i)
{
	__m256i mac0 = _mm256_loadu_si256((const __m256i *)&a->mac0[i]);
	__m512i len = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)&a->len[i]));
	__m512i shortest = all(FRAME_MIN - ETH_HDR);
	__m512i pad = _mm512_sub_epi32(_mm512_max_epu32(shortest, total), total);
	__m512i more = _mm512_sub_epi32(_mm512_sub_epi32(len, all(ETH_HDR)), total);
	__mmask16 k = _mm256_cmpneq_epi16_mask(mac0, _mm256_set1_epi16((short)mac48));

	k |= _mm512_cmpneq_epi32_mask(w->w2, all((uint32_t)(mac48 >> 16)));
	k |= _mm512_cmpneq_epi32_mask(_mm512_srli_epi32(w->w10, 16), all(type));
	return k | _mm512_cmpgt_epu32_mask(more, pad);
}

// Headers whose 16-bit words do not add up to 0xffff.
AVX512 static inline __mmask16 sum_differs(const struct words *w)
{
	const __m512i low = all(0xffff);
	__m512i s = _mm512_and_si512(w->w14, low), h = _mm512_srli_epi32(w->w14, 16);

	s = _mm512_add_epi32(s, _mm512_and_si512(w->w18, low));
	h = _mm512_add_epi32(h, _mm512_srli_epi32(w->w18, 16));
	s = _mm512_add_epi32(s, _mm512_and_si512(w->w22, low));
	h = _mm512_add_epi32(h, _mm512_srli_epi32(w->w22, 16));
	s = _mm512_add_epi32(s, _mm512_and_si512(w->w26, low));
	h = _mm512_add_epi32(h, _mm512_srli_epi32(w->w26, 16));
	s = _mm512_add_epi32(s, _mm512_and_si512(w->w30, low));
	h = _mm512_add_epi32(h, _mm512_srli_epi32(w->w30, 16));
	s = _mm512_add_epi32(s, h);
	s = _mm512_add_epi32(_mm512_and_si512(s, low), _mm512_srli_epi32(s, 16));
	s = _mm512_add_epi32(_mm512_and_si512(s, low), _mm512_srli_epi32(s, 16));
	return _mm512_cmpneq_epi32_mask(s, low);
}

AVX512 static inline __mmask16 src4_special(__m512i src)
{
	__mmask16 k = _mm512_cmpge_epu32_mask(
		_mm512_sub_epi32(src, all(1u << 24)), all(223u << 24));

	k |= _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(src, 24), all(127));
	return k | _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(src, 16), all(0xa9fe));
}

// rewrite.h says why.
AVX512 static inline __m512i ttl_lower16(__m512i w)
{
	__mmask16 carry = _mm512_cmpge_epu32_mask(w, all(0xfffe0000));

	w = _mm512_add_epi32(w, all(0xffff));
	return _mm512_mask_add_epi32(w, carry, w, all(0x10000));
}

AVX512 static inline void store(uint32_t *to, __m512i v)
{
	_mm512_storeu_si512(to, v);
}

AVX512 static inline void store_need(uint32_t *to, __mmask16 bad, __m512i total)
{
	store(to, _mm512_mask_blend_epi32(bad, total, all(CHECK_NEVER)));
}

AVX512 void check4_avx512(
	struct rte_mbuf *const *pkt, unsigned n, uint64_t mac48, struct checked *out)
{
	struct aside a;

	if (!fetch(pkt, n, out, &a)) {
		check4(pkt, n, mac48, out);
		return;
	}
	for (unsigned i = 0; i < n; i += LANES) {
		struct words w;
		__m512i total;
		__mmask16 bad;

		turn(&out->frame[i], &w);
		total = bytes_of(w.w14, 0x80800203); // the length at 16
		bad = frame_differs(&w, &a, mac48, 0x0008, total, i);
		bad |= _mm512_cmpneq_epi32_mask(_mm512_and_si512(w.w14, all(0xff)), all(0x45));
		bad |= _mm512_cmplt_epu32_mask(total, all(IP4_HDR));
		bad |= _mm512_testn_epi32_mask(w.w22, all(0xfe)); // TTL 0 or 1
		bad |= src4_special(bswap32(w.w26));
		bad |= sum_differs(&w);
		store_need(&out->need[i], bad, total);
		store(&out->ttl[i], ttl_lower16(w.w22));
		store(&out->dst4[i], bswap32(w.w30));
	}
}

AVX512 void check6_avx512(
	struct rte_mbuf *const *pkt, unsigned n, uint64_t mac48, struct checked *out)
{
	struct aside a;

	if (!fetch(pkt, n, out, &a)) {
		check6(pkt, n, mac48, out);
		return;
	}
	for (unsigned i = 0; i < n; i += LANES) {
		struct words w;
		__m512i total, src16;
		__mmask16 bad;

		turn(&out->frame[i], &w);
		total = _mm512_add_epi32(bytes_of(w.w18, 0x80800001), all(IP6_HDR));
		src16 = bytes_of(w.w22, 0x80800001);
		bad = frame_differs(&w, &a, mac48, 0xdd86, total, i);
		bad |= _mm512_cmpneq_epi32_mask(_mm512_and_si512(w.w14, all(0xf0)), all(0x60));
		bad |= _mm512_testn_epi32_mask(w.w18, all(0xff0000));   // next header 0
		bad |= _mm512_testn_epi32_mask(w.w18, all(0xfe000000)); // hop limit 0 or 1
		bad |= _mm512_cmpge_epu32_mask(src16, all(0xfe80));
		w.w22 = _mm512_or_si512(w.w22, w.w26);
		bad |= _mm512_testn_epi32_mask(
			w.w22, w.w22); // no bit in the first 64 of the source
		store_need(&out->need[i], bad, total);
		for (unsigned k = i; k < i + LANES; k++)
			memcpy(&out->dst6[k], out->frame[k] + ETH_HDR + 24, IP6_LEN);
	}
}

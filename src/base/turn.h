// SPDX-License-Identifier: BSD-2-Clause
// turn.h - 16 rows of 8 words each become 8 columns of 16 words, with AVX-512: so what lies in 16
// packets is checked word by word, for all of them at once.
#pragma once

#include <immintrin.h>

#define TURN __attribute__((target("avx512f"), always_inline)) static inline

// The first 32 bytes of two rows.
TURN __m512i turn_pair(const void *lo, const void *hi)
{
	__m512i v = _mm512_castsi256_si512(_mm256_loadu_si256(lo));

	return _mm512_inserti64x4(v, _mm256_loadu_si256(hi), 1);
}

// Pairs are rows 0 and 4, 1 and 5, 2 and 6, 3 and 7, 8 and 12, 9 and 13, 10 and 14, 11 and 15.  The
// unpacks work within 128 bits, so that a register then holds one word of four rows twice over, and
// the last step puts four such parts in order: those of rows 0-3 and 4-7 before those of 8-11 and 12-15.
TURN void turn_pairs(const __m512i r[static 8], __m512i column[static 8])
{
	__m512i a0 = _mm512_unpacklo_epi32(r[0], r[1]), a1 = _mm512_unpackhi_epi32(r[0], r[1]);
	__m512i a2 = _mm512_unpacklo_epi32(r[2], r[3]), a3 = _mm512_unpackhi_epi32(r[2], r[3]);
	__m512i a4 = _mm512_unpacklo_epi32(r[4], r[5]), a5 = _mm512_unpackhi_epi32(r[4], r[5]);
	__m512i a6 = _mm512_unpacklo_epi32(r[6], r[7]), a7 = _mm512_unpackhi_epi32(r[6], r[7]);
	__m512i b0 = _mm512_unpacklo_epi64(a0, a2), b1 = _mm512_unpackhi_epi64(a0, a2);
	__m512i b2 = _mm512_unpacklo_epi64(a1, a3), b3 = _mm512_unpackhi_epi64(a1, a3);
	__m512i c0 = _mm512_unpacklo_epi64(a4, a6), c1 = _mm512_unpackhi_epi64(a4, a6);
	__m512i c2 = _mm512_unpacklo_epi64(a5, a7), c3 = _mm512_unpackhi_epi64(a5, a7);

	column[0] = _mm512_shuffle_i32x4(b0, c0, 0x88);
	column[1] = _mm512_shuffle_i32x4(b1, c1, 0x88);
	column[2] = _mm512_shuffle_i32x4(b2, c2, 0x88);
	column[3] = _mm512_shuffle_i32x4(b3, c3, 0x88);
	column[4] = _mm512_shuffle_i32x4(b0, c0, 0xdd);
	column[5] = _mm512_shuffle_i32x4(b1, c1, 0xdd);
	column[6] = _mm512_shuffle_i32x4(b2, c2, 0xdd);
	column[7] = _mm512_shuffle_i32x4(b3, c3, 0xdd);
}

#undef TURN

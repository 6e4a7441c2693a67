// SPDX-License-Identifier: BSD-2-Clause
// Lookups with AVX-512: 16 keys are hashed and probed at a time.
#include "classify/large_lookup.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi,popcnt")))

enum { LANES = 16, SHORT_WORDS = 0x8f }; // words 0-3 and 7

// Slots of 16 keys in one group, and which of them have to be looked into.
AVX512 static inline __mmask16 probe(const struct large_group *g, const struct large_lanes *lanes,
	unsigned at, __mmask16 live, __m512i *slot)
{
	__m512i sum = _mm512_setzero_si512(), hash;

	for (unsigned i = 0; i < g->n_words; i++) {
		unsigned w = g->word[i];

		sum = _mm512_add_epi32(sum,
			_mm512_mullo_epi32(_mm512_and_si512(_mm512_load_si512(&lanes->word[w][at]),
						   _mm512_set1_epi32((int)g->mask[w])),
				_mm512_set1_epi32((int)large_factor[w])));
	}
	hash = _mm512_mullo_epi32(_mm512_xor_si512(sum, _mm512_srli_epi32(sum, 16)),
		_mm512_set1_epi32((int)LARGE_MIX));
	*slot = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live,
		_mm512_srl_epi32(hash, _mm_cvtsi32_si128((int)g->shift)), g->slot, 4);
	hash = _mm512_sllv_epi32(
		_mm512_set1_epi32(1), _mm512_and_si512(hash, _mm512_set1_epi32(LARGE_BLOOM - 1)));
	return _mm512_mask_test_epi32_mask(live, *slot, hash);
}

// The first lines of all buckets that keys come to.
AVX512 static void probe_all(
	const struct large *t, const struct large_lanes *lanes, unsigned n, struct large_work *w)
{
	const __m512i lane = _mm512_setr_epi32(
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	w->n = 0;
	for (unsigned k = 0; k < t->n_groups; k++)
		for (unsigned at = 0; at < n; at += LANES) {
			__mmask16 live = n - at < LANES ? (__mmask16)((1u << (n - at)) - 1)
							: (__mmask16)UINT16_MAX;
			__m512i slot, key = _mm512_add_epi32(lane, _mm512_set1_epi32((int)at));

			live = probe(&t->group[k], lanes, at, live, &slot);
			slot = _mm512_slli_epi32(
				_mm512_srli_epi32(slot, LARGE_BLOOM), LARGE_KEY_BITS);
			slot = _mm512_or_si512(slot, key);
			_mm512_storeu_si512(
				&w->item[w->n], _mm512_maskz_compress_epi32(live, slot));
			w->n += (unsigned)__builtin_popcount(live);
		}
}

AVX512 static inline uint32_t differs(const struct large_line *l, const struct classify_key *key)
{
	__m256i d = _mm256_and_si256(_mm256_xor_si256(_mm256_loadu_si256((const __m256i *)key),
					     _mm256_load_si256((const __m256i *)l->value)),
		_mm256_load_si256((const __m256i *)l->mask));

	return _mm256_mask_test_epi32_mask(SHORT_WORDS, d, d);
}

AVX512 static inline uint32_t long_differs(
	const struct large_line *l, const struct classify_key *key)
{
	__m512i d = _mm512_and_si512(
		_mm512_xor_si512(_mm512_loadu_si512(key), _mm512_load_si512(&l[1])),
		_mm512_load_si512(&l[2]));

	return _mm512_test_epi32_mask(d, d);
}

AVX512 void large_first_avx512(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	const struct large_steps own = {probe_all, differs, long_differs};

	large_first_by(&own, t, keys, n, ids);
}

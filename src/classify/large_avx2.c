// SPDX-License-Identifier: BSD-2-Clause
// Lookups with AVX2: 8 keys are hashed and probed at a time.
#include "classify/large_lookup.h"

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

enum { LANES = 8 };

// Slots of 8 keys in one group; returns which of them have to be looked into.
AVX2 static inline unsigned probe(const struct large_group *g, const struct large_lanes *lanes,
	unsigned at, uint32_t slots[static LANES])
{
	__m256i sum = _mm256_setzero_si256(), hash, slot, bloom;

	for (unsigned i = 0; i < g->n_words; i++) {
		unsigned w = g->word[i];

		sum = _mm256_add_epi32(sum,
			_mm256_mullo_epi32(
				_mm256_and_si256(
					_mm256_load_si256((const __m256i *)&lanes->word[w][at]),
					_mm256_set1_epi32((int)g->mask[w])),
				_mm256_set1_epi32((int)large_factor[w])));
	}
	hash = _mm256_mullo_epi32(_mm256_xor_si256(sum, _mm256_srli_epi32(sum, 16)),
		_mm256_set1_epi32((int)LARGE_MIX));
	slot = _mm256_i32gather_epi32(
		(const int *)g->slot, _mm256_srl_epi32(hash, _mm_cvtsi32_si128((int)g->shift)), 4);
	bloom = _mm256_sllv_epi32(
		_mm256_set1_epi32(1), _mm256_and_si256(hash, _mm256_set1_epi32(LARGE_BLOOM - 1)));
	bloom = _mm256_cmpeq_epi32(_mm256_and_si256(slot, bloom), bloom);
	_mm256_store_si256((__m256i *)slots, slot);
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(bloom));
}

// The first lines of all buckets that keys come to.
AVX2 static void probe_all(
	const struct large *t, const struct large_lanes *lanes, unsigned n, struct large_work *w)
{
	uint32_t slots[LANES] __attribute__((aligned(32)));

	w->n = 0;
	for (unsigned k = 0; k < t->n_groups; k++)
		for (unsigned at = 0; at < n; at += LANES) {
			unsigned live = probe(&t->group[k], lanes, at, slots);

			if (n - at < LANES)
				live &= (1u << (n - at)) - 1;
			for (; live != 0; live &= live - 1) {
				unsigned i = (unsigned)__builtin_ctz(live);

				w->item[w->n++] = large_start(slots[i]) << LARGE_KEY_BITS |
						  (at + i);
			}
		}
}

AVX2 static inline __m256i half_differs(const void *value, const void *mask, const void *key)
{
	return _mm256_and_si256(_mm256_xor_si256(_mm256_loadu_si256(key), _mm256_load_si256(value)),
		_mm256_load_si256(mask));
}

AVX2 static inline uint32_t differs(const struct large_line *l, const struct classify_key *key)
{
	const __m256i own = _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, -1); // words 0-3 and 7

	return !_mm256_testz_si256(half_differs(l->value, l->mask, key), own);
}

AVX2 static inline uint32_t long_differs(const struct large_line *l, const struct classify_key *key)
{
	const char *value = (const char *)&l[1], *mask = (const char *)&l[2];
	__m256i d = _mm256_or_si256(half_differs(value, mask, key),
		half_differs(value + 32, mask + 32, (const char *)key + 32));

	return !_mm256_testz_si256(d, d);
}

AVX2 void large_first_avx2(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	const struct large_steps own = {probe_all, differs, long_differs};

	large_first_by(&own, t, keys, n, ids);
}

// SPDX-License-Identifier: BSD-2-Clause
// Lookups with AVX2: 16 ends of a node are compared at once, and ANDs take rows of 256 bits.
#include "classify/bits.h"
#include "classify/bits_lookup.h"

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,bmi,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

typedef uint32_t sums[CLASSIFY_BURST];

INLINE uint32_t not_below8(const uint32_t *end, __m256i value)
{
	__m256i e = _mm256_load_si256((const __m256i *)end);
	__m256i same = _mm256_cmpeq_epi32(_mm256_max_epu32(e, value), e);

	return (uint32_t)_mm_popcnt_u32((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)));
}

// Ends below a value among n: which 16 of them it lies in, and how many of these are below.
INLINE uint32_t below(const uint32_t *end, uint32_t value, unsigned n)
{
	__m256i v = _mm256_set1_epi32((int)value);
	uint32_t at = 0;

	for (unsigned i = BITS_NODE; i < n; i += BITS_NODE)
		at += end[i - 1] < value ? BITS_NODE : 0;
	return at + BITS_NODE - not_below8(end + at, v) - not_below8(end + at + 8, v);
}

INLINE void range_n(const struct bits_step *s, unsigned size, unsigned top, unsigned levels,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const uint8_t *at = (const uint8_t *)keys + s->at;
	unsigned node = s->node;

	for (unsigned i = 0; i < n; i++, at += sizeof(*keys)) {
		uint32_t value = size == 2 ? load16(at) : load32(at);
		size_t cell = below(s->level[0], value, top);

		for (unsigned l = 1; l < levels; l++) {
			cell *= node;
			cell += below(s->level[l] + cell, value, node);
		}
		sum[i] += s->off[cell];
	}
}

AVX2 static void range(
	const struct bits_step *s, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	if (s->size == 2 && s->n_top <= BITS_NODE)
		range_n(s, 2, BITS_NODE, 1, keys, n, sum);
	else if (s->size == 2)
		range_n(s, 2, BITS_TOP, 1, keys, n, sum);
	else if (s->levels == 1 && s->n_top <= BITS_NODE)
		range_n(s, 4, BITS_NODE, 1, keys, n, sum);
	else if (s->levels == 2)
		range_n(s, 4, BITS_TOP, 2, keys, n, sum);
	else
		range_n(s, 4, BITS_TOP, s->levels, keys, n, sum);
}

AVX2 static void sum_group(const struct bits_view *v, const struct bits_group *g,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	bits_sum_group(v, g, keys, n, sum, range);
}

INLINE __m256i row(const struct bits_view *v, unsigned g, sums *sum, unsigned i, unsigned w)
{
	return _mm256_load_si256((const __m256i *)&v->group[g].rows[sum[g][i] + w]);
}

// Rows of two words.
INLINE void and2(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t bit = 128;

		for (unsigned w = 2; w-- > 0;) {
			uint64_t all = v->group[0].rows[sum[0][i] + w];

			for (unsigned g = 1; g < groups; g++)
				all &= v->group[g].rows[sum[g][i] + w];
			bit = all != 0 ? w * 64 + (uint32_t)__builtin_ctzll(all) : bit;
		}
		ids[i] = v->id[bit];
	}
}

// Rows of four words and more.
INLINE void and_more(
	const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t bit = v->words * 64;

		for (unsigned w = 0; w < v->words; w += 4) {
			uint64_t word[4] __attribute__((aligned(32)));
			__m256i bits = row(v, 0, sum, i, w), none;
			uint32_t k;

			for (unsigned g = 1; g < groups; g++)
				bits = _mm256_and_si256(bits, row(v, g, sum, i, w));
			none = _mm256_cmpeq_epi64(bits, _mm256_setzero_si256());
			k = 0xfu & ~(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(none));
			if (k == 0)
				continue;
			_mm256_store_si256((__m256i *)word, bits);
			k = (uint32_t)__builtin_ctz(k);
			bit = (w + k) * 64 + (uint32_t)__builtin_ctzll(word[k]);
			break;
		}
		ids[i] = v->id[bit];
	}
}

INLINE void and_n(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	if (v->words == 1)
		bits_and1(v, groups, sum, n, ids);
	else if (v->words == 2)
		and2(v, groups, sum, n, ids);
	else
		and_more(v, groups, sum, n, ids);
}

AVX2 void bits_first_avx2(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	sums sum[BITS_FIELDS];
	unsigned groups = bits_groups(v, keys, n);

	for (unsigned g = 0; g < groups; g++)
		sum_group(v, &v->group[g], keys, n, sum[g]);
	if (v->direct != NULL)
		for (unsigned i = 0; i < n; i++)
			ids[i] = v->direct[sum[0][i]];
	else if (groups == 3)
		and_n(v, 3, sum, n, ids);
	else if (groups == 4)
		and_n(v, 4, sum, n, ids);
	else
		and_n(v, groups, sum, n, ids);
}

// SPDX-License-Identifier: BSD-2-Clause
// Finding keys with AVX2: a key, an entry and the signatures of a set are two registers each.
#include "classify/cache.h"

#include <immintrin.h>

#define AVX2   __attribute__((target("avx2,bmi,popcnt")))
#define INLINE AVX2 static inline __attribute__((always_inline))

enum { LANES = 4 };

struct line {
	__m256i half[2];
};

INLINE struct line load(const void *from)
{
	const __m256i *p = from;

	return (struct line){{_mm256_loadu_si256(p), _mm256_loadu_si256(p + 1)}};
}

INLINE __m256i half_products(__m256i half, __m256i mask, unsigned i)
{
	__m256i k = _mm256_and_si256(half, mask);

	k = _mm256_add_epi32(k, _mm256_loadu_si256((const __m256i *)cache_add + i));
	return _mm256_mul_epu32(k, _mm256_srli_epi64(k, 32));
}

INLINE __m256i products(const struct classify_key *key, const struct line *mask)
{
	struct line k = load(key);

	return _mm256_add_epi64(half_products(k.half[0], mask->half[0], 0),
		half_products(k.half[1], mask->half[1], 1));
}

INLINE __m256i add_lanes(__m256i a, __m256i b)
{
	return _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

// Hashes of four keys; those behind the n-th are any numbers.
INLINE void hash4(
	const struct classify_key *keys, unsigned n, const struct line *mask, uint32_t *hash)
{
	uint64_t sum[LANES] __attribute__((aligned(32)));
	__m256i r[LANES], a, b;

	for (unsigned i = 0; i < LANES; i++)
		r[i] = products(keys + (i < n ? i : 0), mask);
	a = add_lanes(r[0], r[1]);
	b = add_lanes(r[2], r[3]);
	// The sum over each register's lanes becomes one lane.
	_mm256_store_si256((__m256i *)sum, _mm256_add_epi64(_mm256_permute2x128_si256(a, b, 0x20),
						   _mm256_permute2x128_si256(a, b, 0x31)));
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t h = (uint32_t)((sum[i] ^ sum[i] >> 32) * CACHE_MIX >> 32);

		hash[i] = cache_sig(h) != 0 ? h : h + 1;
	}
}

INLINE uint32_t way_of(const uint16_t *sigs, uint16_t sig)
{
	struct line l = load(sigs);
	__m256i s = _mm256_set1_epi16((short)sig), same;

	same = _mm256_packs_epi16(
		_mm256_cmpeq_epi16(l.half[0], s), _mm256_cmpeq_epi16(l.half[1], s));
	// The pack works within 128 bits.
	same = _mm256_permute4x64_epi64(same, 0xd8);
	return _tzcnt_u32((uint32_t)_mm256_movemask_epi8(same));
}

// How a key differs from the entry with its signature.  Without one, *way is CACHE_WAYS and the
// entry is another one.
INLINE __m256i compare(const struct classify_cache *c, const struct line *mask,
	const struct classify_key *key, uint32_t hash, uint32_t *way, uint32_t *id)
{
	const uint32_t set = cache_set(hash);
	const struct cache_entry *e;
	struct line k = load(key), l;

	*way = way_of(c->sig[set], cache_sig(hash));
	e = &c->entry[set * CACHE_WAYS + *way];
	*id = e->id;
	l = load(e);
	return _mm256_or_si256(
		_mm256_and_si256(_mm256_xor_si256(k.half[0], l.half[0]), mask->half[0]),
		_mm256_and_si256(_mm256_xor_si256(k.half[1], l.half[1]), mask->half[1]));
}

// As cache_find_avx512().
AVX2 unsigned cache_find_avx2(const struct classify_cache *c, const struct classify_key *mask,
	const struct classify_key *keys, unsigned n, const struct cache_found *f)
{
	const struct line m = load(mask);
	__m256i differ = _mm256_setzero_si256();
	uint32_t way, ways = 0;
	unsigned n_missed = 0;

	for (unsigned i = 0; i < n; i += LANES)
		hash4(keys + i, n - i, &m, f->hash + i);
	for (unsigned i = 0; i < n; i++) {
		differ = _mm256_or_si256(
			differ, compare(c, &m, &keys[i], f->hash[i], &way, &f->ids[i]));
		ways |= way;
	}
	if (ways < CACHE_WAYS && _mm256_testz_si256(differ, differ))
		return 0;
	for (unsigned i = 0; i < n; i++) {
		differ = compare(c, &m, &keys[i], f->hash[i], &way, &f->ids[i]);
		f->missed[n_missed] = i;
		n_missed += !_mm256_testz_si256(differ, differ) | (way == CACHE_WAYS);
	}
	return n_missed;
}

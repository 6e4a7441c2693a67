// SPDX-License-Identifier: BSD-2-Clause
// Finding keys with AVX-512: a key, an entry and the signatures of a set are a register each.
#include "classify/cache.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { LANES = 8 };

INLINE __m512i products(const struct classify_key *key, __m512i mask)
{
	__m512i k = _mm512_and_si512(_mm512_loadu_si512(key), mask);

	k = _mm512_add_epi32(k, _mm512_loadu_si512(cache_add));
	return _mm512_mul_epu32(k, _mm512_srli_epi64(k, 32));
}

INLINE __m512i add_lanes(__m512i a, __m512i b)
{
	return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

INLINE __m512i add_quarters(__m512i a, __m512i b)
{
	return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
}

// Hashes of eight keys; those behind the n-th are any numbers.
INLINE void hash8(const struct classify_key *keys, unsigned n, __m512i mask, uint32_t *hash)
{
	const __m512i mix = _mm512_set1_epi64((long long)CACHE_MIX);
	__m512i r[LANES], sum;

	if (__builtin_expect(n >= LANES, 1)) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < LANES; i++)
			r[i] = products(keys + i, mask);
	} else {
#pragma GCC unroll 8
		for (unsigned i = 0; i < LANES; i++)
			r[i] = products(keys + (i < n ? i : 0), mask);
	}
	// The sum over each register's lanes becomes one lane.
	sum = add_quarters(add_quarters(add_lanes(r[0], r[1]), add_lanes(r[2], r[3])),
		add_quarters(add_lanes(r[4], r[5]), add_lanes(r[6], r[7])));
	sum = _mm512_xor_si512(sum, _mm512_srli_epi64(sum, 32));
	sum = _mm512_srli_epi64(_mm512_mullo_epi64(sum, mix), 32);
	_mm256_storeu_si256((__m256i *)hash,
		_mm256_max_epu16(_mm512_cvtepi64_epi32(sum), _mm256_set1_epi32(1)));
}

// How a key differs from the entry with its signature.  Without one, *way is CACHE_WAYS and the
// entry is another one.
INLINE __m512i compare(const struct classify_cache *c, const struct classify_key *key,
	uint32_t hash, uint32_t *way, uint32_t *id)
{
	const __m512i sig = _mm512_set1_epi16((short)cache_sig(hash));
	const uint32_t set = cache_set(hash);
	const struct cache_entry *e;

	*way = _tzcnt_u32(_mm512_cmpeq_epi16_mask(_mm512_load_si512(c->sig[set]), sig));
	e = &c->entry[set * CACHE_WAYS + *way];
	*id = e->id;
	return _mm512_xor_si512(_mm512_loadu_si512(key), _mm512_load_si512(e));
}

// Mostly all keys are there, so that is found out first, for all together (4.7 cycles a key, 5.7 if
// each key is told from the others at once).
AVX512 unsigned cache_find_avx512(const struct classify_cache *c, const struct classify_key *mask,
	const struct classify_key *keys, unsigned n, const struct cache_found *f)
{
	enum { OR_AND = 0xf8 };
	const __m512i m = _mm512_loadu_si512(mask);
	__m512i differ = _mm512_setzero_si512();
	uint32_t way, ways = 0;
	unsigned n_missed = 0;

	for (unsigned i = 0; i < n; i += LANES)
		hash8(keys + i, n - i, m, f->hash + i);
	for (unsigned i = 0; i < n; i++) {
		differ = _mm512_ternarylogic_epi64(
			differ, compare(c, &keys[i], f->hash[i], &way, &f->ids[i]), m, OR_AND);
		ways |= way;
	}
	if (ways < CACHE_WAYS && _mm512_test_epi64_mask(differ, differ) == 0)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		differ = compare(c, &keys[i], f->hash[i], &way, &f->ids[i]);
		f->missed[n_missed] = i;
		n_missed += (_mm512_test_epi64_mask(differ, m) != 0) | (way == CACHE_WAYS);
	}
	return n_missed;
}

// SPDX-License-Identifier: BSD-2-Clause
// Lookups with AVX-512.  One step at a time for the whole burst: no step of a key waits for another
// key's, and the only branches are on the tables' shape.  A node of a search tree is one register.
#include "base/turn.h"
#include "classify/bits.h"
#include "classify/bits_lookup.h"

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,popcnt")))
#define INLINE AVX512 static inline __attribute__((always_inline))

enum { LANES = 16, HALF = 32, HALF_WORDS = HALF / 4, NO_BIT = 512 };

typedef uint32_t sums[CLASSIFY_BURST] __attribute__((aligned(64)));

// The keys' first halves turned: a word of all keys after another.
struct turned {
	sums word[HALF_WORDS];
};

INLINE __m512i all(uint32_t v)
{
	return _mm512_set1_epi32((int)v);
}

// Which of 16 lanes hold something, if `left` do.
INLINE __mmask16 lanes(unsigned left)
{
	return (__mmask16)(left < LANES ? (1u << left) - 1 : 0xffff);
}

INLINE __m512i pair(const struct classify_key *k)
{
	return turn_pair(k, k + 4);
}

INLINE void turn16(const struct classify_key *k, struct turned *t, unsigned i)
{
	const __m512i r[8] = {pair(k), pair(k + 1), pair(k + 2), pair(k + 3), pair(k + 8),
		pair(k + 9), pair(k + 10), pair(k + 11)};
	__m512i c[HALF_WORDS];

	turn_pairs(r, c);
	for (unsigned w = 0; w < HALF_WORDS; w++)
		_mm512_store_si512(&t->word[w][i], c[w]);
}

AVX512 static void turn(const struct classify_key *keys, unsigned n, struct turned *t)
{
	unsigned i = 0;

	for (; i + LANES <= n; i += LANES)
		turn16(keys + i, t, i);
	if (i < n) {
		struct classify_key rest[LANES] = {0};

		memcpy(rest, keys + i, (n - i) * sizeof(*rest));
		turn16(rest, t, i);
	}
}

// A field of 16 keys.  What lies behind the n keys is any number.
INLINE __m512i values(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, unsigned i)
{
	const __m512i step = _mm512_setr_epi32(
		0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960);
	__m512i v;

	if (s->at < HALF) {
		v = _mm512_load_si512(&t->word[s->at / 4][i]);
	} else {
		__mmask16 live = lanes(n - i);
		const uint8_t *at = (const uint8_t *)(keys + i) + s->at / 4 * 4;

		v = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, step, at, 1);
	}
	if (s->size == 4)
		return v;
	if (s->size == 1)
		return _mm512_and_si512(_mm512_srli_epi32(v, s->at % 4 * 8), all(0xff));
	return s->at % 4 == 0 ? _mm512_and_si512(v, all(0xffff)) : _mm512_srli_epi32(v, 16);
}

// The top level in registers, searched by halving for 16 values at once: how many ends are below
// each.  n is 16, 32 or 64.
struct top {
	__m512i r[BITS_TOP / LANES];
};

INLINE __m512i probe(const struct top *t, unsigned n, __m512i at)
{
	__m512i low, high;

	if (n == 16)
		return _mm512_permutexvar_epi32(at, t->r[0]);
	low = _mm512_permutex2var_epi32(t->r[0], at, t->r[1]);
	if (n == 32)
		return low;
	high = _mm512_permutex2var_epi32(t->r[2], at, t->r[3]);
	return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(at, all(32)), low, high);
}

INLINE __m512i search(const struct top *t, unsigned n, __m512i value)
{
	__m512i at = _mm512_setzero_si512();

	for (unsigned half = n / 2; half > 0; half /= 2) {
		__m512i end = probe(t, n, _mm512_add_epi32(at, all(half - 1)));

		at = _mm512_mask_add_epi32(at, _mm512_cmplt_epu32_mask(end, value), at, all(half));
	}
	return at;
}

INLINE struct top load_top(const struct bits_step *s, unsigned n)
{
	struct top t = {{_mm512_load_si512(s->level[0])}};

	for (unsigned i = 1; i < n / LANES; i++)
		t.r[i] = _mm512_load_si512(s->level[0] + i * LANES);
	return t;
}

INLINE void add(uint32_t *sum, __m512i v)
{
	_mm512_store_si512(sum, _mm512_add_epi32(_mm512_load_si512(sum), v));
}

// A field of up to 64 cells: what these add is in registers too, as long as it fits two.
INLINE void top_only_n(const struct bits_step *s, unsigned top, const struct turned *t,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	struct top r = load_top(s, top);
	__m512i off0 = _mm512_load_si512(s->off_16), off1 = _mm512_load_si512(s->off_16 + LANES);

	for (unsigned i = 0; i < n; i += LANES) {
		__m512i cell = search(&r, top, values(s, t, keys, n, i));

		if (top <= LANES)
			add(sum + i, _mm512_permutexvar_epi32(cell, off0));
		else if (top <= 2 * LANES)
			add(sum + i, _mm512_permutex2var_epi32(off0, cell, off1));
		else
			add(sum + i, _mm512_i32gather_epi32(cell, s->off_16, 4));
	}
}

AVX512 static void top_only(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	if (s->n_top <= 16)
		top_only_n(s, 16, t, keys, n, sum);
	else if (s->n_top <= 32)
		top_only_n(s, 32, t, keys, n, sum);
	else
		top_only_n(s, 64, t, keys, n, sum);
}

AVX512 static void table(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	for (unsigned i = 0; i < n; i += LANES) {
		__m512i class = _mm512_i32gather_epi32(values(s, t, keys, n, i), s->table, 2);

		class = _mm512_and_si512(class, all(0xffff));
		add(sum + i, _mm512_mullo_epi32(class, all(s->stride)));
	}
}

// Where the search of a tree step stands after its top.
struct found {
	const struct bits_step *step;
	uint32_t *sum;
	sums value, cell;
};

INLINE void tree_top_n(const struct bits_step *s, unsigned top, const struct turned *t,
	const struct classify_key *keys, unsigned n, struct found *f)
{
	struct top r = load_top(s, top);

	for (unsigned i = 0; i < n; i += LANES) {
		__m512i value = values(s, t, keys, n, i);

		_mm512_store_si512(f->value + i, value);
		_mm512_store_si512(f->cell + i, search(&r, top, value));
	}
}

AVX512 static void tree_top(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, struct found *f)
{
	if (s->n_top <= 16)
		tree_top_n(s, 16, t, keys, n, f);
	else if (s->n_top <= 32)
		tree_top_n(s, 32, t, keys, n, f);
	else
		tree_top_n(s, 64, t, keys, n, f);
}

AVX512 static void bytes(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	for (unsigned i = 0; i < n; i += LANES)
		add(sum + i, _mm512_i32gather_epi32(values(s, t, keys, n, i), s->off, 4));
}

AVX512 static void few_bits(const struct bits_step *s, const struct turned *t,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	__m512i off0 = _mm512_load_si512(s->off_16), off1 = _mm512_load_si512(s->off_16 + LANES);

	for (unsigned i = 0; i < n; i += LANES) {
		__m512i v = _mm512_srl_epi32(values(s, t, keys, n, i), _mm_cvtsi32_si128(s->shift));

		v = _mm512_and_si512(v, all(s->few));
		add(sum + i, _mm512_permutex2var_epi32(off0, v, off1));
	}
}

INLINE __mmask16 below16(const uint32_t *end, __m512i value)
{
	return _mm512_cmplt_epu32_mask(_mm512_load_si512(end), value);
}

INLINE __mmask32 below32(const uint32_t *end, __m512i value)
{
	return _mm512_kunpackw(below16(end + LANES, value), below16(end, value));
}

// Ends below a value, in one node.
INLINE uint32_t below(const uint32_t *end, __m512i value, unsigned node)
{
	if (node == 16)
		return (uint32_t)_mm_popcnt_u32(below16(end, value));
	if (node == 32)
		return (uint32_t)_mm_popcnt_u32(below32(end, value));
	return (uint32_t)_mm_popcnt_u64(
		_mm512_kunpackd(below32(end + 2 * LANES, value), below32(end, value)));
}

// The levels below the top, key by key, for whole groups of 16 keys.
INLINE void down_n(const struct found *f, unsigned levels, unsigned node, unsigned n)
{
	const struct bits_step *s = f->step;

#pragma GCC unroll 8
	for (unsigned i = 0; i < n; i++) {
		__m512i value = all(f->value[i]);
		size_t cell = f->cell[i];

		for (unsigned l = 1; l < levels; l++) {
			cell *= node;
			cell += below(s->level[l] + cell, value, node);
		}
		f->sum[i] += s->off[cell];
	}
}

AVX512 static void down(const struct found *f, unsigned n)
{
	n = (n + LANES - 1) / LANES * LANES;
	if (f->step->levels > 2)
		down_n(f, f->step->levels, 16, n);
	else if (f->step->node == 16)
		down_n(f, 2, 16, n);
	else if (f->step->node == 32)
		down_n(f, 2, 32, n);
	else
		down_n(f, 2, 64, n);
}

// The number of the lowest bit, 512 if there is none: a ninth word stands for that.
INLINE uint32_t lowest(__m512i bits, uint64_t word[static 9])
{
	uint32_t w = (uint32_t)_tzcnt_u32(_mm512_test_epi64_mask(bits, bits) | 1u << 8);

	_mm512_store_si512(word, bits);
	return w * 64 + (uint32_t)_tzcnt_u64(word[w]);
}

INLINE __m512i row(const struct bits_view *v, unsigned g, sums *sum, unsigned i, unsigned w)
{
	return _mm512_load_si512(&v->group[g].rows[(size_t)sum[g][i] + w]);
}

INLINE __m512i and_rows(
	const struct bits_view *v, unsigned groups, sums *sum, unsigned i, unsigned w)
{
	enum { AND3 = 0x80 };
	__m512i bits = row(v, 0, sum, i, w);
	unsigned g = 1;

	for (; g + 1 < groups; g += 2)
		bits = _mm512_ternarylogic_epi64(
			bits, row(v, g, sum, i, w), row(v, g + 1, sum, i, w), AND3);
	return g < groups ? _mm512_and_si512(bits, row(v, g, sum, i, w)) : bits;
}

INLINE void and8(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	uint64_t word[9] __attribute__((aligned(64)));

	word[8] = 1;
	for (unsigned i = 0; i < n; i++)
		ids[i] = v->id[lowest(and_rows(v, groups, sum, i, 0), word)];
}

// Rows of 128 and 256 bits.
INLINE void and2(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	uint64_t word[3] __attribute__((aligned(16)));

	word[2] = 1;
	for (unsigned i = 0; i < n; i++) {
		__m128i bits = _mm_load_si128((const __m128i *)&v->group[0].rows[sum[0][i]]);
		uint32_t w;

		for (unsigned g = 1; g < groups; g++)
			bits = _mm_and_si128(bits,
				_mm_load_si128((const __m128i *)&v->group[g].rows[sum[g][i]]));
		w = (uint32_t)_tzcnt_u32(_mm_test_epi64_mask(bits, bits) | 1u << 2);
		_mm_store_si128((__m128i *)word, bits);
		ids[i] = v->id[w * 64 + (uint32_t)_tzcnt_u64(word[w])];
	}
}

INLINE void and4(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	uint64_t word[5] __attribute__((aligned(32)));

	word[4] = 1;
	for (unsigned i = 0; i < n; i++) {
		__m256i bits = _mm256_load_si256((const __m256i *)&v->group[0].rows[sum[0][i]]);
		uint32_t w;

		for (unsigned g = 1; g < groups; g++)
			bits = _mm256_and_si256(bits,
				_mm256_load_si256((const __m256i *)&v->group[g].rows[sum[g][i]]));
		w = (uint32_t)_tzcnt_u32(_mm256_test_epi64_mask(bits, bits) | 1u << 4);
		_mm256_store_si256((__m256i *)word, bits);
		ids[i] = v->id[w * 64 + (uint32_t)_tzcnt_u64(word[w])];
	}
}

// Two blocks of 512 bits: both are read, which costs less than finding out for which keys to.
INLINE void and16(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	uint64_t word[17] __attribute__((aligned(64)));

	word[16] = 1;
	for (unsigned i = 0; i < n; i++) {
		__m512i low = and_rows(v, groups, sum, i, 0), high = and_rows(v, groups, sum, i, 8);
		__mmask8 k = _mm512_test_epi64_mask(low, low),
			 h = _mm512_test_epi64_mask(high, high);
		uint32_t w;

		_mm512_store_si512(word, low);
		_mm512_store_si512(word + 8, high);
		w = (uint32_t)_tzcnt_u32(_mm512_kunpackb(h, k) | 1u << 16);
		ids[i] = v->id[w * 64 + (uint32_t)_tzcnt_u64(word[w])];
	}
}

// Writes the numbers of those of m keys that have no bit yet behind each other; returns how many.
INLINE unsigned still_none(const uint32_t *bit, const uint32_t *key, unsigned m, uint32_t *left)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m; i += LANES) {
		__mmask16 live = lanes(m - i);
		__mmask16 k = _mm512_mask_cmpeq_epi32_mask(
			live, _mm512_load_si512(bit + i), all(NO_BIT));
		__m512i who = _mm512_maskz_compress_epi32(k, _mm512_load_si512(key + i));

		_mm512_storeu_si512(left + n, who);
		n += (unsigned)_mm_popcnt_u32(k);
	}
	return n;
}

// More blocks: each only for the keys that had no bit in those before.  The list of these is not
// written key by key, as stores to places that are known late hold up the loads behind them.
INLINE void and_more(
	const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	uint64_t word[9] __attribute__((aligned(64)));
	uint32_t list[2][CLASSIFY_BURST + LANES] __attribute__((aligned(64)));
	uint32_t *key = list[0], *next = list[1];
	sums bit;
	unsigned m = n;

	word[8] = 1;
	for (unsigned i = 0; i < n; i++)
		key[i] = i;
	for (unsigned w = 0; w < v->words && m > 0; w += 8) {
		uint32_t *done = key;

		for (unsigned k = 0; k < m; k++)
			bit[k] = lowest(and_rows(v, groups, sum, key[k], w), word);
		for (unsigned k = 0; k < m; k++)
			ids[key[k]] = v->id[bit[k] < NO_BIT ? w * 64 + bit[k] : v->words * 64];
		m = still_none(bit, key, m, next);
		key = next;
		next = done;
	}
}

INLINE void and_n(const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	if (v->words == 1)
		bits_and1(v, groups, sum, n, ids);
	else if (v->words == 2)
		and2(v, groups, sum, n, ids);
	else if (v->words == 4)
		and4(v, groups, sum, n, ids);
	else if (v->words == 8)
		and8(v, groups, sum, n, ids);
	else if (v->words == 16)
		and16(v, groups, sum, n, ids);
	else
		and_more(v, groups, sum, n, ids);
}

INLINE void direct(const struct bits_view *v, sums *sum, unsigned n, uint32_t *ids)
{
	for (unsigned i = 0; i < n; i += LANES) {
		__mmask16 live = lanes(n - i);
		__m512i place = _mm512_load_si512(&sum[0][i]);

		_mm512_mask_storeu_epi32(
			ids + i, live, _mm512_i32gather_epi32(place, v->direct, 4));
	}
}

AVX512 static void and_all(
	const struct bits_view *v, unsigned groups, sums *sum, unsigned n, uint32_t *ids)
{
	if (v->direct != NULL)
		direct(v, sum, n, ids);
	else if (groups == 2)
		and_n(v, 2, sum, n, ids);
	else if (groups == 3)
		and_n(v, 3, sum, n, ids);
	else if (groups == 4)
		and_n(v, 4, sum, n, ids);
	else if (groups == 5)
		and_n(v, 5, sum, n, ids);
	else
		and_n(v, groups, sum, n, ids);
}

// Everything that is done 16 keys at a time comes before what is done key by key: no search waits for
// another's end.
AVX512 void bits_first_avx512(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	unsigned groups = bits_groups(v, keys, n), n_found = 0;
	sums sum[BITS_FIELDS];
	struct found found[BITS_RANGES];
	struct turned t;

	turn(keys, n, &t);
	for (unsigned g = 0; g < groups; g++) {
		const struct bits_step *s = &v->step[v->group[g].step];

		for (unsigned i = 0; i < n; i += LANES)
			_mm512_store_si512(&sum[g][i], _mm512_setzero_si512());
		for (const struct bits_step *end = s + v->group[g].n_steps; s < end; s++) {
			if (s->how == BITS_FEW) {
				few_bits(s, &t, keys, n, sum[g]);
			} else if (s->how == BITS_TOP_ONLY) {
				top_only(s, &t, keys, n, sum[g]);
			} else if (s->how == BITS_TABLE) {
				table(s, &t, keys, n, sum[g]);
			} else if (s->how == BITS_BYTE) {
				bytes(s, &t, keys, n, sum[g]);
			} else {
				found[n_found].step = s;
				found[n_found].sum = sum[g];
				tree_top(s, &t, keys, n, &found[n_found++]);
			}
		}
	}
	for (unsigned i = 0; i < n_found; i++)
		down(&found[i], n);
	and_all(v, groups, sum, n, ids);
}

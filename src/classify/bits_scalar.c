// SPDX-License-Identifier: BSD-2-Clause
// Lookups in plain C: the reference for the others, and what CPUs without AVX2 run.
#include "classify/bits.h"
#include "classify/bits_lookup.h"

// The comparison is a number, as a branch would be guessed wrong half of the time.
static inline uint32_t cell_of(const struct bits_step *s, uint32_t value)
{
	const uint32_t *end = s->level[s->levels - 1];
	uint32_t lo = 0;

	for (uint32_t n = s->n_cells; n > 1;) {
		uint32_t half = n / 2;

		lo += half & -(uint32_t)(end[lo + half - 1] < value);
		n -= half;
	}
	return lo;
}

static void range_step(
	const struct bits_step *s, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const uint8_t *at = (const uint8_t *)keys + s->at;

	if (s->size == 2)
		for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
			sum[i] += s->off[cell_of(s, load16(at))];
	else
		for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
			sum[i] += s->off[cell_of(s, load32(at))];
}

static void sum_group(const struct bits_view *v, const struct bits_group *g,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const struct bits_step *s = &v->step[g->step], *end = s + g->n_steps;

	memset(sum, 0, n * sizeof(*sum));
	for (; s < end && s->how != BITS_BYTE; s++) {
		if (s->how == BITS_TABLE)
			bits_table_step(s, keys, n, sum);
		else
			range_step(s, keys, n, sum);
	}
	bits_byte_steps(s, (unsigned)(end - s), keys, n, sum);
}

// The id of the lowest bit that is set in all rows.
static uint32_t first_of(
	const struct bits_view *v, unsigned groups, uint32_t sum[][CLASSIFY_BURST], unsigned i)
{
	for (unsigned w = 0; w < v->words; w++) {
		uint64_t all = UINT64_MAX;

		for (unsigned g = 0; g < groups; g++)
			all &= v->group[g].rows[sum[g][i] + w];
		if (all != 0)
			return v->id[w * 64 + (unsigned)__builtin_ctzll(all)];
	}
	return CLASSIFY_NONE;
}

void bits_first_scalar(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	uint32_t sum[BITS_FIELDS][CLASSIFY_BURST];
	unsigned groups = bits_groups(v, keys, n);

	for (unsigned g = 0; g < groups; g++)
		sum_group(v, &v->group[g], keys, n, sum[g]);
	for (unsigned i = 0; i < n; i++)
		ids[i] = v->direct != NULL ? v->direct[sum[0][i]] : first_of(v, groups, sum, i);
}

size_t bits_all_scalar(
	const struct bits_view *v, const struct classify_key *key, uint32_t *ids, size_t max)
{
	const uint64_t *row[BITS_FIELDS];
	unsigned groups = bits_groups(v, key, 1);
	size_t n = 0;

	for (unsigned g = 0; g < groups; g++) {
		uint32_t sum;

		sum_group(v, &v->group[g], key, 1, &sum);
		row[g] = &v->group[g].rows[v->direct != NULL ? sum * v->words : sum];
	}
	for (unsigned w = 0; w < v->words; w++) {
		uint64_t all = UINT64_MAX;

		for (unsigned g = 0; g < groups; g++)
			all &= row[g][w];
		for (; all != 0; all &= all - 1, n++)
			if (n < max)
				ids[n] = v->id[w * 64 + (unsigned)__builtin_ctzll(all)];
	}
	return n;
}

// SPDX-License-Identifier: BSD-2-Clause
// Lookups in plain C: the reference for the others, and what CPUs without AVX2 run.
#include "classify/bits.h"
#include "classify/bits_lookup.h"

// Not inlined: with the other steps around it GCC 12 keeps the search's numbers in memory, and lookups
// take up to a tenth longer.
static __attribute__((noinline)) void range_step(
	const struct bits_step *s, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const uint8_t *at = (const uint8_t *)keys + s->at;
	const uint32_t *end = s->level[s->levels - 1], *off = s->off;
	const uint32_t n_cells = s->n_cells; // a copy, as sum might be where it lies

	if (s->size == 2)
		for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
			sum[i] += off[bits_cell_of(end, n_cells, load16(at))];
	else
		for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
			sum[i] += off[bits_cell_of(end, n_cells, load32(at))];
}

static void sum_group(const struct bits_view *v, const struct bits_group *g,
	const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	bits_sum_group(v, g, keys, n, sum, range_step);
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

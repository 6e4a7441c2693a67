// SPDX-License-Identifier: BSD-2-Clause
// Lookups in plain C: the reference for the others, and what CPUs without AVX2 run.
#include "classify/large.h"

#include <string.h>

static bool line_matches(const struct large_line *l, const struct classify_key *key)
{
	uint32_t words[LARGE_WORDS], differ = 0;
	const uint32_t *value, *mask;

	memcpy(words, key, sizeof(words));
	for (unsigned w = 0; w < LARGE_WORD_SRC + 1; w++)
		differ |= (words[w] ^ l->value[w]) & l->mask[w];
	differ |= (words[LARGE_WORD_DST] ^ l->value_dst) & l->mask_dst;
	if ((differ | large_ports_differ(l, key)) != 0)
		return false;
	if (l->lines == 1)
		return true;
	value = (const uint32_t *)&l[1];
	mask = (const uint32_t *)&l[2];
	for (unsigned w = 0; w < LARGE_WORDS; w++)
		differ |= (words[w] ^ value[w]) & mask[w];
	return differ == 0;
}

// Rank of the first rule of a bucket that matches and is before best; else best.
static uint64_t bucket_first(
	const struct large_line *l, const struct classify_key *key, uint64_t best)
{
	for (; large_rank(l->order, l->id) < best; l += l->lines) {
		if (line_matches(l, key))
			return large_rank(l->order, l->id);
		if (l->more == 0)
			break;
	}
	return best;
}

static const struct large_line *bucket_of(
	const struct large *t, const struct large_group *g, const uint32_t *words)
{
	uint32_t hash = large_hash(g, words), slot = g->slot[hash >> g->shift];

	return (slot & large_bloom(hash)) != 0 ? &t->arena.line[large_start(slot)] : NULL;
}

void large_first_scalar(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	uint64_t best[CLASSIFY_BURST];

	large_few_first(&t->few, keys, n, best);
	for (unsigned i = 0; i < n; i++) {
		uint32_t words[LARGE_WORDS];

		memcpy(words, &keys[i], sizeof(words));
		for (unsigned k = 0; k < t->n_groups; k++) {
			const struct large_group *g = &t->group[k];
			const struct large_line *l;

			if (g->min_order > best[i] >> 32)
				continue;
			l = bucket_of(t, g, words);
			if (l != NULL)
				best[i] = bucket_first(l, &keys[i], best[i]);
		}
		ids[i] = (uint32_t)best[i];
	}
}

// The next rule of a bucket that matches, from l on; NULL: there is none.
static const struct large_line *bucket_next(
	const struct large_line *l, const struct classify_key *key)
{
	while (!line_matches(l, key)) {
		if (l->more == 0)
			return NULL;
		l += l->lines;
	}
	return l;
}

// A merge of the buckets, one of each group, and of the few.
size_t large_all(const void *tables, const struct classify_key *key, uint32_t *ids, size_t max)
{
	const struct large_line *next[LARGE_GROUPS];
	uint32_t words[LARGE_WORDS], few[LARGE_FEW];
	const struct large *t = tables;
	size_t n, n_few = classify_bits.all(t->few.bits, key, few, LARGE_FEW), i_few = 0;
	unsigned live = 0;

	memcpy(words, key, sizeof(words));
	for (unsigned k = 0; k < t->n_groups; k++) {
		next[live] = bucket_of(t, &t->group[k], words);
		if (next[live] != NULL)
			next[live] = bucket_next(next[live], key);
		live += next[live] != NULL;
	}
	for (n = 0; live > 0 || i_few < n_few; n++) {
		unsigned first = 0;

		for (unsigned i = 1; i < live; i++)
			if (next[i]->order < next[first]->order)
				first = i;
		if (live == 0 ||
			(i_few < n_few && t->few.rank[few[i_few]] >> 32 < next[first]->order)) {
			if (n < max)
				ids[n] = (uint32_t)t->few.rank[few[i_few]];
			i_few++;
			continue;
		}
		if (n < max)
			ids[n] = next[first]->id;
		if (next[first]->more != 0)
			next[first] = bucket_next(next[first] + next[first]->lines, key);
		else
			next[first] = NULL;
		if (next[first] == NULL)
			next[first] = next[--live];
	}
	return n;
}

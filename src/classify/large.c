// SPDX-License-Identifier: BSD-2-Clause
// large.c - more rules than bit vectors are good for: groups of hashed rules.
//
// Tuple space search (Srinivasan, Suri, Varghese, 1999) with few tuples (as TupleMerge, Daly and
// others, 2019): a group has a mask over the words of a key, and holds rules that give at least the
// bits of this mask, in buckets by the hash of their value under it.  A key comes to at most one bucket
// of each group.  large_plan.c chooses the groups so that they are few and their buckets short; rules
// that would need groups of their own, some hundred, go to bit vectors (bits.c), whose cost does
// not grow with their number.
//
// A lookup takes a whole burst through three steps.  The bit vectors give the first match among their
// rules.  Then all keys probe all groups, 16 at a time: hash, gather of the slots, and of those whose
// slot has seen such a hash (a small Bloom filter in the slot) the bucket goes to a list of work; that
// costs 1.5 cycles for a key and group.  Then the list is walked: one rule is compared with one key,
// without jumps; where it does not match, the next of the bucket takes its place in the list.  A rule
// is one cache line, or three if it looks at more than IPv4 rules do.
//
// A change touches one bucket, or the bit vectors.  Rules that are added go to the shortest of the
// buckets they may go to; where all of these are long, to the bit vectors, and when there is no more
// room in these, to a group that is made for them.  As the bit vectors fill up, large_grow.c makes groups of
// what is in them, a little with each rule that is added.
//
// Invariants: rules of a bucket ascend; min_order of a group is not above any of its rules' orders; the
// slot's filter has the bits of all its rules and no others.
#include "classify/large.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void large_free(void *tables)
{
	struct large *t = tables;

	if (t == NULL)
		return;
	for (unsigned i = 0; i < t->n_groups; i++)
		free(t->group[i].slot);
	free(t->arena.line);
	classify_bits.free(t->few.bits);
	large_grow_end(t);
	free(t->levels);
	free(t);
}

void large_words_used(struct large *t)
{
	t->words = 0;
	for (unsigned i = 0; i < t->n_groups; i++)
		for (unsigned k = 0; k < t->group[i].n_words; k++)
			t->words |= 1u << t->group[i].word[k];
}

static void *large_new(const struct classify_rule *const *rules, size_t n)
{
	struct large_rule *r = calloc(n + 1, sizeof(*r));
	struct large *t = calloc(1, sizeof(*t));
	int rc = -ENOMEM;

	if (r != NULL && t != NULL) {
		large_arena_init(&t->arena);
		for (size_t i = 0; i < n; i++)
			large_rule_read(&r[i], rules[i]);
		rc = large_plan(t, r, n);
		large_words_used(t);
		large_grow_later(t);
	}
	free(r);
	if (rc == 0)
		return t;
	large_free(t);
	return NULL;
}

// A group of its own mask for a rule that finds no place; NULL: there is one already, or no room.
static struct large_group *group_new(struct large *t, const struct large_rule *r, int *rc)
{
	struct large_group *g = &t->group[t->n_groups];
	uint32_t mask[LARGE_WORDS] = {0};

	if (t->n_groups == LARGE_GROUPS)
		return NULL;
	if (t->n_groups < LARGE_GROUPS - 1) // the last one takes all rules
		large_plan_mask(t, r, mask);
	for (unsigned i = 0; i < t->n_groups; i++)
		if (memcmp(t->group[i].mask, mask, sizeof(mask)) == 0)
			return NULL;
	*rc = large_group_init(g, mask, 1);
	if (*rc != 0)
		return NULL;
	t->n_groups++;
	large_words_used(t);
	return g;
}

struct large_group *large_place(struct large *t, const struct large_rule *r, uint32_t *load)
{
	struct large_group *best = NULL;

	*load = UINT32_MAX;
	for (unsigned i = 0; i < t->n_groups; i++) {
		uint32_t n;

		if (!large_group_takes(&t->group[i], r))
			continue;
		n = large_group_load(&t->group[i], &t->arena, r);
		if (n < *load) {
			*load = n;
			best = &t->group[i];
		}
	}
	return best;
}

static int large_add(void *tables, const struct classify_rule *rule)
{
	struct large *t = tables;
	struct large_group *best, *own = NULL;
	struct large_rule r;
	uint32_t load;
	int rc = 0;

	large_rule_read(&r, rule);
	best = large_place(t, &r, &load);
	if (load < large_bucket_full(t)) {
		rc = large_group_put(best, &t->arena, &r);
	} else if (t->few.n < LARGE_FEW) {
		rc = large_few_add(&t->few, rule);
	} else {
		own = group_new(t, &r, &rc);
		if (rc == 0)
			rc = large_group_put(own != NULL ? own : best, &t->arena, &r);
	}
	return rc == 0 ? large_grow(t) : rc;
}

static int large_delete(void *tables, const struct classify_rule *rule)
{
	struct large *t = tables;
	struct large_rule r;
	int rc;

	large_rule_read(&r, rule);
	for (unsigned i = 0; i < t->n_groups; i++) {
		if (!large_group_takes(&t->group[i], &r))
			continue;
		rc = large_group_drop(&t->group[i], &t->arena, &r);
		if (rc != 0)
			return rc < 0 ? rc : 0;
	}
	rc = large_few_delete(&t->few, rule);
	return rc < 0 ? rc : 0;
}

static void large_first(
	const void *tables, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	switch (classify_isa()) {
	case CLASSIFY_AVX512:
		large_first_avx512(tables, keys, n, ids);
		break;
	case CLASSIFY_AVX2:
		large_first_avx2(tables, keys, n, ids);
		break;
	case CLASSIFY_SCALAR:
		large_first_scalar(tables, keys, n, ids);
		break;
	}
}

static size_t large_bytes(const void *tables)
{
	const struct large *t = tables;
	size_t n = sizeof(*t) + large_grow_bytes(t) + classify_bits.bytes(t->few.bits) +
		   t->arena.room * sizeof(*t->arena.line);

	for (unsigned i = 0; i < t->n_groups; i++)
		n += sizeof(uint32_t) << (32 - t->group[i].shift);
	return n;
}

static bool large_dear(const void *tables)
{
	(void)tables;
	return true;
}

const struct classify_engine classify_large = {
	.new = large_new,
	.free = large_free,
	.add = large_add,
	.delete = large_delete,
	.first = large_first,
	.all = large_all,
	.bytes = large_bytes,
	.dear = large_dear,
};

// SPDX-License-Identifier: BSD-2-Clause
// One group: its slots and buckets.
#include "classify/large.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SHIFT = 28, LONG_LINES = 3, DST_END = LARGE_WORD_DST + 1 };

const uint32_t large_factor[LARGE_WORDS] = {0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x9e3779b1,
	0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09, 0x7feb352d, 0x846ca68b, 0xa2d97d3d,
	0x68e31da5, 0xe6546b65, 0x1b873593, 0xcc9e2d51, 0x2c1b3c6d};

static uint16_t common(uint16_t lo, uint16_t hi)
{
	unsigned differ = lo ^ hi;

	return differ == 0 ? UINT16_MAX : (uint16_t)(UINT32_MAX << (32 - __builtin_clz(differ)));
}

void large_rule_read(struct large_rule *r, const struct classify_rule *rule)
{
	struct classify_key value = rule->value, mask = rule->mask;
	uint16_t sport = common(rule->sport_lo, rule->sport_hi) & (uint16_t)~mask.sport;
	uint16_t dport = common(rule->dport_lo, rule->dport_hi) & (uint16_t)~mask.dport;

	memset(value.spare, 0, sizeof(value.spare));
	memset(mask.spare, 0, sizeof(mask.spare));
	mask.sport |= sport;
	mask.dport |= dport;
	value.sport |= rule->sport_lo & sport;
	value.dport |= rule->dport_lo & dport;
	memcpy(r->value, &value, sizeof(r->value));
	memcpy(r->mask, &mask, sizeof(r->mask));
	r->rule = rule;
}

static uint32_t lines_of(const struct large_rule *r)
{
	for (unsigned w = LARGE_WORD_SRC + 1; w < LARGE_WORDS; w++)
		if (r->mask[w] != 0 && w != LARGE_WORD_DST)
			return LONG_LINES;
	return 1;
}

// A rule as it lies in its bucket: one line or three.
struct image {
	struct large_line line[LONG_LINES];
};

static void image_make(struct image *m, const struct large_rule *r)
{
	const struct classify_rule *rule = r->rule;
	struct large_line *l = m->line;

	memcpy(l->value, r->value, sizeof(l->value));
	memcpy(l->mask, r->mask, sizeof(l->mask));
	l->value_dst = r->value[LARGE_WORD_DST];
	l->mask_dst = r->mask[LARGE_WORD_DST];
	l->sport_lo = rule->sport_lo;
	l->sport_span = rule->sport_hi - rule->sport_lo;
	l->dport_lo = rule->dport_lo;
	l->dport_span = rule->dport_hi - rule->dport_lo;
	l->order = rule->order;
	l->id = rule->id;
	l->lines = lines_of(r);
	l->more = 0;
	if (l->lines == LONG_LINES) {
		memcpy(&l[1], r->value, sizeof(r->value));
		memcpy(&l[2], r->mask, sizeof(r->mask));
	}
}

// The hash of a rule that is there.
static uint32_t line_hash(const struct large_group *g, const struct large_line *l)
{
	uint32_t words[LARGE_WORDS] = {0};

	if (l->lines == LONG_LINES) {
		memcpy(words, &l[1], sizeof(words));
	} else {
		memcpy(words, l->value, sizeof(l->value));
		words[LARGE_WORD_DST] = l->value_dst;
	}
	return large_hash(g, words);
}

static uint32_t bucket_lines(const struct large_line *l)
{
	const struct large_line *end = l;
	uint32_t more;

	do {
		more = end->more;
		end += end->lines;
	} while (more != 0);
	return (uint32_t)(end - l);
}

unsigned large_shift(size_t n_rules)
{
	unsigned shift = MIN_SHIFT;

	while (shift > 32 - LARGE_START_BITS && (size_t)1 << (32 - shift) < 2 * n_rules)
		shift--;
	return shift;
}

static int slots_new(struct large_group *g, uint32_t n_rules)
{
	size_t n;

	g->shift = large_shift(n_rules);
	n = (size_t)1 << (32 - g->shift);
	g->slot = aligned_alloc(64, n * sizeof(*g->slot));
	if (g->slot == NULL)
		return -ENOMEM;
	memset(g->slot, 0, n * sizeof(*g->slot));
	g->n_full = 0;
	return 0;
}

int large_group_init(struct large_group *g, const uint32_t *mask, uint32_t n_rules)
{
	memset(g, 0, sizeof(*g));
	memcpy(g->mask, mask, sizeof(g->mask));
	for (unsigned w = 0; w < LARGE_WORDS; w++)
		if (mask[w] != 0)
			g->word[g->n_words++] = (uint8_t)w;
	g->min_order = UINT32_MAX;
	return slots_new(g, n_rules);
}

bool large_group_takes(const struct large_group *g, const struct large_rule *r)
{
	for (unsigned i = 0; i < g->n_words; i++)
		if ((g->mask[g->word[i]] & ~r->mask[g->word[i]]) != 0)
			return false;
	return true;
}

uint32_t large_group_load(
	const struct large_group *g, const struct large_arena *a, const struct large_rule *r)
{
	uint32_t slot = g->slot[large_hash(g, r->value) >> g->shift];

	return slot == 0 ? 0 : a->line[large_start(slot)].more + 1;
}

// Lets a bucket have room for another number of lines.
static int bucket_resize(struct large_arena *a, uint32_t *slot, uint32_t lines, uint32_t want)
{
	uint32_t old = large_start(*slot), start;

	if (large_run_size(lines) == large_run_size(want))
		return 0;
	start = large_arena_take(a, want);
	if (start == UINT32_MAX)
		return -ENOMEM;
	memcpy(&a->line[start], &a->line[old], (lines < want ? lines : want) * sizeof(*a->line));
	large_arena_give(a, old, lines);
	*slot = start << LARGE_BLOOM | (*slot & LARGE_BLOOM_BITS);
	return 0;
}

static int bucket_put(struct large_arena *a, uint32_t *slot, struct image *m)
{
	uint32_t own = m->line[0].lines, lines, behind, at = 0;
	struct large_line *l;

	lines = bucket_lines(&a->line[large_start(*slot)]);
	if (bucket_resize(a, slot, lines, lines + own) != 0)
		return -ENOMEM;
	l = &a->line[large_start(*slot)];
	behind = l->more + 1;
	for (; at < lines && l[at].order < m->line[0].order; at += l[at].lines, behind--)
		l[at].more++;
	memmove(&l[at + own], &l[at], (lines - at) * sizeof(*l));
	m->line[0].more = behind;
	memcpy(&l[at], m, own * sizeof(*l));
	return 0;
}

static int image_put(struct large_group *g, struct large_arena *a, uint32_t hash, struct image *m)
{
	uint32_t *slot = &g->slot[hash >> g->shift], start;

	if (*slot != 0) {
		if (bucket_put(a, slot, m) != 0)
			return -ENOMEM;
	} else {
		start = large_arena_take(a, m->line[0].lines);
		if (start == UINT32_MAX)
			return -ENOMEM;
		m->line[0].more = 0;
		memcpy(&a->line[start], m, m->line[0].lines * sizeof(m->line[0]));
		*slot = start << LARGE_BLOOM;
		g->n_full++;
	}
	*slot |= large_bloom(hash);
	return 0;
}

// Rules of one old bucket go to new ones.
static int bucket_split(struct large_group *g, struct large_arena *a, uint32_t slot)
{
	uint32_t at = large_start(slot), lines = bucket_lines(&a->line[at]), end = at + lines;
	struct image m;

	for (uint32_t i = at; i < end; i += m.line[0].lines) {
		memcpy(&m, &a->line[i], a->line[i].lines * sizeof(m.line[0]));
		if (image_put(g, a, line_hash(g, &a->line[i]), &m) != 0)
			return -ENOMEM;
	}
	large_arena_give(a, at, lines);
	return 0;
}

static int slots_double(struct large_group *g, struct large_arena *a)
{
	uint32_t *old = g->slot, n = 1u << (32 - g->shift);
	int rc = slots_new(g, n);

	for (uint32_t i = 0; rc == 0 && i < n; i++)
		if (old[i] != 0)
			rc = bucket_split(g, a, old[i]);
	if (g->slot != NULL)
		free(old);
	else
		g->slot = old; // for large_free()
	return rc;
}

int large_group_put(struct large_group *g, struct large_arena *a, const struct large_rule *r)
{
	struct image m;

	image_make(&m, r);
	if (image_put(g, a, large_hash(g, r->value), &m) != 0)
		return -ENOMEM;
	if (r->rule->order < g->min_order)
		g->min_order = r->rule->order;
	if (g->n_full > 1u << (31 - g->shift) && g->shift > 32 - LARGE_START_BITS)
		return slots_double(g, a);
	return 0;
}

// Which hashes are in a bucket, without the rule at line `not`.
static uint32_t blooms(
	const struct large_group *g, const struct large_line *l, const struct large_line * not )
{
	uint32_t sum = 0, more;

	do {
		more = l->more;
		if (l != not )
			sum |= large_bloom(line_hash(g, l));
		l += l->lines;
	} while (more != 0);
	return sum;
}

static int bucket_drop(struct large_group *g, struct large_arena *a, uint32_t *slot, uint32_t at)
{
	struct large_line *l = &a->line[large_start(*slot)];
	uint32_t lines = bucket_lines(l), own = l[at].lines;

	if (own == lines) {
		large_arena_give(a, large_start(*slot), lines);
		*slot = 0;
		g->n_full--;
		return 0;
	}
	*slot = (*slot & ~(uint32_t)LARGE_BLOOM_BITS) | blooms(g, l, &l[at]);
	for (uint32_t i = 0; i < at; i += l[i].lines)
		l[i].more--;
	memmove(&l[at], &l[at + own], (lines - at - own) * sizeof(*l));
	return bucket_resize(a, slot, lines, lines - own);
}

int large_group_drop(struct large_group *g, struct large_arena *a, const struct large_rule *r)
{
	uint32_t *slot = &g->slot[large_hash(g, r->value) >> g->shift], more, at = 0;
	const struct large_line *l;

	if (*slot == 0)
		return 0;
	l = &a->line[large_start(*slot)];
	do {
		if (l[at].order == r->rule->order)
			return bucket_drop(g, a, slot, at) == 0 ? 1 : -ENOMEM;
		more = l[at].more;
		at += l[at].lines;
	} while (more != 0);
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// Which groups there are: a greedy choice.
//
// A group costs every lookup its probe, and a rule costs those lookups that come to its bucket.  So
// few groups are wanted, with few rules in a bucket.  The fields fall into five parts; for each part
// there are a few levels, masks that its rules have in common (for addresses and ports: lengths of a
// prefix, chosen so that the least bits are lost), and each combination of levels is a candidate.
// A candidate's gain is the number of rules it would take, none more than `depth` into one bucket,
// those of less full buckets counting a little more.  Its cost is its probe, and that keys which match
// rules of other groups come to its buckets in vain; to look at a rule costs LOOK times a probe.  The
// candidate with the best gain for its cost becomes a group, takes its rules, and so on with what is
// left, until few enough are left for bit vectors (weighted set cover, greedily).  Gains only shrink as
// rules are taken, so an old score is a bound, the number of rules that fit the first one, and most
// candidates need not be looked at.  When what is to be gained gets small, deeper buckets are allowed.
//
// Depth 3 and LOOK 7 were the best on the whole of 1 to 6 and 0 to 20 on the made sets and three of
// ClassBench: for ipc1, 10,000 rules, 68 cycles, with LOOK 0 92.
#include "classify/large_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 128, LOOK = 7 };

static bool covers(const uint32_t *mask, const uint32_t *part)
{
	uint32_t missing = 0;

	for (unsigned w = 0; w < LARGE_WORDS; w++)
		missing |= part[w] & ~mask[w];
	return missing == 0;
}

static void see(struct large_seen *s, const struct large_levels *v, const struct large_rule *r)
{
	for (unsigned p = 0; p < PARTS; p++)
		for (unsigned l = 0; l < v->n[p]; l++) {
			const uint32_t *mask = v->mask[p][l];

			s->sum[p][l] = 0;
			for (unsigned w = 0; w < LARGE_WORDS; w++)
				s->sum[p][l] += (r->value[w] & mask[w]) * large_factor[w];
			s->can[p] |= (uint8_t)(covers(r->mask, mask) << l);
		}
}

void large_plan_mask(const struct large *t, const struct large_rule *r, uint32_t *mask)
{
	memset(mask, 0, LARGE_WORDS * sizeof(*mask));
	for (unsigned p = 0; p < PARTS; p++)
		for (unsigned l = t->levels->n[p]; l-- > 0;)
			if (covers(r->mask, t->levels->mask[p][l])) {
				for (unsigned w = 0; w < LARGE_WORDS; w++)
					mask[w] |= t->levels->mask[p][l][w];
				break;
			}
}

static bool fits(const struct large_seen *s, const struct large_choice *c)
{
	unsigned ok = 1;

	for (unsigned p = 0; p < PARTS; p++)
		ok &= s->can[p] >> c->level[p];
	return ok & 1;
}

static uint32_t slot_of(
	const struct large_plan *p, const struct large_seen *s, const struct large_choice *c)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < PARTS; i++)
		sum += s->sum[i][c->level[i]];
	return large_mix(sum) >> p->shift;
}

// What a rule is worth that is the n-th of its bucket.
static unsigned worth(const struct large_plan *p, unsigned n)
{
	return n < p->depth ? LARGE_GAIN - n * (LARGE_GAIN / 2) / p->depth : 0;
}

void large_choice_look(struct large_plan *p, struct large_choice *c)
{
	c->gain = 0;
	memset(p->load, 0, sizeof(*p->load) << (32 - p->shift));
	for (size_t i = 0; i < p->n_left; i++) {
		const struct large_seen *s = &p->seen[p->left[i]];

		if (fits(s, c))
			c->gain += worth(p, p->load[slot_of(p, s, c)]++);
	}
}

static void look_at(struct large_plan *p, struct large_choice *c)
{
	uint32_t taken;

	large_choice_look(p, c);
	taken = c->gain / LARGE_GAIN;
	c->score = (uint64_t)c->gain * p->n /
		   (p->n + LOOK * (uint64_t)(c->n_fits - (c->n_fits < taken ? c->n_fits : taken)));
}

static int by_score(const void *a, const void *b)
{
	const struct large_choice *x = a, *y = b;

	return (x->score < y->score) - (x->score > y->score);
}

bool large_choice_next(const struct large_levels *v, uint8_t level[PARTS])
{
	for (unsigned i = 0; i < PARTS; i++) {
		if (++level[i] < v->n[i])
			return true;
		level[i] = 0;
	}
	return false;
}

void large_choice_mask(const struct large_levels *v, const struct large_choice *c, uint32_t *mask)
{
	memset(mask, 0, LARGE_WORDS * sizeof(*mask));
	for (unsigned i = 0; i < PARTS; i++)
		for (unsigned w = 0; w < LARGE_WORDS; w++)
			mask[w] |= v->mask[i][c->level[i]][w];
}

// All combinations, each as good as can be.
static int choices_make(struct large_plan *p)
{
	uint8_t level[PARTS] = {0};
	size_t n = 1;

	for (unsigned i = 0; i < PARTS; i++)
		n *= p->levels->n[i];
	p->choice = calloc(n, sizeof(*p->choice));
	if (p->choice == NULL)
		return -ENOMEM;
	do {
		struct large_choice *c = &p->choice[p->n_choices++];

		memcpy(c->level, level, sizeof(level));
		for (size_t r = 0; r < p->n; r++)
			c->n_fits += fits(&p->seen[r], c);
	} while (large_choice_next(p->levels, level));
	return 0;
}

// A score cannot be higher than with all rules that fit, each the first of its bucket.
static void choices_sort(struct large_plan *p)
{
	for (size_t i = 0; i < p->n_choices; i++)
		p->choice[i].score = (uint64_t)p->choice[i].n_fits * LARGE_GAIN;
	qsort(p->choice, p->n_choices, sizeof(*p->choice), by_score);
}

// The best candidate comes to the front.
static const struct large_choice *choices_best(struct large_plan *p)
{
	struct large_choice c;
	size_t i;

	for (;;) {
		c = p->choice[0];
		look_at(p, &c);
		for (i = 1; i < p->n_choices && p->choice[i].score > c.score; i++)
			p->choice[i - 1] = p->choice[i];
		p->choice[i - 1] = c;
		if (i == 1)
			return &p->choice[0];
	}
}

static int group_make(struct large *t, struct large_plan *p, const struct large_choice *c)
{
	struct large_group *g = &t->group[t->n_groups];
	uint32_t mask[LARGE_WORDS];
	size_t n = 0, kept = 0;
	int rc;

	large_choice_mask(p->levels, c, mask);
	for (size_t i = 0; i < p->n_left; i++)
		n += fits(&p->seen[p->left[i]], c);
	rc = large_group_init(g, mask, (uint32_t)n);
	if (rc != 0)
		return rc;
	t->n_groups++;
	memset(p->load, 0, sizeof(*p->load) << (32 - p->shift));
	for (size_t i = 0; i < p->n_left; i++) {
		const struct large_seen *s = &p->seen[p->left[i]];

		if (!fits(s, c) || worth(p, p->load[slot_of(p, s, c)]++) == 0)
			p->left[kept++] = p->left[i];
		else if (large_group_put(g, &t->arena, &p->rules[p->left[i]]) != 0)
			return -ENOMEM;
	}
	p->n_left = kept;
	return 0;
}

static int groups_make(struct large *t, struct large_plan *p)
{
	int rc = choices_make(p);

	if (rc == 0)
		choices_sort(p);
	while (rc == 0 && p->n_left > LARGE_LEFT) {
		const struct large_choice *c = choices_best(p);
		bool many = t->n_groups >= LARGE_GROUPS_MADE; // the next one takes all that is left

		if ((many || c->gain < p->n / SMALL * LARGE_GAIN) && p->depth < UINT16_MAX) {
			p->depth = many ? UINT16_MAX : p->depth * 4;
			choices_sort(p);
			continue;
		}
		rc = group_make(t, p, c);
	}
	return rc;
}

int large_plan_open(struct large_plan *p, const struct large_levels *levels,
	const struct large_rule *rules, size_t n)
{
	*p = (struct large_plan){.levels = levels,
		.rules = rules,
		.n_left = n,
		.n = n,
		.shift = large_shift(n),
		.depth = LARGE_DEPTH};
	p->left = calloc(n + 1, sizeof(*p->left));
	p->seen = calloc(n + 1, sizeof(*p->seen));
	p->load = malloc(sizeof(*p->load) << (32 - p->shift));
	if (p->left == NULL || p->seen == NULL || p->load == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		p->left[i] = (uint32_t)i;
		see(&p->seen[i], levels, &rules[i]);
	}
	return 0;
}

void large_plan_close(struct large_plan *p)
{
	free(p->choice);
	free(p->load);
	free(p->seen);
	free(p->left);
}

int large_plan(struct large *t, const struct large_rule *rules, size_t n)
{
	struct large_plan p;
	int rc;

	t->levels = large_levels_make(rules, n);
	if (t->levels == NULL)
		return -ENOMEM;
	rc = large_plan_open(&p, t->levels, rules, n);
	if (rc == 0 && n > LARGE_LEFT)
		rc = groups_make(t, &p);
	if (rc == 0)
		rc = large_few_init(&t->few, rules, p.left, p.n_left);
	large_plan_close(&p);
	return rc;
}

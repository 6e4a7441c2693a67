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
// rules are taken, so an old score is a bound and most candidates need not be looked at again.  When
// what is to be gained gets small, deeper buckets are allowed.
//
// Depth 3 and LOOK 7 were the best on the whole of 1 to 6 and 0 to 20 on the made sets and three of
// ClassBench: for ipc1, 10,000 rules, 68 cycles, with LOOK 0 92.
#include "classify/large.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum part { SRC, DST, SPORT, DPORT, REST, PARTS };
enum {
	LEVELS = 8,
	BITS_MAX = 128,
	DEPTH = 3,
	GAIN = 16,
	SMALL = 128,
	FEW = 512,
	LOOK = 7,
	GROUPS_MAX = 32
};

static const struct shape {
	unsigned word, bits, levels; // of prefixes: first word, bits, levels beside that of no bit
} shape[PARTS] = {{LARGE_WORD_SRC, 128, 6}, {LARGE_WORD_DST, 128, 6}, {LARGE_WORD_PORTS, 16, 2},
	{LARGE_WORD_PORTS, 16, 3}, {0, 0, 2}};

struct large_levels {
	unsigned n[PARTS];
	uint32_t mask[PARTS][LEVELS][LARGE_WORDS]; // [0]: no bit
};

struct choice {
	uint64_t score;  // at most
	uint32_t gain;   // when last looked at
	uint32_t n_fits; // of all rules, whether taken by other groups or not
	uint8_t level[PARTS];
};

struct seen {
	uint8_t can[PARTS]; // bit l: the rule's mask covers that of level l
	uint32_t sum[PARTS][LEVELS];
};

struct plan {
	const struct large_rule *rules;
	uint32_t *left; // numbers of the rules not yet in a group, ascending
	size_t n_left, n;
	struct seen *seen;
	uint16_t *load; // by slot, of the candidate looked at
	unsigned shift, depth;
	struct choice *choice;
	size_t n_choices;
};

static unsigned leading(uint32_t x)
{
	return x == UINT32_MAX ? 32 : (unsigned)__builtin_clz(~x);
}

// Length of the prefix that a rule gives in a part.
static unsigned prefix_of(const struct large_rule *r, enum part p)
{
	unsigned len = 0;

	if (p == SPORT || p == DPORT)
		return leading(r->mask[LARGE_WORD_PORTS] << (p == SPORT ? 16 : 0) & 0xffff0000u);
	for (unsigned w = 0; w < 4 && len == 32 * w; w++)
		len += leading(r->mask[shape[p].word + w]);
	return len;
}

static void prefix_mask(enum part p, unsigned len, uint32_t *mask)
{
	if (p == SPORT || p == DPORT) {
		uint32_t m = len == 0 ? 0 : 0xffffu << (16 - len) & 0xffffu;

		mask[LARGE_WORD_PORTS] = p == SPORT ? m : m << 16;
		return;
	}
	for (unsigned w = 0; w < 4 && len > 32 * w; w++)
		mask[shape[p].word + w] = len >= 32 * w + 32 ? UINT32_MAX
							     : UINT32_MAX << (32 * w + 32 - len);
}

// Chooses the lengths for which the rules lose the least bits, each going down to the next of them.
// loss(i, k): the least for lengths below i with k levels, the last at... solved from short to long.
static void prefix_levels(struct large_levels *v, enum part p, const size_t *count)
{
	size_t best[LEVELS][BITS_MAX + 2], cost;
	uint8_t from[LEVELS][BITS_MAX + 2];
	unsigned bits = shape[p].bits, k = shape[p].levels, at;

	// best[j][e]: loss of the lengths below e, if e is the next level and j lie between 0 and e.
	for (unsigned j = 0; j <= k; j++)
		for (unsigned e = 1; e <= bits + 1; e++) {
			best[j][e] = SIZE_MAX;
			for (unsigned s = j == 0 ? 0 : 1; s < (j == 0 ? 1 : e); s++) {
				if (j > 0 && best[j - 1][s] == SIZE_MAX)
					continue;
				cost = j == 0 ? 0 : best[j - 1][s];
				for (unsigned len = s; len < e; len++)
					cost += count[len] * (len - s);
				if (cost < best[j][e]) {
					best[j][e] = cost;
					from[j][e] = (uint8_t)s;
				}
			}
		}
	while (k > 0 && best[k - 1][bits + 1] <= best[k][bits + 1])
		k--; // a level that saves nothing
	v->n[p] = k + 1;
	at = bits + 1;
	for (unsigned j = k; j > 0; j--) {
		at = from[j][at];
		prefix_mask(p, at, v->mask[p][j]);
	}
}

static void rest_of(const struct large_rule *r, uint32_t *mask)
{
	memcpy(mask, r->mask, sizeof(r->mask));
	mask[LARGE_WORD_PORTS] = 0;
	memset(&mask[LARGE_WORD_SRC], 0, 4 * sizeof(*mask));
	memset(&mask[LARGE_WORD_DST], 0, 4 * sizeof(*mask));
}

// The most frequent masks of the other fields, by a list of the first few that are seen.
static void rest_levels(struct large_levels *v, const struct large_rule *rules, size_t n)
{
	enum { LIST = 32 };
	uint32_t mask[LIST][LARGE_WORDS], m[LARGE_WORDS];
	size_t count[LIST] = {0};
	unsigned n_list = 0, i, best;

	for (size_t r = 0; r < n; r++) {
		rest_of(&rules[r], m);
		for (i = 0; i < n_list && memcmp(mask[i], m, sizeof(m)) != 0; i++)
			;
		if (i == LIST)
			continue;
		if (i == n_list)
			memcpy(mask[n_list++], m, sizeof(m));
		count[i]++;
	}
	v->n[REST] = 1;
	while (v->n[REST] <= shape[REST].levels) {
		best = 0;
		for (i = 1; i < n_list; i++)
			if (count[i] > count[best])
				best = i;
		if (n_list == 0 || count[best] == 0)
			return;
		memcpy(v->mask[REST][v->n[REST]++], mask[best], sizeof(m));
		count[best] = 0;
	}
}

static struct large_levels *levels_make(const struct large_rule *rules, size_t n)
{
	struct large_levels *v = calloc(1, sizeof(*v));
	size_t count[BITS_MAX + 1];

	if (v == NULL)
		return NULL;
	for (enum part p = SRC; p < REST; p++) {
		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < n; i++)
			count[prefix_of(&rules[i], p)]++;
		prefix_levels(v, p, count);
	}
	rest_levels(v, rules, n);
	return v;
}

static bool covers(const uint32_t *mask, const uint32_t *part)
{
	uint32_t missing = 0;

	for (unsigned w = 0; w < LARGE_WORDS; w++)
		missing |= part[w] & ~mask[w];
	return missing == 0;
}

static void look(struct seen *s, const struct large_levels *v, const struct large_rule *r)
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

size_t large_plan_bytes(void)
{
	return sizeof(struct large_levels);
}

static bool fits(const struct seen *s, const struct choice *c)
{
	unsigned ok = 1;

	for (unsigned p = 0; p < PARTS; p++)
		ok &= s->can[p] >> c->level[p];
	return ok & 1;
}

static uint32_t slot_of(const struct plan *p, const struct seen *s, const struct choice *c)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < PARTS; i++)
		sum += s->sum[i][c->level[i]];
	return large_mix(sum) >> p->shift;
}

// What a rule is worth that is the n-th of its bucket.
static unsigned worth(const struct plan *p, unsigned n)
{
	return n < p->depth ? GAIN - n * (GAIN / 2) / p->depth : 0;
}

static void look_at(struct plan *p, struct choice *c)
{
	uint64_t others;

	c->gain = 0;
	memset(p->load, 0, sizeof(*p->load) << (32 - p->shift));
	for (size_t i = 0; i < p->n_left; i++) {
		const struct seen *s = &p->seen[p->left[i]];

		if (fits(s, c))
			c->gain += worth(p, p->load[slot_of(p, s, c)]++);
	}
	others = c->n_fits - (c->n_fits < c->gain / GAIN ? c->n_fits : c->gain / GAIN);
	c->score = (uint64_t)c->gain * p->n / (p->n + LOOK * others);
}

static int by_score(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	return (x->score < y->score) - (x->score > y->score);
}

// All combinations, each as good as can be.
static int choices_make(struct plan *p, const struct large_levels *v)
{
	uint8_t level[PARTS] = {0};
	size_t n = 1;
	unsigned i;

	for (i = 0; i < PARTS; i++)
		n *= v->n[i];
	p->choice = calloc(n, sizeof(*p->choice));
	if (p->choice == NULL)
		return -ENOMEM;
	for (p->n_choices = 0; p->n_choices < n; p->n_choices++) {
		struct choice *c = &p->choice[p->n_choices];

		memcpy(c->level, level, sizeof(level));
		for (size_t r = 0; r < p->n; r++)
			c->n_fits += fits(&p->seen[r], c);
		for (i = 0; i < PARTS && ++level[i] == v->n[i]; i++)
			level[i] = 0;
	}
	return 0;
}

static void choices_look(struct plan *p)
{
	for (size_t i = 0; i < p->n_choices; i++)
		look_at(p, &p->choice[i]);
	qsort(p->choice, p->n_choices, sizeof(*p->choice), by_score);
}

// The best candidate comes to the front.
static const struct choice *choices_best(struct plan *p)
{
	struct choice c;
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

static int group_make(struct large *t, struct plan *p, const struct choice *c)
{
	struct large_group *g = &t->group[t->n_groups];
	uint32_t mask[LARGE_WORDS] = {0};
	size_t n = 0, kept = 0;
	int rc;

	for (unsigned i = 0; i < PARTS; i++)
		for (unsigned w = 0; w < LARGE_WORDS; w++)
			mask[w] |= t->levels->mask[i][c->level[i]][w];
	for (size_t i = 0; i < p->n_left; i++)
		n += fits(&p->seen[p->left[i]], c);
	rc = large_group_init(g, mask, (uint32_t)n);
	if (rc != 0)
		return rc;
	t->n_groups++;
	memset(p->load, 0, sizeof(*p->load) << (32 - p->shift));
	for (size_t i = 0; i < p->n_left; i++) {
		const struct seen *s = &p->seen[p->left[i]];

		if (!fits(s, c) || worth(p, p->load[slot_of(p, s, c)]++) == 0)
			p->left[kept++] = p->left[i];
		else if (large_group_put(g, &t->arena, &p->rules[p->left[i]]) != 0)
			return -ENOMEM;
	}
	p->n_left = kept;
	return 0;
}

static int groups_make(struct large *t, struct plan *p)
{
	int rc = 0;

	p->depth = DEPTH;
	if (p->n_left > FEW)
		choices_look(p);
	while (rc == 0 && p->n_left > FEW) {
		const struct choice *c = choices_best(p);
		bool many = t->n_groups >= GROUPS_MAX; // the next one takes all that is left

		if ((many || c->gain < p->n / SMALL * GAIN) && p->depth < UINT16_MAX) {
			p->depth = many ? UINT16_MAX : p->depth * 4;
			choices_look(p);
			continue;
		}
		rc = group_make(t, p, c);
	}
	return rc;
}

int large_plan(struct large *t, const struct large_rule *rules, size_t n)
{
	struct plan p = {.rules = rules, .n_left = n, .n = n, .shift = large_shift(n)};
	int rc = -ENOMEM;

	t->levels = levels_make(rules, n);
	p.left = calloc(n + 1, sizeof(*p.left));
	p.seen = calloc(n + 1, sizeof(*p.seen));
	p.load = malloc(sizeof(*p.load) << (32 - p.shift));
	if (t->levels != NULL && p.left != NULL && p.seen != NULL && p.load != NULL)
		rc = 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		p.left[i] = (uint32_t)i;
		look(&p.seen[i], t->levels, &rules[i]);
	}
	if (rc == 0)
		rc = choices_make(&p, t->levels);
	if (rc == 0)
		rc = groups_make(t, &p);
	if (rc == 0)
		rc = large_few_init(&t->few, rules, p.left, p.n_left);
	free(p.choice);
	free(p.load);
	free(p.seen);
	free(p.left);
	return rc;
}

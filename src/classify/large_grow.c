// SPDX-License-Identifier: BSD-2-Clause
// A set that grows rule by rule.
//
// Its groups were chosen for the rules there were.  What fits none of them goes among the few, whose bit
// vectors cost the more the more they are: 10,000 hosts, added one by one behind 2,000, cost 2.0 times what
// they cost when they came at once.  So when the few have grown, a survey looks for the group that would
// take most of them, by large_plan.c's candidates; it becomes a group, and its rules move there.  The
// choice among those of a set at once took milliseconds, and nobody is to wait so long for one rule: each
// added rule does a part, some 16,000 looks or four moves, and a survey takes some fifty of them.
//
// The survey keeps what it saw of the rules at its start.  Rules that come and go meanwhile are not in it,
// which makes its choice a little worse and nothing wrong.
#include "classify/large_plan.h"

#include <errno.h>
#include <stdlib.h>

enum {
	SURVEY_FROM = 384, // fewer cost little
	SURVEY_MORE = 64,  // than were left by the last one
	WORTH_IT = 96,     // rules that a group must take
	LOOKS = 16384,     // at rules, for one that is added
	MOVES = 4,
	STEPS = 256,    // places looked at for these
	FULL_NONE = 8,  // while there are no few: the first of them costs every lookup
	FULL_SOME = 6,  // and one more for each
	FULL_MORE = 64, // of them
	FULL_LAST = 32  // so few of them go to longer buckets, so that there are none
};

uint32_t large_bucket_full(const struct large *t)
{
	return t->few.n == 0 ? FULL_NONE : FULL_SOME + t->few.n / FULL_MORE;
}

struct large_survey {
	struct large_levels *levels;
	struct large_plan plan;
	struct large_choice at, best;
};

void large_grow_end(struct large *t)
{
	struct large_survey *s = t->growth.survey;

	if (s == NULL)
		return;
	large_plan_close(&s->plan);
	free(s->levels);
	free(s);
	t->growth.survey = NULL;
}

void large_grow_later(struct large *t)
{
	t->growth.at = t->few.n + SURVEY_MORE;
	if (t->growth.at < SURVEY_FROM)
		t->growth.at = SURVEY_FROM;
}

static int survey_begin(struct large *t)
{
	struct large_rule *rules = calloc(t->few.n + 1, sizeof(*rules));
	struct large_survey *s = calloc(1, sizeof(*s));
	size_t n = 0;
	int rc = -ENOMEM;

	t->growth.survey = s;
	if (rules != NULL && s != NULL) {
		for (uint32_t i = 0; i < LARGE_FEW; i++)
			if (t->few.used[i])
				large_rule_read(&rules[n++], &t->few.rule[i]);
		s->levels = large_levels_make(rules, n);
	}
	if (s != NULL && s->levels != NULL)
		rc = large_plan_open(&s->plan, s->levels, rules, n);
	if (rc == 0)
		s->plan.depth = 1; // for more rules will come
	free(rules);
	return rc;
}

// The best candidate becomes a group, if it is worth one.
static int survey_done(struct large *t)
{
	struct large_survey *s = t->growth.survey;
	struct large_group *g = &t->group[t->n_groups];
	uint32_t mask[LARGE_WORDS];
	int rc = 0;

	large_grow_later(t);
	// The last one is for what has no other place: large.c.
	if (s->best.gain >= WORTH_IT * LARGE_GAIN && t->n_groups < LARGE_GROUPS - 1) {
		large_choice_mask(s->levels, &s->best, mask);
		rc = large_group_init(g, mask, s->best.gain / LARGE_GAIN);
		if (rc == 0) {
			t->n_groups++;
			large_words_used(t);
			t->growth.moves = true;
			t->growth.next = 0;
		}
	}
	large_grow_end(t);
	return rc;
}

static int survey_go_on(struct large *t)
{
	struct large_survey *s = t->growth.survey;

	for (size_t looks = 0; looks < LOOKS; looks += s->plan.n) {
		large_choice_look(&s->plan, &s->at);
		// The finer come later; they are met in vain by fewer keys.
		if (s->at.gain >= s->best.gain)
			s->best = s->at;
		if (!large_choice_next(s->levels, s->at.level))
			return survey_done(t);
	}
	return 0;
}

// Four rules of the few go to groups, if there are short buckets.
static int move(struct large *t)
{
	struct large_growth *w = &t->growth;
	uint32_t full = t->few.n <= FULL_LAST ? FULL_NONE : LARGE_DEPTH, load;
	unsigned moves = 0;

	for (unsigned i = 0; i < STEPS && moves < MOVES && w->next < LARGE_FEW; i++, w->next++) {
		struct large_group *g;
		struct large_rule r;

		if (!t->few.used[w->next])
			continue;
		large_rule_read(&r, &t->few.rule[w->next]);
		g = large_place(t, &r, &load);
		if (load >= full)
			continue;
		if (large_group_put(g, &t->arena, &r) != 0 || large_few_drop(&t->few, w->next) != 0)
			return -ENOMEM;
		moves++;
	}
	if (w->next == LARGE_FEW) {
		w->moves = false;
		large_grow_later(t);
	}
	return 0;
}

int large_grow(struct large *t)
{
	int rc = 0;

	if (t->growth.moves)
		return move(t);
	if (t->growth.survey == NULL && t->n_groups < LARGE_GROUPS_MADE && t->few.n >= t->growth.at)
		rc = survey_begin(t);
	else if (t->growth.survey != NULL)
		rc = survey_go_on(t);
	return rc;
}

size_t large_grow_bytes(const struct large *t)
{
	const struct large_survey *s = t->growth.survey;
	size_t n = sizeof(struct large_levels);

	if (s != NULL)
		n += sizeof(*s) + sizeof(*s->levels) + s->plan.n * sizeof(*s->plan.seen);
	return n;
}

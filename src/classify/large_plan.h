// SPDX-License-Identifier: BSD-2-Clause
// large_plan.h - how masks of groups are chosen, private to large_plan.c and those that use it.
#pragma once

#include "classify/large.h"

// The fields of a rule fall into these.
enum large_part { SRC, DST, SPORT, DPORT, REST, PARTS };
enum { LARGE_LEVELS = 8 };

// For each part a few masks that its rules have in common; [0]: no bit.
struct large_levels {
	unsigned n[PARTS];
	uint32_t mask[PARTS][LARGE_LEVELS][LARGE_WORDS];
};

// malloc'd; NULL: no memory.
struct large_levels *large_levels_make(const struct large_rule *rules, size_t n);

// A candidate: a level of each part.
struct large_choice {
	uint64_t score;  // at most
	uint32_t gain;   // when last looked at
	uint32_t n_fits; // of all rules, whether taken by other groups or not
	uint8_t level[PARTS];
};

// What all candidates need to know of a rule.
struct large_seen {
	uint8_t can[PARTS]; // bit l: the rule's mask covers that of level l
	uint32_t sum[PARTS][LARGE_LEVELS];
};

struct large_plan {
	const struct large_levels *levels;
	const struct large_rule *rules;
	uint32_t *left; // numbers of the rules not yet in a group, ascending
	size_t n_left, n;
	struct large_seen *seen;
	uint16_t *load; // by slot, of the candidate looked at
	unsigned shift, depth;
	struct large_choice *choice;
	size_t n_choices;
};

enum {
	LARGE_GAIN = 16,       // of a rule that comes first in its bucket
	LARGE_DEPTH = 3,       // rules a bucket may have at first
	LARGE_LEFT = 512,      // rules that are good for no group
	LARGE_GROUPS_MADE = 32 // of a plan's choice
};

// -ENOMEM; close() in any case.  rules are looked at once, here, but by what makes groups of them.
int large_plan_open(struct large_plan *p, const struct large_levels *levels,
	const struct large_rule *rules, size_t n);
void large_plan_close(struct large_plan *p);
// The next candidate behind {0, 0, ...}; false: it was the last.
bool large_choice_next(const struct large_levels *v, uint8_t level[PARTS]);
// Sets c->gain to what it would take of the rules that are left.
void large_choice_look(struct large_plan *p, struct large_choice *c);
void large_choice_mask(const struct large_levels *v, const struct large_choice *c, uint32_t *mask);

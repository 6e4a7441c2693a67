// SPDX-License-Identifier: BSD-2-Clause
// large.h - the tables of large.c, private to it.
#pragma once

#include "classify/engine.h"

enum {
	LARGE_WORDS = sizeof(struct classify_key) / sizeof(uint32_t),
	LARGE_WORD_PORTS = 2, // where the words of a key are that all rules may look at
	LARGE_WORD_SRC = 3,
	LARGE_WORD_DST = 7,
	LARGE_GROUPS = 64,
	LARGE_FEW = 1024,
	LARGE_START_BITS = 24, // of a line's number in a slot
	LARGE_BLOOM = 32 - LARGE_START_BITS,
	LARGE_BLOOM_BITS = (1 << LARGE_BLOOM) - 1
};

// A rule's line.  Words 0-3 and 7 of value and mask, which is all that most IPv4 rules look at; in
// the place of words 4-6 stands what else a lookup needs.
struct large_line {
	uint32_t value[4];
	uint16_t sport_lo, sport_span; // lo to lo + span
	uint16_t dport_lo, dport_span;
	uint32_t more; // rules behind it in its bucket
	uint32_t value_dst;
	uint32_t mask[4];
	uint32_t lines; // it occupies: 3 if all words of value and mask are in the next two, else 1
	uint32_t id;    // id and order are one number for lookups, see large_rank()
	uint32_t order;
	uint32_t mask_dst;
};
static_assert(sizeof(struct large_line) == 64, "a line is a cache line");

// A rule as the tables see it: ranges of ports give bits of value and mask too, as far as all ports
// of the range have them in common.
struct large_rule {
	uint32_t value[LARGE_WORDS], mask[LARGE_WORDS];
	const struct classify_rule *rule;
};

// Rules that all give at least the bits of `mask`, in buckets by the value of these.  A bucket is a
// run of lines in ascending order of the rules; its capacity is the power of two that holds them.
struct large_group {
	uint32_t mask[LARGE_WORDS];
	uint8_t word[LARGE_WORDS]; // numbers of the words with mask bits
	unsigned n_words;
	unsigned shift;     // hash >> shift: the slot
	uint32_t min_order; // no rule of the group is before it
	uint32_t *slot;     // start of the bucket << LARGE_BLOOM | hashes in it, 0: empty
	uint32_t n_full;    // slots
};

struct large_arena {
	struct large_line *line;
	uint32_t n, room;
	uint32_t free[LARGE_START_BITS + 1]; // first run of 2^i lines, UINT32_MAX: none
};

// Rules that would make poor groups are matched by bit vectors: a few hundred cost little.  These know
// a rule by its place in `rank`.
struct large_few {
	void *bits;
	uint32_t n;
	uint64_t rank[LARGE_FEW + 1]; // the last one: that of no rule
	bool used[LARGE_FEW];
	struct classify_rule rule[LARGE_FEW];
};

// What goes on over many changes so that a set which grows rule by rule becomes what it would be if it had
// been made at once: see large_grow.c.
struct large_growth {
	struct large_survey *survey; // NULL: none is under way
	uint32_t at;                 // so many rules among the few, and one begins
	bool moves;                  // rules of the few move to groups
	uint32_t next;               // place of the next that may
};

struct large {
	struct large_group group[LARGE_GROUPS];
	unsigned n_groups;
	uint32_t words; // bit w: some group looks at word w
	struct large_arena arena;
	struct large_few few;
	struct large_levels *levels; // the masks that those of groups are made of: large_levels.c
	struct large_growth growth;
};

void large_words_used(struct large *t); // after a group is added

void large_rule_read(struct large_rule *r, const struct classify_rule *rule);

// Lines.  start of a run for n lines, or UINT32_MAX: no memory.
void large_arena_init(struct large_arena *a);
unsigned large_run_size(uint32_t n); // log2 of the lines a run for n has
uint32_t large_arena_take(struct large_arena *a, uint32_t n);
void large_arena_give(struct large_arena *a, uint32_t start, uint32_t n);

// A hash's slot among those for n rules: hash >> this.
unsigned large_shift(size_t n_rules);

// Groups.  0 or -ENOMEM, after which the tables are good for being freed only.
int large_group_init(struct large_group *g, const uint32_t *mask, uint32_t n_rules);
bool large_group_takes(const struct large_group *g, const struct large_rule *r);
uint32_t large_group_load(
	const struct large_group *g, const struct large_arena *a, const struct large_rule *r);
int large_group_put(struct large_group *g, struct large_arena *a, const struct large_rule *r);
// 0: it is not in this group.  1: it was.  -ENOMEM.
int large_group_drop(struct large_group *g, struct large_arena *a, const struct large_rule *r);

// The few.
int large_few_init(
	struct large_few *f, const struct large_rule *rules, const uint32_t *which, size_t n);
int large_few_add(struct large_few *f, const struct classify_rule *rule); // there must be room
// 0: it is not there.  1: it was.  -ENOMEM.
int large_few_delete(struct large_few *f, const struct classify_rule *rule);
int large_few_drop(struct large_few *f, uint32_t place); // 0 or -ENOMEM; there is one
// Rank of the first that matches each of the keys; LARGE_NONE if none does.
void large_few_first(
	const struct large_few *f, const struct classify_key *keys, unsigned n, uint64_t *ranks);

// Puts n rules into groups of the plan's choice, or among the few.
int large_plan(struct large *t, const struct large_rule *rules, size_t n);
// The finest mask that a group may have for this rule.
void large_plan_mask(const struct large *t, const struct large_rule *r, uint32_t *mask);

// The group whose bucket for a rule is the shortest, and the rules in it; NULL: none takes it.
struct large_group *large_place(struct large *t, const struct large_rule *r, uint32_t *load);
// So many rules in a bucket, and the next one is better off among the few.
uint32_t large_bucket_full(const struct large *t);
// When there are some more rules among the few; to be called when all have their places.
void large_grow_later(struct large *t);
// To be called after each rule that is added.  0 or -ENOMEM.
int large_grow(struct large *t);
void large_grow_end(struct large *t);
size_t large_grow_bytes(const struct large *t); // of memory that this and the levels take

size_t large_all(const void *tables, const struct classify_key *key, uint32_t *ids, size_t max);
void large_first_scalar(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids);
void large_first_avx2(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids);
void large_first_avx512(
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids);

// Sum over the words of (value & mask) * factor: fields add up, so the plan can compute each once.
extern const uint32_t large_factor[LARGE_WORDS];

#define LARGE_MIX 0x9e3779b1u

static inline uint32_t large_mix(uint32_t sum)
{
	return (sum ^ sum >> 16) * LARGE_MIX;
}

static inline uint32_t large_hash(const struct large_group *g, const uint32_t *words)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < g->n_words; i++)
		sum += (words[g->word[i]] & g->mask[g->word[i]]) * large_factor[g->word[i]];
	return large_mix(sum);
}

// The lower, the earlier; the id is in the low half.  UINT64_MAX is that of no rule.
#define LARGE_NONE UINT64_MAX

static inline uint64_t large_rank(uint32_t order, uint32_t id)
{
	return (uint64_t)order << 32 | id;
}

static inline uint32_t large_bloom(uint32_t hash)
{
	return 1u << (hash & (LARGE_BLOOM - 1));
}

static inline uint32_t large_start(uint32_t slot)
{
	return slot >> LARGE_BLOOM;
}

// Not 0 if a key's ports are outside of a line's ranges.
static inline uint32_t large_ports_differ(
	const struct large_line *l, const struct classify_key *key)
{
	return ((uint16_t)(key->sport - l->sport_lo) > l->sport_span) |
	       ((uint16_t)(key->dport - l->dport_lo) > l->dport_span);
}

// SPDX-License-Identifier: BSD-2-Clause
// large_lookup.h - what lookups with vectors have in common.
#pragma once

#include "classify/large.h"

#include <string.h>

enum { LARGE_KEY_BITS = 6, LARGE_WORK = LARGE_GROUPS * CLASSIFY_BURST, LARGE_LANES_MAX = 16 };
static_assert(CLASSIFY_BURST <= 1 << LARGE_KEY_BITS, "a key of a burst fits");
static_assert(LARGE_KEY_BITS + LARGE_START_BITS <= 32, "an item is a word");

// Rules to be compared with keys.  The list is a ring once it is walked.
struct large_work {
	uint32_t n;
	uint32_t item[LARGE_WORK + LARGE_LANES_MAX]; // line << KEY_BITS | key
};

// The keys word by word, as far as any group looks at them.
struct large_lanes {
	uint32_t word[LARGE_WORDS][CLASSIFY_BURST] __attribute__((aligned(64)));
};

static inline void large_lanes_fill(
	struct large_lanes *lanes, uint32_t words, const struct classify_key *keys, unsigned n)
{
	for (; words != 0; words &= words - 1) {
		unsigned w = (unsigned)__builtin_ctz(words);
		const char *at = (const char *)keys + w * sizeof(uint32_t);

		for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
			memcpy(&lanes->word[w][i], at, sizeof(uint32_t));
	}
}

// What each instruction set does in its own way.
struct large_steps {
	// The first lines of all buckets that keys come to.
	void (*probe)(const struct large *t, const struct large_lanes *lanes, unsigned n,
		struct large_work *w);
	// Not 0 if a line's own words say no, and if all words of one do that has three.
	uint32_t (*differs)(const struct large_line *l, const struct classify_key *key);
	uint32_t (*long_differs)(const struct large_line *l, const struct classify_key *key);
};

// Compares one rule with one key at a time, without jumps, for no outcome is the likely one (a loop
// with jumps took 1.3 times as long).  Where the rule does not match, the next one of its bucket is
// appended; as one item makes one other at most, the ring cannot overflow.  best: ranks so far.
static inline __attribute__((always_inline)) void large_look(const struct large_steps *own,
	const struct large *t, const struct classify_key *keys, struct large_work *w,
	uint64_t *best)
{
	uint32_t n = w->n;

	for (uint32_t i = 0; i != n; i++) {
		uint32_t item = w->item[i % LARGE_WORK], k = item % CLASSIFY_BURST, miss;
		const struct large_line *l = &t->arena.line[item >> LARGE_KEY_BITS];
		const struct classify_key *key = &keys[k];
		uint64_t rank = large_rank(l->order, l->id), known = best[k];

		miss = own->differs(l, key) | large_ports_differ(l, key);
		if (__builtin_expect(l->lines != 1, 0))
			miss |= own->long_differs(l, key);
		w->item[n % LARGE_WORK] = item + (l->lines << LARGE_KEY_BITS);
		n += (miss != 0) & (l->more != 0) & (rank < known);
		rank |= 0 - (uint64_t)(miss != 0);
		best[k] = rank < known ? rank : known;
	}
}

static inline __attribute__((always_inline)) void large_first_by(const struct large_steps *own,
	const struct large *t, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	uint64_t best[CLASSIFY_BURST];
	struct large_lanes lanes;
	struct large_work w;

	large_few_first(&t->few, keys, n, best);
	large_lanes_fill(&lanes, t->words, keys, n);
	own->probe(t, &lanes, n, &w);
	large_look(own, t, keys, &w, best);
	for (unsigned i = 0; i < n; i++)
		ids[i] = (uint32_t)best[i];
}

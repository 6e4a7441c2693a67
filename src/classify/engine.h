// SPDX-License-Identifier: BSD-2-Clause
// engine.h - what a structure for rule sets offers to classify.c, which keeps the rules, chooses the
// structure by their number, and holds two copies of the tables (left-right): it changes the copy
// that no reader sees, publishes that one, waits until the readers are quiet, and makes the same
// change in the other one.  So an engine is changed in place and knows nothing of threads: no lookup
// runs while it changes.
//
// All rules an engine is given can match: no value bit lies outside its mask, ranges are not empty.
// No two have the same order.
#pragma once

#include "classify/classify.h"

struct classify_engine {
	// Tables for n rules in ascending order; the rules are copied as far as needed.  NULL: no memory.
	void *(*new)(const struct classify_rule *const *rules, size_t n);
	void (*free)(void *tables); // NULL is fine
	// Adds a rule of a new order, takes out one that is there (the same bytes as when it was put in).
	// 0 or -ENOMEM, after which the tables are good for free() only: classify.c makes others.
	int (*add)(void *tables, const struct classify_rule *rule);
	int (*delete)(void *tables, const struct classify_rule *rule);
	// As classify_first() and classify_all().
	void (*first)(
		const void *tables, const struct classify_key *keys, unsigned n, uint32_t *ids);
	size_t (*all)(
		const void *tables, const struct classify_key *key, uint32_t *ids, size_t max);
	size_t (*bytes)(const void *tables); // memory held
	bool (*dear)(const void *tables);    // a lookup costs more than finding a key in cache.c
};

// bits.c: up to 2,000 rules.
extern const struct classify_engine classify_bits;

// large.c: more rules than that.
extern const struct classify_engine classify_large;

// One copy of the tables, and what a cache of their results has to know.
struct classify_side {
	const struct classify_engine *engine;
	void *tables;        // NULL: to be made from the rules; never where readers look
	uint64_t generation; // from 1; no two sets that go live have the same
	bool dear;
	struct classify_key mask; // 0xff in the bytes of a key that results depend on
};

// The copy that readers use now, until their next quiet point.
const struct classify_side *classify_live(const struct classify *c);

// The instructions lookups use now; see classify_use().
enum classify_isa classify_isa(void);

// SPDX-License-Identifier: BSD-2-Clause
// classify.h - rules of value and mask over header fields, compiled to tables that a burst of keys
// is looked up in.  One writer; any number of readers, who hold no result's tables beyond their
// next quiet point.
#pragma once

#include "base/err.h"
#include "classify/fields.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Matches a key if (key & mask) == value in every field, and the ports lie in their ranges.  A rule
// with value bits outside its mask matches nothing.  Masks of addresses may be any bits, but those
// of prefixes are what the tables are made for.
struct classify_rule {
	struct classify_key value, mask;
	uint16_t sport_lo, sport_hi; // inclusive; 0 and 65535: any
	uint16_t dport_lo, dport_hi;
	uint32_t order; // lower is first; one rule for each order
	uint32_t id;    // what a lookup hands out; below CLASSIFY_NONE
};

enum { CLASSIFY_BURST = 64 };
#define CLASSIFY_NONE UINT32_MAX

struct classify;

// What the tables need of the readers: returns when every reader has passed a quiet point since the
// call.  NULL: there are no readers in other threads.
struct classify_readers {
	void (*quiet)(void *arg);
	void *arg;
};

// An empty set.  NULL with *err set: ENOMEM.
struct classify *classify_new(const struct classify_readers *readers, struct err *err);
void classify_free(struct classify *c); // no reader may be left

// Control side, one thread.  0 or -errno with a sentence; a failed call changes nothing.  Readers
// see the set before the call or the set after it, and after it has returned no reader sees the old
// one: what the ids of removed rules stand for may then be freed.
//
// -EEXIST two rules of one order, -EINVAL a range's end below its begin or an id of CLASSIFY_NONE,
// -ENOENT no rule to delete, -ENOMEM.
//
// Replaces all rules.
int classify_set(struct classify *c, const struct classify_rule *rules, size_t n, struct err *err);

// One rule more or less takes some ten microseconds (0.1 ms around 1,000 rules), but
// the call that brings a growing set to 2,000 rules, or a shrinking one below 1,000, builds both copies
// of another structure from all rules: 5 to 20 ms.
int classify_add(struct classify *c, const struct classify_rule *rule, struct err *err);
int classify_delete(struct classify *c, uint32_t order, struct err *err);

// For many rules while nobody looks anything up: from the hold on, adding and deleting only changes the
// rules; the release makes the tables from all of them, once.  No lookup may come between the two.
// -ENOMEM: still held; may be tried again.
void classify_hold(struct classify *c);
int classify_release(struct classify *c, struct err *err);

size_t classify_count(const struct classify *c);
size_t classify_bytes(const struct classify *c); // of memory held by the tables

// Worker side.  id of the first rule that matches each of n <= CLASSIFY_BURST keys, or
// CLASSIFY_NONE.  Cannot fail.  One call sees one set.
void classify_first(
	const struct classify *c, const struct classify_key *keys, unsigned n, uint32_t *ids);

// The same with the results of some 6,000 keys kept, by one reader of a set, which outlives this.  Costs
// less where the same keys come again; keeps out of the way while they do not, and where the
// tables are quicker.  528 KB.  NULL with *err set: ENOMEM.
struct classify_cache;
struct classify_cache *classify_cache_new(const struct classify *c, struct err *err);
void classify_cache_free(struct classify_cache *cache);
void classify_cache_first(
	struct classify_cache *cache, const struct classify_key *keys, unsigned n, uint32_t *ids);

// Ids of all rules that match one key, in their order, at most max; returns how many match.
size_t classify_all(
	const struct classify *c, const struct classify_key *key, uint32_t *ids, size_t max);

// Builds the tables of classify/flat.h at out: up to FLAT_SIZE bytes of any content, on a multiple of 8.  Rules match
// in the order of the array whatever their order, and are known by their place in it.  -E2BIG: they
// are more, or their tables larger, than a block holds; -ENOMEM; nothing then matches.
int classify_flat(
	const struct classify_rule *rules, size_t n, void *out, size_t bytes, struct err *err);

// Which instructions lookups use: the best the CPU has; others may be forced for the whole process,
// for tests and measurements.  false: the CPU lacks them.
enum classify_isa { CLASSIFY_SCALAR, CLASSIFY_AVX2, CLASSIFY_AVX512 };
bool classify_use(enum classify_isa isa);
const char *classify_isa_name(enum classify_isa isa);

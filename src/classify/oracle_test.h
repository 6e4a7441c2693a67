// SPDX-License-Identifier: BSD-2-Clause
// oracle_test.h - a linear matcher, and random rules and keys that meet often.
#pragma once

#include "classify/classify.h"

// Under the address sanitizer everything takes many times as long, so that tests do less.
#if defined(__SANITIZE_ADDRESS__)
enum { ORACLE_SLOW = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { ORACLE_SLOW = 1 };
#else
enum { ORACLE_SLOW = 0 };
#endif
#else
enum { ORACLE_SLOW = 0 };
#endif

// Sets of all kinds of rules are made of these.
struct oracle_set {
	struct classify_rule *rule; // ascending orders
	size_t n;
};

// The seed of this run: WEIR_SEED of the environment, or the time; printed once.
uint64_t oracle_seed(void);
uint64_t oracle_random(uint64_t *state);
unsigned oracle_below(uint64_t *state, unsigned n);

// A rule that every key matches.
struct classify_rule oracle_any(uint32_t order, uint32_t id);

// One rule that looks at some of the fields whose bits are set in `fields`, with masks of all kinds
// and values of a small number, so that rules overlap.
struct classify_rule oracle_rule(uint64_t *state, uint64_t fields);
uint64_t oracle_fields(uint64_t *state);
struct oracle_set oracle_set(uint64_t *state, size_t n);
void oracle_free(struct oracle_set *s);

// A key at or near the edge of a rule of the set, or far from all.
struct classify_key oracle_key(uint64_t *state, const struct oracle_set *s);

bool oracle_matches(const struct classify_rule *r, const struct classify_key *k);
uint32_t oracle_first(const struct oracle_set *s, const struct classify_key *k);
size_t oracle_all(const struct oracle_set *s, const struct classify_key *k, uint32_t *ids);

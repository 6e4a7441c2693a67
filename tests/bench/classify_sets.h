// SPDX-License-Identifier: BSD-2-Clause
// classify_sets.h - rule sets and keys for the classifier's bench.
#pragma once

#include "classify/classify.h"

#include <stdbool.h>

// Rules in order.  Only family, protocol, addresses (prefixes), ports, ingress port and fragment flag
// are used (the last two by the Chelsio set only), and all rules are of IPv4, because the peer must be
// able to hold them too.
enum kind { KIND_CHELSIO, KIND_HOSTS, KIND_WILD, KIND_RANGES, KIND_COUNT };

struct set {
	char name[64];
	struct classify_rule *rule;
	size_t n;
	enum kind kind; // KIND_COUNT: read from a file
};

enum { CHELSIO_RULES = 15, ORDER_STEP = 2 }; // orders have gaps, so that a rule fits between two

extern const char *const kind_name[KIND_COUNT];

// n rules of a kind; the same for the same seed.  All exit with a sentence if there is no memory.
struct set set_make(enum kind kind, size_t n, uint64_t seed);
// The filters of a ClassBench file, @SRC/LEN DST/LEN LO : HI LO : HI PROTO/MASK ...; exits with a
// sentence if it cannot be read.
struct set set_read(const char *path);
void set_free(struct set *s);

// One more rule like those of the set, for order and id to be filled in.
struct classify_rule set_another(const struct set *s, uint64_t *rnd);

// n keys: nine of ten lie in a rule, each rule as often, its free bits drawn; the others anywhere.
struct classify_key *keys_make(const struct set *s, size_t n, uint64_t seed);
// The headers of a ClassBench trace.
struct classify_key *keys_read(const char *path, size_t *n);

uint64_t draw(uint64_t *rnd); // xorshift; *rnd must not be 0

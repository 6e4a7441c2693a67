// SPDX-License-Identifier: BSD-2-Clause
// rules.h - the rules of a set in their order.  Finding one takes a binary search; putting one in
// moves 8 bytes for each rule behind it.
#pragma once

#include "classify/classify.h"

struct rules_entry {
	uint32_t order, slot;
};

// Rules stay where they are: to move those of thousands would be a long wait for the next one.
enum { RULES_RUN = 256 };

struct rules {
	struct rules_entry *index;  // ascending orders
	struct classify_rule **run; // RULES_RUN slots each
	uint32_t *vacant;           // slots below n_slots that hold no rule
	size_t n, n_slots, n_vacant, max;
	uint32_t looks[sizeof(struct classify_key)]; // by byte of a key: rules that look at it
};

// 0, -EEXIST, -ENOMEM; a failed call changes nothing.
int rules_put(struct rules *r, const struct classify_rule *rule);
void rules_remove(struct rules *r, uint32_t order);                            // it is there
const struct classify_rule *rules_find(const struct rules *r, uint32_t order); // NULL: none
// Those that can match, in their order; the array is the caller's.  NULL: no memory.
const struct classify_rule **rules_list(const struct rules *r, size_t *n);
void rules_free(struct rules *r);
size_t rules_bytes(const struct rules *r);

// 0xff in each byte that some rule looks at.
void rules_mask(const struct rules *r, struct classify_key *mask);

// Can any key match?  Not if a value has bits outside its mask or a port's bits contradict its range.
bool rules_can_match(const struct classify_rule *rule);

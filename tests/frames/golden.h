// SPDX-License-Identifier: BSD-2-Clause
// golden.h - the tables of frames.h as bytes, and what became of frames held against them.
#pragma once

#include "frames.h"

#include "packet/burst.h"

enum { GOLDEN_MAX = 600 };

// A case as bytes.
struct golden {
	const struct frame_case *c;
	struct frame in;
	unsigned n_out;
	struct frame out[CASE_OUT_MAX];
};

extern struct golden golden[GOLDEN_MAX];
extern unsigned n_golden;

// Fills golden[]; a malformed table fails the test.  A cmocka group set-up.
int golden_read(void **state);

// What became of some frames.
struct outcome {
	unsigned n; // frames that leave, in the router's order
	struct {
		uint16_t port;
		struct frame frame;
	} out[BURST_ROOM];
	uint64_t drop[DROP_COUNT];
	unsigned made, dropped; // frames made in the router, and drops of any reason
};

// Whether o is what g alone asks for, order included.
bool golden_matches(const struct golden *g, const struct outcome *o);

// Prints both to standard error.
void golden_print(const struct golden *g, const struct outcome *o);

// Frames of one rig and port, chosen at random; by seed, srand() does.
struct batch {
	unsigned n;
	const struct golden *g[BURST_MAX];
	struct frame in[BURST_MAX];
};

void batch_fill(struct batch *b, enum rig_kind kind, uint16_t port);

// Fails the test unless o is what the cases of b ask for together, in any order.  Eats o.
void batch_check(const struct batch *b, struct outcome *o);

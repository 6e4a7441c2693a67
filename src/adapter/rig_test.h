// SPDX-License-Identifier: BSD-2-Clause
// rig_test.h - random frames in packet buffers, for the tests of what packets meet.
#pragma once

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "packet/build.h"
#include "packet/burst.h"

struct rte_mbuf;
struct rte_mempool;

enum { RIG_FRAME_MAX = 2000, RIG_POOL = 8191 };

extern struct rte_mempool *rig_pool;
extern const struct mac rig_mac; // of the port that frames come in by

// Starts EAL and makes the pool, once; a cmocka group setup.
int rig_eal(void **state);
// A cmocka teardown of each test: no buffer was lost.
int rig_all_back(void **state);

// Prints and sets the seed: of the environment's SEED, else the time.
void rig_seed(void);
unsigned rig_below(unsigned n);

struct frame {
	uint8_t b[RIG_FRAME_MAX];
	unsigned n;
};

// What a frame is built from, with the memory its pointers point into.
struct recipe {
	struct build b;
	uint8_t opt[40], payload[1000];
};

// Any addresses and ports; TCP, UDP, ICMP (of the family) or now and then another protocol; sometimes
// tags, options or extension headers.  Not fragmented.
void rig_recipe(struct recipe *r, uint8_t family);
void rig_build(const struct recipe *r, struct frame *f);
// Breaks something, or nothing.
void rig_damage(struct frame *f);

// The frame in one buffer, or in several of which all but the last hold `piece` bytes.
struct rte_mbuf *rig_mbuf(const struct frame *f, unsigned piece);
// Copies the packet's bytes; frees nothing.
void rig_read(const struct rte_mbuf *m, struct frame *f);

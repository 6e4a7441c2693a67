// SPDX-License-Identifier: BSD-2-Clause
// burst.h - up to 64 packets on their way through the stages.
#pragma once

#include "packet/drop.h"

#include <stdint.h>

struct rte_mbuf;

enum { BURST_MAX = 64 };

// Counters of one worker; plain, raised by that worker only, summed by the reader.
struct drops {
	uint64_t n[DROP_COUNT];
};

// A stage leaves in pkt[0..n-1] only packets that go on.  What it drops it moves to dropped[],
// which the path frees in one go after the last stage.
struct burst {
	unsigned n;
	unsigned n_dropped;
	uint16_t in;         // the path's port number all of them came from
	struct drops *drops; // of the running worker
	struct rte_mbuf *pkt[BURST_MAX];
	uint16_t out[BURST_MAX]; // the path's egress port number of each, set by the last stage
	struct rte_mbuf *dropped[BURST_MAX];
};

// Keeps packet i as the live-th survivor.
static inline void burst_keep(struct burst *b, unsigned live, unsigned i)
{
	b->pkt[live] = b->pkt[i];
	b->out[live] = b->out[i];
}

static inline void burst_drop(struct burst *b, unsigned i, enum drop why)
{
	b->dropped[b->n_dropped++] = b->pkt[i];
	b->drops->n[why]++;
}

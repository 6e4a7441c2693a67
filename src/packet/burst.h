// SPDX-License-Identifier: BSD-2-Clause
// burst.h - up to 64 packets on their way through the stages.
#pragma once

#include "packet/drop.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;

// A burst comes in with at most BURST_MAX packets; what stages make themselves (ICMP errors, further
// fragments) is put behind them, up to BURST_ROOM in all.
enum { BURST_MAX = 64, BURST_ROOM = 256 };

// Counters of one worker; plain, raised by that worker only, summed by the reader.
struct drops {
	uint64_t n[DROP_COUNT];
};

// A stage leaves in pkt[0..n-1] only packets that go on.  What it drops it moves to dropped[],
// which the path frees in one go after the last stage.
struct burst {
	unsigned n;
	unsigned n_dropped;
	unsigned n_made;     // made by stages since the path set it to 0, dropped ones included
	uint16_t in;         // the path's port number all of them came from
	struct drops *drops; // of the running worker
	struct rte_mbuf *pkt[BURST_ROOM];
	uint16_t out[BURST_ROOM]; // the path's egress port number of each, set by the last stage
	struct rte_mbuf *dropped[BURST_ROOM];
	// Taken out of pkt[] by the adapter: they leave by switched_out[], past the later stages.
	unsigned n_switched;
	struct rte_mbuf *switched[BURST_MAX];
	uint16_t switched_out[BURST_MAX];
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

static inline unsigned burst_room(const struct burst *b)
{
	return BURST_ROOM - b->n;
}

// Puts a packet made here behind the others; there must be room.
static inline void burst_add(struct burst *b, struct rte_mbuf *m, uint16_t out)
{
	b->pkt[b->n] = m;
	b->out[b->n++] = out;
	b->n_made++;
}

// Counts a packet that had to be made and could not be.
static inline void burst_unmade(struct burst *b, enum drop why)
{
	b->n_made++;
	b->drops->n[why]++;
}

// Frame bytes of n packets.
uint64_t burst_bytes(struct rte_mbuf *const *pkt, unsigned n);

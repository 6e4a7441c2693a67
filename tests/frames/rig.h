// SPDX-License-Identifier: BSD-2-Clause
// rig.h - the router in the world of frames.h, and bursts carried through it.
#pragma once

#include "frames.h"

#include "packet/burst.h"

struct rig;

// A router set up as kind says; fails the test if it cannot be.  One at a time.
struct rig *rig_new(enum rig_kind kind);
void rig_free(struct rig *g); // checks that no buffer was lost

// What became of a burst.
struct outcome {
	unsigned n; // frames that leave, in the router's order
	struct {
		uint16_t port;
		struct frame frame;
	} out[BURST_ROOM];
	uint64_t drop[DROP_COUNT];
	unsigned made, dropped; // frames made in the router, and drops of any reason
};

// How a frame lies in buffers: the first holds `head` bytes, or all of it where that is fewer.
enum { HEAD_ALL = UINT16_MAX };

// Carries n <= BURST_MAX frames that come in by one port through the router.
void rig_run(struct rig *g, uint16_t port, const struct frame *frames, unsigned n, unsigned head,
	struct outcome *o);

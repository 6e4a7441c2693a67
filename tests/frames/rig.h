// SPDX-License-Identifier: BSD-2-Clause
// rig.h - the router in the world of frames.h, and bursts carried through it.
#pragma once

#include "golden.h"

struct rig;

// A router set up as kind says; fails the test if it cannot be.
struct rig *rig_new(enum rig_kind kind);
void rig_free(struct rig *g); // checks that no buffer was lost

// How a frame lies in buffers: the first holds `head` bytes, or all of it where that is fewer.
enum { HEAD_ALL = UINT16_MAX };

// Carries n <= BURST_MAX frames that come in by one port through the router.
void rig_run(struct rig *g, uint16_t port, const struct frame *frames, unsigned n, unsigned head,
	struct outcome *o);

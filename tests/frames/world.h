// SPDX-License-Identifier: BSD-2-Clause
// world.h - the router in the world of frames.h.
#pragma once

#include "frames.h"

enum { WORLD_PORTS = 4 };

extern const uint16_t world_mtu[WORLD_PORTS];

struct router;
struct rte_mempool;

// A router set up as kind says; fails the test if it cannot be.
struct router *world_router(enum rig_kind kind, struct rte_mempool *pool);

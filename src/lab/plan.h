// SPDX-License-Identifier: BSD-2-Clause
// plan.h - in which order the runs of an experiment are made.
#pragma once

#include <stdint.h>

// Deterministic 64-bit stream (splitmix64).
uint64_t plan_random(uint64_t *state);

// The order of the n arms in a block: blocks come in pairs, the first a random permutation drawn
// from (seed, pair), the second its reverse (A B, B A for two arms), so that a drift of the
// machine that is linear over a pair meets every arm alike.
void plan_order(uint64_t seed, unsigned block, unsigned *order, unsigned n);

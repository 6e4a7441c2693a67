// SPDX-License-Identifier: BSD-2-Clause
// verdict.h - from the figures of a comparison to its verdict.
#pragma once

#include "stats/stats.h"

enum {
	// Fewest values with which the exact tests can reach it: 2 / C(10, 5) and 2 / 2^7.
	VERDICT_MIN = 5,
	VERDICT_MIN_BLOCKS = 7,
};

// Sets verdict, more_runs and why from the other members.
void verdict_decide(struct comparison *c);

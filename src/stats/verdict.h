// SPDX-License-Identifier: BSD-2-Clause
// verdict.h - from the figures of a comparison to its verdict.
#pragma once

#include "stats/stats.h"

enum { COMPARE_ALPHA_PERCENT = 5 };

// Sets verdict, more_runs and why from the other members.
void verdict_decide(struct comparison *c);

// SPDX-License-Identifier: BSD-2-Clause
// limit.h - a token bucket that holds one second's worth.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { LIMIT_SECOND_NS = 1000000000 };

struct limit {
	uint64_t cost_ns; // of one event; 0 = no limit
	uint64_t credit_ns;
	uint64_t last_ns;
};

static inline void limit_init(struct limit *l, uint32_t per_second)
{
	*l = (struct limit){.credit_ns = LIMIT_SECOND_NS};
	if (per_second != 0 && per_second <= LIMIT_SECOND_NS)
		l->cost_ns = LIMIT_SECOND_NS / per_second;
}

// Whether one more event at now_ns is within the limit; it is then taken.
static inline bool limit_take(struct limit *l, uint64_t now_ns)
{
	if (now_ns > l->last_ns) {
		uint64_t passed = now_ns - l->last_ns;

		l->last_ns = now_ns;
		l->credit_ns = passed >= LIMIT_SECOND_NS - l->credit_ns ? LIMIT_SECOND_NS
									: l->credit_ns + passed;
	}
	if (l->credit_ns < l->cost_ns)
		return false;
	l->credit_ns -= l->cost_ns;
	return true;
}

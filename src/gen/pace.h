// SPDX-License-Identifier: BSD-2-Clause
// pace.h - how many frames are due at a rate, without drift: all arithmetic is in whole numbers
// and every remainder is kept.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t rate, hz; // frames and clock cycles a second
	uint64_t group;    // so many become due at once
	bool running;
	uint64_t last;   // cycles: until then credit is counted
	uint64_t parts;  // of a frame, in 1/hz; below hz
	uint64_t credit; // frames due and not yet taken
};

#define PACE_RATE_MAX 4000000000u

// 0 < rate <= PACE_RATE_MAX, 0 < hz <= 4.6e9 (their product fits 64 bits), group > 0.
void pace_start(struct pace *p, uint64_t rate, uint64_t hz, uint64_t group);

// Frames due at time now (cycles, never going back): whole groups.  The first call starts the
// clock; its group is due group / rate later, so n frames take n / rate.  A debt above one second
// is forgiven.
uint64_t pace_due(struct pace *p, uint64_t now);

static inline void pace_take(struct pace *p, uint64_t n)
{
	p->credit -= n < p->credit ? n : p->credit;
}

// Cycles from now until pace_due() is next above 0.
uint64_t pace_wait(const struct pace *p, uint64_t now);

// SPDX-License-Identifier: BSD-2-Clause
#include "gen/pace.h"

void pace_start(struct pace *p, uint64_t rate, uint64_t hz, uint64_t group)
{
	*p = (struct pace){.rate = rate, .hz = hz, .group = group};
}

uint64_t pace_due(struct pace *p, uint64_t now)
{
	uint64_t gone, frames;

	if (!p->running) {
		p->running = true;
		p->last = now;
	}
	gone = now - p->last;
	p->last = now;
	if (gone > p->hz)
		gone = p->hz; // more than the debt that counts; and the product must fit
	p->parts += gone * p->rate;
	if (p->parts >= p->hz) {
		frames = p->parts / p->hz;
		p->parts -= frames * p->hz;
		p->credit += frames;
		if (p->credit > p->rate + p->group)
			p->credit = p->rate + p->group;
	}
	return p->group == 1 ? p->credit : p->credit / p->group * p->group;
}

uint64_t pace_wait(const struct pace *p, uint64_t now)
{
	uint64_t frames, cycles, gone = now - p->last;

	if (!p->running || p->credit >= p->group)
		return 0;
	frames = p->group - p->credit;
	// parts < hz, so the difference is positive; rounded up.
	cycles = (frames * p->hz - p->parts + p->rate - 1) / p->rate;
	return cycles > gone ? cycles - gone : 0;
}

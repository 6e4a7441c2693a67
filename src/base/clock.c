// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <pthread.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t hz;

struct reading {
	uint64_t ns, cycles;
};

// The tightest of a few paired readings brackets the counter between two clock readings, so a
// preemption between them cannot skew the rate.
static struct reading read_both(void)
{
	struct reading r = {0};
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t a = read_clock(CLOCK_MONOTONIC_RAW), c = clock_cycles(),
			 b = read_clock(CLOCK_MONOTONIC_RAW);

		if (b - a < best) {
			best = b - a;
			r = (struct reading){.ns = a + (b - a) / 2, .cycles = c};
		}
	}
	return r;
}

static void measure(void)
{
	struct timespec wait = {.tv_nsec = 50000000};
	struct reading a = read_both(), b;

	nanosleep(&wait, NULL);
	b = read_both();
	hz = (uint64_t)((double)(b.cycles - a.cycles) * 1e9 / (double)(b.ns - a.ns));
}

uint64_t clock_cycles_hz(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, measure);
	return hz;
}

// SPDX-License-Identifier: BSD-2-Clause
// clock.h - time as nanoseconds and as TSC cycles.
#pragma once

#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

// CLOCK_MONOTONIC.
uint64_t clock_ns(void);

// CPU time of the calling thread, without what other threads and processes took.
uint64_t clock_thread_ns(void);

// A counter of constant rate.  Not serialising: good for intervals of a burst and longer.
static inline uint64_t clock_cycles(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

// Cycles a second of clock_cycles(), measured once (takes 50 ms at the first call).
uint64_t clock_cycles_hz(void);

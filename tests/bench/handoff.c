// SPDX-License-Identifier: BSD-2-Clause
// handoff.c - how long a cache line takes from one CPU to another and back, which says how far apart they
// are.  The CPUs of a virtual machine are moved at any time: between cores of one die a hand-off may take 100 ns,
// between sockets 500, and all that two CPUs do together takes longer accordingly.
// usage: bench_handoff CPU CPU
// Prints the nanoseconds of a quick hand-off there and back: the lowest quarter's upper end.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 200, HANDOFFS = 200 };

static _Alignas(128) atomic_uint turn; // odd: the other's
static atomic_int failed;

static int bind_to(const char *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)atoi(cpu), &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void *other(void *cpu)
{
	if (bind_to(cpu) != 0)
		failed = 1;
	for (unsigned i = 0; i < ROUNDS * HANDOFFS; i++) {
		while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 1)
			;
		atomic_store_explicit(&turn, 2 * i + 2, memory_order_release);
	}
	return NULL;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	static double took[ROUNDS];
	pthread_t thread;

	if (argc != 3 || bind_to(argv[1]) != 0 ||
		pthread_create(&thread, NULL, other, argv[2]) != 0) {
		fprintf(stderr, "bench_handoff: two CPUs are wanted\n");
		return 1;
	}
	for (unsigned r = 0, i = 0; r < ROUNDS; r++) {
		double start = now_ns();

		for (unsigned n = 0; n < HANDOFFS; n++, i++) {
			atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
			while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 2)
				;
		}
		took[r] = (now_ns() - start) / HANDOFFS;
	}
	pthread_join(thread, NULL);
	qsort(took, ROUNDS, sizeof(*took), by_size);
	printf("%.1f\n", took[ROUNDS / 4]);
	return failed;
}

// SPDX-License-Identifier: BSD-2-Clause
// worker.c - threads that poll.  They are registered with DPDK, so that each has its own cache in
// every pool.
//
// The quiet point: `turns` goes up after each return of the loop.  A reader of `turns` that sees it
// changed knows that the loop call which ran when it looked first has ended.  The release store here
// pairs with the acquire load in worker_quiet(): what the worker did in that turn happened before.
#include "port/internal.h"

#include "base/cpu.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORKERS_MAX = CPU_MAX, LINE = 64 };

struct worker {
	_Alignas(LINE) _Atomic uint64_t turns; // written by the worker each turn
	_Alignas(LINE) _Atomic bool stop;
	unsigned index, cpu;
	pthread_t thread;
	void (*loop)(void *arg);
	void *arg;
	sem_t ready;
	struct err err; // of the thread's start
};

static _Atomic bool running[WORKERS_MAX];

static int begin(struct worker *w)
{
	char name[16];

	snprintf(name, sizeof(name), "weir-worker-%u", w->index);
	pthread_setname_np(pthread_self(), name);
	if (cpu_pin(w->cpu, &w->err) < 0)
		return -1;
	if (rte_thread_register() != 0) {
		err_set(&w->err, rte_errno, "worker %u: %s", w->index, rte_strerror(rte_errno));
		return -1;
	}
	return 0;
}

static void *run(void *arg)
{
	struct worker *w = arg;
	int e = begin(w);

	sem_post(&w->ready);
	if (e < 0)
		return NULL;
	while (!atomic_load_explicit(&w->stop, memory_order_relaxed)) {
		w->loop(w->arg);
		atomic_store_explicit(&w->turns,
			atomic_load_explicit(&w->turns, memory_order_relaxed) + 1,
			memory_order_release);
	}
	rte_thread_unregister();
	return NULL;
}

struct worker *worker_start(unsigned index, void (*loop)(void *arg), void *arg, struct err *err)
{
	struct worker *w;
	unsigned cpu;
	int e;

	if (env_worker_cpu(index, &cpu, err) < 0)
		return NULL;
	if (index >= WORKERS_MAX || atomic_exchange(&running[index], true)) {
		err_set(err, EBUSY, "worker %u: already running", index);
		return NULL;
	}
	w = aligned_alloc(LINE, sizeof(*w));
	if (w == NULL) {
		atomic_store(&running[index], false);
		err_set(err, ENOMEM, "worker %u: out of memory", index);
		return NULL;
	}
	memset(w, 0, sizeof(*w));
	w->index = index;
	w->cpu = cpu;
	w->loop = loop;
	w->arg = arg;
	sem_init(&w->ready, 0, 0);
	e = pthread_create(&w->thread, NULL, run, w);
	if (e != 0) {
		err_set(&w->err, e, "worker %u: %s", index, strerror(e));
	} else {
		while (sem_wait(&w->ready) != 0 && errno == EINTR)
			;
		if (w->err.code != 0)
			pthread_join(w->thread, NULL);
	}
	if (w->err.code == 0)
		return w;
	err_set(err, w->err.code, "%s", w->err.msg);
	sem_destroy(&w->ready);
	free(w);
	atomic_store(&running[index], false);
	return NULL;
}

void worker_quiet(struct worker *w)
{
	struct timespec nap = {.tv_nsec = 1000};
	uint64_t seen;

	assert(!pthread_equal(pthread_self(), w->thread));
	// What the caller has published must be there for the turn after the one that is looked at: without the
	// fence the look may come before the caller's store.
	atomic_thread_fence(memory_order_seq_cst);
	seen = atomic_load_explicit(&w->turns, memory_order_acquire);
	// A turn takes microseconds; the worker may be off its CPU for much longer.
	for (unsigned i = 0; atomic_load_explicit(&w->turns, memory_order_acquire) == seen; i++)
		if (i < 100)
			sched_yield();
		else
			nanosleep(&nap, NULL);
}

uint64_t worker_cpu_ns(struct worker *w)
{
	clockid_t id;
	struct timespec t;

	if (pthread_getcpuclockid(w->thread, &id) != 0 || clock_gettime(id, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void worker_stop(struct worker *w)
{
	unsigned index;

	if (w == NULL)
		return;
	index = w->index;
	atomic_store_explicit(&w->stop, true, memory_order_relaxed);
	pthread_join(w->thread, NULL);
	sem_destroy(&w->ready);
	free(w);
	atomic_store(&running[index], false);
}

// SPDX-License-Identifier: BSD-2-Clause
// gen_thread.c - what a sending or receiving thread does in each turn of its loop.
#include "gen_cmd.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "port/port.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static _Atomic bool stopping;

void gen_stop(void)
{
	atomic_store(&stopping, true);
}

bool gen_stopping(void)
{
	return atomic_load_explicit(&stopping, memory_order_relaxed);
}

void gen_dump(unsigned ring, unsigned slot, const uint8_t *frame, unsigned len)
{
	flockfile(stdout);
	printf("ring %u cur %5u [buf %6u flags 0x0000 len %5u]\n", ring, slot, slot, len);
	for (unsigned at = 0; at < len; at += 16) {
		unsigned n = len - at < 16 ? len - at : 16;

		printf("%5u: ", at);
		for (unsigned i = 0; i < 16; i++)
			if (i < n)
				printf("%02x ", frame[at + i]);
			else
				printf("   ");
		for (unsigned i = 0; i < n; i++)
			putchar(isprint(frame[at + i]) ? frame[at + i] : '.');
		putchar('\n');
	}
	funlockfile(stdout);
}

static void look(void *arg, const uint8_t *frame, unsigned len)
{
	struct gen_thread *t = arg;

	gen_dump(t->index, (unsigned)(t->number++ % t->job->slots), frame, len);
}

// At most two complaints a second and thread.
static void sequence_event(void *arg, enum receiver_event e, uint32_t expected, uint32_t found)
{
	struct gen_thread *t = arg;
	uint64_t now = clock_cycles();

	if (now - t->complained > clock_cycles_hz()) {
		t->complained = now;
		t->complaints = 0;
	}
	if (t->complaints++ >= 2)
		return;
	switch (e) {
	case RECEIVER_GAP:
		gen_say("rxseq_body", __LINE__, "Sequence GAP: exp %u found %u", expected, found);
		break;
	case RECEIVER_OUT_OF_ORDER:
		gen_say("rxseq_body", __LINE__, "Sequence OUT OF ORDER: exp %u found %u", expected,
			found);
		break;
	case RECEIVER_SHORT:
		gen_say("rxseq_body", __LINE__, "packet too small (len=%u)", found);
		break;
	case RECEIVER_SEGMENTS:
		gen_say("rxseq_body", __LINE__, "Received packets with %u frags, expected %u, ...",
			found, expected);
		break;
	}
}

// Packets of one thread: the remainder goes to the first ones.
static uint64_t share(const struct gen_thread *t)
{
	uint64_t n = t->o->conf.count, threads = t->o->threads;

	return n / threads + (t->index < n % threads);
}

static int make_sender(struct gen_thread *t, struct err *err)
{
	struct gen_conf c = t->o->conf;

	c.count = share(t);
	c.seed += t->index;
	if (t->o->dump) {
		c.look = look;
		c.look_arg = t;
	}
	if (c.rate_pps != 0) {
		// A burst at least 300 times a second.
		c.pace_group = c.burst;
		if (c.pace_group > c.rate_pps / 300)
			c.pace_group = c.rate_pps < 600 ? 1 : (unsigned)(c.rate_pps / 300);
		// Where a visit costs much by itself, one makes up for several that came late.
		if (!port_has_rows(t->job->port))
			c.burst = c.pace_group;
	}
	if (t->o->function == GEN_PING)
		t->pinger = pinger_new(&c, t->job->port, t->job->pool, err);
	else
		t->sender = sender_new(&c, t->job->port, (uint16_t)t->index, t->job->pool, err);
	return t->pinger == NULL && t->sender == NULL ? -EINVAL : 0;
}

static int make_receiver(struct gen_thread *t, struct err *err)
{
	struct receiver_conf c = {
		.burst = t->o->conf.burst,
		.slots = t->job->slots,
		.prefetch = (t->o->touch & O_PREFETCH) != 0,
		.touch = (t->o->touch & O_ACCESS) != 0,
		.sequence = t->o->function == GEN_RXSEQ,
		.count = share(t),
		.event = sequence_event,
		.look = t->o->dump ? look : NULL,
		.arg = t,
	};

	t->receiver = receiver_new(&c, t->job->port, (uint16_t)t->index, err);
	return t->receiver == NULL ? -EINVAL : 0;
}

static int make_ponger(struct gen_thread *t, struct err *err)
{
	struct ponger_conf c = {.burst = t->o->conf.burst,
		.count = t->o->conf.count,
		.look = t->o->dump ? look : NULL,
		.look_arg = t};

	t->ponger = ponger_new(&c, t->job->port, err);
	return t->ponger == NULL ? -EINVAL : 0;
}

int gen_thread_make(struct gen_thread *t, struct err *err)
{
	if (gen_sends(t->o->function))
		return make_sender(t, err);
	if (gen_receives(t->o->function))
		return make_receiver(t, err);
	return make_ponger(t, err);
}

void gen_thread_free(struct gen_thread *t)
{
	sender_free(t->sender);
	receiver_free(t->receiver);
	pinger_free(t->pinger);
	ponger_free(t->ponger);
}

void gen_thread_counts(const struct gen_thread *t, struct gen_counts *out)
{
	struct sender_counters s = {0};
	struct receiver_counters r;
	struct pinger_counters p;

	if (t->receiver != NULL) {
		receiver_counters(t->receiver, &r);
		*out = (struct gen_counts){r.packets, r.bytes, r.events};
		return;
	}
	if (t->sender != NULL) {
		sender_counters(t->sender, &s);
	} else if (t->ponger != NULL) {
		ponger_counters(t->ponger, &s);
	} else {
		pinger_counters(t->pinger, &p);
		s = p.sent;
	}
	*out = (struct gen_counts){s.packets, s.bytes, s.events};
}

static bool reached_count(const struct gen_thread *t)
{
	if (t->sender != NULL)
		return sender_done(t->sender);
	if (t->receiver != NULL)
		return receiver_done(t->receiver);
	return t->pinger != NULL ? pinger_done(t->pinger) : ponger_done(t->ponger);
}

// -W: a first packet came, and for a second none on any thread.
static bool fell_silent(const struct gen_thread *t, uint64_t now)
{
	bool any = false;

	for (unsigned i = 0; i < t->job->n; i++) {
		const struct gen_thread *other = &t->job->thread[i];

		any |= atomic_load_explicit(&other->moved_any, memory_order_relaxed);
		if (now - atomic_load_explicit(&other->last_moved, memory_order_relaxed) <
			clock_cycles_hz())
			return false;
	}
	return any;
}

static void finish(struct gen_thread *t, uint64_t less_ns)
{
	t->cpu_ns = clock_thread_ns() - t->cpu_ns;
	atomic_store(&t->end_ns, clock_ns() - less_ns);
	atomic_store(&t->done, true);
	gen_report_wake();
}

static void nap(long ns)
{
	struct timespec t = {.tv_nsec = ns};

	nanosleep(&t, NULL);
}

// Nothing moved: give the CPU away where nothing is lost by it.
static void idle(struct gen_thread *t, uint64_t now)
{
	uint64_t hz = clock_cycles_hz(), wait = 0;

	if (t->receiver != NULL || t->ponger != NULL) {
		// A ring of 1024 takes more than half a millisecond of 64-byte frames at 1 Gb/s.
		if (now - t->idle_since > hz / 100)
			nap(20000);
		return;
	}
	wait = t->sender != NULL ? sender_wait(t->sender, now) : pinger_wait(t->pinger, now);
	// The last half millisecond is spun away: timers are late by less.
	if (wait > hz / 1000)
		nap((long)((wait < hz ? wait : hz) * 1000 / (hz / 1000000)) - 500000);
}

// EAL binds threads to CPUs; without -a the kernel shall choose, as for any program.
static void place(struct gen_thread *t)
{
	struct err err = {0};

	t->placed = true;
	t->cpu_ns = clock_thread_ns();
	t->idle_since = clock_cycles();
	atomic_store(&t->last_moved, t->idle_since);
	atomic_store(&t->start_ns, clock_ns());
	if (t->o->first_cpu < 0) {
		sched_setaffinity(0, sizeof(t->job->cpus), &t->job->cpus);
	} else if (cpu_pin(((unsigned)t->o->first_cpu + t->index) % t->o->n_cpus, &err) != 0) {
		gen_say(__func__, __LINE__, "thread %u: %s", t->index, err.msg);
		atomic_store(&t->failed, true);
		finish(t, 0);
	}
}

static unsigned step(struct gen_thread *t, uint64_t now)
{
	if (t->sender != NULL)
		return sender_step(t->sender, now);
	if (t->receiver != NULL)
		return receiver_step(t->receiver);
	return t->pinger != NULL ? pinger_step(t->pinger, now) : ponger_step(t->ponger);
}

void gen_thread_turn(void *thread)
{
	struct gen_thread *t = thread;
	unsigned moved;
	uint64_t now;

	if (atomic_load_explicit(&t->done, memory_order_relaxed)) {
		nap(1000000);
		return;
	}
	if (!t->placed) {
		place(t);
		return;
	}
	now = clock_cycles();
	moved = step(t, now);
	if (moved != 0) {
		if (t->receiver != NULL &&
			!atomic_load_explicit(&t->moved_any, memory_order_relaxed))
			atomic_store(&t->start_ns, clock_ns());
		atomic_store_explicit(&t->moved_any, true, memory_order_relaxed);
		atomic_store_explicit(&t->last_moved, now, memory_order_relaxed);
		t->idle_since = now;
	} else {
		idle(t, now);
	}
	if (gen_stopping() || reached_count(t) || (moved == 0 && port_done(t->job->port)))
		finish(t, 0);
	else if (t->o->stop_idle && moved == 0 && fell_silent(t, now))
		finish(t, 1000000000);
}

// SPDX-License-Identifier: BSD-2-Clause
// gen_report.c - the thread that prints a line each interval, and the last lines.
#include "gen_cmd.h"

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static struct {
	struct gen_job *job;
	pthread_t thread;
	sem_t wake;
	struct gen_counts last;
	uint64_t last_ns;
	uint64_t stalled_ns, refused; // senders: since when, and as of the last report
	uint64_t timeouts;            // pings, as of the last report
	struct report_history history;
	struct rtt rtt; // pings: as of the last report
	bool first;
	bool told_stop;
} report;

void gen_say(const char *function, int line, const char *fmt, ...)
{
	char prefix[REPORT_LINE_MAX], text[1024];
	struct timeval now;
	va_list ap;

	gettimeofday(&now, NULL);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s%s\n",
		report_prefix((uint64_t)now.tv_sec, (unsigned)now.tv_usec, function, line, prefix),
		text);
}

static void sum(const struct gen_job *j, struct gen_counts *out)
{
	struct gen_counts c;

	*out = (struct gen_counts){0};
	for (unsigned i = 0; i < j->n; i++) {
		gen_thread_counts(&j->thread[i], &c);
		out->packets += c.packets;
		out->bytes += c.bytes;
		out->events += c.events;
	}
}

// pkt-gen prints 0 at first and then, for whoever has no ring to watch, this number a thread.
static uint64_t min_space(struct gen_job *j)
{
	uint64_t all = 0;
	bool any = false;

	for (unsigned i = 0; i < j->n; i++) {
		unsigned space = RECEIVER_NO_SPACE_SEEN;

		if (j->thread[i].receiver != NULL)
			space = receiver_min_space(j->thread[i].receiver);
		any |= space != RECEIVER_NO_SPACE_SEEN;
		all += space;
	}
	return report.first && !any ? 0 : all;
}

static void report_pings(struct gen_job *j)
{
	struct pinger *pinger = j->thread[0].pinger;
	char line[REPORT_LINE_MAX], histogram[RTT_BUCKETS * 24];
	struct pinger_counters c;
	struct rtt now;

	if (pinger == NULL)
		return;
	pinger_counters(pinger, &c);
	now = c.rtt;
	now.count -= report.rtt.count;
	now.sum_ns -= report.rtt.sum_ns;
	for (unsigned i = 0; i < RTT_BUCKETS; i++)
		now.bucket[i] -= report.rtt.bucket[i];
	now.min_ns = pinger_min_ns(pinger);
	report.rtt = c.rtt;
	gen_say("ping_body", __LINE__, "%s", report_rtt_text(&now, line));
	if (now.count != 0)
		gen_say("ping_body", __LINE__, "%s",
			report_rtt_histogram(&now, histogram, sizeof(histogram)));
	if (c.timeouts != report.timeouts)
		gen_say("ping_body", __LINE__, "poll error on queue 0: timeout");
	report.timeouts = c.timeouts;
}

// A port that took nothing for two seconds of what it was offered.
static void report_stall(struct gen_job *j, uint64_t packets, uint64_t ns)
{
	uint64_t refused = 0;
	struct sender_counters c;
	int error = 0;

	for (unsigned i = 0; i < j->n; i++)
		if (j->thread[i].sender != NULL) {
			sender_counters(j->thread[i].sender, &c);
			refused += c.refused + c.no_buffer;
			error = c.error != 0 ? c.error : error;
		}
	report.stalled_ns += ns;
	if (packets != 0 || refused == report.refused)
		report.stalled_ns = 0;
	report.refused = refused;
	if (report.stalled_ns < 2000000000)
		return;
	report.stalled_ns = 0;
	for (unsigned i = 0; i < j->n; i++)
		if (!atomic_load(&j->thread[i].done))
			gen_say("sender_body", __LINE__, "poll error on queue %u: %s", i,
				error != 0 ? strerror(error) : "timeout");
}

static bool received_any(const struct gen_job *j)
{
	for (unsigned i = 0; i < j->n; i++)
		if (atomic_load(&j->thread[i].moved_any))
			return true;
	return false;
}

static void print_interval(struct gen_job *j)
{
	uint64_t now = clock_ns(), ns = now - report.last_ns;
	char line[REPORT_LINE_MAX];
	struct report_interval i;
	struct gen_counts c;

	if (ns < 10000000)
		return;
	sum(j, &c);
	i = (struct report_interval){.packets = c.packets - report.last.packets,
		.bytes = c.bytes - report.last.bytes,
		.events = c.events - report.last.events,
		.usec = ns / 1000,
		.min_space = min_space(j)};
	gen_say("main_thread", __LINE__, "%s",
		report_interval_text(&i, j->o->report_flags, &report.history, line));
	report_pings(j);
	report_stall(j, i.packets, ns);
	if (gen_receives(j->o->function) && !received_any(j) && !gen_stopping())
		gen_say("receiver_body", __LINE__, "waiting for initial packets, poll returns 0 0");
	report.first = false;
	report.last = c;
	report.last_ns = now;
}

static bool all_done(const struct gen_job *j)
{
	for (unsigned i = 0; i < j->n; i++)
		if (!atomic_load(&j->thread[i].done))
			return false;
	return true;
}

// Once; a handler may not print.
static void say_stopping(void)
{
	if (!gen_stopping() || report.told_stop)
		return;
	report.told_stop = true;
	gen_say("sigint_h", __LINE__, "received control-C on thread %p",
		(void *)(uintptr_t)pthread_self());
}

static void *reporter(void *arg)
{
	struct gen_job *j = arg;
	uint64_t period = (uint64_t)j->o->report_ms * 1000000, next = clock_ns() + period;
	struct timespec until;

	pthread_setname_np(pthread_self(), "reporter");
	// EAL had bound the thread that made this one.
	sched_setaffinity(0, sizeof(j->cpus), &j->cpus);
	while (!all_done(j)) {
		uint64_t now = clock_ns();

		if (now >= next) {
			print_interval(j);
			next += period;
			if (next < now)
				next = now + period;
			continue;
		}
		until.tv_sec = (time_t)(next / 1000000000);
		until.tv_nsec = (long)(next % 1000000000);
		sem_clockwait(&report.wake, CLOCK_MONOTONIC, &until);
		say_stopping();
	}
	say_stopping();
	print_interval(j);
	return NULL;
}

void gen_report_init(struct gen_job *j)
{
	report.job = j;
	report.first = true;
	sem_init(&report.wake, 0, 0);
}

int gen_report_start(struct err *err)
{
	int e;

	report.last_ns = clock_ns();
	e = pthread_create(&report.thread, NULL, reporter, report.job);
	return e == 0 ? 0 : err_set(err, e, "no thread for reports: %s", strerror(e));
}

void gen_report_wake(void)
{
	sem_post(&report.wake);
}

void gen_report_finish(void)
{
	gen_report_wake();
	pthread_join(report.thread, NULL);
}

static void thread_times(const struct gen_job *j)
{
	for (unsigned i = 0; i < j->n; i++) {
		const struct gen_thread *t = &j->thread[i];
		double hz = (double)clock_cycles_hz(), s = (double)t->cpu_ns / 1e9;
		struct gen_counts c;

		gen_thread_counts(t, &c);
		gen_say("main", __LINE__, "thread %u: %.3f s of CPU time, %.1f cycles a packet", i,
			s, c.packets == 0 ? 0 : s * hz / (double)c.packets);
	}
}

void gen_report_totals(const struct gen_job *j)
{
	struct report_total total = {.verb = gen_receives(j->o->function) ? "Received" : "Sent"};
	uint64_t start = 0, end = 0;
	char text[2 * REPORT_LINE_MAX];
	struct pinger_counters p;
	struct gen_counts c;

	sum(j, &c);
	for (unsigned i = 0; i < j->n; i++) {
		uint64_t a = atomic_load(&j->thread[i].start_ns),
			 b = atomic_load(&j->thread[i].end_ns);

		start = a > start ? a : start;
		end = b > end ? b : end;
	}
	total.packets = c.packets;
	total.bytes = c.bytes;
	total.events = c.events;
	total.seconds = end > start ? (double)(end - start) / 1e9 : 0;
	if (j->o->verbose > 0)
		thread_times(j);
	fputs(report_total_text(&total, j->o->report_flags, text), stdout);
	if (j->thread[0].pinger != NULL) {
		pinger_counters(j->thread[0].pinger, &p);
		printf("RTT over %llu packets: min %llu av %llu ns\n",
			(unsigned long long)p.rtt.count,
			(unsigned long long)(p.rtt.count != 0 ? p.rtt.min_ns : 0),
			(unsigned long long)(p.rtt.count != 0 ? p.rtt.sum_ns / p.rtt.count : 0));
	}
	fflush(stdout);
}

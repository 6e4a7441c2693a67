// SPDX-License-Identifier: BSD-2-Clause
// One run.  Traffic flows from the first moment on; what the warm-up brought is part of the run's
// accounts (loss, duplicates, drops) and not of its rate.  Counters are read at the edges of the
// intervals and once more after the last frame has come back, never while frames are under way.
//
// Rate of an interval.  Of a device whose forwarding thread we can watch: frames it forwarded by
// the time that thread worked on them.  A neighbour that takes the CPU away, and the moments the
// thread waits for the tester, are then not counted against it.  The working time of a thread that
// sleeps when there is nothing to do is its CPU time; of a polling one its CPU time times the share
// of busy turns.  Of a box that cannot be watched: right frames that came back by the wall clock.
#include "lab/trial.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct edge {
	uint64_t ns;
	struct trial_count count;
};

static void edge_read(const struct trial_io *io, struct edge *e)
{
	memset(&e->count, 0, sizeof(e->count));
	io->read(io->arg, &e->count);
	e->ns = io->now_ns(io->arg);
}

static bool stopped(const struct trial_plan *p)
{
	return p->stop != NULL && *p->stop != 0;
}

static void turn_until(const struct trial_plan *p, const struct trial_io *io, uint64_t end_ns)
{
	while (!stopped(p) && io->now_ns(io->arg) < end_ns)
		io->turn(io->arg, true);
}

static double work_seconds(
	const struct trial_plan *p, const struct edge *a, const struct edge *b, double seconds)
{
	double cpu = (double)(b->count.dut.cpu_ns - a->count.dut.cpu_ns) / 1e9;
	double busy;

	if (!p->has_work)
		return 0;
	if (!p->polls)
		return cpu;
	busy = (double)(b->count.dut.busy_cycles - a->count.dut.busy_cycles) /
	       (double)clock_cycles_hz();
	return busy < seconds ? cpu * busy / seconds : cpu;
}

static void window_fill(const struct trial_plan *p, uint64_t start_ns, const struct edge *a,
	const struct edge *b, struct lab_window *w)
{
	w->start_s = (double)(a->ns - start_ns) / 1e9;
	w->seconds = (double)(b->ns - a->ns) / 1e9;
	w->offered = b->count.offered - a->count.offered;
	w->received = b->count.got.good - a->count.got.good;
	w->forwarded = b->count.dut.sent - a->count.dut.sent;
	w->work_s = work_seconds(p, a, b, w->seconds);
	w->steady = false;
	if (p->has_work)
		w->pps = w->work_s > 0 ? (double)w->forwarded / w->work_s : 0;
	else
		w->pps = w->seconds > 0 ? (double)w->received / w->seconds : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// The steady part: what is left when intervals at either end that lie more than a fifth away from
// the median of all are cut.
static unsigned steady_mark(struct lab_window *w, unsigned n, double *scratch)
{
	unsigned first = 0, end = n;
	double m;

	for (unsigned i = 0; i < n; i++)
		scratch[i] = w[i].pps;
	m = median(scratch, n);
	while (first < end && (w[first].pps < 0.8 * m || w[first].pps > 1.25 * m))
		first++;
	while (end > first && (w[end - 1].pps < 0.8 * m || w[end - 1].pps > 1.25 * m))
		end--;
	for (unsigned i = first; i < end; i++)
		w[i].steady = true;
	return end - first;
}

static void values_fill(const struct trial_plan *p, struct lab_run *run, double *scratch)
{
	unsigned n = steady_mark(run->window, run->n_windows, scratch), k = 0;
	double seconds = 0, offered = 0, received = 0, forwarded = 0, work = 0;

	for (unsigned i = 0; i < run->n_windows; i++) {
		const struct lab_window *w = &run->window[i];

		if (!w->steady)
			continue;
		scratch[k++] = w->pps;
		seconds += w->seconds;
		offered += (double)w->offered;
		received += (double)w->received;
		forwarded += (double)w->forwarded;
		work += w->work_s;
	}
	run->pps = median(scratch, n);
	if (seconds <= 0)
		return;
	run->offered_pps = offered / seconds;
	run->received_pps = received / seconds;
	if (p->has_work && run->pps > 0) {
		run->cycles_per_packet = (double)clock_cycles_hz() / run->pps;
		run->work_share = work / seconds;
	}
}

static void accounts_fill(const struct trial_count *end, struct lab_run *run)
{
	run->offered = end->offered;
	run->refused = end->refused;
	run->received = end->got.good;
	run->bad_ttl = end->got.bad_ttl;
	run->bad_checksum = end->got.bad_checksum;
	run->bad_content = end->got.bad_content;
	run->duplicate = end->got.duplicate;
	run->foreign = end->got.foreign;
	run->reordered = end->got.reordered;
	run->tester_missed = end->missed;
	run->dut_in = end->dut.in;
	run->dut_made = end->dut.made;
	run->dut_sent = end->dut.sent;
	run->dut_queued = end->dut.queued;
	run->n_drops = end->dut.n_drops;
	memcpy(run->drop, end->dut.drop, sizeof(run->drop));
	if (run->offered > run->received)
		run->loss = (double)(run->offered - run->received) / (double)run->offered;
}

static bool under_way(const struct trial_plan *p, const struct trial_count *c)
{
	return p->accounts && (c->dut.in < c->offered || c->got.packets < c->dut.sent);
}

// Stops sending and receives until nothing has come for a while (or all is accounted for).
static void settle(const struct trial_plan *p, const struct trial_io *io, struct edge *last)
{
	uint64_t start = io->now_ns(io->arg), quiet = start, now = start;

	edge_read(io, last);
	while (!stopped(p) && now - start < (uint64_t)(p->settle_max_s * 1e9)) {
		if (io->turn(io->arg, false) > 0)
			quiet = now;
		now = io->now_ns(io->arg);
		if (now - quiet < (uint64_t)(p->settle_s * 1e9))
			continue;
		edge_read(io, last);
		if (!under_way(p, &last->count))
			return;
		quiet = now;
	}
	edge_read(io, last);
}

int trial_run(
	const struct trial_plan *p, const struct trial_io *io, struct lab_run *run, struct err *err)
{
	struct edge *edge = malloc(3 * sizeof(*edge));
	double *scratch = calloc(p->n_windows, sizeof(*scratch));
	uint64_t start = io->now_ns(io->arg), due;
	int rc = 0;

	run->window = calloc(p->n_windows, sizeof(*run->window));
	run->n_windows = 0;
	if (edge == NULL || scratch == NULL || run->window == NULL) {
		rc = err_set(err, ENOMEM, "no memory for a run's intervals");
		goto out;
	}
	due = start + (uint64_t)(p->warm_s * 1e9);
	turn_until(p, io, due);
	edge_read(io, &edge[0]);
	for (unsigned i = 0; i < p->n_windows && !stopped(p); i++) {
		struct edge *a = &edge[i % 2], *b = &edge[(i + 1) % 2];

		due = a->ns + (uint64_t)(p->window_s * 1e9);
		turn_until(p, io, due);
		edge_read(io, b);
		window_fill(p, start, a, b, &run->window[run->n_windows++]);
	}
	run->seconds = (double)(io->now_ns(io->arg) - start) / 1e9;
	settle(p, io, &edge[2]);
	if (stopped(p)) {
		rc = err_set(err, EINTR, "interrupted");
		goto out;
	}
	values_fill(p, run, scratch);
	accounts_fill(&edge[2].count, run);
	trial_gate(p, &edge[2].count, run);
out:
	free(edge);
	free(scratch);
	if (rc != 0) {
		free(run->window);
		run->window = NULL;
		run->n_windows = 0;
	}
	return rc;
}

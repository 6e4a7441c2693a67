// SPDX-License-Identifier: BSD-2-Clause
// One run.  Traffic flows from the first moment on; what the warm-up brought is part of the run's
// accounts (loss, duplicates, drops) and not of its rate.  Counters are read at the edges of the
// intervals and once more after the last frame has come back, never while frames are under way.
//
// Rate of an interval, of a device whose forwarding thread we can watch: frames it forwarded by the
// time that thread worked on them.  Moments in which it waits for the tester are then not counted
// against it: one core that makes, receives and checks frames is slower than one that forwards
// them, so it could not be kept busy all the time; gates see to it that it always finds full
// bursts.  A thread that sleeps when there is nothing to do works for its CPU time.  A polling one
// works in its busy turns; these are timed by the TSC, which goes on when another thread has the
// CPU, so only slices of about half a millisecond count in which the thread had its CPU all the time.
//
// Of a box that cannot be watched, and whenever a rate is asked for: right frames that came back,
// by the wall clock.
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

// What the slices of an interval add up to.
struct work {
	uint64_t packets;
	double seconds;
	uint64_t busy_turns, turn_packets; // of all slices
	double wall;                       // of the undisturbed ones
	bool calm;                         // the last slice was undisturbed
};

// Counts the slice between two readings if the thread had its CPU for (nearly) all of it, and of the
// one before: a turn is added to busy_cycles when it ends, so the first slice after a theft may
// be charged with all of it.
static void work_slice(
	struct work *w, const struct dut_counters *a, const struct dut_counters *b, uint64_t ns)
{
	double busy = (double)(b->busy_cycles - a->busy_cycles) / (double)clock_cycles_hz();
	bool was_calm;

	w->busy_turns += b->busy_turns - a->busy_turns;
	w->turn_packets += b->in - a->in;
	was_calm = w->calm;
	w->calm = ns > 0 && (double)(b->cpu_ns - a->cpu_ns) >= 0.98 * (double)ns;
	if (!was_calm || !w->calm)
		return;
	w->packets += b->sent - a->sent;
	w->seconds += busy;
	w->wall += (double)ns / 1e9;
}

static void work_add(struct work *sum, const struct work *w)
{
	sum->packets += w->packets;
	sum->seconds += w->seconds;
	sum->busy_turns += w->busy_turns;
	sum->turn_packets += w->turn_packets;
	sum->wall += w->wall;
}

// Of a polling device an interval goes on, up to ten times its length, until a fifth of that
// length was undisturbed: on a busy machine it just takes longer.
static void window_run(
	const struct trial_plan *p, const struct trial_io *io, uint64_t start_ns, struct work *w)
{
	uint64_t length = (uint64_t)(p->window_s * 1e9), from, to;
	struct dut_counters c[2];
	unsigned i = 0;

	if (!p->polls || p->slice_s <= 0) {
		turn_until(p, io, start_ns + length);
		return;
	}
	memset(c, 0, sizeof(c));
	io->device(io->arg, &c[0]);
	from = io->now_ns(io->arg);
	while (!stopped(p) &&
		(from < start_ns + length ||
			(w->wall < p->window_s / 5 && from < start_ns + 10 * length))) {
		turn_until(p, io, from + (uint64_t)(p->slice_s * 1e9));
		memset(&c[1 - i], 0, sizeof(c[0]));
		io->device(io->arg, &c[1 - i]);
		to = io->now_ns(io->arg);
		work_slice(w, &c[i], &c[1 - i], to - from);
		from = to;
		i = 1 - i;
	}
}

static void window_fill(const struct trial_plan *p, uint64_t start_ns, const struct edge *a,
	const struct edge *b, const struct work *work, struct lab_window *w)
{
	w->start_s = (double)(a->ns - start_ns) / 1e9;
	w->seconds = (double)(b->ns - a->ns) / 1e9;
	w->offered = b->count.offered - a->count.offered;
	w->received = b->count.got.good - a->count.got.good;
	w->forwarded = b->count.dut.sent - a->count.dut.sent;
	if (p->has_work && p->polls) {
		w->measured = work->packets;
		w->work_s = work->seconds;
	} else if (p->has_work) {
		w->measured = w->forwarded;
		w->work_s = (double)(b->count.dut.cpu_ns - a->count.dut.cpu_ns) / 1e9;
	}
	if (p->has_work && p->rate_pps == 0)
		w->pps = w->work_s > 0 ? (double)w->measured / w->work_s : 0;
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

// The steady part: what is left when intervals at either end are cut that are faster or slower than
// the median of all by a factor of 1.4 (shared machines have two speeds about as far apart, and
// which of them a run meets is no fault of it).  Where the rate rests on working time (timed),
// intervals without any undisturbed slice say nothing and are cut wherever they are.
static unsigned steady_mark(struct lab_window *w, unsigned n, bool timed, double *scratch)
{
	unsigned first = 0, end = n, left = 0;
	double m;

	for (unsigned i = 0; i < n; i++)
		scratch[i] = w[i].pps;
	m = median(scratch, n);
	while (first < end && (w[first].pps < m / 1.4 || w[first].pps > m * 1.4))
		first++;
	while (end > first && (w[end - 1].pps < m / 1.4 || w[end - 1].pps > m * 1.4))
		end--;
	for (unsigned i = first; i < end; i++) {
		w[i].steady = !timed || w[i].work_s > 0;
		left += w[i].steady;
	}
	return left;
}

static void values_fill(
	const struct trial_plan *p, const struct work *all, struct lab_run *run, double *scratch)
{
	bool timed = p->has_work && p->rate_pps == 0;
	unsigned n = steady_mark(run->window, run->n_windows, timed, scratch), k = 0;
	double seconds = 0, offered = 0, received = 0, work = 0, measured = 0;

	for (unsigned i = 0; i < run->n_windows; i++) {
		const struct lab_window *w = &run->window[i];

		if (!w->steady)
			continue;
		scratch[k++] = w->pps;
		seconds += w->seconds;
		offered += (double)w->offered;
		received += (double)w->received;
		work += w->work_s;
		measured += (double)w->measured;
	}
	run->pps = median(scratch, n);
	if (seconds <= 0)
		return;
	run->offered_pps = offered / seconds;
	run->received_pps = received / seconds;
	if (!p->has_work || measured <= 0)
		return;
	run->cycles_per_packet = (double)clock_cycles_hz() * (p->rate_pps == 0 && run->pps > 0
									     ? 1 / run->pps
									     : work / measured);
	run->work_share = p->polls ? (all->wall > 0 ? all->seconds / all->wall : 0)
				   : work / seconds;
	if (all->busy_turns > 0)
		run->turn_packets = (double)all->turn_packets / (double)all->busy_turns;
}

static void accounts_fill(
	const struct trial_plan *p, const struct trial_count *end, struct lab_run *run)
{
	uint64_t lost_here = trial_tester_lost(p, end);

	run->offered = end->offered;
	run->refused = end->refused;
	run->received = end->got.good;
	run->bad_ttl = end->got.bad_ttl;
	run->bad_checksum = end->got.bad_checksum;
	run->bad_content = end->got.bad_content;
	run->duplicate = end->got.duplicate;
	run->foreign = end->got.foreign;
	run->reordered = end->got.reordered;
	run->tester_missed = lost_here;
	run->dut_in = end->dut.in;
	run->dut_made = end->dut.made;
	run->dut_sent = end->dut.sent;
	run->dut_queued = end->dut.queued;
	run->n_drops = end->dut.n_drops;
	memcpy(run->drop, end->dut.drop, sizeof(run->drop));
	if (run->offered > run->received + lost_here)
		run->loss = (double)(run->offered - run->received - lost_here) /
			    (double)run->offered;
}

// Also true in the middle of a turn of the device, whose counters are not of one moment then.
static bool under_way(const struct trial_plan *p, const struct trial_count *c)
{
	return p->accounts &&
	       (c->dut.in < c->offered || c->got.packets + c->returned < c->dut.sent ||
		       c->dut.in + c->dut.made > trial_out(&c->dut));
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
	uint64_t start = io->now_ns(io->arg);
	struct work all = {0};
	int rc = 0;

	run->window = calloc(p->n_windows, sizeof(*run->window));
	run->n_windows = 0;
	if (edge == NULL || scratch == NULL || run->window == NULL) {
		rc = err_set(err, ENOMEM, "no memory for a run's intervals");
		goto out;
	}
	turn_until(p, io, start + (uint64_t)(p->warm_s * 1e9));
	edge_read(io, &edge[0]);
	for (unsigned i = 0; i < p->n_windows && !stopped(p); i++) {
		struct edge *a = &edge[i % 2], *b = &edge[(i + 1) % 2];
		struct work work = {0};

		window_run(p, io, a->ns, &work);
		edge_read(io, b);
		window_fill(p, start, a, b, &work, &run->window[run->n_windows++]);
		work_add(&all, &work);
	}
	run->seconds = (double)(io->now_ns(io->arg) - start) / 1e9;
	settle(p, io, &edge[2]);
	if (stopped(p)) {
		rc = err_set(err, EINTR, "interrupted");
		goto out;
	}
	values_fill(p, &all, run, scratch);
	accounts_fill(p, &edge[2].count, run);
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

// SPDX-License-Identifier: BSD-2-Clause
// The gates.  Each is a reason for which a run says nothing about the device; a run that fails one
// is void, shown with its reason, and made again.
#include "lab/trial.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void trial_void(struct lab_run *run, const char *gate, const char *fmt, ...)
{
	va_list ap;

	if (!run->valid)
		return; // the first reason stands
	run->valid = false;
	snprintf(run->gate, sizeof(run->gate), "%s", gate);
	va_start(ap, fmt);
	vsnprintf(run->why, sizeof(run->why), fmt, ap);
	va_end(ap);
}

// Frames that came back other than they must.
static void gate_frames(const struct checker_counters *got, struct lab_run *run)
{
	const struct {
		const char *gate, *text;
		uint64_t n;
	} kinds[] = {
		{"foreign", "frames that are not of this run arrived", got->foreign},
		{"duplicate", "frames arrived twice", got->duplicate},
		{"ttl", "frames came back with another TTL than one lower", got->bad_ttl},
		{"checksum", "frames came back with a wrong checksum", got->bad_checksum},
		{"content", "frames came back changed", got->bad_content},
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].n > 0)
			trial_void(run, kinds[i].gate, "%" PRIu64 " %s", kinds[i].n, kinds[i].text);
}

uint64_t trial_out(const struct dut_counters *d)
{
	uint64_t out = d->sent + d->queued + d->ended;

	for (unsigned i = 0; i < d->n_drops; i++)
		out += d->drop[i].n;
	return out;
}

// Invariant of the device: in + made = sent + queued + ended here + dropped, reason by reason.
static void gate_account(const struct trial_count *end, struct lab_run *run)
{
	const struct dut_counters *d = &end->dut;
	uint64_t out = trial_out(d);

	if (d->in + d->made != out)
		trial_void(run, "account",
			"the device's account does not add up: in %" PRIu64 " + made %" PRIu64
			", out %" PRIu64,
			d->in, d->made, out);
	if (d->queued > 0)
		trial_void(run, "settle", "%" PRIu64 " frames are still in the device", d->queued);
	if (d->in != end->offered)
		trial_void(run, "account",
			"the tester's port took %" PRIu64 " frames, the device says %" PRIu64
			" came in",
			end->offered, d->in);
}

uint64_t trial_tester_lost(const struct trial_plan *p, const struct trial_count *c)
{
	uint64_t back = c->got.packets + c->returned;

	if (p->has_work && c->dut.sent > back)
		return c->dut.sent - back;
	return p->has_work ? 0 : c->missed;
}

static void gate_tester(
	const struct trial_plan *p, const struct trial_count *end, struct lab_run *run)
{
	uint64_t lost = trial_tester_lost(p, end);
	double most = p->accounts ? 0 : (double)end->offered * TRIAL_TESTER_LOSS_PPM / 1e6;

	if ((double)lost > most)
		trial_void(run, "tester-drops",
			"the tester lost %" PRIu64 " frames that the device had forwarded", lost);
}

// The tester must have sent what it was asked to; unasked, it must have a burst
// ready whenever the device looks for one.
static void gate_load(const struct trial_plan *p, struct lab_run *run)
{
	double intended = (double)p->rate_pps;
	double slack = intended / 1000;

	if (p->rate_pps > 0) {
		// The edges of the intervals cut through bursts of up to 64 frames.
		double seconds = p->window_s * p->n_windows;

		if (slack < 64 / seconds)
			slack = 64 / seconds;
		if (run->offered_pps < intended - slack || run->offered_pps > intended + slack)
			trial_void(run, "generator-limited",
				"the tester offered %.0f frames a second instead of %.0f",
				run->offered_pps, intended);
	} else if (p->has_work && p->polls && run->turn_packets < TRIAL_TURN_MIN) {
		trial_void(run, "generator-limited",
			"the forwarding core found only %.1f frames a turn; the tester limits",
			run->turn_packets);
	}
}

static void gate_nothing(const struct trial_count *end, struct lab_run *run)
{
	const struct lab_drop *most = NULL;

	if (end->offered == 0)
		trial_void(run, "no-traffic", "the tester's port took no frame");
	if (end->got.good > 0)
		return;
	for (unsigned i = 0; i < end->dut.n_drops; i++)
		if (most == NULL || end->dut.drop[i].n > most->n)
			most = &end->dut.drop[i];
	if (most != NULL)
		trial_void(run, "no-traffic",
			"no frame came back; the device dropped %" PRIu64 " for %s", most->n,
			most->name);
	trial_void(run, "no-traffic", "no frame came back");
}

static void gate_steady(struct lab_run *run)
{
	unsigned steady = 0;

	for (unsigned i = 0; i < run->n_windows; i++)
		steady += run->window[i].steady;
	if (steady * 100 < run->n_windows * TRIAL_STEADY_MIN_PERCENT)
		trial_void(run, "unsteady", "only %u of %u intervals are steady and undisturbed",
			steady, run->n_windows);
}

void trial_gate(const struct trial_plan *p, const struct trial_count *end, struct lab_run *run)
{
	run->valid = true;
	run->gate[0] = run->why[0] = '\0';
	gate_frames(&end->got, run);
	if (end->got.good > end->offered)
		trial_void(run, "negative-loss",
			"%" PRIu64 " frames came back, %" PRIu64 " were sent", end->got.good,
			end->offered);
	gate_tester(p, end, run);
	if (p->accounts)
		gate_account(end, run);
	gate_nothing(end, run);
	gate_steady(run);
	gate_load(p, run);
}

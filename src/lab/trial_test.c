// SPDX-License-Identifier: BSD-2-Clause
// A scripted tester and device on a clock of its own: 1 us a turn.
#include "lab/trial.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLIGHT = 100 }; // turns a frame is under way

struct fake {
	uint64_t now_ns, turns, sent_at[FLIGHT];
	double per_turn;       // frames the device takes a turn
	double work;           // share of the time it works
	double turn;           // frames it finds in a turn
	unsigned stolen_every; // so often something else has its core, for as many turns as ...
	unsigned stolen_turns;
	double held; // cycles of the turn that was going on then, not yet told
	unsigned drop_every, dup_at, foreign_at, bad_ttl_at, bad_sum_at, bad_content_at;
	unsigned lose_behind_at, miscount_at, missed_at, vanish_at;
	unsigned slow_until, slow_from; // half the rate before / after that turn
	unsigned stop_at;
	volatile sig_atomic_t stop;
	double credit;
	struct trial_count c;
	double cpu_ns, busy, busy_turns;
};

static uint64_t fake_now(void *arg)
{
	return ((struct fake *)arg)->now_ns;
}

static unsigned arrive(struct fake *f, uint64_t n)
{
	uint64_t good = n;

	f->c.dut.sent += n;
	if (f->turns == f->lose_behind_at)
		good -= 3;
	f->c.got.packets += good;
	f->c.got.good += good;
	if (f->turns == f->dup_at) {
		f->c.got.packets++;
		f->c.got.duplicate++;
		f->c.dut.made++;
		f->c.dut.sent++;
	}
	if (f->turns == f->foreign_at) {
		f->c.got.packets += 2;
		f->c.got.foreign += 2;
	}
	if (f->turns == f->bad_ttl_at)
		f->c.got.bad_ttl++, f->c.got.good--;
	if (f->turns == f->bad_sum_at)
		f->c.got.bad_checksum++, f->c.got.good--;
	if (f->turns == f->bad_content_at)
		f->c.got.bad_content++, f->c.got.good--;
	if (f->turns == f->missed_at)
		f->c.missed++;
	return (unsigned)n;
}

static unsigned fake_turn(void *arg, bool sending)
{
	struct fake *f = arg;
	uint64_t *slot = &f->sent_at[f->turns % FLIGHT], back = *slot, in = 0;
	double rate = f->per_turn;

	f->turns++;
	f->now_ns += 1000;
	if (f->turns < f->slow_until || (f->slow_from != 0 && f->turns >= f->slow_from))
		rate /= 2;
	if (sending) {
		f->credit += rate;
		in = (uint64_t)f->credit;
		f->credit -= (double)in;
		f->c.offered += in;
	}
	f->c.dut.in += f->turns == f->vanish_at ? 0 : in;
	if (f->drop_every != 0 && f->turns % f->drop_every == 0) {
		f->c.dut.drop[0].n += in;
		in = 0;
	}
	if (f->turns == f->miscount_at)
		f->c.dut.ended++;
	*slot = in;
	f->held += f->work * 1e-6 * (double)clock_cycles_hz();
	if (f->stolen_every == 0 || f->turns % f->stolen_every >= f->stolen_turns) {
		f->cpu_ns += 1000;
		f->busy += f->held;
		f->held = 0;
	}
	f->busy_turns += (double)in / f->turn;
	if (f->turns == f->stop_at)
		f->stop = 1;
	return arrive(f, back);
}

static void fake_device(void *arg, struct dut_counters *out)
{
	struct fake *f = arg;

	f->c.dut.cpu_ns = (uint64_t)f->cpu_ns;
	f->c.dut.busy_cycles = (uint64_t)f->busy;
	f->c.dut.busy_turns = (uint64_t)f->busy_turns;
	f->c.dut.n_drops = f->c.dut.drop[0].n > 0;
	strcpy(f->c.dut.drop[0].name, "ip4-ttl");
	*out = f->c.dut;
}

static void fake_read(void *arg, struct trial_count *out)
{
	struct fake *f = arg;
	struct dut_counters dut;

	fake_device(f, &dut);
	*out = f->c;
}

// Ten frames a turn, that is 10 Mpps, on a core that is busy all the time.
static struct fake fake(void)
{
	return (struct fake){.per_turn = 10, .work = 1, .turn = 64};
}

static struct trial_plan plan(struct fake *f)
{
	return (struct trial_plan){.warm_s = 0.002,
		.window_s = 0.001,
		.slice_s = 0.0001,
		.n_windows = 10,
		.settle_s = 0.0003,
		.settle_max_s = 0.01,
		.accounts = true,
		.has_work = true,
		.polls = true,
		.stop = &f->stop};
}

static int run_with(struct fake *f, const struct trial_plan *p, struct lab_run *run)
{
	const struct trial_io io = {f, fake_now, fake_turn, fake_read, fake_device};
	struct err err = {0};

	memset(run, 0, sizeof(*run));
	return trial_run(p, &io, run, &err);
}

static struct lab_run run_of(struct fake f)
{
	struct trial_plan p = plan(&f);
	struct lab_run run;

	p.stop = NULL;
	assert_int_equal(run_with(&f, &p, &run), 0);
	free(run.window);
	run.window = NULL;
	return run;
}

static void a_good_run_is_valid_and_has_the_devices_rate(void **state)
{
	struct lab_run run = run_of(fake());

	(void)state;
	if (!run.valid)
		fail_msg("%s: %s", run.gate, run.why);
	assert_true(fabs(run.pps / 10e6 - 1) < 0.001);
	assert_true(fabs(run.received_pps / 10e6 - 1) < 0.001);
	assert_true(fabs(run.cycles_per_packet / ((double)clock_cycles_hz() / 10e6) - 1) < 0.001);
	assert_true(fabs(run.work_share - 1) < 0.001);
	assert_int_equal(run.offered, run.received);
	assert_int_equal(run.offered, 10 * 12000);
	assert_true(run.loss == 0);
}

static void time_the_core_waits_for_frames_is_not_counted_against_the_device(void **state)
{
	struct fake f = fake();
	struct lab_run run;

	(void)state;
	f.work = 0.5;
	run = run_of(f);
	assert_true(run.valid);
	assert_true(fabs(run.pps / 20e6 - 1) < 0.001);
	assert_true(fabs(run.received_pps / 10e6 - 1) < 0.001);
	assert_true(fabs(run.work_share - 0.5) < 0.001);
	assert_true(fabs(run.turn_packets / 64 - 1) < 0.01);
}

// Its busy turns are then long by the clock although it did nothing.
static void slices_in_which_the_core_was_taken_away_do_not_count(void **state)
{
	struct fake f = fake();
	struct lab_run run;

	(void)state;
	f.stolen_every = 700;
	f.stolen_turns = 301; // so that the turn it interrupts ends in an undisturbed slice
	run = run_of(f);
	assert_true(run.valid);
	assert_true(fabs(run.pps / 10e6 - 1) < 0.005);
	assert_true(fabs(run.work_share - 1) < 0.005);

	f = fake();
	f.stolen_every = f.stolen_turns = 1; // never its own
	run = run_of(f);
	assert_false(run.valid);
	assert_string_equal(run.gate, "unsteady");
}

static void what_the_device_drops_is_loss_and_no_reason_to_void(void **state)
{
	struct fake f = fake();
	struct lab_run run;

	(void)state;
	f.drop_every = 4;
	run = run_of(f);
	if (!run.valid)
		fail_msg("%s: %s", run.gate, run.why);
	assert_true(fabs(run.loss - 0.25) < 0.001);
	assert_int_equal(run.n_drops, 1);
	assert_string_equal(run.drop[0].name, "ip4-ttl");
	assert_int_equal(run.drop[0].n, run.offered - run.received);
	assert_true(fabs(run.pps / 7.5e6 - 1) < 0.01);
}

static void assert_void(struct fake f, const char *gate)
{
	struct lab_run run = run_of(f);

	if (run.valid)
		fail_msg("a run that fails gate %s is valid", gate);
	assert_string_equal(run.gate, gate);
	assert_true(run.why[0] != '\0');
}

static void each_gate_voids_the_run(void **state)
{
	struct fake f;

	(void)state;
#define GATE(member, value, gate)                                                                  \
	f = fake();                                                                                \
	f.member = value;                                                                          \
	assert_void(f, gate)
	GATE(dup_at, 5000, "duplicate");
	GATE(foreign_at, 5000, "foreign");
	GATE(bad_ttl_at, 1000, "ttl"); // also during the warm-up
	GATE(bad_sum_at, 5000, "checksum");
	GATE(bad_content_at, 5000, "content");
	GATE(lose_behind_at, 5000, "tester-drops");
	GATE(miscount_at, 5000, "account");
	GATE(vanish_at, 5000, "account");
	GATE(slow_from, 7000, "unsteady");
	GATE(per_turn, 0, "no-traffic");
	GATE(drop_every, 1, "no-traffic");
	GATE(turn, 40, "generator-limited");
#undef GATE
}

// Between a kernel and the tester there are queues nobody vouches for.
static void a_few_frames_lost_by_the_tester_are_no_loss_of_a_kernel(void **state)
{
	struct fake f = fake();
	struct trial_plan p = plan(&f);
	struct lab_run run;

	(void)state;
	p.accounts = p.polls = false;
	f.lose_behind_at = 5000; // 3 of 120000
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_true(run.valid);
	assert_int_equal(run.tester_missed, 3);
	assert_true(run.loss == 0);
	free(run.window);

	f = fake();
	f.per_turn = 1;
	f.lose_behind_at = 500; // 3 of 1200
	p.n_windows = 1;
	p.warm_s = 0.0002;
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_false(run.valid);
	assert_string_equal(run.gate, "tester-drops");
	free(run.window);

	f = fake();
	p = plan(&f);
	p.accounts = p.polls = p.has_work = false;
	f.missed_at = 5000;
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_true(run.valid);
	assert_int_equal(run.tester_missed, 1);
	free(run.window);
}

static void the_first_half_rate_intervals_are_warm_up(void **state)
{
	struct fake f = fake();
	struct lab_run run;

	(void)state;
	f.slow_until = 4000; // two intervals behind the warm-up proper
	run = run_of(f);
	if (!run.valid)
		fail_msg("%s: %s", run.gate, run.why);
	assert_true(fabs(run.pps / 10e6 - 1) < 0.001);
	assert_true(fabs(run.received_pps / 10e6 - 1) < 0.01);
}

static void a_rate_that_was_asked_for_is_held_within_a_thousandth(void **state)
{
	struct fake f = fake();
	struct trial_plan p = plan(&f);
	struct lab_run run;

	(void)state;
	f.work = 0.1; // a device at partial load is no fault of the tester
	p.rate_pps = 10000000;
	p.n_windows = 40;
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_true(run.valid);
	free(run.window);

	f = fake();
	p.rate_pps = 10100000;
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_false(run.valid);
	assert_string_equal(run.gate, "generator-limited");
	free(run.window);
}

static void a_box_that_cannot_be_watched_is_measured_by_what_comes_back(void **state)
{
	struct fake f = fake();
	struct trial_plan p = plan(&f);
	struct lab_run run;

	(void)state;
	p.has_work = p.accounts = p.polls = false;
	f.drop_every = 2;
	f.work = 0;
	assert_int_equal(run_with(&f, &p, &run), 0);
	assert_true(run.valid);
	assert_true(fabs(run.pps / 5e6 - 1) < 0.01);
	assert_true(run.cycles_per_packet == 0);
	free(run.window);
}

static void a_signal_ends_the_run_at_once_and_leaves_nothing(void **state)
{
	static const unsigned at[] = {1, 1500, 6000, 12020};

	(void)state;
	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		struct fake f = fake();
		struct trial_plan p = plan(&f);
		struct lab_run run;

		f.stop_at = at[i];
		assert_int_equal(run_with(&f, &p, &run), -EINTR);
		assert_null(run.window);
		assert_true(f.turns <= at[i] + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_run_is_valid_and_has_the_devices_rate),
		cmocka_unit_test(time_the_core_waits_for_frames_is_not_counted_against_the_device),
		cmocka_unit_test(slices_in_which_the_core_was_taken_away_do_not_count),
		cmocka_unit_test(what_the_device_drops_is_loss_and_no_reason_to_void),
		cmocka_unit_test(each_gate_voids_the_run),
		cmocka_unit_test(a_few_frames_lost_by_the_tester_are_no_loss_of_a_kernel),
		cmocka_unit_test(the_first_half_rate_intervals_are_warm_up),
		cmocka_unit_test(a_rate_that_was_asked_for_is_held_within_a_thousandth),
		cmocka_unit_test(a_box_that_cannot_be_watched_is_measured_by_what_comes_back),
		cmocka_unit_test(a_signal_ends_the_run_at_once_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// Runs are scripted: which fail a gate, and how long each takes.
#include "lab/experiment.h"

#include "base/clock.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ARMS = 3 };

static struct script {
	unsigned made;
	unsigned void_at[32]; // run numbers that fail a gate
	unsigned n_void;
	bool all_void;
	unsigned fail_at; // run number whose making fails
	long run_ns;
} script;

static int scripted(struct experiment *e, struct lab_run *run, struct err *err)
{
	const struct timespec t = {0, script.run_ns};

	(void)e;
	script.made++;
	if (script.run_ns > 0)
		nanosleep(&t, NULL);
	assert_int_equal(run->number, script.made);
	if (run->number == script.fail_at)
		return err_set(err, EINTR, "interrupted");
	run->valid = !script.all_void;
	for (unsigned i = 0; i < script.n_void; i++)
		if (script.void_at[i] == run->number)
			run->valid = false;
	if (!run->valid)
		strcpy(run->gate, "duplicate");
	return 0;
}

struct rig {
	struct lab_results r;
	struct lab_arm arm[ARMS];
	struct experiment e;
};

static struct rig *rig(unsigned n_runs)
{
	struct rig *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	memset(&script, 0, sizeof(script));
	g->r.arm = g->arm;
	g->r.n_arms = ARMS;
	g->e.r = &g->r;
	g->e.o.n_runs = n_runs;
	g->e.o.seed = 5;
	g->e.start_ns = clock_ns();
	g->e.progress.total = n_runs * ARMS;
	return g;
}

static void drop(struct rig *g)
{
	free(g->r.run);
	free(g);
}

static unsigned count_valid(const struct rig *g, unsigned block, unsigned arm)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->r.n_runs; i++)
		n += g->r.run[i].valid && g->r.run[i].block == block && g->r.run[i].arm == arm;
	return n;
}

static void every_block_gets_one_valid_run_of_every_arm(void **state)
{
	struct rig *g = rig(5);
	struct err err = {0};

	(void)state;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_int_equal(g->r.n_runs, 5 * ARMS);
	for (unsigned block = 0; block < 5; block++)
		for (unsigned arm = 0; arm < ARMS; arm++)
			assert_int_equal(count_valid(g, block, arm), 1);
	drop(g);
}

static void a_void_run_is_kept_and_made_again_at_once(void **state)
{
	struct rig *g = rig(2);
	struct err err = {0};

	(void)state;
	script.void_at[0] = 2;
	script.void_at[1] = 3;
	script.n_void = 2;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_int_equal(g->r.n_runs, 2 * ARMS + 2);
	for (unsigned i = 1; i < 4; i++) {
		const struct lab_run *run = &g->r.run[i];

		assert_int_equal(run->arm, g->r.run[1].arm);
		assert_int_equal(run->block, 0);
		assert_int_equal(run->attempt, i);
		assert_int_equal(run->valid, i == 3);
	}
	for (unsigned block = 0; block < 2; block++)
		for (unsigned arm = 0; arm < ARMS; arm++)
			assert_int_equal(count_valid(g, block, arm), 1);
	drop(g);
}

static void after_three_void_attempts_the_block_goes_on_without_it(void **state)
{
	struct rig *g = rig(2);
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < RUN_ATTEMPTS; i++)
		script.void_at[i] = i + 1;
	script.n_void = RUN_ATTEMPTS;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_int_equal(g->r.n_runs, 2 * ARMS + RUN_ATTEMPTS - 1);
	assert_int_equal(count_valid(g, 0, g->r.run[0].arm), 0);
	assert_int_equal(count_valid(g, 1, g->r.run[0].arm), 1);
	drop(g);
}

static void an_experiment_of_void_runs_is_given_up(void **state)
{
	struct rig *g = rig(100);
	struct err err = {0};

	(void)state;
	script.all_void = true;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_int_equal(g->r.n_runs, VOIDS_FREE + 100 * ARMS / 4 + 1);
	drop(g);
}

static void an_error_ends_it_at_once(void **state)
{
	struct rig *g = rig(10);
	struct err err = {0};

	(void)state;
	script.fail_at = 4;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), -EINTR);
	assert_int_equal(script.made, 4);
	assert_int_equal(g->r.n_runs, 3);
	drop(g);
}

static void the_time_limit_holds_once_there_are_enough_blocks(void **state)
{
	struct rig *g = rig(1000);
	struct err err = {0};

	(void)state;
	g->e.o.n_min = BLOCKS_MIN;
	g->e.o.max_s = 0.001;
	script.run_ns = 1000000;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_int_equal(g->r.n_runs, BLOCKS_MIN * ARMS);
	drop(g);

	g = rig(1000);
	g->e.o.n_min = BLOCKS_MIN;
	g->e.o.max_s = 0.2;
	script.run_ns = 1000000;
	assert_int_equal(experiment_blocks(&g->e, scripted, &err), 0);
	assert_true(g->r.n_runs >= BLOCKS_MIN * ARMS);
	assert_true(g->r.n_runs < 1000);
	assert_int_equal(g->r.n_runs % ARMS, 0);
	drop(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_gets_one_valid_run_of_every_arm),
		cmocka_unit_test(a_void_run_is_kept_and_made_again_at_once),
		cmocka_unit_test(after_three_void_attempts_the_block_goes_on_without_it),
		cmocka_unit_test(an_experiment_of_void_runs_is_given_up),
		cmocka_unit_test(an_error_ends_it_at_once),
		cmocka_unit_test(the_time_limit_holds_once_there_are_enough_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/summary.h"

#include "lab/files.h"
#include "lab/plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 10 };

// By hand: 7 x 54 + 4 x 590 + 1514 = 4252 bytes in 12 packets.
static void the_imix_estimates_follow_their_formulas(void **state)
{
	(void)state;
	assert_true(fabs(imix_bps(12e6) - 4252.0 * 8 * 1e6) < 1);
	// 7 x 84 + 4 x 614 + 1538 = 4582.
	assert_true(fabs(imix_l1_bps(12e6) - 4582.0 * 8 * 1e6) < 1);
	// Line rate of 10 Gb/s for this mix is 3.274 Mpps.
	assert_true(fabs(imix_l1_bps(3.274e6) / 1e10 - 1) < 0.001);
	assert_true(imix_bps(0) == 0);
}

static struct lab_results results(unsigned n_arms)
{
	struct lab_results r = {.margin = 0.02, .seed = 1, .n_arms = n_arms};

	r.arm = calloc(n_arms, sizeof(*r.arm));
	r.run = calloc(n_arms * (RUNS + 6) + 8, sizeof(*r.run));
	assert_non_null(r.arm);
	assert_non_null(r.run);
	for (unsigned i = 0; i < n_arms; i++) {
		r.arm[i].family = 4;
		strcpy(r.arm[i].condition, "c");
		snprintf(r.arm[i].name, sizeof(r.arm[i].name), "arm%u", i);
	}
	r.arm[0].baseline = true;
	return r;
}

// A machine that halves its speed at random, and 0.4 % of noise on each value.
static void fill_runs_once(
	struct lab_results *r, const double *factor, unsigned block, uint64_t *seed)
{
	double machine = plan_random(seed) % 2 == 0 ? 20e6 : 10e6;

	for (unsigned arm = 0; arm < r->n_arms; arm++) {
		double noise = ((double)(plan_random(seed) % 2001) - 1000) / 1000 * 0.004;

		r->run[r->n_runs++] = (struct lab_run){.number = r->n_runs,
			.block = block,
			.arm = arm,
			.valid = true,
			.pps = machine * factor[arm] * (1 + noise),
			.offered = 1000,
			.received = 990,
			.cycles_per_packet = 100,
			.received_pps = 1e6};
	}
}

// RUNS blocks of such runs.
static void fill_runs(struct lab_results *r, const double *factor, uint64_t seed)
{
	for (unsigned block = 0; block < RUNS; block++)
		fill_runs_once(r, factor, block, &seed);
}

static void neighbouring_runs_show_a_difference_that_the_machines_moods_hide(void **state)
{
	struct lab_results r = results(2);
	const double factor[] = {1, 0.95};
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "d");
	fill_runs(&r, factor, 3);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.n_cmps, 1);
	assert_int_equal(r.cmp[0].a, 0);
	assert_int_equal(r.cmp[0].b, 1);
	assert_int_equal(r.cmp[0].n_blocks, RUNS);
	assert_int_equal(r.cmp[0].c.verdict, SLOWER);
	assert_true(fabs(r.cmp[0].c.effect + 0.05) < 0.005);
	assert_int_equal(strncmp(r.verdict, "arm1 against arm0: slower by ", 29), 0);
	assert_non_null(strstr(r.cmp[0].ministat, "Stddev"));
	assert_int_equal(r.arm[0].n, RUNS);
	assert_true(fabs(r.arm[0].loss - 0.01) < 1e-9);
	assert_true(r.arm[0].spread > 0.4);
	assert_true(r.arm[0].min_pps <= r.arm[0].median_pps);
	assert_true(r.arm[0].max_pps >= r.arm[0].median_pps);
	lab_results_free(&r);
}

static void a_difference_inside_the_noise_floor_is_none(void **state)
{
	struct lab_results r = results(3);
	const double factor[] = {1, 0.97, 1.04};
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "d");
	r.arm[2].baseline = r.arm[2].repeat_of_baseline = true;
	fill_runs(&r, factor, 4);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.n_cmps, 2);
	assert_true(r.cmp[0].aa);
	assert_int_equal(r.cmp[0].b, 2);
	assert_true(r.has_noise);
	assert_true(r.noise > 0.035 && r.noise < 0.05);
	assert_false(r.cmp[1].aa);
	assert_int_equal(r.cmp[1].c.verdict, INCONCLUSIVE);
	assert_null(strstr(r.cmp[1].sentence, "not below")); // p is: it is the floor that decides
	lab_results_free(&r);
}

static void a_sentence_without_a_proof_names_the_level(void **state)
{
	struct lab_results r = results(2);
	const double factor[] = {1, 0.9};
	uint64_t seed = 12;
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "d");
	for (unsigned block = 0; block < 5; block++) // the least p of five is 2 / 32
		fill_runs_once(&r, factor, block, &seed);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.cmp[0].c.verdict, INCONCLUSIVE);
	assert_non_null(strstr(r.cmp[0].sentence, "p = 0.062, not below 0.02): inconclusive"));
	lab_results_free(&r);
}

static void void_runs_are_shown_and_never_averaged(void **state)
{
	struct lab_results r = results(2);
	const double factor[] = {1, 1};
	struct err err = {0};
	char *text;

	(void)state;
	strcpy(r.arm[1].condition, "d");
	fill_runs(&r, factor, 5);
	r.run[7].valid = false;
	r.run[7].pps = 1e9;
	strcpy(r.run[7].gate, "duplicate");
	strcpy(r.run[7].why, "3 frames arrived twice");
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.arm[1].n, RUNS - 1);
	assert_int_equal(r.arm[1].n_void, 1);
	assert_true(r.arm[1].max_pps < 30e6);
	assert_int_equal(r.cmp[0].n_blocks, RUNS - 1);
	assert_int_equal(r.cmp[0].c.verdict, EQUIVALENT);
	text = lab_pps_text(&r, 1);
	assert_non_null(text);
	assert_null(strstr(text, "1000000000"));
	free(text);
	text = lab_csv_text(&r);
	assert_non_null(strstr(text, "8,3,arm1,d,4,0,0,pps,1000000000,packet/s\n"));
	free(text);
	lab_results_free(&r);
}

static void an_arm_without_valid_runs_makes_the_comparison_invalid(void **state)
{
	struct lab_results r = results(2);
	const double factor[] = {1, 1};
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "d");
	fill_runs(&r, factor, 6);
	for (unsigned i = 0; i < r.n_runs; i++) {
		r.run[i].valid = r.run[i].arm == 0;
		strcpy(r.run[i].gate, r.run[i].valid ? "" : i == 1 ? "unsteady" : "hits");
	}
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.cmp[0].c.verdict, INVALID);
	assert_string_equal(r.cmp[0].sentence,
		"arm1 against arm0: invalid: arm1: no valid run (10 void: hits)");
	assert_non_null(strstr(r.verdict, "invalid"));
	assert_true(r.arm[1].median_pps == 0);
	lab_results_free(&r);
}

static void each_condition_meets_the_baseline_under_its_own_traffic(void **state)
{
	struct lab_results r = results(5);
	const double factor[] = {1, 1, 0.5, 0.5, 1};
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "d");
	strcpy(r.arm[3].condition, "d");
	r.arm[2].baseline = true;
	r.arm[2].family = r.arm[3].family = 6;
	r.arm[4].baseline = r.arm[4].repeat_of_baseline = true;
	fill_runs(&r, factor, 7);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.n_cmps, 3);
	assert_int_equal(r.cmp[0].a, 0);
	assert_int_equal(r.cmp[0].b, 4);
	assert_int_equal(r.cmp[1].a, 0);
	assert_int_equal(r.cmp[1].b, 1);
	assert_int_equal(r.cmp[2].a, 2);
	assert_int_equal(r.cmp[2].b, 3);
	assert_int_equal(r.cmp[2].c.verdict, EQUIVALENT);
	lab_results_free(&r);
}

// The lab without a folder: IPv6 is measured with the baseline only, filters with IPv4 only.
static void a_traffic_of_the_baseline_alone_meets_its_first_one(void **state)
{
	struct lab_results r = results(3);
	const double factor[] = {1, 0.9, 0.8};
	struct err err = {0};

	(void)state;
	strcpy(r.arm[1].condition, "filter");
	r.arm[2].baseline = true;
	r.arm[2].family = 6;
	fill_runs(&r, factor, 9);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.n_cmps, 2);
	assert_int_equal(r.cmp[0].a, 0);
	assert_int_equal(r.cmp[0].b, 1);
	assert_int_equal(r.cmp[1].a, 0);
	assert_int_equal(r.cmp[1].b, 2);
	lab_results_free(&r);
}

static void many_comparisons_are_told_in_a_table_and_by_their_verdicts(void **state)
{
	struct lab_results r = results(6);
	const double factor[] = {1, 0.9, 1, 0.8, 1.2, 1};
	uint64_t seed = 11;
	struct err err = {0};
	char *text;

	(void)state;
	for (unsigned i = 1; i < 6; i++)
		snprintf(r.arm[i].condition, sizeof(r.arm[i].condition), "c%u", i);
	for (unsigned block = RUNS; block < RUNS + 6; block++) // enough for Holm's correction
		fill_runs_once(&r, factor, block, &seed);
	fill_runs(&r, factor, 10);
	assert_int_equal(lab_summary(&r, &err), 0);
	assert_int_equal(r.n_cmps, 5);
	assert_non_null(strstr(r.verdict, "against arm0: slower by "));
	assert_non_null(strstr(r.verdict, " % (arm1), "));
	assert_non_null(
		strstr(r.verdict, " % (arm3); equivalent within 2%: arm2; arm5; faster by "));
	text = lab_report_text(&r);
	assert_non_null(text);
	assert_non_null(strstr(text, "\narm3       arm0       "));
	assert_null(strstr(text, "Stddev")); // no boxes
	assert_non_null(strstr(text, "; p: exact "));
	assert_non_null(strstr(text, "A difference needs a p below 0.02.\n"));
	free(text);
	lab_results_free(&r);
}

static char *table_of(struct lab_results *r)
{
	char *text;

	assert_int_equal(lab_summary(r, NULL), 0);
	text = lab_report_text(r);
	assert_non_null(text);
	return text;
}

static void a_busy_machine_is_told_in_one_sentence(void **state)
{
	struct lab_results r = results(6);
	const double factor[] = {1, 1, 1, 1, 1, 1};
	char *text;

	(void)state;
	for (unsigned i = 1; i < 6; i++)
		snprintf(r.arm[i].condition, sizeof(r.arm[i].condition), "c%u", i);
	fill_runs(&r, factor, 13);
	for (unsigned i = 6; i < r.n_runs; i++) {
		r.run[i].valid = false;
		strcpy(r.run[i].gate, i < 16 ? "generator-limited" : "unsteady");
	}
	text = table_of(&r);
	assert_non_null(strstr(text,
		"54 of 60 runs are void and not counted: 10 generator-limited, 44 unsteady.  The "
		"machine was busy: an idle one,\nor more runs (--runs), give more valid ones.\n"));
	assert_non_null(strstr(text, " -   ")); // the spread of one value
	assert_null(strstr(text, " 0.0 "));
	assert_null(strstr(text, "none, p"));
	assert_null(strstr(text, "Holm")); // no verdict has a p
	free(text);
	strcpy(r.run[59].gate, "hits"); // that is no mood of the machine
	for (unsigned i = 0; i < r.n_cmps; i++)
		free(r.cmp[i].ministat);
	free(r.cmp);
	text = table_of(&r);
	assert_non_null(strstr(text, "43 unsteady, 1 hits.\n"));
	free(text);
	lab_results_free(&r);
}

// The kernel does not tell which rules its frames met.
static void what_is_not_counted_stands_under_hits(void **state)
{
	struct lab_results r = results(1);
	const double factor[] = {1};
	const char *head, *row;
	char *text;

	(void)state;
	fill_runs(&r, factor, 14);
	r.filter = calloc(1, sizeof(*r.filter));
	assert_non_null(r.filter);
	r.n_filters = 1;
	r.filter[0] = (struct lab_filtered){.n_rules = 15, .n_probes = 16, .frames = 123456};
	text = table_of(&r);
	head = strstr(text, "condition   rules");
	assert_non_null(head);
	row = strchr(head, '\n') + 1;
	assert_int_equal(strstr(head, " hits ") + 5 - head,
		strstr(row, "not counted\n") + strlen("not counted") - row);
	free(text);
	lab_results_free(&r);
}

static void the_series_file_holds_every_interval_of_every_run(void **state)
{
	struct lab_results r = results(1);
	const double factor[] = {1};
	struct err err = {0};
	unsigned lines = 0;
	char *text;

	(void)state;
	strcpy(r.arm[0].name, "a \"b\"");
	fill_runs(&r, factor, 8);
	for (unsigned i = 0; i < r.n_runs; i++) {
		r.run[i].window = calloc(2, sizeof(struct lab_window));
		r.run[i].n_windows = 2;
	}
	r.run[0].window[1].pps = 123.5;
	assert_int_equal(lab_summary(&r, &err), 0);
	text = lab_samples_text(&r);
	for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	assert_int_equal(lines, 2 * RUNS);
	assert_non_null(strstr(text, "\"arm\":\"a \\\"b\\\"\",\"valid\":true,\"interval\":1,"));
	assert_non_null(strstr(text, "\"pps\":123.5,"));
	free(text);
	lab_results_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_imix_estimates_follow_their_formulas),
		cmocka_unit_test(neighbouring_runs_show_a_difference_that_the_machines_moods_hide),
		cmocka_unit_test(a_difference_inside_the_noise_floor_is_none),
		cmocka_unit_test(a_sentence_without_a_proof_names_the_level),
		cmocka_unit_test(void_runs_are_shown_and_never_averaged),
		cmocka_unit_test(an_arm_without_valid_runs_makes_the_comparison_invalid),
		cmocka_unit_test(each_condition_meets_the_baseline_under_its_own_traffic),
		cmocka_unit_test(a_traffic_of_the_baseline_alone_meets_its_first_one),
		cmocka_unit_test(many_comparisons_are_told_in_a_table_and_by_their_verdicts),
		cmocka_unit_test(a_busy_machine_is_told_in_one_sentence),
		cmocka_unit_test(what_is_not_counted_stands_under_hits),
		cmocka_unit_test(the_series_file_holds_every_interval_of_every_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// Verdicts: how often they are wrong (A/A), how often right, and published t tests.
#include "stats/stats.h"

#include "stats/resample.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS_MAX = 40 };

enum noise { NORMAL, HEAVY, TWO_SPEEDS, DRIFT, NOISES };

// Runs as the lab makes them: A and B in turns, the order of every other block swapped.
struct experiment {
	struct rng rng;
	unsigned n;
	enum noise noise;
	double gain; // of B
	double a[RUNS_MAX], b[RUNS_MAX];
};

// Relative deviation of a run.  HEAVY has the quantiles seen on routers: half within 0.35 %, a
// twentieth beyond 3 %, some beyond 15 %.  TWO_SPEEDS is a machine that changes by half at times.
static double deviation(struct experiment *e, unsigned t, bool *slow)
{
	double z = rng_normal(&e->rng);
	double u = rng_uniform(&e->rng);

	switch (e->noise) {
	case NORMAL:
		return 0.01 * z;
	case HEAVY:
		return z * (u < 0.8 ? 0.005 : u < 0.96 ? 0.03 : 0.1);
	case TWO_SPEEDS:
		*slow ^= u < 0.15;
		return 0.003 * z + (*slow ? 0 : 0.5);
	default:
		return 0.003 * z + 0.001 * t;
	}
}

static void make_runs(struct experiment *e)
{
	bool slow = rng_uniform(&e->rng) < 0.5;

	for (unsigned i = 0; i < e->n; i++)
		for (unsigned k = 0; k < 2; k++) {
			double v = 1e7 * (1 + deviation(e, 2 * i + k, &slow));

			if (k == i % 2)
				e->a[i] = fmax(v, 0);
			else
				e->b[i] = fmax(v * (1 + e->gain), 0);
		}
}

struct tally {
	unsigned verdicts[INVALID + 1];
};

static void experiments(
	enum noise noise, unsigned n, double gain, bool blocks, unsigned rounds, struct tally *out)
{
	struct experiment e = {.n = n, .noise = noise, .gain = gain};

	memset(out, 0, sizeof(*out));
	e.rng = (struct rng){.state = 1000 * noise + n};
	for (unsigned i = 0; i < rounds; i++) {
		struct compare_opts o = {.seed = i + 1};
		struct sample a = {"a", e.a, n};
		struct sample b = {"b", e.b, n};
		struct comparison c;

		make_runs(&e);
		if (blocks)
			assert_int_equal(compare_blocks(&a, &b, &o, &c, NULL), 0);
		else
			assert_int_equal(compare(&a, &b, &o, &c, NULL), 0);
		out->verdicts[c.verdict]++;
	}
}

static void equal_arms_are_called_different_in_well_under_five_percent(void **state)
{
	enum { ROUNDS = 150 };
	static const unsigned sizes[] = {5, 10, 16};
	unsigned calls = 0;
	unsigned all = 0;

	(void)state;
	for (enum noise noise = NORMAL; noise < NOISES; noise++)
		for (unsigned k = 0; k < 3; k++)
			for (unsigned blocks = 0; blocks < 2; blocks++) {
				struct tally t;
				unsigned called;

				experiments(noise, sizes[k], 0, blocks != 0, ROUNDS, &t);
				called = t.verdicts[FASTER] + t.verdicts[SLOWER];
				print_message("noise %d, n = %u, %s: %u of %d\n", noise, sizes[k],
					blocks ? "blocks" : "two samples", called, ROUNDS);
				assert_true(called <= ROUNDS * 4 / 100);
				assert_int_equal(t.verdicts[INVALID], 0);
				calls += called;
				all += ROUNDS;
			}
	print_message("all: %u of %u\n", calls, all);
	assert_true(calls <= all * 2 / 100);
}

struct power {
	enum noise noise;
	unsigned n;
	double gain;
	bool blocks;
	unsigned least; // percent that must be called, in the right direction
};

static void real_differences_are_called(void **state)
{
	enum { ROUNDS = 100 };
	static const struct power cases[] = {
		{NORMAL, 5, 0.05, false, 95},
		{NORMAL, 10, 0.02, false, 85},
		{NORMAL, 10, -0.02, true, 80},
		{HEAVY, 16, 0.02, false, 90},
		{HEAVY, 16, -0.02, true, 70},
		// What blocks are for: a machine that changes speed by half hides 2 % from two samples.
		{TWO_SPEEDS, 16, 0.02, true, 65},
		{TWO_SPEEDS, 30, -0.02, true, 85},
		{DRIFT, 10, 0.02, true, 95},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct power *p = &cases[i];
		struct tally t;
		unsigned right, wrong;

		experiments(p->noise, p->n, p->gain, p->blocks, ROUNDS, &t);
		right = t.verdicts[p->gain > 0 ? FASTER : SLOWER];
		wrong = t.verdicts[p->gain > 0 ? SLOWER : FASTER];
		print_message("noise %d, n = %u, %+g%%, %s: %u right, %u wrong of %d\n", p->noise,
			p->n, p->gain * 100, p->blocks ? "blocks" : "two samples", right, wrong,
			ROUNDS);
		assert_true(right >= p->least);
		assert_true(wrong <= 1);
	}
}

static void equal_quiet_arms_are_called_equivalent(void **state)
{
	struct tally t;

	(void)state;
	experiments(NORMAL, 16, 0, false, 100, &t);
	assert_true(t.verdicts[EQUIVALENT] >= 90);
	experiments(TWO_SPEEDS, 16, 0, true, 100, &t);
	assert_true(t.verdicts[EQUIVALENT] >= 85);
}

static void near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9g is not %.9g", a, b);
}

// Student's sleep data (1908), moved by 10 so that no value is negative: Welch t = -1.8608,
// df = 17.776, p = 0.07939, interval -3.365483 to 0.205483; paired t = -4.0621, p = 0.002833,
// interval -2.459886 to -0.700114, as R's manual prints them.
static void t_tests_give_the_published_figures(void **state)
{
	const double one[] = {10.7, 8.4, 9.8, 8.8, 9.9, 13.4, 13.7, 10.8, 10, 12};
	const double two[] = {11.9, 10.8, 11.1, 10.1, 9.9, 14.4, 15.5, 11.6, 14.6, 13.4};
	const struct sample a = {"two", two, 10};
	const struct sample b = {"one", one, 10};
	struct comparison c;

	(void)state;
	assert_int_equal(compare(&a, &b, &(struct compare_opts){0}, &c, NULL), 0);
	near(c.welch_diff, -1.58, 1e-12);
	near(c.p_welch, 0.07939, 5e-6);
	near(c.welch_lo, -3.3654832, 5e-8);
	near(c.welch_hi, 0.2054832, 5e-8);
	assert_int_equal(compare_blocks(&a, &b, &(struct compare_opts){0}, &c, NULL), 0);
	near(c.p_welch, 0.002833, 5e-7);
	near(c.welch_lo, -2.4598858, 5e-8);
	near(c.welch_hi, -0.7001142, 5e-8);
}

// 80 % power, 5 %, two-sided: t(0.975) + t(0.8) at 2 n - 2 degrees, times CV sqrt(2 / n).
static void minimum_detectable_effect_follows_n_and_spread(void **state)
{
	static const struct {
		unsigned n;
		double mde; // at a CV of 1 %
	} rows[] = {{5, 0.0202}, {10, 0.01325}, {20, 0.0091}};

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		double v[20];
		struct sample s = {"s", v, rows[k].n};
		struct comparison c;
		double sd;

		for (unsigned i = 0; i < rows[k].n; i++)
			v[i] = i;
		sd = sample_stddev(&s);
		for (unsigned i = 0; i < rows[k].n; i++)
			v[i] = 100 + (v[i] - (rows[k].n - 1) / 2.0) / sd;
		assert_int_equal(compare(&s, &s, &(struct compare_opts){0}, &c, NULL), 0);
		near(c.mde, rows[k].mde, 1e-4);
	}
}

static struct comparison compared(
	const double *a, const double *b, unsigned n, const struct compare_opts *o, bool blocks)
{
	struct sample sa = {"a", a, n};
	struct sample sb = {"b", b, n};
	struct comparison c;

	if (blocks)
		assert_int_equal(compare_blocks(&sa, &sb, o, &c, NULL), 0);
	else
		assert_int_equal(compare(&sa, &sb, o, &c, NULL), 0);
	return c;
}

static const double base[] = {100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1};
static const double more[] = {105, 106, 104, 105.5, 104.5, 105.2, 104.8, 105.1};

static void direction_follows_what_is_better(void **state)
{
	struct compare_opts small = {.smaller_is_better = true};
	struct comparison c;

	(void)state;
	c = compared(base, more, 8, &(struct compare_opts){0}, false);
	assert_int_equal(c.verdict, FASTER);
	assert_string_equal(c.test, "exact Mann-Whitney");
	near(c.p_mw, 2 / 12870.0, 1e-12);
	near(c.hl_shift, 5, 1e-9);
	near(c.cliff_delta, 1, 0);
	assert_int_equal(compared(more, base, 8, &(struct compare_opts){0}, false).verdict, SLOWER);
	assert_int_equal(compared(base, more, 8, &small, false).verdict, SLOWER);
	assert_int_equal(compared(more, base, 8, &small, false).verdict, FASTER);
	c = compared(base, more, 8, &(struct compare_opts){0}, true);
	assert_int_equal(c.verdict, FASTER);
	assert_string_equal(c.test, "exact Wilcoxon signed-rank");
	near(c.p_mw, 2 / 256.0, 1e-12);
	near(c.hl_shift, 5, 1e-9);
	assert_int_equal(compared(base, more, 8, &small, true).verdict, SLOWER);
}

static void noise_floor_and_margin_bound_the_verdict(void **state)
{
	struct comparison c;
	char text[80];

	(void)state;
	c = compared(base, more, 8, &(struct compare_opts){.noise = 0.06}, false);
	assert_int_equal(c.verdict, INCONCLUSIVE);
	assert_int_equal(c.more_runs, 0);
	assert_string_equal(verdict_text(&c, text, sizeof(text)), "inconclusive");
	c = compared(base, more, 8, &(struct compare_opts){.noise = 0.06, .margin = 0.07}, false);
	assert_int_equal(c.verdict, EQUIVALENT);
	assert_string_equal(verdict_text(&c, text, sizeof(text)), "equivalent within 7%");
	c = compared(base, base, 8, &(struct compare_opts){0}, true);
	assert_int_equal(c.verdict, EQUIVALENT);
	near(c.p_mw, 1, 0);
	near(c.p_welch, 1, 0);
	c = compared(base, base, 8, &(struct compare_opts){.margin = 0.001}, false);
	assert_int_equal(c.verdict, INCONCLUSIVE);
	assert_true(c.more_runs > 8);
}

static void few_values_prove_nothing(void **state)
{
	struct compare_opts o = {.margin = 0.001};
	struct comparison c;

	(void)state;
	c = compared(base, more, 3, &o, false);
	assert_int_equal(c.verdict, INVALID);
	assert_string_equal(c.why, "a: a verdict needs at least 4 values");
	assert_int_equal(compared(base, more, 3, &o, true).verdict, INVALID);
	c = compared(base, more, 4, &o, false);
	assert_int_equal(c.verdict, INCONCLUSIVE);
	assert_int_equal(c.more_runs, 1);
	assert_int_equal(compared(base, more, 5, &o, false).verdict, FASTER);
	c = compared(base, more, 5, &o, true);
	assert_int_equal(c.verdict, INCONCLUSIVE);
	assert_int_equal(c.more_runs, 2);
	assert_true(isinf(c.hl_lo) && isinf(c.hl_hi));
	assert_int_equal(compared(base, more, 7, &o, true).verdict, FASTER);
}

static void what_has_no_ratio_is_invalid(void **state)
{
	const double negative[] = {1, 2, 3, -4, 5};
	const double zeros[] = {0, 0, 0, 4, 5};
	const double missing[] = {1, 2, NAN, 4, 5};
	const double some[] = {0, 2, 3, 4, 5};
	struct compare_opts o = {0};
	struct sample a = {"a", base, 5};
	struct sample b = {"b", more, 6};
	struct comparison c;
	struct err err = {0};

	(void)state;
	for (unsigned blocks = 0; blocks < 2; blocks++) {
		assert_int_equal(compared(negative, base, 5, &o, blocks).verdict, INVALID);
		assert_int_equal(compared(base, missing, 5, &o, blocks).verdict, INVALID);
		assert_int_equal(compared(zeros, base, 5, &o, blocks).verdict, INVALID);
		assert_int_not_equal(compared(some, base, 5, &o, blocks).verdict, INVALID);
		assert_int_not_equal(compared(base, zeros, 5, &o, blocks).verdict, INVALID);
	}
	assert_int_equal(compare_blocks(&a, &b, &o, &c, &err), 0);
	assert_int_equal(c.verdict, INVALID);
	o.margin = -1;
	assert_int_equal(compare(&a, &b, &o, &c, &err), -EINVAL);
	o.margin = 0;
	o.noise = NAN;
	assert_int_equal(compare(&a, &b, &o, &c, &err), -EINVAL);
}

static void holm_steps_down(void **state)
{
	struct comparison c[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		c[i] = compared(base, more, 8, &(struct compare_opts){0}, false);
	// Holm's own kind of example: 0.01 x 3, 0.03 x 2 -> 0.06, 0.04 -> 0.06 (no less than before).
	c[0].p_mw = 0.03;
	c[1].p_mw = 0.01;
	c[2].p_mw = 0.04;
	comparison_adjust(c, 3);
	near(c[0].p_adjusted, 0.06, 1e-15);
	near(c[1].p_adjusted, 0.03, 1e-15);
	near(c[2].p_adjusted, 0.06, 1e-15);
	assert_int_equal(c[1].verdict, INCONCLUSIVE);
	c[1].p_mw = 0.006;
	c[3] = compared(base, more, 3, &(struct compare_opts){0}, false);
	comparison_adjust(c, 4);
	near(c[1].p_adjusted, 0.018, 1e-15);
	assert_int_equal(c[1].verdict, FASTER);
	assert_int_equal(c[3].verdict, INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_arms_are_called_different_in_well_under_five_percent),
		cmocka_unit_test(real_differences_are_called),
		cmocka_unit_test(equal_quiet_arms_are_called_equivalent),
		cmocka_unit_test(t_tests_give_the_published_figures),
		cmocka_unit_test(minimum_detectable_effect_follows_n_and_spread),
		cmocka_unit_test(direction_follows_what_is_better),
		cmocka_unit_test(noise_floor_and_margin_bound_the_verdict),
		cmocka_unit_test(few_values_prove_nothing),
		cmocka_unit_test(what_has_no_ratio_is_invalid),
		cmocka_unit_test(holm_steps_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

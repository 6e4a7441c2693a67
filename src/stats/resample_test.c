// SPDX-License-Identifier: BSD-2-Clause
// The shortcut of resample.c against the plain bootstrap.
#include "stats/resample.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SLOW = 40000 };

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return (a > b) - (a < b);
}

static double slow_median(struct rng *r, const double *v, unsigned n)
{
	double draw[64];

	for (unsigned i = 0; i < n; i++)
		draw[i] = v[(unsigned)(rng_uniform(r) * n)];
	qsort(draw, n, sizeof(*draw), by_value);
	return n % 2 == 1 ? draw[n / 2] : (draw[n / 2] + draw[n / 2 - 1]) / 2;
}

static double share_up_to(const double *sorted, double x)
{
	unsigned n = 0;

	while (n < SLOW && sorted[n] <= x)
		n++;
	return (double)n / SLOW;
}

// Values that are far apart make the distribution of medians coarse, so the limits are compared by
// the shares of the plain bootstrap's medians they cut off.
static void interval_cuts_the_plain_bootstrap_where_it_should(void **state)
{
	static const unsigned sizes[] = {4, 5, 6, 10, 11, 24, 25, 64};

	(void)state;
	for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		unsigned n = sizes[k];
		struct rng r = {.state = k + 1};
		double *slow = malloc(SLOW * sizeof(*slow));
		struct interval ci;
		double v[64];

		for (unsigned i = 0; i < n; i++)
			v[i] = 10 + rng_normal(&r);
		qsort(v, n, sizeof(*v), by_value);
		assert_int_equal(resample_median(v, n, 0.9, 9, &ci), 0);
		for (unsigned i = 0; i < SLOW; i++)
			slow[i] = slow_median(&r, v, n);
		qsort(slow, SLOW, sizeof(*slow), by_value);
		// From below and from above each limit.
		assert_true(share_up_to(slow, ci.lo + 1 - 1e-9) < 0.06);
		assert_true(share_up_to(slow, ci.lo + 1 + 1e-9) > 0.04);
		assert_true(share_up_to(slow, ci.hi + 1 - 1e-9) < 0.96);
		assert_true(share_up_to(slow, ci.hi + 1 + 1e-9) > 0.94);
		free(slow);
	}
}

static void ratio_is_of_b_to_a_and_repeats_with_its_seed(void **state)
{
	const double a[] = {99, 100, 100, 101, 102};
	const double b[] = {198, 199, 200, 201, 203};
	struct interval one, two, other;

	(void)state;
	assert_int_equal(resample_ratio(a, 5, b, 5, 0.95, 1, &one), 0);
	assert_int_equal(resample_ratio(a, 5, b, 5, 0.95, 1, &two), 0);
	assert_int_equal(resample_ratio(b, 5, a, 5, 0.95, 1, &other), 0);
	assert_true(one.lo == two.lo && one.hi == two.hi);
	assert_true(one.lo > 0.9 && one.lo < 1 && one.hi > 1 && one.hi < 1.1);
	assert_true(other.lo > -0.52 && other.hi < -0.48);
}

static void zeros_give_infinite_ratios_not_nan(void **state)
{
	const double a[] = {0, 0, 1, 1, 1};
	const double b[] = {0, 1, 1, 1, 1};
	struct interval ci;

	(void)state;
	assert_int_equal(resample_ratio(a, 5, b, 5, 0.95, 1, &ci), 0);
	assert_true(ci.lo <= 0 && isinf(ci.hi));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_cuts_the_plain_bootstrap_where_it_should),
		cmocka_unit_test(ratio_is_of_b_to_a_and_repeats_with_its_seed),
		cmocka_unit_test(zeros_give_infinite_ratios_not_nan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

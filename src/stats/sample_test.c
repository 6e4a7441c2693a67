// SPDX-License-Identifier: BSD-2-Clause
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
		fail_msg("%.15g is not %.15g", a, b);
}

#define SAMPLE(array)                                                                              \
	{                                                                                          \
		"s", array, sizeof(array) / sizeof((array)[0])                                     \
	}

static void location_and_spread(void **state)
{
	const double odd[] = {50, 200, 150, 400, 750, 400, 150};
	const double even[] = {4, 1, 3, 2};
	struct sample o = SAMPLE(odd);
	struct sample e = SAMPLE(even);

	(void)state;
	near(sample_mean(&o), 300);
	near(sample_median(&o), 200);
	assert_true(fabs(sample_stddev(&o) - 238.04761) < 5e-6); // ministat(1)
	near(sample_min(&o), 50);
	near(sample_max(&o), 750);
	near(sample_mad(&o), 150); // deviations 0 50 50 150 200 200 550
	near(sample_median(&e), 2.5);
	near(sample_percentile(&e, 0), 1);
	near(sample_percentile(&e, 50), 2.5);
	near(sample_percentile(&e, 90), 3.7);
	near(sample_percentile(&e, 100), 4);
}

static void deviation_survives_a_large_mean(void **state)
{
	const double v[] = {1e9, 1e9 + 1, 1e9 + 2};
	struct sample s = SAMPLE(v);

	(void)state;
	near(sample_stddev(&s), 1);
}

static void mean_of_huge_values_does_not_overflow(void **state)
{
	const double v[] = {1.5e308, 1.6e308, 1.7e308};
	struct sample s = SAMPLE(v);

	(void)state;
	near(sample_mean(&s) / 1.6e308, 1);
}

static void nothing_comes_of_nothing(void **state)
{
	const double one[] = {5};
	struct sample none = {"none", NULL, 0};
	struct sample s = SAMPLE(one);

	(void)state;
	assert_true(isnan(sample_mean(&none)) && isnan(sample_median(&none)));
	assert_true(isnan(sample_min(&none)) && isnan(sample_max(&none)));
	assert_true(isnan(sample_mad(&none)) && isnan(sample_percentile(&none, 50)));
	assert_true(isnan(sample_stddev(&none)) && isnan(sample_stddev(&s)));
	assert_true(isnan(sample_percentile(&s, 101)) && isnan(sample_percentile(&s, -1)));
	near(sample_percentile(&s, 75), 5);
}

// p and tau over all orders of n distinct values, the slow way.
static unsigned falling_pairs(const double *v, unsigned n)
{
	unsigned falling = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = i + 1; j < n; j++)
			falling += v[i] > v[j];
	return falling;
}

static void all_orders(double *v, unsigned k, unsigned n, unsigned *count)
{
	if (k == n) {
		count[falling_pairs(v, n)]++;
		return;
	}
	for (unsigned i = k; i < n; i++) {
		double t = v[k];

		v[k] = v[i];
		v[i] = t;
		all_orders(v, k + 1, n, count);
		v[i] = v[k];
		v[k] = t;
	}
}

static void trend_is_exact_for_few_values(void **state)
{
	double v[] = {3, 1, 2, 5, 4, 6, 7};
	double orders[] = {1, 2, 3, 4, 5, 6, 7};
	unsigned count[22] = {0};
	struct sample s = SAMPLE(v);
	unsigned falling = falling_pairs(v, 7);
	double tail = 0;
	double tau, p;

	(void)state;
	all_orders(orders, 0, 7, count);
	for (unsigned f = 0; f <= falling; f++)
		tail += count[f];
	sample_trend(&s, &tau, &p);
	near(p, 2 * tail / 5040);
	near(tau, (21 - 2.0 * falling) / 21);
}

static void trend_is_seen_in_many_values_and_not_in_noise(void **state)
{
	double drift[400];
	double noise[400];
	double same[400];
	struct sample d = SAMPLE(drift);
	struct sample z = SAMPLE(noise);
	struct sample c = SAMPLE(same);
	double tau, p;

	(void)state;
	srand(5);
	for (unsigned i = 0; i < 400; i++) {
		noise[i] = rand() % 50;
		drift[i] = noise[i] + i * 0.1;
		same[i] = 7;
	}
	sample_trend(&d, &tau, &p);
	assert_true(tau > 0.3 && p < 1e-6);
	sample_trend(&z, &tau, &p);
	assert_true(p > 0.05);
	sample_trend(&c, &tau, &p);
	assert_true(tau == 0 && p == 1);
	d.n = 2;
	sample_trend(&d, &tau, &p);
	assert_true(tau == 0 && p == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(location_and_spread),
		cmocka_unit_test(deviation_survives_a_large_mean),
		cmocka_unit_test(mean_of_huge_values_does_not_overflow),
		cmocka_unit_test(nothing_comes_of_nothing),
		cmocka_unit_test(trend_is_exact_for_few_values),
		cmocka_unit_test(trend_is_seen_in_many_values_and_not_in_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// Null distributions against plain enumeration of all choices.
#include "stats/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-12)

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return (a > b) - (a < b);
}

// Pairs a > b less pairs a < b, for the values of v chosen by mask as A.
static int balance(const double *v, unsigned n, unsigned mask)
{
	int sum = 0;

	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++)
			if ((mask >> i & 1) != 0 && (mask >> j & 1) == 0)
				sum += (v[i] > v[j]) - (v[i] < v[j]);
	return sum;
}

// The same with the first na as A.
static int balance_of_first(const double *v, unsigned n, unsigned na)
{
	int sum = 0;

	for (unsigned i = 0; i < na; i++)
		for (unsigned j = na; j < n; j++)
			sum += (v[i] > v[j]) - (v[i] < v[j]);
	return sum;
}

static double rank_sum_p_slow(const double *v, unsigned na, unsigned nb)
{
	unsigned n = na + nb;
	int seen = abs(balance(v, n, (1U << na) - 1));
	unsigned all = 0;
	unsigned tail = 0;

	for (unsigned mask = 0; mask < 1U << n; mask++)
		if ((unsigned)__builtin_popcount(mask) == na) {
			all++;
			tail += abs(balance(v, n, mask)) >= seen;
		}
	return (double)tail / all;
}

static void rank_sum_counts_all_choices(void **state)
{
	(void)state;
	srand(21);
	for (int k = 0; k < 200; k++) {
		unsigned na = 1 + (unsigned)rand() % 6;
		unsigned nb = 1 + (unsigned)rand() % 6;
		int values = k % 2 == 0 ? 4 : 1000; // few values: many ties
		double v[12], a[6], b[6];
		struct rank_test t;

		for (unsigned i = 0; i < na + nb; i++) {
			v[i] = rand() % values;
			if (i < na)
				a[i] = v[i];
			else
				b[i - na] = v[i];
		}
		qsort(a, na, sizeof(*a), by_value);
		qsort(b, nb, sizeof(*b), by_value);
		assert_int_equal(rank_sum(a, na, b, nb, &t), 0);
		assert_true(t.exact);
		NEAR(t.p, rank_sum_p_slow(v, na, nb));
		NEAR(t.delta, -balance(v, na + nb, (1U << na) - 1) / (double)(na * nb));
	}
}

// The smallest p there is: 2 / C(n_a + n_b, n_a).
static void separated_samples_have_the_published_p(void **state)
{
	const double a[] = {1, 2, 3, 4, 5};
	const double b[] = {11, 12, 13, 14, 15};
	struct rank_test t;

	(void)state;
	assert_int_equal(rank_sum(a, 3, b, 3, &t), 0);
	NEAR(t.p, 0.1);
	assert_int_equal(rank_sum(a, 4, b, 4, &t), 0);
	NEAR(t.p, 2.0 / 70);
	assert_int_equal(rank_sum(b, 5, a, 5, &t), 0);
	NEAR(t.p, 2.0 / 252);
	NEAR(t.delta, -1);
	assert_int_equal(rank_sum(a, 5, a, 5, &t), 0);
	NEAR(t.p, 1);
	NEAR(t.delta, 0);
}

// Above the limit of counting: against the share of random permutations.
static void normal_approximation_meets_random_permutations(void **state)
{
	enum { N = 30, ROUNDS = 20000 };

	(void)state;
	srand(22);
	for (int shift = 0; shift < 12; shift += 3) {
		double v[2 * N], a[N], b[N];
		struct rank_test t;
		unsigned tail = 0;
		int seen;

		for (unsigned i = 0; i < 2 * N; i++)
			v[i] = rand() % 40 + (i < N ? 0 : shift);
		for (unsigned i = 0; i < N; i++) {
			a[i] = v[i];
			b[i] = v[N + i];
		}
		qsort(a, N, sizeof(*a), by_value);
		qsort(b, N, sizeof(*b), by_value);
		assert_int_equal(rank_sum(a, N, b, N, &t), 0);
		assert_false(t.exact);
		seen = abs(balance_of_first(v, 2 * N, N));
		for (unsigned r = 0; r < ROUNDS; r++) {
			for (unsigned i = 2 * N - 1; i > 0; i--) {
				unsigned k = (unsigned)rand() % (i + 1);
				double swap = v[i];

				v[i] = v[k];
				v[k] = swap;
			}
			tail += abs(balance_of_first(v, 2 * N, N)) >= seen;
		}
		assert_true(fabs(t.p - (double)tail / ROUNDS) < 0.015);
	}
}

static double signed_p_slow(const double *d, unsigned n, const double *rank)
{
	double seen = 0;
	double half = 0;
	unsigned tail = 0;

	for (unsigned i = 0; i < n; i++) {
		seen += d[i] > 0 ? rank[i] : 0;
		half += d[i] != 0 ? rank[i] / 2 : 0;
	}
	for (unsigned mask = 0; mask < 1U << n; mask++) {
		double sum = 0;

		for (unsigned i = 0; i < n; i++)
			if (d[i] != 0 && (mask >> i & 1) != 0)
				sum += rank[i];
		tail += fabs(sum - half) >= fabs(seen - half);
	}
	return (double)tail / (1U << n);
}

static void signed_ranks_count_all_signs(void **state)
{
	(void)state;
	srand(23);
	for (int k = 0; k < 200; k++) {
		unsigned n = 1 + (unsigned)rand() % 10;
		int values = k % 2 == 0 ? 4 : 1000;
		double d[10], copy[10], rank[10];
		struct rank_test t;

		for (unsigned i = 0; i < n; i++)
			copy[i] = d[i] = rand() % (2 * values + 1) - values;
		for (unsigned i = 0; i < n; i++) {
			rank[i] = 0.5;
			for (unsigned j = 0; j < n; j++)
				rank[i] += fabs(d[j]) < fabs(d[i])    ? 1
					   : fabs(d[j]) == fabs(d[i]) ? 0.5
								      : 0;
		}
		assert_int_equal(rank_signed(copy, n, &t), 0);
		assert_true(t.exact);
		NEAR(t.p, signed_p_slow(d, n, rank));
	}
}

static void seven_blocks_are_the_fewest_that_prove_anything(void **state)
{
	double six[] = {1, 2, 3, 4, 5, 6};
	double seven[] = {1, 2, 3, 4, 5, 6, 7};
	double zero[] = {0, 0, 0, 0};
	double many[60];
	struct rank_test t;

	(void)state;
	assert_int_equal(rank_signed(six, 6, &t), 0);
	NEAR(t.p, 2.0 / 64);
	assert_int_equal(rank_signed(seven, 7, &t), 0);
	NEAR(t.p, 2.0 / 128);
	NEAR(t.delta, 1);
	assert_int_equal(rank_signed(zero, 4, &t), 0);
	NEAR(t.p, 1);
	for (unsigned i = 0; i < 60; i++)
		many[i] = i % 2 == 0 ? i + 1.0 : -(double)i;
	assert_int_equal(rank_signed(many, 60, &t), 0);
	assert_true(!t.exact && t.p > 0.5);
}

// Critical values as printed in tables of the two tests: the interval leaves out c - 1 on each side.
static void bounds_are_the_critical_values_plus_one(void **state)
{
	(void)state;
	NEAR(rank_sum_bound(3, 3, 0.025), 0);
	NEAR(rank_sum_bound(4, 4, 0.025), 1);
	NEAR(rank_sum_bound(5, 5, 0.025), 3);
	NEAR(rank_sum_bound(8, 8, 0.025), 14);
	NEAR(rank_sum_bound(10, 10, 0.025), 24);
	NEAR(rank_sum_bound(20, 20, 0.025), 128);
	NEAR(rank_sum_bound(5, 10, 0.025), 9);
	NEAR(rank_signed_bound(5, 0.025), 0);
	NEAR(rank_signed_bound(6, 0.025), 1);
	NEAR(rank_signed_bound(10, 0.025), 9);
	NEAR(rank_signed_bound(20, 0.025), 53);
	assert_true(fabs(rank_signed_bound(50, 0.025) - 435) <= 1);
	assert_true(fabs(rank_signed_bound(51, 0.025) - 455) <= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rank_sum_counts_all_choices),
		cmocka_unit_test(separated_samples_have_the_published_p),
		cmocka_unit_test(normal_approximation_meets_random_permutations),
		cmocka_unit_test(signed_ranks_count_all_signs),
		cmocka_unit_test(seven_blocks_are_the_fewest_that_prove_anything),
		cmocka_unit_test(bounds_are_the_critical_values_plus_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

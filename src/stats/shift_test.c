// SPDX-License-Identifier: BSD-2-Clause
// Against the full table of elementary estimates.
#include "stats/shift.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return (a > b) - (a < b);
}

static void same(const struct shift *got, double *table, unsigned n, unsigned c)
{
	double median;

	qsort(table, n, sizeof(*table), by_value);
	median = n % 2 == 1 ? table[n / 2] : table[n / 2 - 1] / 2 + table[n / 2] / 2;
	assert_true(got->median == median);
	assert_true(got->lo == (c > 0 ? table[c - 1] : -INFINITY));
	assert_true(got->hi == (c > 0 ? table[n - c] : INFINITY));
}

static void estimates_are_those_of_the_table(void **state)
{
	double a[20], b[20], table[400];

	(void)state;
	srand(31);
	for (int k = 0; k < 300; k++) {
		unsigned na = 1 + (unsigned)rand() % 20;
		unsigned nb = 1 + (unsigned)rand() % 20;
		double scale = k % 3 == 0 ? 1 : k % 3 == 1 ? 1e-7 * rand() : 1e12;
		struct shift got;
		unsigned n = 0;
		unsigned c;

		for (unsigned i = 0; i < na; i++)
			a[i] = (rand() % 100 - 50) * scale;
		for (unsigned i = 0; i < nb; i++)
			b[i] = (rand() % 100 - 40) * scale;
		qsort(a, na, sizeof(*a), by_value);
		qsort(b, nb, sizeof(*b), by_value);
		for (unsigned i = 0; i < na; i++)
			for (unsigned j = 0; j < nb; j++)
				table[n++] = b[j] - a[i];
		c = (unsigned)rand() % (n / 2 + 1);
		shift_two(a, na, b, nb, c, &got);
		same(&got, table, n, c);

		n = 0;
		for (unsigned i = 0; i < na; i++)
			for (unsigned j = i; j < na; j++)
				table[n++] = a[i] / 2 + a[j] / 2;
		c = (unsigned)rand() % (n / 2 + 1);
		shift_paired(a, na, c, &got);
		same(&got, table, n, c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_are_those_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

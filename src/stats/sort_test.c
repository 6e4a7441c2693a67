// SPDX-License-Identifier: BSD-2-Clause
#include "stats/sort.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x;
	double b = *(const double *)y;

	return (a > b) - (a < b);
}

static double any_double(void)
{
	switch (rand() % 4) {
	case 0:
		return rand() % 100 - 50;
	case 1:
		return ldexp(rand() - RAND_MAX / 2.0, rand() % 2000 - 1000);
	case 2:
		return 8211578 + rand() % 1000 / 16.0;
	default:
		return rand() % 50 == 0 ? (rand() % 2 != 0 ? INFINITY : -INFINITY)
					: 1e-310 * (rand() % 9);
	}
}

static void order_is_that_of_qsort(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 100, 1000, 50000};

	(void)state;
	srand(11);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		size_t n = sizes[k];
		double *v = calloc(n + 1, sizeof(*v));
		double *sorted;

		for (size_t i = 0; i < n; i++)
			v[i] = any_double();
		sorted = sort_copy(v, n);
		assert_non_null(sorted);
		qsort(v, n, sizeof(*v), by_value);
		for (size_t i = 0; i < n; i++)
			assert_true(sorted[i] == v[i]);
		free(sorted);
		free(v);
	}
}

static void keys_keep_the_order_and_come_back(void **state)
{
	static const double v[] = {
		-INFINITY, -1e300, -1, -1e-320, -0.0, 0.0, 1e-320, 1, 1e300, INFINITY};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		double back = sort_value(sort_key(v[i]));

		assert_memory_equal(&back, &v[i], sizeof(back));
		if (i > 0)
			assert_true(sort_key(v[i - 1]) < sort_key(v[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_that_of_qsort),
		cmocka_unit_test(keys_keep_the_order_and_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARMS = 5 };

static void each_block_holds_every_arm_once(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++)
		for (unsigned block = 0; block < 9; block++) {
			unsigned order[ARMS], seen = 0;

			plan_order(seed, block, order, ARMS);
			for (unsigned i = 0; i < ARMS; i++)
				seen |= 1u << order[i];
			assert_int_equal(seen, (1u << ARMS) - 1);
		}
}

static void every_second_block_mirrors_the_one_before(void **state)
{
	(void)state;
	for (unsigned pair = 0; pair < 20; pair++) {
		unsigned a[ARMS], b[ARMS];

		plan_order(7, 2 * pair, a, ARMS);
		plan_order(7, 2 * pair + 1, b, ARMS);
		for (unsigned i = 0; i < ARMS; i++)
			assert_int_equal(a[i], b[ARMS - 1 - i]);
	}
}

static void the_same_seed_gives_the_same_order_and_another_one_does_not(void **state)
{
	unsigned differ = 0;

	(void)state;
	for (unsigned block = 0; block < 40; block += 2) {
		unsigned a[ARMS], b[ARMS], c[ARMS];

		plan_order(1, block, a, ARMS);
		plan_order(1, block, b, ARMS);
		plan_order(2, block, c, ARMS);
		assert_memory_equal(a, b, sizeof(a));
		differ += memcmp(a, c, sizeof(a)) != 0;
	}
	assert_true(differ > 10);
}

// Over many seeds each arm comes first about equally often (binomial, 6 standard deviations).
static void no_arm_is_preferred(void **state)
{
	enum { SEEDS = 5000 };
	unsigned first[ARMS] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		unsigned order[ARMS];

		plan_order(seed, 0, order, ARMS);
		first[order[0]]++;
	}
	for (unsigned i = 0; i < ARMS; i++)
		assert_in_range(first[i], SEEDS / ARMS - 170, SEEDS / ARMS + 170);
}

static void one_arm_and_none_are_no_special_case(void **state)
{
	unsigned order[1] = {9};

	(void)state;
	plan_order(3, 1, order, 0);
	assert_int_equal(order[0], 9);
	plan_order(3, 1, order, 1);
	assert_int_equal(order[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_holds_every_arm_once),
		cmocka_unit_test(every_second_block_mirrors_the_one_before),
		cmocka_unit_test(the_same_seed_gives_the_same_order_and_another_one_does_not),
		cmocka_unit_test(no_arm_is_preferred),
		cmocka_unit_test(one_arm_and_none_are_no_special_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

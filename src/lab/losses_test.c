// SPDX-License-Identifier: BSD-2-Clause
#include "lab/losses.h"

#include "lab/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct lab_run valid(unsigned arm, uint64_t offered, uint64_t in, uint64_t back)
{
	return (struct lab_run){
		.arm = arm, .valid = true, .offered = offered, .dut_in = in, .received = back};
}

static void a_loss_is_before_the_device_or_in_it(void **state)
{
	struct lab_run run[] = {
		valid(0, 1000, 900, 880),
		valid(0, 1000, 1000, 1000),
		valid(1, 500, 0, 100),     // keeps no account
		valid(2, 1000, 1010, 900), // has had others' frames too
		valid(0, 5000, 0, 0),
		valid(3, 1000, 700, 650),
	};
	struct lab_results r = {.run = run, .n_runs = 6};
	struct arm_losses l;

	(void)state;
	run[4].valid = false;
	run[5].tester_missed = 100; // so 250 are lost, though 300 did not get there
	run[5].reordered = 7;
	arm_losses(&r, 0, &l);
	assert_true(l.offered == 2000 && l.received == 1880);
	assert_true(l.lost == 120 && l.unreached == 100 && l.reordered == 0);
	arm_losses(&r, 1, &l);
	assert_true(l.lost == 400 && l.unreached == 0);
	arm_losses(&r, 2, &l);
	assert_true(l.lost == 100 && l.unreached == 0);
	arm_losses(&r, 3, &l);
	assert_true(l.lost == 250 && l.unreached == 250 && l.reordered == 7);
	arm_losses(&r, 4, &l);
	assert_true(l.offered == 0 && l.lost == 0);
}

// The table's text of two arms, the second inconclusive against the first.
static char *text_of(struct lab_run *run, unsigned n_runs)
{
	struct lab_arm arm[] = {{.name = "a", .n = 8, .frame_len = 60}, {.name = "b", .n = 8}};
	struct lab_comparison c = {.a = 0, .b = 1, .sentence = "b against a"};
	struct lab_results r = {
		.arm = arm, .n_arms = 2, .run = run, .n_runs = n_runs, .cmp = &c, .n_cmps = 1};
	char *text;

	c.c.verdict = INCONCLUSIVE;
	text = lab_report_text(&r);
	assert_non_null(text);
	return text;
}

static void the_table_tells_whose_loss_it_was(void **state)
{
	struct lab_run run[] = {valid(0, 1000, 900, 880), valid(1, 1000, 1000, 1000)};
	char *text = text_of(run, 2);

	(void)state;
	assert_non_null(strstr(text, "\nof the loss, this never reached the device: a 83.3 %.\n"));
	assert_null(strstr(text, "reordered"));
	free(text);
	run[0].dut_in = 1000;
	run[1].reordered = 3;
	text = text_of(run, 2);
	assert_null(strstr(text, "never reached"));
	assert_non_null(strstr(text, "\nreordered: 3 of 1000 frames of b came"));
	free(text);
}

static void what_is_not_decided_asks_for_more_runs(void **state)
{
	struct lab_run run = valid(0, 1, 1, 1);
	char *text = text_of(&run, 1);

	(void)state;
	assert_non_null(strstr(text, "\nInconclusive: so many runs prove neither"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loss_is_before_the_device_or_in_it),
		cmocka_unit_test(the_table_tells_whose_loss_it_was),
		cmocka_unit_test(what_is_not_decided_asks_for_more_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// The bitmap against an array with a place for every number there is.
#include "gen/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NUMBERS = 4 * WINDOW_BITS, FLOWS = 7 };

static bool came[NUMBERS];
static struct window w;

static void add(uint64_t seq)
{
	bool late, want = !came[seq], want_late = false;

	if (seq >= w.next) {
		window_advance(&w, seq);
		came[seq] = true;
		return;
	}
	if (w.next - seq > CHECKER_WINDOW)
		want = false;
	for (uint64_t i = seq + FLOWS; want && i < w.next; i += FLOWS)
		want_late |= came[i];
	if (window_add_late(&w, seq, FLOWS, &late) != want || late != want_late)
		fail_msg("number %llu with %llu next: %s expected, %s", (unsigned long long)seq,
			(unsigned long long)w.next, want ? "new" : "seen or too old",
			want_late ? "late" : "in order");
	if (want)
		came[seq] = true;
}

// Mostly forward, with holes of all sizes that are partly filled later, and repetitions.
static void numbers_are_new_once(void **state)
{
	(void)state;
	srand(11);
	while (w.next < NUMBERS - 2 * WINDOW_WORDS) {
		unsigned what = (unsigned)rand() % 100;
		uint64_t back = 1 + (uint64_t)rand() % (what % 2 == 0 ? 100 : 20000);

		if (what < 90)
			add(w.next);
		else if (what < 93)
			add(w.next + (unsigned)rand() % 300);
		else if (back <= w.next)
			add(w.next - back);
		if (rand() % 50000 == 0)
			add(w.next + (unsigned)rand() % WINDOW_WORDS);
	}
}

static void a_number_too_far_back_is_not_new(void **state)
{
	bool late;

	(void)state;
	memset(&w, 0, sizeof(w));
	window_advance(&w, CHECKER_WINDOW);
	assert_int_equal(w.next, CHECKER_WINDOW + 1);
	assert_false(window_add_late(&w, 0, FLOWS, &late));
	assert_true(window_add_late(&w, 1, FLOWS, &late));
	assert_false(window_add_late(&w, 1, FLOWS, &late));
}

// One lap and more further on, the same places are free again.
static void a_jump_over_the_whole_window_forgets_it(void **state)
{
	static const uint64_t jumps[] = {WINDOW_BITS - 1, WINDOW_BITS, WINDOW_BITS + 1,
		5 * (uint64_t)WINDOW_BITS + 77, (uint64_t)1 << 40};
	bool late;

	(void)state;
	for (unsigned k = 0; k < sizeof(jumps) / sizeof(jumps[0]); k++) {
		memset(&w, 0, sizeof(w));
		for (uint64_t i = 0; i < WINDOW_BITS; i++)
			window_advance(&w, i);
		window_advance(&w, WINDOW_BITS + jumps[k]);
		for (uint64_t i = 2; i < CHECKER_WINDOW; i += 4099)
			if (w.next - i > WINDOW_BITS)
				assert_true(window_add_late(&w, w.next - i, 1, &late));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_new_once),
		cmocka_unit_test(a_number_too_far_back_is_not_new),
		cmocka_unit_test(a_jump_over_the_whole_window_forgets_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "gen/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t start = (uint64_t)1 << 40;

// Frames sent in seconds of a fake clock that a polling loop reads every step cycles, +-50 %.
static uint64_t run(uint64_t rate, uint64_t hz, uint64_t group, unsigned seconds, uint64_t step)
{
	struct pace p;
	uint64_t sent = 0, now = start;

	pace_start(&p, rate, hz, group);
	while (now < start + seconds * hz) {
		uint64_t due = pace_due(&p, now);

		assert_int_equal(due % group, 0);
		pace_take(&p, due);
		sent += due;
		now += step / 2 + (uint64_t)rand() % step;
	}
	return sent;
}

static void a_rate_does_not_drift(void **state)
{
	static const uint64_t rates[] = {1, 3, 7, 999, 1000, 14881, 123457, 1488095, 14880952};
	static const uint64_t clocks[] = {999999937, 2096064000, 4599999999};

	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (size_t k = 0; k < sizeof(clocks) / sizeof(clocks[0]); k++) {
			uint64_t want = 10 * rates[i];
			uint64_t got = run(rates[i], clocks[k], 1, 10, clocks[k] / 50000);

			// What is due in the last reading's step is all that may be missing.
			if (got > want || want - got > rates[i] / 20000 + 1)
				fail_msg("%llu pps: %llu frames in 10 s",
					(unsigned long long)rates[i], (unsigned long long)got);
		}
}

static void groups_come_whole(void **state)
{
	struct pace p;
	const uint64_t hz = 1000000000;

	(void)state;
	pace_start(&p, 1000000, hz, 64);
	assert_int_equal(pace_due(&p, start), 0);
	assert_int_equal(pace_wait(&p, start), 64000);
	assert_int_equal(pace_due(&p, start + 63999), 0);
	assert_int_equal(pace_wait(&p, start + 63999), 1);
	assert_int_equal(pace_due(&p, start + 64000), 64);
	pace_take(&p, 64);
	assert_int_equal(pace_due(&p, start + 64001), 0);
	assert_int_equal(pace_due(&p, start + 200000), 128);
	pace_take(&p, 10);
	assert_int_equal(pace_due(&p, start + 200000), 64);
	assert_int_equal(run(1000000, hz, 512, 3, 1000) % 512, 0);
}

static void a_late_sender_catches_up_by_a_second_at_most(void **state)
{
	struct pace p;
	const uint64_t hz = 2000000000;

	(void)state;
	pace_start(&p, 1000, hz, 1);
	assert_int_equal(pace_due(&p, start), 0);
	assert_int_equal(pace_due(&p, start + hz / 2), 500);
	assert_int_equal(pace_due(&p, start + hz), 1000);
	assert_in_range(pace_due(&p, start + 100 * hz), 1000, 1001);
	pace_take(&p, 1001);
	assert_int_equal(pace_due(&p, start + 100 * hz), 0);
	assert_int_equal(pace_due(&p, start + 101 * hz), 1000);
}

static void waiting_as_told_meets_the_next_frame_exactly(void **state)
{
	struct pace p;
	uint64_t now = start, sent = 0;
	const uint64_t hz = 2096064000, rate = 777;

	(void)state;
	pace_start(&p, rate, hz, 1);
	assert_int_equal(pace_due(&p, now), 0);
	while (sent < 777) {
		uint64_t wait = pace_wait(&p, now);

		assert_true(wait > 0);
		assert_int_equal(pace_due(&p, now + wait - 1), 0);
		now += wait;
		assert_int_equal(pace_due(&p, now), 1);
		pace_take(&p, 1);
		sent++;
	}
	assert_in_range(now - start, hz, hz + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_does_not_drift),
		cmocka_unit_test(groups_come_whole),
		cmocka_unit_test(a_late_sender_catches_up_by_a_second_at_most),
		cmocka_unit_test(waiting_as_told_meets_the_next_frame_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

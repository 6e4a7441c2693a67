// SPDX-License-Identifier: BSD-2-Clause
// The expected lines are written by hand from published logs of pkt-gen and its line formats.
#include "gen/gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *interval(struct report_interval i, unsigned flags)
{
	static char out[REPORT_LINE_MAX];
	struct report_history h = {0};

	return report_interval_text(&i, flags, &h, out);
}

// 882945 packets of 60 bytes in 1000958 us, 3.12 a batch.
static const struct report_interval sample = {.packets = 882945,
	.bytes = 882945 * 60ull,
	.events = 282995,
	.usec = 1000958,
	.min_space = 1012};

static void plain_numbers_are_whole_and_have_no_unit(void **state)
{
	(void)state;
	assert_string_equal(interval(sample, REPORT_PLAIN),
		"882100 pps (882945 pkts 423407975 bps in 1000958 usec) 3.12 avg_batch 1012 min_space");
}

static void scaled_numbers_have_three_decimals_and_a_unit(void **state)
{
	(void)state;
	assert_string_equal(interval(sample, 0),
		"882.100 Kpps (882.945 Kpkts 423.408 Mbps in 1000958 usec) 3.12 avg_batch 1012 "
		"min_space");
	assert_string_equal(interval((struct report_interval){.packets = 1126000,
					     .bytes = 1126000 * 60ull,
					     .events = 112600,
					     .usec = 1000000,
					     .min_space = 1014},
				    0),
		"1.126 Mpps (1.126 Mpkts 540.480 Mbps in 1000000 usec) 10.00 avg_batch 1014 min_space");
}

static void nothing_keeps_its_blank_before_the_word(void **state)
{
	const struct report_interval none = {.usec = 1001704};

	(void)state;
	assert_string_equal(interval(none, 0),
		"0.000 pps (0.000 pkts 0.000 bps in 1001704 usec) 0.00 avg_batch 0 min_space");
	assert_string_equal(interval(none, REPORT_PLAIN),
		"0 pps (0 pkts 0 bps in 1001704 usec) 0.00 avg_batch 0 min_space");
}

static void framing_adds_24_bytes_a_packet(void **state)
{
	const struct report_interval i = {.packets = 1488095,
		.bytes = 1488095 * 60ull,
		.events = 1488095,
		.usec = 1000000,
		.min_space = 0};

	(void)state;
	assert_string_equal(interval(i, REPORT_PLAIN | REPORT_FRAMING),
		"1488095 pps (1488095 pkts 999999840 bps in 1000000 usec) 1.00 avg_batch 0 min_space");
	assert_string_equal(interval(i, REPORT_FRAMING),
		"1.488 Mpps (1.488 Mpkts 1000.000 Mbps in 1000000 usec) 1.00 avg_batch 0 min_space");
}

// Fields as `cut -d " "` or awk see them: 1 time, 2 function, 3 line, 4 pps, 8 bps.
static void scripts_find_pps_in_field_4_and_bps_in_field_8(void **state)
{
	char line[2 * REPORT_LINE_MAX], prefix[REPORT_LINE_MAX], *save = NULL, *word;

	(void)state;
	snprintf(line, sizeof(line), "%s%s",
		report_prefix(1234567378, 931863, "main_thread", 2514, prefix),
		interval(sample, REPORT_PLAIN));
	assert_string_equal(prefix, "378.931863 main_thread [2514] ");
	assert_null(strstr(line, "  "));
	word = strtok_r(line, " ", &save);
	for (unsigned field = 1; word != NULL; field++, word = strtok_r(NULL, " ", &save)) {
		if (field == 2)
			assert_string_equal(word, "main_thread");
		if (field == 4)
			assert_string_equal(word, "882100");
		if (field == 8)
			assert_string_equal(word, "423407975");
	}
}

static void a_prefix_keeps_its_width(void **state)
{
	char out[REPORT_LINE_MAX];

	(void)state;
	assert_string_equal(report_prefix(5000, 42, "main", 1, out), "000.000042 main [1] ");
	assert_string_equal(report_prefix(1007, 999999, "main", 77, out), "007.999999 main [77] ");
}

static void spread_is_over_the_last_15_reports_that_were_not_zero(void **state)
{
	struct report_history h = {0};
	struct report_interval i = {.usec = 1000000, .events = 1};
	char out[REPORT_LINE_MAX];

	(void)state;
	// Two that are pushed out again, one zero, then 7 times 900 and 8 times 1100 in mixed order.
	for (unsigned k = 0; k < 2; k++) {
		i.packets = 5000000;
		report_interval_text(&i, REPORT_SPREAD, &h, out);
	}
	for (unsigned k = 0; k < 15; k++) {
		i.packets = k % 2 == 0 ? 1100 : 900;
		report_interval_text(&i, REPORT_SPREAD | REPORT_PLAIN, &h, out);
	}
	// Mean (8 * 1100 + 7 * 900) / 15 = 1006.67; population deviation sqrt(8 * 7) * 200 / 15.
	assert_non_null(strstr(out, "1100 pps [avg/std 1007 /100  pps] (1100 pkts "));
	i.packets = 0;
	report_interval_text(&i, REPORT_SPREAD, &h, out);
	assert_non_null(strstr(out, "0.000 pps [avg/std 1.007 K/99.778  pps] (0.000 pkts "));
}

static void last_lines(void **state)
{
	struct report_total t = {.verb = "Sent",
		.packets = 21022355,
		.bytes = 21022355 * 60ull,
		.events = 42000,
		.seconds = 14.15};
	char out[2 * REPORT_LINE_MAX];

	(void)state;
	assert_string_equal(report_total_text(&t, REPORT_FRAMING, out),
		"Sent 21022355 packets 1261341300 bytes 42000 events 60 bytes each in 14.15 seconds.\n"
		"Speed: 1.486 Mpps Bandwidth: 713.126 Mbps (raw 998.376 Mbps). Average batch: 500.53 "
		"pkts\n");
	t.verb = "Received";
	assert_string_equal(report_total_text(&t, REPORT_PLAIN, out),
		"Received 21022355 packets 1261341300 bytes 42000 events 60 bytes each in 14.15 seconds.\n"
		"Speed: 1485679 pps Bandwidth: 713125823 bps (raw 713125823 bps). Average batch: 500.53 "
		"pkts\n");
	t.packets = 0;
	assert_string_equal(report_total_text(&t, 0, out), "Received nothing.\n");
	t.verb = "Sent";
	assert_string_equal(report_total_text(&t, 0, out), "Sent nothing.\n");
}

static void round_trips(void **state)
{
	struct rtt r = {.count = 3, .sum_ns = 9000, .min_ns = 1000};
	char out[REPORT_LINE_MAX];

	(void)state;
	r.bucket[9] = 1;
	r.bucket[11] = 2;
	assert_string_equal(report_rtt_text(&r, out), "count 3 RTT: min 1000 av 3000 ns");
	assert_string_equal(
		report_rtt_histogram(&r, out, sizeof(out)), "k: 512 .. 2048\n\t    1     0     2 ");
	r = (struct rtt){.min_ns = UINT64_MAX};
	assert_string_equal(report_rtt_text(&r, out), "count 0 RTT: min 0 av 0 ns");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_numbers_are_whole_and_have_no_unit),
		cmocka_unit_test(scaled_numbers_have_three_decimals_and_a_unit),
		cmocka_unit_test(nothing_keeps_its_blank_before_the_word),
		cmocka_unit_test(framing_adds_24_bytes_a_packet),
		cmocka_unit_test(scripts_find_pps_in_field_4_and_bps_in_field_8),
		cmocka_unit_test(a_prefix_keeps_its_width),
		cmocka_unit_test(spread_is_over_the_last_15_reports_that_were_not_zero),
		cmocka_unit_test(last_lines),
		cmocka_unit_test(round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

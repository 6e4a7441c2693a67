// SPDX-License-Identifier: BSD-2-Clause
#include "lab/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// What write(f, text) puts out.
static char *written(void (*write)(FILE *f, const char *text), const char *text)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	write(f, text);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void assert_written(
	void (*write)(FILE *f, const char *text), const char *text, const char *want)
{
	char *out = written(write, text);

	assert_string_equal(out, want);
	free(out);
}

static void text_cannot_become_markup(void **state)
{
	(void)state;
	assert_written(html_text, "", "");
	assert_written(html_text, "a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
	assert_written(html_text, "a\n\tb", "a\n\tb");
	assert_written(html_text, "n\xc3\xa4me \xe2\x82\xac \xf0\x9f\x98\x80",
		"n\xc3\xa4me \xe2\x82\xac \xf0\x9f\x98\x80");
}

// RFC 3629 3 and 10: what is no UTF-8 is replaced byte by byte, and nothing behind the end is read.
static void bytes_that_are_no_text_are_replaced(void **state)
{
#define R "\xef\xbf\xbd"
	static const struct {
		const char *text, *want;
	} t[] = {
		{"a\x01z", "a" R "z"}, {"\x7f\x1b", R R}, {"\xff\xfe", R R}, {"\x80", R},
		{"\xc0\xaf", R R},               // overlong
		{"\xe0\x80\xaf", R R R},         // overlong
		{"\xed\xa0\x80", R R R},         // surrogate
		{"\xf4\x90\x80\x80", R R R R},   // above U+10FFFF
		{"\xe2\x82", R R},               // cut off
		{"\xf0\x9f\x98<", R R R "&lt;"}, // cut off by markup
		{"\xc2\x9b", R},                 // a control character of Latin-1
		{"\xe2\x80\xae"
		 "abc",
			R "abc"}, // right-to-left override
	};
#undef R

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		assert_written(html_text, t[i].text, t[i].want);
}

static void words_for_the_shell(void **state)
{
	(void)state;
	assert_written(html_shell_word, "a-1_b.pps", "a-1_b.pps");
	assert_written(html_shell_word, "", "&#39;&#39;");
	assert_written(html_shell_word, "a b", "&#39;a b&#39;");
	assert_written(html_shell_word, "it's", "&#39;it&#39;\\&#39;&#39;s&#39;");
	assert_written(html_shell_word, "$(x)&", "&#39;$(x)&amp;&#39;");
}

static void count(FILE *f, const char *digits)
{
	html_count(f, strtoull(digits, NULL, 10));
}

static void counts_are_grouped(void **state)
{
	(void)state;
	assert_written(count, "0", "0");
	assert_written(count, "999", "999");
	assert_written(count, "1000",
		"1\xe2\x80\xaf"
		"000");
	assert_written(count, "18446744073709551615",
		"18\xe2\x80\xaf"
		"446\xe2\x80\xaf"
		"744\xe2\x80\xaf"
		"073\xe2\x80\xaf"
		"709\xe2\x80\xaf"
		"551\xe2\x80\xaf"
		"615");
}

static void axes_hold_their_values_between_round_ticks(void **state)
{
	static const struct {
		double lo, hi;
	} t[] = {{0, 1}, {0, 0}, {5, 5}, {-3, 3}, {8.104, 8.383}, {0, 1e-9}, {1e9, 1.0000001e9},
		{-0.274, 0.016}, {0.5, 123456}, {NAN, 1}, {1, INFINITY}, {2, 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct axis a;

		axis_make(&a, t[i].lo, t[i].hi, 6);
		assert_true(a.n >= 2 && a.n <= AXIS_TICKS_MAX);
		assert_true(a.lo < a.hi);
		if (t[i].lo < t[i].hi && isfinite(t[i].hi)) {
			assert_true(a.lo <= t[i].lo + (a.hi - a.lo) * 1e-6);
			assert_true(a.hi >= t[i].hi - (a.hi - a.lo) * 1e-6);
		}
		for (unsigned k = 1; k < a.n; k++)
			assert_true(axis_at(&a, a.tick[k]) > axis_at(&a, a.tick[k - 1]));
		assert_true(axis_at(&a, -1e300) >= 0 && axis_at(&a, 1e300) <= 100);
		assert_true(axis_at(&a, NAN) >= 0);
	}
}

static unsigned times(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

// A file that was read back may lack any number.
static void results_without_numbers_still_make_a_page(void **state)
{
	struct lab_run run[3] = {{.arm = 0, .valid = true, .pps = NAN, .loss = NAN},
		{.arm = 1, .valid = true, .pps = INFINITY, .seconds = NAN},
		{.arm = 1, .why = "<nothing>", .pps = -1}};
	struct lab_window w[2] = {{.pps = NAN, .steady = true}, {.pps = 1, .start_s = NAN}};
	struct lab_arm arm[2] = {{.name = "a", .baseline = true, .n = 1, .median_pps = NAN},
		{.name = "b", .n = 1, .cycles_per_packet = NAN, .imix_bps = INFINITY}};
	struct lab_comparison cmp = {
		.b = 1, .c = {.verdict = FASTER, .effect = NAN, .ci_lo = -INFINITY, .ci_hi = NAN}};
	struct lab_results r = {.arm = arm,
		.n_arms = 2,
		.run = run,
		.n_runs = 3,
		.cmp = &cmp,
		.n_cmps = 1,
		.noise = NAN,
		.has_noise = true};
	struct lab_results none = {0};
	char *page;

	(void)state;
	run[0].window = w;
	run[0].n_windows = 2;
	page = lab_report_html(&r);
	assert_non_null(page);
	assert_int_equal(times(page, "<circle class=\"run"), 3);
	assert_int_equal(times(page, "<circle class=\"run void\""), 1);
	assert_int_equal(times(page, "&lt;nothing&gt;"), 1);
	assert_int_equal(times(page, "<section"), times(page, "</section>"));
	assert_int_equal(times(page, "<svg"), times(page, "</svg>"));
	assert_int_equal(times(page, "<div"), times(page, "</div>"));
	assert_int_equal(times(page, "nan"), 0);
	assert_int_equal(times(page, "inf\""), 0);
	free(page);
	page = lab_report_html(&none);
	assert_non_null(page);
	assert_int_equal(times(page, "</html>"), 1);
	free(page);
}

static void a_filters_rules_and_counters_are_told(void **state)
{
	struct lab_arm arm[2] = {{.name = "plain", .baseline = true}, {.name = "15 rules, <last>"}};
	struct lab_filtered filter = {.arm = 1,
		.n_rules = 15,
		.n_probes = 16,
		.n_asked = 15,
		.frames = 123456,
		.hits = 123488,
		.has_hits = true};
	struct lab_told_rule rule[] = {
		{.arm = 1, .index = 5, .words = "frag 1 action drop", .hits = 32},
		{.arm = 1,
			.index = 102,
			.words = "proto 17 action pass",
			.flows = 2000,
			.hits = 123456}};
	struct lab_results r = {.arm = arm,
		.n_arms = 2,
		.filter = &filter,
		.n_filters = 1,
		.rule = rule,
		.n_rules = 2};
	char *page = lab_report_html(&r);

	(void)state;
	assert_non_null(page);
	assert_int_equal(times(page, "<h2>Filters</h2>"), 1);
	assert_non_null(strstr(page, "15 rules, &lt;last&gt;\xe2\x80\x9d: 15 rules, 16 probes"));
	assert_non_null(strstr(page, "<code>frag 1 action drop</code><td>0<td>32"));
	assert_non_null(strstr(page, "counters are not those of its frames"));
	assert_null(strstr(page, "<td>not counted"));
	free(page);
	rule[0].hits = LAB_NOT_COUNTED;
	page = lab_report_html(&r);
	assert_non_null(strstr(page, "<code>frag 1 action drop</code><td>0<td>not counted"));
	free(page);
	// A device that counts nothing is not said to.
	filter.has_hits = false;
	page = lab_report_html(&r);
	assert_null(strstr(page, "<th scope=\"col\">hits"));
	assert_null(strstr(page, "counters are not those of its frames"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_cannot_become_markup),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
		cmocka_unit_test(words_for_the_shell),
		cmocka_unit_test(counts_are_grouped),
		cmocka_unit_test(axes_hold_their_values_between_round_ticks),
		cmocka_unit_test(a_filters_rules_and_counters_are_told),
		cmocka_unit_test(results_without_numbers_still_make_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

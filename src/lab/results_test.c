// SPDX-License-Identifier: BSD-2-Clause
#include "lab/results.h"

#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/results_test.XXXXXX";

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int drop_path(void **state)
{
	(void)state;
	return unlink(path);
}

// Writes text to the path and reads it as results.
static int read_text(const char *text, struct lab_results *out, struct err *err)
{
	assert_int_equal(text_write_file(path, text, strlen(text), err), 0);
	return lab_results_read(path, out, err);
}

static void fill(struct lab_results *r)
{
	memset(r, 0, sizeof(*r));
	strcpy(r->name, "a \"quoted\" näme");
	strcpy(r->utc, "2026-03-01T12:00:00Z");
	r->seed = 0xfedcba9876543210u;
	r->noise = 0.0123456789;
	r->has_noise = true;
	r->machine.n_cpus = 2;
	r->arm = calloc(2, sizeof(r->arm[0]));
	r->n_arms = 2;
	strcpy(r->arm[1].name, "inet6");
	r->arm[1].family = 6;
	r->arm[1].median_pps = 12345678.25;
	r->run = calloc(1, sizeof(r->run[0]));
	r->n_runs = 1;
	r->run[0].arm = 1;
	r->run[0].offered = 1ull << 52;
	r->run[0].cycles_per_packet = NAN;
	strcpy(r->run[0].drop[0].name, "ip4-ttl");
	r->run[0].drop[0].n = 7;
	r->run[0].n_drops = 1;
	r->run[0].window = calloc(2, sizeof(r->run[0].window[0]));
	r->run[0].n_windows = 2;
	r->run[0].window[1].steady = true;
	r->run[0].window[1].pps = 5.5;
	r->cmp = calloc(1, sizeof(r->cmp[0]));
	r->n_cmps = 1;
	r->cmp[0].b = 1;
	r->cmp[0].c.verdict = SLOWER;
	r->cmp[0].c.ci_lo = -0.25;
	r->cmp[0].ministat = strdup("x\n+----+\n");
	r->note = calloc(1, sizeof(r->note[0]));
	r->n_notes = 1;
	strcpy(r->note[0].where, "sysctl.conf:3");
	r->setting = calloc(1, sizeof(r->setting[0]));
	r->n_settings = 1;
	strcpy(r->setting[0].value, "a\nb");
	strcpy(r->setting[0].name, "no \xff UTF-8");
	r->setting[0].differs = true;
	r->filter = calloc(1, sizeof(r->filter[0]));
	r->n_filters = 1;
	r->filter[0] = (struct lab_filtered){.arm = 1,
		.n_rules = 15,
		.n_probes = 16,
		.frames = 1ull << 40,
		.hits = 33,
		.has_hits = true};
	r->rule = calloc(2, sizeof(r->rule[0]));
	r->n_rules = 2;
	r->rule[0].hits = LAB_NOT_COUNTED;
	r->rule[1] = (struct lab_told_rule){.arm = 1, .index = 102, .words = "proto 17", .hits = 9};
}

static void what_is_written_is_read_back(void **state)
{
	struct err err = {0};
	struct lab_results a, b;
	char *text;

	(void)state;
	fill(&a);
	text = lab_results_json(&a);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"hits\": null"));
	if (read_text(text, &b, &err) != 0)
		fail_msg("%s", err.msg);
	free(text);
	assert_string_equal(a.name, b.name);
	assert_true(a.seed == b.seed);
	assert_true(fabs(a.noise - b.noise) < 1e-9);
	assert_true(b.has_noise);
	assert_int_equal(b.machine.n_cpus, 2);
	assert_int_equal(b.n_arms, 2);
	assert_int_equal(b.arm[1].family, 6);
	assert_true(b.arm[1].median_pps == 12345678.25);
	assert_int_equal(b.n_runs, 1);
	assert_true(b.run[0].offered == 1ull << 52);
	assert_true(isnan(b.run[0].cycles_per_packet));
	assert_int_equal(b.run[0].n_drops, 1);
	assert_int_equal(b.n_filters, 1);
	assert_int_equal(b.filter[0].n_rules, 15);
	assert_true(b.filter[0].frames == 1ull << 40);
	assert_true(b.filter[0].has_hits);
	assert_int_equal(b.n_rules, 2);
	assert_true(b.rule[0].hits == LAB_NOT_COUNTED);
	assert_int_equal(b.rule[1].hits, 9);
	assert_int_equal(b.rule[1].index, 102);
	assert_string_equal(b.rule[1].words, "proto 17");
	assert_string_equal(b.run[0].drop[0].name, "ip4-ttl");
	assert_int_equal(b.run[0].n_windows, 2);
	assert_false(b.run[0].window[0].steady);
	assert_true(b.run[0].window[1].steady);
	assert_true(b.run[0].window[1].pps == 5.5);
	assert_int_equal(b.cmp[0].c.verdict, SLOWER);
	assert_true(b.cmp[0].c.ci_lo == -0.25);
	assert_string_equal(b.cmp[0].ministat, "x\n+----+\n");
	assert_string_equal(b.note[0].where, "sysctl.conf:3");
	assert_int_equal(b.n_settings, 1);
	assert_string_equal(b.setting[0].value, "a\nb");
	assert_string_equal(b.setting[0].name, "no ? UTF-8");
	assert_true(b.setting[0].differs);
	lab_results_free(&a);
	lab_results_free(&b);
}

// The text with its first `from` replaced.
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	size_t len = strlen(text) + strlen(to) + 1;
	char *out = malloc(len);

	assert_non_null(at);
	assert_non_null(out);
	snprintf(out, len, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return out;
}

static void damaged_results_are_refused_with_the_place(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{"\"schema\": 1", "\"schema\": 99", "schema"},
		{"\"family\": 6", "\"family\": \"six\"", "arms[1]: arm: family is not a count"},
		{"\"median_pps\": 0", "\"x\": 0", "arms[0]: arm has no median_pps"},
		{"\"arm\": 1", "\"arm\": 2", "runs[0]: there is no arm 2"},
		{"\"offered\": 4503599627370496", "\"offered\": -1", "offered is not a count"},
		{"\"verdict_code\": 1", "\"verdict_code\": 9", "comparisons[0]"},
		{"\"seed\": \"0xf", "\"seed\": \"0xg", "seed is not a hexadecimal"},
		{"\"steady\": true", "\"steady\": 1", "runs[0]: windows[1]: window: steady"},
		{"\"utc\": \"2026", "\"utc\": \"20262026202620262026202620262026", "utc is longer"},
		{"{", "", ":"},
	};
	struct lab_results a, b = {0};
	char *text;

	(void)state;
	fill(&a);
	text = lab_results_json(&a);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		char *bad = replaced(text, cases[i].from, cases[i].to);

		assert_true(read_text(bad, &b, &err) < 0);
		if (strstr(err.msg, cases[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", err.msg, cases[i].says);
		assert_non_null(strstr(err.msg, path));
		assert_null(b.arm);
		free(bad);
	}
	free(text);
	lab_results_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(damaged_results_are_refused_with_the_place),
	};

	return cmocka_run_group_tests(tests, make_path, drop_path);
}

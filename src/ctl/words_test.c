// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/ctl.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void check(const char *line, int argc, const char *const *argv)
{
	struct ctl_words w;

	assert_int_equal(ctl_words_split(line, strlen(line), &w, NULL), 0);
	assert_int_equal(w.argc, argc);
	for (int i = 0; i < argc; i++)
		assert_string_equal(w.argv[i], argv[i]);
	assert_null(w.argv[argc]);
	ctl_words_free(&w);
}

static void blanks_part_words(void **state)
{
	(void)state;
	check("", 0, NULL);
	check(" \t ", 0, NULL);
	check("filter list", 2, (const char *[]){"filter", "list"});
	check("  filter\t10  dport 32768:0x8000 \r", 4,
		(const char *[]){"filter", "10", "dport", "32768:0x8000"});
}

static void quotes_keep_words_together(void **state)
{
	(void)state;
	check("a 'b c' \"d e\"", 3, (const char *[]){"a", "b c", "d e"});
	check("'' \"\"", 2, (const char *[]){"", ""});
	check("a'b c'd", 1, (const char *[]){"ab cd"});
	check("'a\\n\"'", 1, (const char *[]){"a\\n\""});
	check("\"\\x41\\x0a\\n\\r\\t\\\"\\\\'\"", 1, (const char *[]){"A\n\n\r\t\"\\'"});
	check("back\\slash \\", 2, (const char *[]){"back\\slash", "\\"});
}

static void refused(const char *line, size_t len, const char *text)
{
	struct ctl_words w;
	struct err err = {0};

	assert_true(ctl_words_split(line, len, &w, &err) < 0);
	assert_int_equal(w.argc, 0);
	assert_null(w.argv);
	assert_non_null(strstr(err.msg, text));
}

static void broken_lines_are_refused_in_words(void **state)
{
	char *big = malloc(CTL_LINE_MAX + 1);

	(void)state;
	refused("a \"b", 4, "inside \"");
	refused("a 'b", 4, "inside '");
	refused("\"\\q\"", 4, "backslash");
	refused("\"\\", 2, "inside \"");
	refused("\"\\x4\"", 5, "hex");
	refused("\"\\x4", 4, "backslash");
	refused("\"\\x00\"", 6, "not both 0");
	refused("a\0b", 3, "NUL");
	refused("a\nb", 3, "newline");
	memset(big, 'a', CTL_LINE_MAX + 1);
	refused(big, CTL_LINE_MAX + 1, "longer");
	free(big);
}

// Words of any bytes come back as they were; the seed is printed.
static void any_words_survive(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	for (int round = 0; round < 2000; round++) {
		char words[8][12], *argv[8], *line;
		struct ctl_words w;
		int argc = rand() % 9;

		for (int i = 0; i < argc; i++) {
			int len = rand() % 12;

			for (int j = 0; j < len; j++)
				words[i][j] = (char)(rand() % 3 != 0 ? rand() % 255 + 1
								     : " \\\"'\n\t"[rand() % 6]);
			words[i][len] = '\0';
			argv[i] = words[i];
		}
		line = ctl_words_join(argc, argv);
		check(line, argc, (const char *const *)argv);
		assert_int_equal(ctl_words_split(line, strlen(line), &w, NULL), 0);
		ctl_words_free(&w);
		free(line);
	}
}

static void plain_words_stay_readable(void **state)
{
	char *argv[] = {(char *)"filter", (char *)"10", (char *)"sip", (char *)"1.2.3.4/24"};
	char *line = ctl_words_join(4, argv);

	(void)state;
	assert_string_equal(line, "filter 10 sip 1.2.3.4/24");
	free(line);
}

// UTF-8 stays itself; other bytes come back as they were.
static void any_text_survives_json(void **state)
{
	const char *texts[] = {
		"", "plain", "gr\xc3\xbc\xc3\x9f", "\xff\xfe", "a\xc3", "\x80z\x7f\x01"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *object = json_object();
		char *back;

		ctl_text_set(object, "out", texts[i]);
		assert_int_equal(json_object_get(object, "bytes") != NULL, i >= 3);
		back = ctl_text_get(object, "out");
		assert_string_equal(back, texts[i]);
		free(back);
		assert_null(ctl_text_get(object, "err"));
		json_decref(object);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_part_words),
		cmocka_unit_test(quotes_keep_words_together),
		cmocka_unit_test(broken_lines_are_refused_in_words),
		cmocka_unit_test(any_words_survive),
		cmocka_unit_test(plain_words_stay_readable),
		cmocka_unit_test(any_text_survives_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

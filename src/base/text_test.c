// SPDX-License-Identifier: BSD-2-Clause
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void numbers_are_strict(void **state)
{
	const char *bad[] = {"", "-1", "+1", " 1", "1 ", "1k", "0x10", "1.0"};
	uint64_t v = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(text_u64(bad[i], UINT64_MAX, &v, NULL), -EINVAL);
	assert_int_equal(text_u64("18446744073709551616", UINT64_MAX, &v, NULL), -ERANGE);
	assert_int_equal(text_u64("101", 100, &v, NULL), -ERANGE);
	assert_int_equal(v, 5);
	assert_int_equal(text_u64("18446744073709551615", UINT64_MAX, &v, NULL), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(text_u64("007", 100, &v, NULL), 0);
	assert_int_equal(v, 7);
}

static void a_file_is_written_whole_and_read_back(void **state)
{
	char path[] = "/tmp/weir-text-XXXXXX";
	struct err err = {0};
	struct stat st;
	size_t len;
	char *text;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(text_write_file(path, "one\ntwo\n", 8, &err), 0);
	text = text_read_file(path, 100, &len, &err);
	assert_non_null(text);
	assert_int_equal(len, 8);
	assert_string_equal(text, "one\ntwo\n");
	free(text);
	assert_null(text_read_file(path, 7, &len, &err));
	assert_int_equal(err.code, EFBIG);
	assert_int_equal(text_write_file(path, "a\0b", 3, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_null(text_read_file(path, 100, &len, &err));
	assert_int_equal(err.code, EINVAL);
	unlink(path);
	assert_null(text_read_file(path, 100, &len, &err));
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, path));
	assert_int_equal(text_write_file("/nonexistent/x", "a", 1, &err), -ENOENT);
}

static void what_is_no_file_is_neither_read_nor_waited_for(void **state)
{
	char path[] = "/tmp/weir-text-XXXXXX";
	struct err err = {0};

	(void)state;
	assert_non_null(mkdtemp(path));
	assert_null(text_read_file(path, 100, NULL, &err));
	assert_int_equal(err.code, EISDIR);
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(text_read_file(path, 100, NULL, &err));
	assert_int_equal(err.code, EINVAL);
	assert_non_null(strstr(err.msg, "not a regular file"));
	unlink(path);
	free(text_read_file("/dev/null", 100, NULL, &err)); // an empty text
	assert_null(text_read_file("/dev/zero", 100, NULL, &err));
}

// Printed as `%+.2f`, no value is "-0.00", and none is shown as another than it is.
static void a_shown_value_has_no_negative_zero(void **state)
{
	const struct {
		double v;
		unsigned decimals;
		const char *text;
	} cases[] = {{-0.0, 2, "+0.00"}, {-0.001, 2, "+0.00"}, {-0.00499, 2, "+0.00"},
		{-0.0051, 2, "-0.01"}, {-0.4, 0, "+0"}, {-0.6, 0, "-1"}, {0.004, 2, "+0.00"},
		{-7.25, 2, "-7.25"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "%+.*f", (int)cases[i].decimals,
			text_shown(cases[i].v, cases[i].decimals));
		assert_string_equal(text, cases[i].text);
	}
	assert_true(isnan(text_shown(NAN, 2)));
}

static void errors_gather_context(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set(&err, ERANGE, "port %d: too large", 70000), -ERANGE);
	assert_int_equal(err_context(&err, "rc.conf:%d", 3), -ERANGE);
	assert_string_equal(err.msg, "rc.conf:3: port 70000: too large");
	assert_int_equal(err_set(NULL, EINVAL, "x"), -EINVAL);
	err_set(&err, EINVAL, "%s: no \xc3\xbc", "a\x1b[1m\n\x7f\tb");
	assert_string_equal(err.msg, "a?[1m?? b: no \xc3\xbc");
	err_context(&err, "c\r");
	assert_string_equal(err.msg, "c?: a?[1m?? b: no \xc3\xbc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(a_file_is_written_whole_and_read_back),
		cmocka_unit_test(what_is_no_file_is_neither_read_nor_waited_for),
		cmocka_unit_test(a_shown_value_has_no_negative_zero),
		cmocka_unit_test(errors_gather_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

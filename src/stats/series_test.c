// SPDX-License-Identifier: BSD-2-Clause
#include "stats/stats.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void holds(
	const char *text, unsigned column, const char *delim, unsigned n, const double *want)
{
	struct err err = {0};
	struct sample s;

	if (series_parse(text, strlen(text), "f", column, delim, &s, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(s.n, n);
	for (unsigned i = 0; i < n; i++)
		assert_true(s.v[i] == want[i]);
	series_free(&s);
}

static void refused(const char *text, size_t len, unsigned column, const char *sentence)
{
	struct err err = {0};
	struct sample s = {.n = 77};

	assert_int_equal(series_parse(text, len, "f", column, " \t", &s, &err), -EINVAL);
	assert_string_equal(err.msg, sentence);
	assert_int_equal(s.n, 77);
}

static void lines_give_one_value_each(void **state)
{
	const double v[] = {1, 2.5, -3e3};

	(void)state;
	holds("1\n2.5\n-3e3\n", 1, " \t", 3, v);
	holds("1\n2.5\n-3e3", 1, " \t", 3, v);
	holds("1\r\n2.5\r\n-3e3\r\n", 1, " \t", 3, v);
	holds("  1 9\n\t2.5\t\n\n -3e3 #\n", 1, " \t", 3, v);
	holds("# pps\n1 # first\n#2\n \n2,5\n-3e3\n# 4", 1, " \t", 3, v);
	holds("a 1\nb 2.5 x\nc\nd -3e3\n# e 5\ne #5", 2, " \t", 3, v);
	holds("x,1,\n,,y,2.5\nz,-3e3\n", 2, ",", 3, v);
	holds("x;1\n;;y;2,5\nz;-3e3\n", 2, ";", 3, v);
	holds("x, 1\ny, 2.5\nz,\t-3e3\n", 2, ",", 3, v);
	holds("", 1, " \t", 0, v);
	holds("\n\n# nothing\n", 1, " \t", 0, v);
	holds("1 2\n", 3, " \t", 0, v);
}

static void the_first_comma_of_a_value_is_its_point(void **state)
{
	const double v[] = {2.5, -0.25, 0.5, 0.5, 0.5, 2};

	(void)state;
	holds("2,5\n-,25\n+,5\n,5\n0x,8\n2,", 1, " \t", 6, v);
	holds("y;2,5\ny;-,25\ny; +,5\ny; ,5\ny;0x,8\ny;2,\n", 2, ";", 6, v);
}

static void a_bad_value_is_named_with_its_line(void **state)
{
	(void)state;
	refused("1\n2x\n", 5, 1, "Invalid data \"2x\" on line 2 in f");
	refused("1\n\n# 3\n4 5,6,7\n", 15, 2, "Invalid data \"5.6,7\" on line 4 in f");
	refused("nan\n", 4, 1, "Invalid data \"nan\" on line 1 in f");
	refused("1\n-inf", 6, 1, "Invalid data \"-inf\" on line 2 in f");
	refused("1e999\n", 6, 1, "Invalid data \"1e999\" on line 1 in f");
	refused("1\0002\n", 4, 1, "Invalid data \"1\" on line 1 in f");
	refused("12\n3\f4\n", 7, 1, "Invalid data \"3?4\" on line 2 in f");
}

static void a_file_is_read_in_blocks_as_it_is_parsed(void **state)
{
	enum { N = 200000 };
	char path[] = "/tmp/weir-series-XXXXXX";
	struct err err = {0};
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w+");
	struct sample s;

	(void)state;
	for (int i = 0; i < N; i++)
		fprintf(f, "%d.%03d\n", i * 7919 % 10000019, i % 1000);
	// A line longer than any block, in the column that is not read.
	fputs("5 ", f);
	for (int i = 0; i < 1000000; i++)
		putc('y', f);
	fflush(f);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (series_read(fd, path, 1, " ", &s, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(s.n, N + 1);
	for (int i = 0; i < N; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d.%03d", i * 7919 % 10000019, i % 1000);
		assert_true(s.v[i] == strtod(text, NULL));
	}
	assert_true(s.v[N] == 5);
	series_free(&s);
	fclose(f);
	unlink(path);
}

static void a_failed_read_is_said(void **state)
{
	struct err err = {0};
	struct sample s;

	(void)state;
	assert_int_equal(series_read(-1, "f", 1, " ", &s, &err), -EBADF);
	assert_string_equal(err.msg, "Cannot read f: Bad file descriptor");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_give_one_value_each),
		cmocka_unit_test(the_first_comma_of_a_value_is_its_point),
		cmocka_unit_test(a_bad_value_is_named_with_its_line),
		cmocka_unit_test(a_file_is_read_in_blocks_as_it_is_parsed),
		cmocka_unit_test(a_failed_read_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "stats/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void same_as_strtod(const char *text)
{
	char *end, *want_end;
	double want = strtod(text, &want_end);
	double got = decimal_strtod(text, &end);

	if (memcmp(&want, &got, sizeof(want)) != 0 || end != want_end)
		fail_msg("\"%s\": %a up to %td, strtod: %a up to %td", text, got, end - text, want,
			want_end - text);
}

static void words_are_read_as_by_strtod(void **state)
{
	static const char *const words[] = {"", "0", "-0", "+0.0", "1", "-1.5", ".5", "5.", ".",
		"-", "+", "e5", "1e", "1e+", "1e5", "1E-5", "1e22", "1e23", "1e-22", "1e-23",
		"1e308", "1e309", "1e-400", "0e999", "123456789012345678", "1234567890123456789",
		"12345678901234567890", "9007199254740991", "9007199254740992", "9007199254740993",
		"0.1", "0.30000000000000004", "8235045.2", "00000000000000000000001.5",
		"0.00000000000000000000000000001", "0x10", "0x1p-3", "0X", "inf", "-INF",
		"infinity", "nan", "nan(1)", "1x", "1 2", "1..2", "1.2.3", "--1", "1e5.5", "1e+05",
		"1e005", " 7", "\t7", "179769313486231570000e290", "4.9e-324",
		"2.2250738585072011e-308", "1,5", "1e1x"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		same_as_strtod(words[i]);
}

static void random_numbers_have_the_same_bits(void **state)
{
	char text[64];

	(void)state;
	srand(3);
	for (int i = 0; i < 200000; i++) {
		static const char *const formats[] = {"%.*f", "%.*e", "%.*g"};
		double v = (rand() - RAND_MAX / 2.0) * (rand() % 3 == 0 ? 1 : 1e-9 * rand());

		snprintf(text, sizeof(text), formats[rand() % 3], rand() % 18, v);
		same_as_strtod(text);
	}
}

static void random_words_end_where_strtod_ends(void **state)
{
	static const char letters[] = "0123456789..--++eExXinfan ,";
	char text[16];

	(void)state;
	srand(4);
	for (int i = 0; i < 300000; i++) {
		int n = rand() % 14;

		for (int k = 0; k < n; k++)
			text[k] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		text[n] = '\0';
		same_as_strtod(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_read_as_by_strtod),
		cmocka_unit_test(random_numbers_have_the_same_bits),
		cmocka_unit_test(random_words_end_where_strtod_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

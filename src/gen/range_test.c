// SPDX-License-Identifier: BSD-2-Clause
#include "gen/gen.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void means(const char *text, int family, const char *want, uint64_t addrs)
{
	struct gen_range r;
	struct err err = {0};
	char got[GEN_RANGE_TEXT_MAX];

	if (gen_range_parse(text, family, &r, &err) != 0)
		fail_msg("%s: %s", text, err.msg);
	assert_string_equal(gen_range_text(&r, got), want);
	assert_int_equal(gen_range_addrs(&r), addrs);
}

static void refused(const char *text, int family, const char *part)
{
	struct gen_range r, untouched;
	struct err err = {0};

	memset(&r, 0x5a, sizeof(r));
	memcpy(&untouched, &r, sizeof(r));
	assert_int_equal(gen_range_parse(text, family, &r, &err), -EINVAL);
	assert_memory_equal(&r, &untouched, sizeof(r));
	if (strstr(err.msg, part) == NULL)
		fail_msg("%s: '%s' lacks '%s'", text, err.msg, part);
}

static void ipv4_parts_left_out_have_their_defaults(void **state)
{
	(void)state;
	means("10.0.0.1", 4, "10.0.0.1:1234 to 10.0.0.1:1234", 1);
	means("198.18.10.1:2000-198.18.10.100", 4, "198.18.10.1:2000 to 198.18.10.100:2000", 100);
	means("10.0.0.1:2000-10.0.0.1:2010", 4, "10.0.0.1:2000 to 10.0.0.1:2010", 1);
	means("1.1.1.1-1.1.1.9:2000", 4, "1.1.1.1:1234 to 1.1.1.9:2000", 9);
	means("1.1.1.1:5", 4, "1.1.1.1:5 to 1.1.1.1:5", 1);
	means("0.0.0.0:0-255.255.255.255:65535", 4, "0.0.0.0:0 to 255.255.255.255:65535",
		(uint64_t)1 << 32);
}

static void ipv4_reversed_ends_are_swapped_one_by_one(void **state)
{
	(void)state;
	means("10.0.0.9-10.0.0.1", 4, "10.0.0.1:1234 to 10.0.0.9:1234", 9);
	means("10.0.0.9:7-10.0.0.1:9", 4, "10.0.0.1:7 to 10.0.0.9:9", 9);
	means("10.0.0.1:9-10.0.0.9:7", 4, "10.0.0.1:7 to 10.0.0.9:9", 9);
	means("1.1.1.1-1.1.1.9:80", 4, "1.1.1.1:80 to 1.1.1.9:1234", 9);
}

static void ports_are_c_numbers(void **state)
{
	(void)state;
	means("1.1.1.1:0x50", 4, "1.1.1.1:80 to 1.1.1.1:80", 1);
	means("1.1.1.1:010", 4, "1.1.1.1:8 to 1.1.1.1:8", 1);
	means("[2001:2::1]:0x7d0", 6, "7@[2001:2::1]:2000 to 7@[2001:2::1]:2000", 1);
}

static void ipv6_counts_in_one_group(void **state)
{
	(void)state;
	means("2001:2::1", 6, "7@[2001:2::1]:1234 to 7@[2001:2::1]:1234", 1);
	means("[2001:2:0:8001::1]-[2001:2:0:8001::64]", 6,
		"7@[2001:2:0:8001::1]:1234 to 7@[2001:2:0:8001::64]:1234", 100);
	means("[2001:2:0:1::1]:2000-[2001:2:0:1::14]:2001", 6,
		"7@[2001:2:0:1::1]:2000 to 7@[2001:2:0:1::14]:2001", 20);
	means("2001:2::1-2001:2::a", 6, "7@[2001:2::1]:1234 to 7@[2001:2::a]:1234", 10);
	means("3@2001:2::-3@2001:2:0:5::", 6, "3@[2001:2::]:1234 to 3@[2001:2:0:5::]:1234", 6);
	means("3@[2001:2::]:9-[2001:2:0:5::]", 6, "3@[2001:2::]:9 to 3@[2001:2:0:5::]:9", 6);
	means("2001:2::-3@[2001:2:0:5::]:7", 6, "3@[2001:2::]:7 to 3@[2001:2:0:5::]:1234", 6);
	means("0@1::-0@ffff::", 6, "0@[1::]:1234 to 0@[ffff::]:1234", 65535);
}

static void ipv6_start_above_its_end_stays_and_says_so(void **state)
{
	struct gen_range r;

	(void)state;
	means("2001:2::9-2001:2::1", 6, "7@[2001:2::9]:1234 to 7@[2001:2::1]:1234", 1);
	assert_int_equal(gen_range_parse("2001:2::9-2001:2::1", 6, &r, NULL), 0);
	assert_non_null(gen_range_oddity(&r));
	assert_int_equal(gen_range_parse("2001:2::1-2001:2:0:1::9", 6, &r, NULL), 0);
	assert_int_equal(gen_range_addrs(&r), 9);
	assert_non_null(gen_range_oddity(&r));
	assert_int_equal(gen_range_parse("2001:2::1-2001:2::9", 6, &r, NULL), 0);
	assert_null(gen_range_oddity(&r));
}

static void malformed_ranges_are_refused_in_words(void **state)
{
	static const char *const bad4[] = {"", "-", "1.2.3", "1.2.3-1.2.3.4", "1.2.3.4-",
		"-1.2.3.4", "1.2.3.256", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:65536", "1.2.3.4: 80",
		"1.2.3.4:-1", "1.2.3.4:80:81", "1.2.3.4-1.2.3.5-1.2.3.6", "a.b.c.d", "::1",
		"[1.2.3.4]:80", "1.2.3.4:0x", "1.2.3.4:99999999999999999999", " 1.2.3.4",
		"1.2.3.4 ", "3@1.2.3.4"};
	static const char *const bad6[] = {"", "-", "1.2.3.4", "2001:2::1-", "[2001:2::1",
		"[2001:2::1]80", "[2001:2::1]:", "[2001:2::1]:65536", "2001:2::1]:80",
		"8@2001:2::1", "@2001:2::1", "33@2001:2::1", "x@2001:2::1", "-1@2001:2::1",
		"3@2001:2::1-4@2001:2::2", "2001:2::g", "[]", "[[2001:2::1]]", "fe80::1%lo"};
	char longest[400];

	(void)state;
	for (size_t i = 0; i < sizeof(bad4) / sizeof(bad4[0]); i++)
		refused(bad4[i], 4, bad4[i]);
	for (size_t i = 0; i < sizeof(bad6) / sizeof(bad6[0]); i++)
		refused(bad6[i], 6, bad6[i]);
	memset(longest, '1', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	refused(longest, 4, "is not an address");
	refused(longest, 6, "is not an address");
	refused("1.2.3.4:65536", 4, "port 65536 is above 65535");
	refused("8@::1", 6, "0 to 7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_parts_left_out_have_their_defaults),
		cmocka_unit_test(ipv4_reversed_ends_are_swapped_one_by_one),
		cmocka_unit_test(ports_are_c_numbers),
		cmocka_unit_test(ipv6_counts_in_one_group),
		cmocka_unit_test(ipv6_start_above_its_end_stays_and_says_so),
		cmocka_unit_test(malformed_ranges_are_refused_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

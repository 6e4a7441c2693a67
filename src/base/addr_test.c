// SPDX-License-Identifier: BSD-2-Clause
#include "base/addr.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void mac_takes_colons_and_dashes(void **state)
{
	const uint8_t want[MAC_LEN] = {0, 0x1b, 0x21, 0xc4, 0x95, 0x7a};
	struct mac m;
	char text[ADDR_TEXT_MAX];

	(void)state;
	assert_int_equal(mac_parse("00:1b:21:C4:95:7a", &m, NULL), 0);
	assert_memory_equal(m.b, want, MAC_LEN);
	assert_int_equal(mac_parse("0-1b-21-c4-95-7a", &m, NULL), 0);
	assert_memory_equal(m.b, want, MAC_LEN);
	assert_string_equal(mac_text(&m, text), "00:1b:21:c4:95:7a");
}

static void malformed_macs_are_refused_in_words(void **state)
{
	const char *bad[] = {"", "00:1b:21:c4:95", "00:1b:21:c4:95:7a:00", "00:1b:21:c4:95:7g",
		"00:1b-21:c4:95:7a", "000:1b:21:c4:95:7a", "00:1b:21:c4:95:7a ", ":::::"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mac m = {{1}};
		struct err err = {0};

		assert_int_equal(mac_parse(bad[i], &m, &err), -EINVAL);
		assert_int_equal(m.b[0], 1);
		assert_non_null(strstr(err.msg, bad[i]));
	}
}

static void malformed_ipv4_is_refused(void **state)
{
	const char *bad[] = {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "1.2.3.4 ", "a.b.c.d",
		"01.2.3.4", "1..3.4", "1.2.3.-4", "1.2.3.4/8", "0x1.2.3.4", "1.2.3.0004"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint32_t ip = 77;

		assert_int_equal(ip4_parse(bad[i], &ip, NULL), -EINVAL);
		assert_int_equal(ip, 77);
	}
}

static void ipv4_is_in_host_order(void **state)
{
	uint32_t ip;
	char text[ADDR_TEXT_MAX];

	(void)state;
	assert_int_equal(ip4_parse("198.18.0.209", &ip, NULL), 0);
	assert_int_equal(ip, 0xc61200d1);
	assert_string_equal(ip4_text(ip, text), "198.18.0.209");
	assert_int_equal(ip4_parse("255.255.255.255", &ip, NULL), 0);
	assert_int_equal(ip, UINT32_MAX);
}

static void prefixes_of_both_families(void **state)
{
	struct prefix p;
	struct ip in, out;
	char text[ADDR_TEXT_MAX];

	(void)state;
	assert_int_equal(prefix_parse("198.18.0.209/25", &p, NULL), 0);
	ip_parse("198.18.0.127", &in, NULL);
	ip_parse("198.18.0.128", &out, NULL);
	assert_false(prefix_contains(&p, &in));
	assert_true(prefix_contains(&p, &out));
	prefix_mask(&p);
	assert_string_equal(prefix_text(&p, text), "198.18.0.128/25");

	assert_int_equal(prefix_parse("2001:2:0:8000::1/49", &p, NULL), 0);
	ip_parse("2001:2:0:ffff::1", &in, NULL);
	ip_parse("2001:2:0:7fff::1", &out, NULL);
	assert_true(prefix_contains(&p, &in));
	assert_false(prefix_contains(&p, &out));

	ip_parse("10.0.0.1", &in, NULL);
	assert_int_equal(prefix_parse("::/64", &p, NULL), 0);
	assert_false(prefix_contains(&p, &in));

	assert_int_equal(prefix_parse("0.0.0.0/0", &p, NULL), 0);
	assert_int_equal(p.len, 0);
	prefix_mask(&p);
	assert_int_equal(prefix_parse("10.0.0.1", &p, NULL), 0);
	assert_int_equal(p.len, 32);
	assert_int_equal(prefix_parse("10.0.0.1/33", &p, NULL), -EINVAL);
	assert_int_equal(prefix_parse("::/129", &p, NULL), -EINVAL);
	assert_int_equal(prefix_parse("::/", &p, NULL), -EINVAL);
	assert_int_equal(prefix_parse("::/-1", &p, NULL), -EINVAL);
}

// The prefix length of IPv6 means nothing to an IPv4 address.
static void a_prefix_holds_no_address_of_the_other_family(void **state)
{
	struct prefix p4, p6;
	struct ip v4, v6;

	(void)state;
	prefix_parse("0.0.0.0/0", &p4, NULL);
	prefix_parse("2001:db8::/64", &p6, NULL);
	ip_parse("32.1.13.184", &v4, NULL);
	ip_parse("2001:db8::1", &v6, NULL);
	assert_false(prefix_contains(&p4, &v6));
	assert_false(prefix_contains(&p6, &v4));
	assert_true(prefix_contains(&p6, &v6));
}

static void netmasks_must_be_contiguous(void **state)
{
	uint8_t len;

	(void)state;
	assert_int_equal(netmask_parse("255.255.255.128", &len, NULL), 0);
	assert_int_equal(len, 25);
	assert_int_equal(netmask_parse("0xffff0000", &len, NULL), 0);
	assert_int_equal(len, 16);
	assert_int_equal(netmask_parse("0.0.0.0", &len, NULL), 0);
	assert_int_equal(len, 0);
	assert_int_equal(netmask_parse("255.0.255.0", &len, NULL), -EINVAL);
	assert_int_equal(netmask_parse("0x", &len, NULL), -EINVAL);
	assert_int_equal(netmask_parse("0x1ffffffff", &len, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mac_takes_colons_and_dashes),
		cmocka_unit_test(malformed_macs_are_refused_in_words),
		cmocka_unit_test(malformed_ipv4_is_refused),
		cmocka_unit_test(ipv4_is_in_host_order),
		cmocka_unit_test(prefixes_of_both_families),
		cmocka_unit_test(a_prefix_holds_no_address_of_the_other_family),
		cmocka_unit_test(netmasks_must_be_contiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

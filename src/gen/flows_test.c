// SPDX-License-Identifier: BSD-2-Clause
#include "gen/flows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct gen_conf profile(int family, const char *src, const char *dst)
{
	struct gen_conf c = {.family = family};
	struct err err = {0};

	if (gen_range_parse(src, family, &c.src, &err) != 0 ||
		gen_range_parse(dst, family, &c.dst, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

static void is_flow(const struct flow *f, uint32_t sa, uint32_t sp, uint32_t da, uint32_t dp)
{
	if (f->saddr != sa || f->sport != sp || f->daddr != da || f->dport != dp)
		fail_msg("%x:%u > %x:%u, not %x:%u > %x:%u", f->saddr, f->sport, f->daddr, f->dport,
			sa, sp, da, dp);
}

// The order of advance, written as the four loops it is; three laps.
static void against_loops(const struct flows *f, uint32_t sa0, uint32_t sa1, uint32_t da0,
	uint32_t da1, uint32_t sp0, uint32_t sp1, uint32_t dp0, uint32_t dp1)
{
	struct flow at, next;
	uint64_t i = 0;

	flows_at(f, 0, &next);
	for (unsigned lap = 0; lap < 3; lap++)
		for (uint64_t da = da0; da <= da1; da++)
			for (uint32_t dp = dp0; dp <= dp1; dp++)
				for (uint64_t sa = sa0; sa <= sa1; sa++)
					for (uint32_t sp = sp0; sp <= sp1; sp++) {
						flows_at(f, i, &at);
						is_flow(&at, (uint32_t)sa, sp, (uint32_t)da, dp);
						is_flow(&next, (uint32_t)sa, sp, (uint32_t)da, dp);
						flows_next(f, ++i, &next);
					}
	assert_int_equal(i, 3 * f->n);
}

static void source_port_goes_fastest_destination_address_slowest(void **state)
{
	struct gen_conf c = profile(4, "10.0.0.254:65533-10.0.1.3:65535", "10.1.0.1:0-10.1.0.3:1");
	struct flows f;

	(void)state;
	flows_init(&f, &c);
	assert_int_equal(f.n, 6 * 3 * 3 * 2);
	against_loops(&f, 0x0a0000fe, 0x0a000103, 0x0a010001, 0x0a010003, 65533, 65535, 0, 1);
}

static void the_lab_profile_has_2000_flows(void **state)
{
	struct gen_conf c = profile(
		4, "198.18.10.1:2000-198.18.10.100", "198.19.10.1:2000-198.19.10.20");
	struct flows f;

	(void)state;
	flows_init(&f, &c);
	assert_int_equal(gen_conf_flows(&c), 2000);
	against_loops(&f, 0xc6120a01, 0xc6120a64, 0xc6130a01, 0xc6130a14, 2000, 2000, 2000, 2000);
}

static void whole_ranges_wrap_at_their_ends(void **state)
{
	struct gen_conf c = profile(4, "0.0.0.0:0-255.255.255.255:65535", "255.255.255.255");
	struct flow f;
	struct flows all;

	(void)state;
	flows_init(&all, &c);
	assert_int_equal(all.n, (uint64_t)1 << 48);
	flows_at(&all, ((uint64_t)1 << 48) - 1, &f);
	is_flow(&f, 0xffffffff, 65535, 0xffffffff, 1234);
	flows_next(&all, (uint64_t)1 << 48, &f);
	is_flow(&f, 0, 0, 0xffffffff, 1234);
	c = profile(4, "0.0.0.0:0-255.255.255.255:65535", "0.0.0.0:0-255.255.255.255:65535");
	assert_int_equal(gen_conf_flows(&c), UINT64_MAX);
}

static void ipv6_counts_in_the_group_of_each_range(void **state)
{
	struct gen_conf c = profile(
		6, "3@[2001:2:0:fffe::1]:7-3@[2001:2:0:ffff::1]:8", "[2001:2::1]-[2001:2::3]");
	struct flows f;

	(void)state;
	flows_init(&f, &c);
	assert_int_equal(f.n, 2 * 2 * 3);
	against_loops(&f, 0xfffe, 0xffff, 1, 3, 7, 8, 1234, 1234);
}

static void random_ends_are_unicast_and_leave_the_other_end_counting(void **state)
{
	struct gen_conf c = profile(4, "10.0.0.1", "10.1.0.1-10.1.0.4");
	unsigned high[2] = {0, 0};
	struct flow at, next;
	struct flows f;

	(void)state;
	c.random_src = true;
	c.seed = 42;
	flows_init(&f, &c);
	flows_at(&f, 0, &next);
	for (uint64_t i = 0; i < 20000; i++) {
		unsigned first;

		flows_at(&f, i, &at);
		is_flow(&next, at.saddr, at.sport, 0x0a010001 + (uint32_t)(i % 4), 1234);
		assert_int_equal(at.daddr, next.daddr);
		first = at.saddr >> 24;
		assert_true(first >= 1 && first <= 223 && first != 127);
		assert_int_not_equal(at.sport, 0);
		high[at.saddr >> 7 & 1]++;
		flows_next(&f, i + 1, &next);
	}
	// Both halves of the last octet come: 10000 each, within five deviations of 71.
	assert_in_range(high[0], 9645, 10355);
	c.seed = 43;
	flows_init(&f, &c);
	flows_at(&f, 0, &next);
	flows_at(&f, 1, &at);
	assert_int_not_equal(next.saddr, at.saddr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_port_goes_fastest_destination_address_slowest),
		cmocka_unit_test(the_lab_profile_has_2000_flows),
		cmocka_unit_test(whole_ranges_wrap_at_their_ends),
		cmocka_unit_test(ipv6_counts_in_the_group_of_each_range),
		cmocka_unit_test(random_ends_are_unicast_and_leave_the_other_end_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

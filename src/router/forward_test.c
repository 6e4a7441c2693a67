// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/rig_test.h"

#include <string.h>

static struct rig rig;

static int start(void **state)
{
	struct router_conf c = {.forward4 = true, .forward6 = true, .process_options = 1};

	rig_start(&rig, &c);
	*state = &rig;
	return 0;
}

static int stop(void **state)
{
	rig_stop(*state);
	return 0;
}

static void an_ipv4_packet_leaves_with_ttl_lowered_and_new_macs(void **state)
{
	struct rig *g = *state;
	struct frame f;

	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 18);
	assert_int_equal(rig_one(g, 0, &f), DROP_NONE);
	assert_int_equal(g->b.n, 1);
	assert_int_equal(g->b.out[0], 1);
	memcpy(f.b, rig_peer[1], 6);
	memcpy(f.b + 6, rig_mac[1], 6);
	f.b[14 + 8] = 63;
	frame_sum(&f);
	assert_int_equal(rig_len(g, 0), f.len);
	assert_memory_equal(rig_data(g, 0), f.b, f.len);
}

static void an_ipv6_packet_leaves_with_hop_limit_lowered_and_new_macs(void **state)
{
	struct rig *g = *state;
	struct frame f;

	frame_udp6(&f, "2001:2:0:1::1", "2001:2:0:8001::64", 64, 0);
	assert_int_equal(rig_one(g, 0, &f), DROP_NONE);
	assert_int_equal(g->b.n, 1);
	assert_int_equal(g->b.out[0], 1);
	memcpy(f.b, rig_peer[1], 6);
	memcpy(f.b + 6, rig_mac[1], 6);
	f.b[14 + 7] = 63;
	assert_int_equal(rig_len(g, 0), 62);
	assert_memory_equal(rig_data(g, 0), f.b, f.len);
}

static void ttl_one_is_answered_not_forwarded(void **state)
{
	struct rig *g = *state;
	struct frame f;
	const uint8_t *ip;

	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 1, 18);
	assert_int_equal(rig_one(g, 0, &f), DROP_IP4_TTL);
	assert_int_equal(g->b.n, 1);
	assert_int_equal(g->b.n_made, 1);
	assert_int_equal(g->b.out[0], 0);
	ip = rig_data(g, 0) + 14;
	assert_int_equal(rig_len(g, 0), 14 + 28 + 46);
	assert_int_equal(slow_sum(0, ip, 20), 0);
	assert_memory_equal(ip + 12, "\306\022\000\321\306\022\012\001", 8); // .0.209 > .10.1
	assert_int_equal(ip[20], 11);
	assert_int_equal(ip[21], 0);
	assert_int_equal(slow_sum(0, ip + 20, 8 + 46), 0);
	assert_memory_equal(ip + 28, f.b + 14, 46);
}

static void an_empty_burst_stays_empty(void **state)
{
	struct rig *g = *state;

	rig_clear(g);
	rig_run(g, 0, 0);
	assert_int_equal(g->b.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ipv4_packet_leaves_with_ttl_lowered_and_new_macs),
		cmocka_unit_test(an_ipv6_packet_leaves_with_hop_limit_lowered_and_new_macs),
		cmocka_unit_test(ttl_one_is_answered_not_forwarded),
		cmocka_unit_test(an_empty_burst_stays_empty),
	};

	return cmocka_run_group_tests_name("forward", tests, start, stop);
}

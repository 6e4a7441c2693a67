// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/limit.h"
#include "router/rig_test.h"

#include <rte_mbuf.h>
#include <string.h>

static struct rig rig;

static void start_with(const struct router_conf *c)
{
	struct router_conf on = *c;

	on.forward4 = on.forward6 = true;
	rig_start(&rig, &on);
}

// ICMP errors about n packets with TTL 1 at now_ns.
static unsigned errors(unsigned n, uint64_t now_ns)
{
	unsigned made = 0;

	while (n > 0) {
		unsigned part = n < BURST_MAX ? n : BURST_MAX;
		struct frame f;

		frame_udp4(&f, "198.18.10.1", "198.19.10.1", 1, 18);
		for (unsigned i = 0; i < part; i++)
			rig_put(&rig, &f);
		rig_run(&rig, 0, now_ns);
		made += rig.b.n;
		rig_clear(&rig);
		n -= part;
	}
	return made;
}

static void a_second_holds_no_more_errors_than_the_limit(void **state)
{
	struct router_conf c = {.icmp_limit_pps = 200};
	struct router_counters n;
	uint64_t second = 1000000000;

	(void)state;
	start_with(&c);
	assert_int_equal(errors(300, 5 * second), 200);
	assert_int_equal(errors(10, 5 * second), 0);
	assert_int_equal(errors(10, 5 * second + second / 100), 2); // 10 ms: 2 of 200
	assert_int_equal(errors(300, 6 * second + second / 100), 200);
	assert_int_equal(errors(300, 100 * second), 200); // rest does not add up
	assert_int_equal(errors(10, 99 * second), 0);     // nor does time that runs back
	router_counters(rig.r, &n);
	assert_int_equal(n.icmp_sent, 602);
	assert_int_equal(n.icmp_limited, 328);
	rig_stop(&rig);
}

static void without_a_limit_every_packet_is_answered(void **state)
{
	struct router_conf c = {0};

	(void)state;
	start_with(&c);
	assert_int_equal(errors(1000, 0), 1000);
	rig_stop(&rig);
}

static void the_two_families_have_a_limit_each(void **state)
{
	struct router_conf c = {.icmp_limit_pps = 1};
	struct frame f4, f6;

	(void)state;
	start_with(&c);
	frame_udp4(&f4, "198.18.10.1", "198.19.10.1", 1, 18);
	frame_udp6(&f6, "2001:2:0:1::1", "2001:2:0:8001::1", 1, 18);
	for (unsigned i = 0; i < 2; i++) {
		rig_put(&rig, &f4);
		rig_put(&rig, &f6);
	}
	rig_run(&rig, 0, 0);
	assert_int_equal(rig.b.n, 2);
	assert_int_equal(rig_data(&rig, 0)[12], 0x08);
	assert_int_equal(rig_data(&rig, 1)[12], 0x86);
	rig_stop(&rig);
}

static void very_high_limits_do_not_round_to_nothing(void **state)
{
	struct limit l;

	(void)state;
	limit_init(&l, UINT32_MAX);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(limit_take(&l, 0));
	limit_init(&l, 1000000000);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(limit_take(&l, 0));
}

static void an_error_quotes_what_the_configuration_says(void **state)
{
	static const struct {
		unsigned quote, payload, want; // want: bytes of the packet quoted
	} cases[] = {
		{0, 1000, 548}, // RFC 1812 4.3.2.3: 576 in all
		{0, 520, 548}, {0, 519, 547}, {0, 18, 46},
		{8, 1000, 28}, // never less than the header and 8 bytes
		{28, 1000, 28}, {100, 1000, 100}, {9000, 1000, 1028},
		{9000, 1472, 1472}, // but what fits into the MTU of the way back
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct router_conf c = {.icmp_quote_bytes = (uint16_t)cases[i].quote};
		const uint8_t *ip;
		struct frame f;

		start_with(&c);
		frame_udp4(&f, "198.18.10.1", "198.19.10.1", 1, cases[i].payload);
		assert_int_equal(rig_one(&rig, 0, &f), DROP_IP4_TTL);
		assert_int_equal(rig.b.n, 1);
		assert_int_equal(rig_len(&rig, 0), 14 + 28 + cases[i].want);
		ip = rig_data(&rig, 0) + 14;
		assert_memory_equal(ip + 28, f.b + 14, cases[i].want);
		assert_int_equal(slow_sum(0, ip, 20), 0);
		assert_int_equal(slow_sum(0, ip + 20, 8 + cases[i].want), 0);
		rig_stop(&rig);
	}
}

static void an_icmpv6_error_is_at_most_1280_bytes(void **state)
{
	static const unsigned payload[] = {0, 1183, 1184, 1185, 1400};
	struct router_conf c = {0};

	(void)state;
	start_with(&c);
	for (unsigned i = 0; i < 5; i++) {
		unsigned quote = 48 + payload[i] < 1232 ? 48 + payload[i] : 1232;
		const uint8_t *ip;
		uint64_t pseudo;
		struct frame f;

		frame_udp6(&f, "2001:2:0:1::1", "2001:2:0:8001::1", 1, payload[i]);
		assert_int_equal(rig_one(&rig, 0, &f), DROP_IP6_HOP_LIMIT);
		assert_int_equal(rig_len(&rig, 0), 14 + 48 + quote);
		ip = rig_data(&rig, 0) + 14;
		pseudo = 58 + 8 + quote;
		for (unsigned k = 8; k < 40; k += 2)
			pseudo += (unsigned)ip[k] << 8 | ip[k + 1];
		assert_int_equal(slow_sum(pseudo, ip + 40, 8 + quote), 0);
		assert_memory_equal(ip + 48, f.b + 14, quote);
	}
	rig_stop(&rig);
}

static void without_buffers_the_error_is_counted_not_sent(void **state)
{
	struct rte_mbuf *hold[1100];
	struct router_conf c = {0};
	struct frame f;
	unsigned n = 0;

	(void)state;
	start_with(&c);
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 1, 18);
	rig_put(&rig, &f);
	while ((hold[n] = rte_pktmbuf_alloc(rig.pool)) != NULL)
		n++;
	rig_run(&rig, 0, 0); // checks the account too
	assert_int_equal(rig.b.n, 0);
	assert_int_equal(rig.b.n_made, 1);
	assert_int_equal(rig.drops.n[DROP_NO_MBUF], 1);
	assert_int_equal(rig.drops.n[DROP_IP4_TTL], 1);
	rte_pktmbuf_free_bulk(hold, n);
	rig_stop(&rig);
}

static void a_burst_without_room_for_all_fragments_drops_the_packet_whole(void **state)
{
	struct router_conf c = {0};
	struct mac mac = rig_mac_of("02:00:00:00:00:09");
	struct prefix addr = rig_prefix("10.0.0.1/24");
	struct ip peer = rig_ip("10.0.0.2");
	struct frame f;

	(void)state;
	start_with(&c);
	assert_int_equal(router_port_add(rig.r, 2, "igb4", &mac, 68, NULL), 0);
	assert_int_equal(router_addr_add(rig.r, 2, &addr, NULL), 0);
	assert_int_equal(router_neigh_add(rig.r, &peer, &mac, NULL), 0);
	// 21 pieces each: 64 packets and 20 more for each of the first 9 make 244 of 256.
	frame_udp4(&f, "198.18.10.1", "10.0.0.2", 64, 1000);
	for (unsigned i = 0; i < BURST_MAX; i++)
		rig_put(&rig, &f);
	rig_run(&rig, 0, 0);
	assert_int_equal(rig.b.n_made, 180);
	assert_int_equal(rig.b.n, 9 * 21);
	assert_int_equal(rig.drops.n[DROP_BURST_FULL], BURST_MAX - 9);
	for (unsigned i = 0; i < rig.b.n; i++)
		assert_int_equal(rig.b.out[i], 2);
	rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_holds_no_more_errors_than_the_limit),
		cmocka_unit_test(without_a_limit_every_packet_is_answered),
		cmocka_unit_test(the_two_families_have_a_limit_each),
		cmocka_unit_test(very_high_limits_do_not_round_to_nothing),
		cmocka_unit_test(an_error_quotes_what_the_configuration_says),
		cmocka_unit_test(an_icmpv6_error_is_at_most_1280_bytes),
		cmocka_unit_test(without_buffers_the_error_is_counted_not_sent),
		cmocka_unit_test(a_burst_without_room_for_all_fragments_drops_the_packet_whole),
	};

	return cmocka_run_group_tests_name("icmp", tests, NULL, NULL);
}

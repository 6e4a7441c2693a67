// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/rig_test.h"
#include "router/slow.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The fast path, with each of its two checks, against the slow one: the same bursts of right and
// broken frames through two routers, one of which takes every packet by itself.
enum { N_BURSTS = 4000 };

static struct rig fast, slow;

static void seed(void)
{
	unsigned s = (unsigned)time(NULL);

	if (getenv("SEED") != NULL)
		s = (unsigned)strtoul(getenv("SEED"), NULL, 10);
	printf("SEED=%u\n", s);
	srandom(s);
}

static unsigned below(unsigned n)
{
	return (unsigned)random() % n;
}

static const char *pick(const char *const *list, unsigned n)
{
	return list[below(n)];
}

static void random_frame(struct frame *f)
{
	static const char *const src4[] = {"198.18.10.1", "198.18.0.203", "10.9.8.7", "0.1.2.3",
		"127.0.0.1", "169.254.1.1", "169.253.1.1", "223.255.255.255", "224.0.0.1",
		"1.0.0.0", "255.255.255.255", "126.255.255.255", "128.0.0.0"};
	static const char *const dst4[] = {"198.19.10.1", "198.19.0.203", "198.19.0.204",
		"10.1.1.1", "198.18.10.2", "127.0.0.1", "224.0.0.5", "255.255.255.255",
		"198.19.0.255", "198.19.0.209", "0.0.0.1"};
	static const char *const src6[] = {"2001:2:0:1::1", "2001:2::203", "::", "::1", "fe80::1",
		"ff02::1", "::ffff:1.2.3.4", "0:0:0:0:1::", "fec0::1", "fe7f::1"};
	static const char *const dst6[] = {"2001:2:0:8001::1", "2001:2:0:8000::203",
		"2001:2:0:8000::204", "2001:db8::1", "2001:2:0:1::2", "::1", "ff02::1", "fe80::9",
		"2001:2:0:8000::209", "::ffff:1.2.3.4"};
	unsigned payload = below(6) == 0 ? 1400 + below(120) : below(60);
	uint8_t ttl = below(4) == 0 ? (uint8_t)below(4) : 64;

	if (below(2) == 0)
		frame_udp4(f, below(3) != 0 ? src4[0] : pick(src4, 13),
			below(3) != 0 ? dst4[0] : pick(dst4, 11), ttl, payload);
	else
		frame_udp6(f, below(3) != 0 ? src6[0] : pick(src6, 10),
			below(3) != 0 ? dst6[0] : pick(dst6, 10), ttl, payload);
}

// Breaks something, or nothing.
static void mutate(struct frame *f)
{
	bool sum = f->b[12] == 8 && below(4) != 0;

	switch (below(8)) {
	case 0:
		f->b[below(f->len < 60 ? f->len : 60)] ^= (uint8_t)(1u << below(8));
		break;
	case 1:
		f->b[14 + below(40)] = (uint8_t)random();
		break;
	case 2:
		f->len = below(f->len + 1);
		break;
	case 3:
		f->len += below(80);
		break;
	case 4: // DF, MF and offsets
		if (f->b[12] == 8)
			f->b[20] = (uint8_t)(below(8) << 5);
		break;
	case 5:
		if (f->b[12] != 8)
			f->b[14 + 6] = below(2) == 0 ? 0 : 44;
		break;
	default:
		break;
	}
	if (sum && (f->b[14] & 15) >= 5)
		frame_sum(f);
}

static void slow_run(struct rig *g, uint16_t in)
{
	struct slow s = {.r = g->r, .b = &g->b};
	uint16_t out[BURST_ROOM];
	unsigned n = g->b.n, live = 0;
	bool gone[BURST_ROOM] = {false};

	g->b.in = in;
	for (unsigned i = 0; i < n; i++) {
		enum drop why;

		s.m = g->b.pkt[i];
		why = slow_packet(&s, &out[i]);
		g->b.out[i] = out[i];
		gone[i] = why != DROP_NONE;
		if (gone[i])
			burst_drop(&g->b, i, why);
	}
	for (unsigned i = 0; i < g->b.n; i++)
		if (!gone[i])
			burst_keep(&g->b, live++, i);
	g->b.n = live;
}

static void same(void)
{
	assert_int_equal(fast.b.n, slow.b.n);
	assert_int_equal(fast.b.n_dropped, slow.b.n_dropped);
	assert_int_equal(fast.b.n_made, slow.b.n_made);
	assert_memory_equal(&fast.drops, &slow.drops, sizeof(fast.drops));
	for (unsigned i = 0; i < fast.b.n; i++) {
		assert_int_equal(fast.b.out[i], slow.b.out[i]);
		assert_int_equal(rig_len(&fast, i), rig_len(&slow, i));
		assert_memory_equal(rig_data(&fast, i), rig_data(&slow, i), rig_len(&fast, i));
	}
}

static void random_bursts(void)
{
	struct router_counters c;

	seed();
	for (unsigned k = 0; k < N_BURSTS; k++) {
		unsigned n = below(BURST_MAX + 1);
		bool broken = below(4) != 0;
		struct frame f;

		for (unsigned i = 0; i < n; i++) {
			random_frame(&f);
			if (broken)
				mutate(&f);
			rig_put(&fast, &f);
			rig_put(&slow, &f);
		}
		rig_run(&fast, 0, 0);
		slow_run(&slow, 0);
		same();
		rig_clear(&fast);
		rig_clear(&slow);
	}
	router_counters(fast.r, &c);
	assert_true(c.slow > 0);
	router_counters(slow.r, &c);
	assert_true(fast.drops.n[DROP_IP4_TTL] > 0 && fast.drops.n[DROP_IP6_HOP_LIMIT] > 0);
}

static void with_conf(const struct router_conf *c, bool avx512)
{
	if (avx512 && !check_has_avx512()) {
		print_message("skipped: this processor has no AVX-512\n");
		skip();
	}
	rig_start(&fast, c);
	rig_start(&slow, c);
	fast.r->check4 = avx512 ? check4_avx512 : check4;
	fast.r->check6 = avx512 ? check6_avx512 : check6;
	random_bursts();
	rig_stop(&fast);
	rig_stop(&slow);
}

static const struct router_conf plain = {.forward4 = true, .forward6 = true, .process_options = 1};
static const struct router_conf redirects = {.forward4 = true,
	.forward6 = true,
	.redirect4 = true,
	.redirect6 = true,
	.icmp_limit_pps = 50000,
	.icmp_reply_from_interface = true};

static void scalar_checks_do_as_the_slow_path(void **state)
{
	(void)state;
	with_conf(&plain, false);
}

static void scalar_checks_do_as_the_slow_path_with_redirects(void **state)
{
	(void)state;
	with_conf(&redirects, false);
}

static void avx512_checks_do_as_the_slow_path(void **state)
{
	(void)state;
	with_conf(&plain, true);
}

static void avx512_checks_do_as_the_slow_path_with_redirects(void **state)
{
	(void)state;
	with_conf(&redirects, true);
}

// Bursts of wholly random packets hardly meet the rare values of one header field.
static void every_source_net_is_judged_alike(void **state)
{
	(void)state;
	rig_start(&fast, &plain);
	rig_start(&slow, &plain);
	for (unsigned net = 0; net < 65536; net++) {
		struct frame f;

		if (net % 64 == 0 && net != 0) {
			rig_run(&fast, 0, 0);
			slow_run(&slow, 0);
			same();
			rig_clear(&fast);
			rig_clear(&slow);
		}
		frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 18);
		f.b[14 + 12] = (uint8_t)(net >> 8);
		f.b[14 + 13] = (uint8_t)net;
		frame_sum(&f);
		rig_put(&fast, &f);
		rig_put(&slow, &f);
	}
	rig_stop(&fast);
	rig_stop(&slow);
}

// Every value of the checksum, right with its TTL, so that the carry of RFC 1624 is met.
static void every_checksum_is_updated_alike(void **state)
{
	(void)state;
	rig_start(&fast, &plain);
	for (unsigned id = 0; id < 65536; id++) {
		const uint8_t *ip;
		struct frame f;

		frame_udp4(&f, "198.18.10.1", "198.19.10.1", (uint8_t)(2 + id % 254), 18);
		f.b[14 + 4] = (uint8_t)(id >> 8);
		f.b[14 + 5] = (uint8_t)id;
		frame_sum(&f);
		rig_put(&fast, &f);
		rig_run(&fast, 0, 0);
		assert_int_equal(fast.b.n, 1);
		ip = rig_data(&fast, 0) + 14;
		f.b[14 + 8]--;
		frame_sum(&f);
		if (memcmp(ip, f.b + 14, 20) != 0)
			fail_msg("id %u: checksum %02x%02x, not %02x%02x", id, ip[10], ip[11],
				f.b[24], f.b[25]);
		rig_clear(&fast);
	}
	rig_stop(&fast);
}

static void plain_packets_do_not_take_the_slow_path(void **state)
{
	struct router_conf c = {.forward4 = true, .forward6 = true, .redirect4 = true};
	struct router_counters n;
	struct frame f;

	(void)state;
	rig_start(&fast, &c);
	for (unsigned i = 0; i < BURST_MAX; i++) {
		if (i % 3 == 0)
			frame_udp6(&f, "2001:2:0:1::1", "2001:2:0:8001::1", 64, i);
		else
			frame_udp4(&f, "198.18.10.1", "198.19.10.1", 2, i);
		rig_put(&fast, &f);
	}
	rig_run(&fast, 0, 0);
	assert_int_equal(fast.b.n, BURST_MAX);
	router_counters(fast.r, &n);
	assert_int_equal(n.slow, 0);
	rig_stop(&fast);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalar_checks_do_as_the_slow_path),
		cmocka_unit_test(scalar_checks_do_as_the_slow_path_with_redirects),
		cmocka_unit_test(avx512_checks_do_as_the_slow_path),
		cmocka_unit_test(avx512_checks_do_as_the_slow_path_with_redirects),
		cmocka_unit_test(every_source_net_is_judged_alike),
		cmocka_unit_test(every_checksum_is_updated_alike),
		cmocka_unit_test(plain_packets_do_not_take_the_slow_path),
	};

	return cmocka_run_group_tests_name("fast", tests, NULL, NULL);
}

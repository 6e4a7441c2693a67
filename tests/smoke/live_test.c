// SPDX-License-Identifier: BSD-2-Clause
// Live frames over a veth pair between two namespaces: a sender here, Weir's receiver and checker
// there.  The checker compares every byte with what the profile says, sums included.
#include "base/clock.h"
#include "gen/gen.h"
#include "lab/netns.h"
#include "port/port.h"

#include "veth_tells.h"

#include <errno.h>
#include <net/if.h>
#include <rte_mbuf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct netns *near, *far;
static struct rte_mempool *pool;

struct opening {
	const char *name;
	struct port_conf conf;
	struct port *port;
	struct err err;
};

static int open_inside(void *arg)
{
	struct opening *o = arg;

	o->port = port_open(o->name, &o->conf, &o->err);
	return 0;
}

static struct opening open_in(struct netns *ns, const char *name, bool send_only)
{
	struct opening o = {.name = name,
		.conf = {.pool = pool, .send_only = send_only, .promiscuous = !send_only}};

	netns_call(ns, open_inside, &o, &o.err);
	return o;
}

static struct port *must_open(struct netns *ns, const char *name, bool send_only)
{
	struct opening o = open_in(ns, name, send_only);

	if (o.port == NULL)
		fail_msg("%s", o.err.msg);
	return o.port;
}

static void sh(struct netns *ns, const char *script)
{
	const char *const argv[] = {"sh", "-ec", script, NULL};
	struct netns_command c = {.name = script, .argv = argv, .timeout_s = 10};
	struct err err = {0};

	if (netns_run(ns, &c, NULL, 0, &err) != 0)
		fail_msg("%s", err.msg);
}

static int set_up(void **state)
{
	struct port_env env = {.pages = PAGES_SMALL, .first_cpu = -1, .memory_mb = 128};
	struct err err = {0};
	char script[256];

	(void)state;
	near = netns_new(&err);
	far = near != NULL ? netns_new(&err) : NULL;
	if (far == NULL || port_init(&env, &err) != 0 ||
		(pool = port_pool("live", 16384, 2000, &err)) == NULL) {
		print_error("%s\n", err.msg);
		return -1;
	}
	netns_write(near, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1", NULL);
	netns_write(far, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1", NULL);
	snprintf(script, sizeof(script), "ip link add va netns %d type veth peer name vb netns %d",
		(int)netns_pid(near), (int)netns_pid(far));
	sh(NULL, script);
	sh(near, "ip link set va up");
	sh(far, "ip link set vb up");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	port_pool_free(pool);
	port_fini();
	netns_free(near);
	netns_free(far);
	return 0;
}

static struct gen_conf profile(int family, const char *src, const char *dst)
{
	struct gen_conf c = {.family = family,
		.smac = {{2, 0, 0, 0, 0, 1}},
		.dmac = {{2, 0, 0, 0, 0, 2}},
		.len = family == 4 ? 60 : 70,
		.burst = 512,
		.stamp = true,
		.run = 0x01020304,
		.seed = 5};

	assert_int_equal(gen_range_parse(src, family, &c.src, NULL), 0);
	assert_int_equal(gen_range_parse(dst, family, &c.dst, NULL), 0);
	return c;
}

static struct gen_conf flows2000(int family)
{
	return family == 4 ? profile(4, "198.18.10.1:2000-198.18.10.100",
				     "198.19.10.1:2000-198.19.10.20")
			   : profile(6, "[2001:2:0:1::1]-[2001:2:0:1::14]",
				     "[2001:2:0:8001::1]-[2001:2:0:8001::64]");
}

// Sends conf->count frames, 512 at a time, and takes them off the other end in between.
static struct checker_counters carry(
	const struct gen_conf *c, struct port *out, struct port *in, unsigned hops)
{
	struct err err = {0};
	struct sender *s = sender_new(c, out, 0, pool, &err);
	struct checker *k = checker_new(c, hops, NULL, NULL, in, 0, &err);
	uint64_t end = clock_ns() + 30000000000u, quiet = 0;
	struct sender_counters sent;
	struct checker_counters got;

	if (s == NULL || k == NULL)
		fail_msg("%s", err.msg);
	while (clock_ns() < end && (!sender_done(s) || clock_ns() - quiet < 300000000)) {
		if (!sender_done(s))
			sender_step(s, clock_cycles());
		while (checker_step(k) > 0)
			quiet = clock_ns();
	}
	sender_counters(s, &sent);
	checker_counters(k, &got);
	if (!sender_done(s))
		fail_msg("sent %llu, refused %llu times: %s; received %llu",
			(unsigned long long)sent.packets, (unsigned long long)sent.refused,
			strerror(sent.error), (unsigned long long)got.packets);
	assert_int_equal(sent.packets, c->count);
	assert_int_equal(sent.packets, got.packets);
	assert_int_equal(sent.bytes, got.bytes);
	sender_free(s);
	checker_free(k);
	return got;
}

static void assert_all_good(const struct gen_conf *c)
{
	struct port *in = must_open(far, "xdp:vb", false);
	struct port *out = must_open(near, veth_tells() ? "va" : "live:va", true);
	struct checker_counters got;
	struct port_stats stats;

	assert_string_equal(port_describe(out), "va by XDP live frames");
	got = carry(c, out, in, 0);
	assert_int_equal(got.good, c->count);
	assert_int_equal(got.reordered, 0);
	port_stats(out, &stats);
	assert_int_equal(stats.tx_packets, c->count);
	assert_int_equal(stats.tx_bytes, got.bytes);
	assert_int_equal(stats.tx_errors, 0);
	port_close(out);
	port_close(in);
}

static void two_thousand_flows_arrive_as_they_were_made(void **state)
{
	(void)state;
	for (int family = 4; family <= 6; family += 2) {
		struct gen_conf c = flows2000(family);

		c.count = 100000;
		assert_all_good(&c);
	}
}

static void random_addresses_and_lengths_arrive_as_they_were_made(void **state)
{
	struct gen_conf c = flows2000(4);

	(void)state;
	c.random_src = true;
	c.len = 1514;
	c.len_min = 60;
	c.count = 50000;
	assert_all_good(&c);
}

static void long_frames_arrive_whole(void **state)
{
	struct gen_conf c = flows2000(6);

	(void)state;
	c.len = 1514;
	c.count = 20000;
	assert_all_good(&c);
}

static void any_senders_buffers_go_out_too(void **state)
{
	struct port *in = must_open(far, "xdp:vb", false), *out = must_open(near, "live:va", true);
	struct gen_conf c = flows2000(4);
	struct port_stats stats;
	unsigned got = 0, n;
	uint8_t frame[1514];

	(void)state;
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 5);
	memcpy(frame, c.dmac.b, 6);
	for (unsigned len = 14; len <= 1514; len += 100)
		assert_true(gen_frame_send(out, 0, pool, frame, len));
	for (uint64_t end = clock_ns() + 2000000000; got < 16 && clock_ns() < end;) {
		struct rte_mbuf *m[64];

		n = port_rx(in, 0, m, 64);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(m[i]->pkt_len, 14 + 100 * got++);
			assert_memory_equal(
				rte_pktmbuf_mtod(m[i], const void *), frame, m[i]->pkt_len);
		}
		port_free(m, n);
	}
	assert_int_equal(got, 16);
	port_stats(out, &stats);
	assert_int_equal(stats.tx_packets, 16);
	port_close(out);
	port_close(in);
}

static void a_veth_without_a_receiver_is_told_beforehand(void **state)
{
	struct opening o;

	(void)state;
	if (veth_tells()) {
		o = open_in(near, "live:va", true);
		assert_null(o.port);
		assert_int_equal(o.err.code, EOPNOTSUPP);
		assert_non_null(strstr(o.err.msg, "live:va: "));
		assert_non_null(strstr(o.err.msg, "GRO"));
	}
	o = open_in(near, "va", true);
	assert_non_null(o.port);
	assert_non_null(strstr(port_describe(o.port), "AF_XDP"));
	assert_non_null(strstr(port_describe(o.port), "not by live frames: "));
	port_close(o.port);
}

static void who_receives_gets_sockets(void **state)
{
	struct port *in = must_open(far, "xdp:vb", false), *out = must_open(near, "va", false);
	struct opening o = open_in(near, "live:va", false);

	(void)state;
	assert_non_null(strstr(port_describe(out), "AF_XDP"));
	assert_null(strstr(port_describe(out), "live"));
	assert_null(o.port);
	assert_non_null(strstr(o.err.msg, "only sent"));
	port_close(out);
	port_close(in);
}

// The kernel's ring of a veth has 256 places, and the far end takes nothing while it is down.
static void what_the_device_refuses_is_not_counted_as_sent(void **state)
{
	struct port *in = must_open(far, "xdp:vb", false), *out = must_open(near, "live:va", true);
	struct gen_conf c = flows2000(4);
	struct sender_counters sent;
	struct port_stats stats;
	struct sender *s = sender_new(&c, out, 0, pool, NULL);

	(void)state;
	assert_non_null(s);
	sh(far, "ip link set vb down");
	assert_int_equal(sender_step(s, clock_cycles()), 0);
	sender_counters(s, &sent);
	assert_int_equal(sent.packets, 0);
	assert_int_equal(sent.refused, 1);
	assert_int_not_equal(sent.error, 0);
	port_stats(out, &stats);
	assert_int_equal(stats.tx_packets, 0);
	assert_int_equal(stats.tx_errors, c.burst);
	sh(far, "ip link set vb up");
	sender_free(s);
	port_close(out);
	port_close(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_thousand_flows_arrive_as_they_were_made),
		cmocka_unit_test(random_addresses_and_lengths_arrive_as_they_were_made),
		cmocka_unit_test(long_frames_arrive_whole),
		cmocka_unit_test(any_senders_buffers_go_out_too),
		cmocka_unit_test(a_veth_without_a_receiver_is_told_beforehand),
		cmocka_unit_test(who_receives_gets_sockets),
		cmocka_unit_test(what_the_device_refuses_is_not_counted_as_sent),
	};
	struct netns *probe = NULL;
	struct err err = {0};

	if (geteuid() != 0 || (probe = netns_new(&err)) == NULL) {
		printf("skipped: %s\n", geteuid() != 0 ? "it needs root" : err.msg);
		return 77;
	}
	netns_free(probe);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: BSD-2-Clause
// Senders, receivers and pings over in-memory ports.  Time is given, so no test waits.
#include "gen/gen.h"

#include "base/clock.h"
#include "packet/pcap.h"
#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct rte_mempool *pool;
static struct port *a, *b, *null;
static uint64_t hz;

static struct port *must_open(const char *name)
{
	struct port_conf c = {.pool = pool};
	struct err err = {0};
	struct port *p = port_open(name, &c, &err);

	if (p == NULL)
		fail_msg("%s", err.msg);
	return p;
}

static int set_up(void **state)
{
	struct port_env env = {.first_cpu = -1, .memory_mb = 64};
	struct err err = {0};

	(void)state;
	if (port_init(&env, &err) != 0 || (pool = port_pool("test", 8192, 2000, &err)) == NULL) {
		print_error("%s\n", err.msg);
		return -1;
	}
	a = must_open("mem:gen");
	b = must_open("mem:gen");
	null = must_open("null");
	hz = clock_cycles_hz();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	port_close(a);
	port_close(b);
	port_close(null);
	port_pool_free(pool);
	port_fini();
	return 0;
}

static struct gen_conf profile(void)
{
	struct gen_conf c = {.family = 4, .len = 60, .burst = 64};

	assert_int_equal(gen_range_parse("198.18.10.1:2000-198.18.10.100", 4, &c.src, NULL), 0);
	assert_int_equal(gen_range_parse("198.19.10.1:2000-198.19.10.20", 4, &c.dst, NULL), 0);
	return c;
}

static struct sender *must_send(const struct gen_conf *c, struct port *p)
{
	struct err err = {0};
	struct sender *s = sender_new(c, p, 0, pool, &err);

	if (s == NULL)
		fail_msg("%s", err.msg);
	return s;
}

static struct receiver *must_receive(struct receiver_conf c)
{
	struct err err = {0};
	struct receiver *r = receiver_new(&c, b, 0, &err);

	if (r == NULL)
		fail_msg("%s", err.msg);
	return r;
}

// Whatever is on its way to b.
static void drain(void)
{
	struct rte_mbuf *m[64];
	unsigned n;

	while ((n = port_rx(b, 0, m, 64)) != 0)
		port_free(m, n);
}

static void a_sender_sends_its_count_and_no_more(void **state)
{
	struct gen_conf c = profile();
	struct sender_counters n;
	struct sender *s;

	(void)state;
	c.count = 1000;
	c.burst = 512;
	s = must_send(&c, null);
	assert_int_equal(sender_step(s, 1), 512);
	assert_false(sender_done(s));
	assert_int_equal(sender_step(s, 1), 488);
	assert_true(sender_done(s));
	assert_int_equal(sender_step(s, 1), 0);
	sender_counters(s, &n);
	assert_int_equal(n.packets, 1000);
	assert_int_equal(n.bytes, 60000);
	assert_int_equal(n.events, 2);
	assert_int_equal(n.refused, 0);
	sender_free(s);
}

static void random_lengths_are_counted_as_sent(void **state)
{
	struct gen_conf c = profile();
	struct receiver *r = must_receive((struct receiver_conf){.burst = 512, .slots = 1024});
	struct receiver_counters got;
	struct sender_counters sent;
	struct sender *s;

	(void)state;
	c.len = 1514;
	c.len_min = 60;
	c.count = 5000;
	s = must_send(&c, a);
	while (!sender_done(s)) {
		sender_step(s, 1);
		receiver_step(r);
	}
	while (receiver_step(r) != 0)
		;
	sender_counters(s, &sent);
	receiver_counters(r, &got);
	assert_int_equal(sent.packets, 5000);
	assert_int_equal(got.packets, 5000);
	assert_int_equal(got.bytes, sent.bytes);
	assert_in_range(sent.bytes, 5000 * 700, 5000 * 880);
	sender_free(s);
	receiver_free(r);
}

static void no_complaint(void *arg, enum receiver_event e, uint32_t expected, uint32_t found)
{
	(void)arg;
	fail_msg("event %d: %u, %u", e, expected, found);
}

// What a full ring refuses is offered again: no number is missing or twice, and none is counted
// before the port took it.
static void refused_frames_are_sent_later(void **state)
{
	struct receiver *r = must_receive((struct receiver_conf){
		.burst = 4000, .slots = 1024, .sequence = true, .event = no_complaint});
	struct gen_conf c = profile();
	struct receiver_counters got;
	struct sender_counters sent;
	struct sender *s;

	(void)state;
	c.txseq = true;
	c.burst = 4000;
	c.count = 20000;
	s = must_send(&c, a);
	for (uint64_t total = 0; !sender_done(s);) {
		sender_step(s, 1);
		receiver_step(r);
		sender_counters(s, &sent);
		receiver_counters(r, &got);
		assert_int_equal(got.packets, sent.packets);
		assert_true(sent.packets > total);
		total = sent.packets;
	}
	assert_int_equal(got.packets, 20000);
	assert_int_equal(got.gaps, 0);
	assert_true(sent.refused > 0);
	sender_free(s);
	receiver_free(r);
}

static void a_rate_holds_over_ten_seconds(void **state)
{
	static const uint64_t rates[] = {100, 14881, 1488095};
	const uint64_t start = 12345678901;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned group = 1; group <= 300; group += 299) {
			struct gen_conf c = profile();
			uint64_t sent = 0, now = start, step = hz / 20000;
			struct sender *s;

			c.rate_pps = rates[i];
			c.burst = 512;
			c.pace_group = group;
			s = must_send(&c, null);
			for (; now < start + 10 * hz; now += step)
				sent += sender_step(s, now);
			// One group, and what fell due since the last step, may be out.
			assert_in_range(
				sent, 10 * rates[i] - group - rates[i] / 20000 - 1, 10 * rates[i]);
			sender_free(s);
		}
}

static void the_last_group_does_not_wait_for_more(void **state)
{
	struct gen_conf c = profile();
	struct sender *s;

	(void)state;
	c.rate_pps = 1000;
	c.pace_group = c.burst = 64;
	c.count = 100;
	s = must_send(&c, null);
	assert_int_equal(sender_step(s, 1000), 0);
	assert_int_equal(sender_step(s, 1000 + hz * 65 / 1000), 64);
	assert_int_equal(sender_step(s, 1000 + hz * 99 / 1000), 0);
	assert_int_equal(sender_wait(s, 1000 + hz * 99 / 1000) / (hz / 10000), 10);
	assert_int_equal(sender_step(s, 1000 + hz * 101 / 1000), 36);
	assert_true(sender_done(s));
	sender_free(s);
}

static void frames_beyond_the_ports_mtu_are_refused(void **state)
{
	struct gen_conf c = profile();
	struct err err = {0};

	(void)state;
	c.len = 1514;
	sender_free(must_send(&c, null));
	c.len = 1515;
	assert_null(sender_new(&c, null, 0, pool, &err));
	assert_int_equal(err.code, EMSGSIZE);
	assert_non_null(strstr(err.msg, "1515"));
}

// Frame i of the capture has 20 + i bytes, all of them i, and comes at the time given.
static struct gen_capture *make_capture(const uint64_t *at_us, unsigned n)
{
	char path[] = "/tmp/weir-gen-XXXXXX";
	uint8_t bytes[200];
	struct err err = {0};
	int fd = mkstemp(path);
	struct pcapfile_writer *w = pcapfile_create(path, &err);
	struct gen_capture *c;

	assert_true(fd >= 0);
	close(fd);
	assert_non_null(w);
	for (unsigned i = 0; i < n; i++) {
		memset(bytes, (int)i, sizeof(bytes));
		pcapfile_put(w, 1000000000000 + at_us[i] * 1000, bytes, 20 + i);
	}
	assert_int_equal(pcapfile_close(w, &err), 0);
	c = gen_capture_read(path, &err);
	unlink(path);
	if (c == NULL)
		fail_msg("%s", err.msg);
	return c;
}

struct seen {
	unsigned n;
	unsigned len[64];
	uint8_t first[64];
};

static void note(void *arg, const uint8_t *frame, unsigned len)
{
	struct seen *s = arg;

	if (s->n < 64) {
		s->len[s->n] = len;
		s->first[s->n] = frame[0];
		assert_int_equal(frame[len - 1], frame[0]);
	}
	s->n++;
}

static void a_whole_capture_is_sent_again_and_again(void **state)
{
	const uint64_t at[] = {0, 10, 30};
	struct gen_capture *capture = make_capture(at, 3);
	struct seen seen = {0};
	struct receiver *r = must_receive(
		(struct receiver_conf){.burst = 64, .slots = 1024, .look = note, .arg = &seen});
	struct gen_conf c = profile();
	struct sender *s;

	(void)state;
	assert_int_equal(gen_capture_frames(capture), 3);
	assert_int_equal(gen_capture_longest(capture), 22);
	c.capture = capture;
	c.count = 8;
	s = must_send(&c, a);
	assert_int_equal(sender_step(s, 1), 8);
	assert_int_equal(receiver_step(r), 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(seen.len[i], 20 + i % 3);
		assert_int_equal(seen.first[i], i % 3);
	}
	sender_free(s);
	receiver_free(r);
	gen_capture_free(capture);
}

static void a_captures_timing_is_kept(void **state)
{
	// Frame 2 lies before frame 1 in time and goes at once; a lap lasts 3 ms and a mean distance
	// of 1 ms.
	const uint64_t at[] = {0, 2000, 1500, 3000};
	struct gen_capture *capture = make_capture(at, 4);
	struct gen_conf c = profile();
	const uint64_t start = 777;
	struct sender *s;

	(void)state;
	c.capture = capture;
	c.capture_timing = true;
	s = must_send(&c, null);
	assert_int_equal(sender_step(s, start), 1);
	assert_int_equal(sender_step(s, start + hz * 19 / 10000), 0);
	assert_int_equal(sender_step(s, start + hz * 21 / 10000), 2);
	assert_in_range(
		sender_wait(s, start + hz * 21 / 10000), hz * 89 / 100000, hz * 91 / 100000);
	assert_int_equal(sender_step(s, start + hz * 31 / 10000), 1);
	assert_int_equal(sender_step(s, start + hz * 39 / 10000), 0);
	assert_int_equal(sender_step(s, start + hz * 41 / 10000), 1);
	assert_int_equal(sender_step(s, start + hz * 61 / 10000), 2);
	sender_free(s);
	gen_capture_free(capture);
}

static void unusable_captures_are_refused(void **state)
{
	const uint64_t at[] = {5, 5};
	struct gen_capture *capture = make_capture(at, 2);
	struct gen_conf c = profile();
	struct err err = {0};

	(void)state;
	c.capture = capture;
	c.capture_timing = true;
	assert_null(sender_new(&c, null, 0, pool, &err));
	assert_non_null(strstr(err.msg, "no distance"));
	c.rate_pps = 1;
	assert_null(sender_new(&c, null, 0, pool, &err));
	assert_non_null(strstr(err.msg, "either"));
	gen_capture_free(capture);
	assert_null(gen_capture_read("/nonexistent.pcap", &err));
	assert_non_null(strstr(err.msg, "/nonexistent.pcap"));
}

static void least_space_is_the_ring_less_the_backlog(void **state)
{
	struct receiver *r = must_receive((struct receiver_conf){.burst = 100, .slots = 1024});
	struct gen_conf c = profile();
	struct sender *s;

	(void)state;
	c.burst = 250;
	s = must_send(&c, a);
	assert_int_equal(receiver_min_space(r), RECEIVER_NO_SPACE_SEEN);
	receiver_step(r);
	assert_int_equal(receiver_min_space(r), RECEIVER_NO_SPACE_SEEN);
	sender_step(s, 1);
	for (unsigned i = 0; i < 3; i++)
		receiver_step(r); // 100, 100, 50
	assert_int_equal(receiver_min_space(r), 1024 - 250);
	assert_int_equal(receiver_min_space(r), RECEIVER_NO_SPACE_SEEN);
	sender_free(s);
	c.burst = 7;
	s = must_send(&c, a);
	sender_step(s, 1);
	receiver_step(r);
	assert_int_equal(receiver_min_space(r), 1024 - 7);
	sender_free(s);
	receiver_free(r);
}

struct events {
	unsigned n;
	enum receiver_event e[8];
	uint32_t expected[8], found[8];
};

static void keep(void *arg, enum receiver_event e, uint32_t expected, uint32_t found)
{
	struct events *k = arg;

	assert_true(k->n < 8);
	k->e[k->n] = e;
	k->expected[k->n] = expected;
	k->found[k->n++] = found;
}

// Frames of a txseq sender, taken off the wire and put back in another order.
static void a_receiver_follows_the_sequence(void **state)
{
	static const unsigned order[] = {2, 3, 6, 4, 7};
	struct events k = {0};
	struct receiver *r = must_receive((struct receiver_conf){
		.burst = 64, .slots = 1024, .sequence = true, .event = keep, .arg = &k});
	struct receiver_counters n;
	struct gen_conf c = profile();
	struct rte_mbuf *m[8], *put[5];
	struct sender *s;

	(void)state;
	c.txseq = true;
	c.count = 8;
	s = must_send(&c, a);
	assert_int_equal(sender_step(s, 1), 8);
	assert_int_equal(port_rx(b, 0, m, 8), 8);
	for (unsigned i = 0; i < 5; i++)
		put[i] = m[order[i]];
	// The fifth frame's UDP payload is cut to 3 bytes.
	rte_pktmbuf_mtod(put[4], uint8_t *)[17] = 20 + 8 + 3;
	assert_int_equal(port_tx(a, 0, put, 5), 5);
	port_free((struct rte_mbuf *[]){m[0], m[1], m[5]}, 3);
	assert_int_equal(receiver_step(r), 5);
	assert_int_equal(k.n, 3);
	assert_int_equal(k.e[0], RECEIVER_GAP);
	assert_int_equal(k.expected[0], 4);
	assert_int_equal(k.found[0], 6);
	assert_int_equal(k.e[1], RECEIVER_OUT_OF_ORDER);
	assert_int_equal(k.expected[1], 7);
	assert_int_equal(k.found[1], 4);
	assert_int_equal(k.e[2], RECEIVER_SHORT);
	receiver_counters(r, &n);
	assert_int_equal(n.gaps, 1);
	assert_int_equal(n.out_of_order, 1);
	sender_free(s);
	receiver_free(r);
}

static void a_checker_sees_what_a_port_brings(void **state)
{
	struct gen_conf c = profile();
	struct checker_counters n;
	struct err err = {0};
	struct checker *k;
	struct sender *s;

	(void)state;
	drain();
	c.stamp = true;
	c.run = 5;
	s = must_send(&c, a);
	k = checker_new(&c, 0, &c.smac, &c.dmac, b, 0, &err);
	assert_non_null(k);
	for (unsigned i = 0; i < 200; i++) {
		assert_int_equal(sender_step(s, 1), 64);
		assert_int_equal(checker_step(k), 64);
	}
	assert_int_equal(checker_step(k), 0);
	checker_counters(k, &n);
	assert_int_equal(n.packets, 200 * 64);
	assert_int_equal(n.good, 200 * 64);
	assert_int_equal(n.bytes, 200 * 64 * 60);
	assert_int_equal(n.events, 200);
	checker_free(k);
	// The same frames with a hop too few.
	k = checker_new(&c, 1, NULL, NULL, b, 0, &err);
	sender_step(s, 1);
	checker_step(k);
	checker_counters(k, &n);
	assert_int_equal(n.good, 0);
	assert_int_equal(n.bad_ttl, 64);
	checker_free(k);
	sender_free(s);
}

static void check_echo(const uint8_t *f, unsigned len, int family)
{
	unsigned l4 = family == 4 ? 34 : 54, addrs = family == 4 ? 26 : 22;
	uint32_t sum = len - l4 + 17;

	for (unsigned i = addrs; i < len; i += 2)
		sum += (uint32_t)f[i] << 8 | (i + 1 < len ? f[i + 1] : 0);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(sum, 0xffff);
}

static void look_at_ping(void *arg, const uint8_t *frame, unsigned len)
{
	check_echo(frame, len, *(int *)arg);
}

static void ping_pong(int family, unsigned len)
{
	struct gen_conf c = {.family = family, .len = (uint16_t)len, .burst = 1, .count = 500};
	struct pinger_counters n;
	struct sender_counters back;
	struct pinger *ping;
	struct ponger *pong;

	gen_range_parse(family == 4 ? "10.0.0.1" : "2001:2::1", family, &c.src, NULL);
	gen_range_parse(family == 4 ? "10.1.0.1" : "2001:2::2", family, &c.dst, NULL);
	memset(c.dmac.b, 0xff, 6);
	c.look = look_at_ping;
	c.look_arg = &family;
	ping = pinger_new(&c, a, pool, NULL);
	pong = ponger_new(&(struct ponger_conf){.burst = 1, .count = 500}, b, NULL);
	assert_non_null(ping);
	for (unsigned i = 0; i < 2000 && !pinger_done(ping); i++) {
		pinger_step(ping, 1 + i);
		ponger_step(pong);
	}
	pinger_counters(ping, &n);
	ponger_counters(pong, &back);
	assert_int_equal(n.sent.packets, 500);
	assert_int_equal(back.packets, 500);
	assert_true(ponger_done(pong));
	assert_int_equal(n.rtt.count, 500);
	assert_int_equal(n.foreign, 0);
	assert_true(n.rtt.min_ns > 0 && n.rtt.min_ns * 500 <= n.rtt.sum_ns);
	assert_int_equal(pinger_min_ns(ping), n.rtt.min_ns);
	assert_int_equal(pinger_min_ns(ping), UINT64_MAX);
	pinger_free(ping);
	ponger_free(pong);
}

static void pings_come_back(void **state)
{
	(void)state;
	drain();
	ping_pong(4, 60);
	ping_pong(4, 54);
	ping_pong(4, 1514);
	ping_pong(6, 74);
	ping_pong(6, 301);
}

static void an_echo_has_its_addresses_swapped(void **state)
{
	struct gen_conf c = profile();
	struct ponger *pong = ponger_new(&(struct ponger_conf){.burst = 64}, b, NULL);
	struct sender *s;
	struct rte_mbuf *m[4];
	struct mac own;
	uint8_t *f;

	(void)state;
	c.count = 1;
	c.smac = (struct mac){{2, 0, 0, 0, 0, 9}};
	memset(c.dmac.b, 0xff, 6);
	s = must_send(&c, a);
	sender_step(s, 1);
	ponger_step(pong);
	assert_int_equal(port_rx(a, 0, m, 4), 1);
	f = rte_pktmbuf_mtod(m[0], uint8_t *);
	port_mac(b, &own);
	assert_memory_equal(f, c.smac.b, 6);
	assert_memory_equal(f + 6, own.b, 6);
	assert_memory_equal(f + 26, "\xc6\x13\x0a\x01\xc6\x12\x0a\x01", 8);
	check_echo(f, 60, 4);
	port_free(m, 1);
	// A frame that is not IP stays here.
	sender_free(s);
	c.rubbish = true;
	s = must_send(&c, a);
	sender_step(s, 1);
	assert_int_equal(port_rx(b, 0, m, 4), 1);
	memset(rte_pktmbuf_mtod(m[0], uint8_t *), 0, 60);
	assert_int_equal(port_tx(a, 0, m, 1), 1);
	assert_int_equal(ponger_step(pong), 1);
	assert_int_equal(port_rx(a, 0, m, 4), 0);
	sender_free(s);
	ponger_free(pong);
}

static void unanswered_pings_end_with_patience(void **state)
{
	struct gen_conf c = profile();
	struct pinger_counters n;
	struct err err = {0};
	struct pinger *p;

	(void)state;
	assert_int_equal(gen_range_parse("10.0.0.1", 4, &c.src, NULL), 0);
	assert_int_equal(gen_range_parse("10.0.0.2", 4, &c.dst, NULL), 0);
	c.burst = 1;
	c.count = 2;
	c.len = 53;
	assert_null(pinger_new(&c, null, pool, &err));
	assert_non_null(strstr(err.msg, "54"));
	c.len = 54;
	p = pinger_new(&c, null, pool, &err);
	assert_int_equal(pinger_step(p, 1), 1);
	assert_int_equal(pinger_step(p, 2), 0);
	assert_int_equal(pinger_step(p, hz * PINGER_PATIENCE_S + 2), 0);
	assert_int_equal(pinger_step(p, hz * PINGER_PATIENCE_S + 3), 1);
	assert_false(pinger_done(p));
	pinger_step(p, 2 * hz * PINGER_PATIENCE_S + 5);
	assert_true(pinger_done(p));
	pinger_counters(p, &n);
	assert_int_equal(n.timeouts, 2);
	assert_int_equal(n.rtt.count, 0);
	pinger_free(p);
}

// All buffers are back: each object frees what it held.
static void no_buffer_is_lost(void **state)
{
	(void)state;
	drain();
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_sends_its_count_and_no_more),
		cmocka_unit_test(random_lengths_are_counted_as_sent),
		cmocka_unit_test(refused_frames_are_sent_later),
		cmocka_unit_test(a_rate_holds_over_ten_seconds),
		cmocka_unit_test(the_last_group_does_not_wait_for_more),
		cmocka_unit_test(frames_beyond_the_ports_mtu_are_refused),
		cmocka_unit_test(a_whole_capture_is_sent_again_and_again),
		cmocka_unit_test(a_captures_timing_is_kept),
		cmocka_unit_test(unusable_captures_are_refused),
		cmocka_unit_test(least_space_is_the_ring_less_the_backlog),
		cmocka_unit_test(a_receiver_follows_the_sequence),
		cmocka_unit_test(a_checker_sees_what_a_port_brings),
		cmocka_unit_test(pings_come_back),
		cmocka_unit_test(an_echo_has_its_addresses_swapped),
		cmocka_unit_test(unanswered_pings_end_with_patience),
		cmocka_unit_test(no_buffer_is_lost),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "packet/build.h"

#include "packet/cksum.h"
#include "packet/parse.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct build udp4(void)
{
	struct build b = {
		.dmac = {{2, 0x11, 0x22, 0x33, 0x44, 1}},
		.smac = {{2, 0x11, 0x22, 0x33, 0x44, 2}},
		.ttl = 64,
		.proto = IPPROTO_UDP,
		.sport = 53,
		.dport = 1024,
	};

	ip_parse("192.168.0.1", &b.src, NULL);
	ip_parse("192.168.0.199", &b.dst, NULL);
	return b;
}

static struct build tcp6(void)
{
	struct build b = udp4();

	ip_parse("2001:db8::1", &b.src, NULL);
	ip_parse("2001:db8::2", &b.dst, NULL);
	b.proto = IPPROTO_TCP;
	b.tcp_flags = 0x12;
	return b;
}

// Written out by hand, the checksums by adding the words up.
static void a_udp_frame_byte_by_byte(void **state)
{
	const uint8_t want[] = {2, 0x11, 0x22, 0x33, 0x44, 1, 2, 0x11, 0x22, 0x33, 0x44, 2, 8, 0,
		0x45, 0, 0, 0x1e, 0x12, 0x34, 0x40, 0, 0x40, 0x11, 0xa6, 0x82, 192, 168, 0, 1, 192,
		168, 0, 199, 0, 53, 4, 0, 0, 10, 0x11, 0x23, 'h', 'i'};
	struct build b = udp4();
	uint8_t buf[64];

	(void)state;
	b.ip_id = 0x1234;
	b.ip_off = 0x4000;
	b.payload = "hi";
	b.payload_len = 2;
	assert_int_equal(build_frame(&b, buf, sizeof(buf)), sizeof(want));
	assert_memory_equal(buf, want, sizeof(want));
}

static void every_kind_parses_back_with_right_checksums(void **state)
{
	const uint8_t protos[] = {
		IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6, IPPROTO_GRE};
	uint8_t buf[2048], payload[1000];

	(void)state;
	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + 3);
	for (unsigned i = 0; i < 5 * 2 * 3 * 50; i++) {
		struct build b = i % 2 == 0 ? udp4() : tcp6();
		struct hdrs h;
		unsigned len;

		b.proto = protos[i / 2 % 5];
		b.n_vlan = (uint8_t)(i / 10 % 3);
		b.tci[0] = 7;
		b.tci[1] = 9;
		b.payload = payload;
		b.payload_len = i * 3 % sizeof(payload);
		b.icmp_type = 3;
		b.icmp_code = 4;
		len = build_frame(&b, buf, sizeof(buf));
		assert_int_not_equal(len, 0);
		assert_int_equal(packet_parse(buf, len, &h), DROP_NONE);
		assert_int_equal(h.end, len);
		assert_int_equal(h.family, i % 2 == 0 ? 4 : 6);
		assert_int_equal(h.proto, b.proto);
		assert_int_equal(h.n_vlan, b.n_vlan);
		assert_int_equal(h.tci[0], b.n_vlan > 0 ? 7 : 0);
		if (h.family == 4)
			assert_int_equal(cksum_ip4(buf + h.l3, 20), 0);
		if (b.proto == IPPROTO_TCP || b.proto == IPPROTO_UDP) {
			assert_int_equal(h.sport, 53);
			assert_int_equal(h.dport, 1024);
		}
		if (b.proto == IPPROTO_ICMP && h.family == 4)
			assert_int_equal(
				cksum_finish(cksum_add(0, buf + h.l4, (unsigned)(h.end - h.l4))),
				0);
		else if (b.proto != IPPROTO_GRE && b.proto != IPPROTO_ICMP &&
			 (b.proto != IPPROTO_ICMPV6 || h.family == 6))
			assert_int_equal(
				cksum_l4(buf + h.l3, b.proto, buf + h.l4, (unsigned)(h.end - h.l4)),
				0);
	}
}

static void an_exact_buffer_does_and_one_byte_less_does_not(void **state)
{
	struct build b = tcp6();
	uint8_t *exact;
	unsigned len;

	(void)state;
	b.n_vlan = 1;
	b.payload = "payload";
	b.payload_len = 7;
	len = 14 + 4 + 40 + 20 + 7;
	exact = malloc(len);
	assert_int_equal(build_frame(&b, exact, len), len);
	memset(exact, 0x5a, len);
	assert_int_equal(build_frame(&b, exact, len - 1), 0);
	assert_int_equal(exact[0], 0x5a); // and nothing was written
	assert_int_equal(build_frame(&b, exact, 0), 0);
	free(exact);
}

static void what_cannot_be_a_packet_is_refused(void **state)
{
	static uint8_t big[70000], payload[65536];
	struct build b = udp4(), c = udp4();

	(void)state;
	b.payload = payload;
	b.payload_len = 65535 - 20 - 8;
	assert_int_equal(build_frame(&b, big, sizeof(big)), 14 + 65535);
	b.payload_len++;
	assert_int_equal(build_frame(&b, big, sizeof(big)), 0);
	ip_parse("::1", &c.dst, NULL);
	assert_int_equal(build_frame(&c, big, sizeof(big)), 0);
	c = udp4();
	c.opt = "\1\1\1";
	c.opt_len = 3;
	assert_int_equal(build_frame(&c, big, sizeof(big)), 0);
	c.opt = payload;
	c.opt_len = 44;
	assert_int_equal(build_frame(&c, big, sizeof(big)), 0);
	c = udp4();
	c.n_vlan = 3;
	assert_int_equal(build_frame(&c, big, sizeof(big)), 0);
}

static void options_and_extension_headers_lie_before_the_upper_header(void **state)
{
	struct build b = udp4();
	uint8_t buf[128];
	struct hdrs h;
	unsigned len;

	(void)state;
	b.opt = "\1\1\1\0";
	b.opt_len = 4;
	len = build_frame(&b, buf, sizeof(buf));
	assert_int_equal(packet_parse(buf, len, &h), DROP_NONE);
	assert_true(h.ip_options);
	assert_int_equal(h.l4, 14 + 24);
	assert_int_equal(cksum_ip4(buf + 14, 24), 0);

	b = tcp6();
	b.opt = "\x06\0\1\4\0\0\0\0";
	b.opt_len = 8;
	b.opt_type = IPPROTO_HOPOPTS;
	len = build_frame(&b, buf, sizeof(buf));
	assert_int_equal(packet_parse(buf, len, &h), DROP_NONE);
	assert_true(h.ip_options);
	assert_int_equal(h.tcp_flags, 0x12);
	assert_int_equal(cksum_l4(buf + 14, IPPROTO_TCP, buf + 62, 20), 0);
}

// RFC 768: a checksum that comes out as zero is sent as all ones, as zero says "none".
static void a_zero_udp_checksum_is_sent_as_ones(void **state)
{
	struct build b = udp4();
	uint8_t buf[64], word[2] = {0, 0};

	(void)state;
	b.payload = word;
	b.payload_len = 2;
	assert_int_equal(build_frame(&b, buf, sizeof(buf)), 44);
	memcpy(word, buf + 40, 2); // the checksum as payload makes the sum all ones
	assert_int_equal(build_frame(&b, buf, sizeof(buf)), 44);
	assert_int_equal(buf[40], 0xff);
	assert_int_equal(buf[41], 0xff);
	assert_int_equal(cksum_l4(buf + 14, IPPROTO_UDP, buf + 34, 10), 0);
}

static void raw_payload_has_no_header_of_ours(void **state)
{
	struct build b = udp4();
	uint8_t buf[64];

	(void)state;
	b.raw = true;
	b.ip_off = 185;
	b.payload = "12345678";
	b.payload_len = 8;
	assert_int_equal(build_frame(&b, buf, sizeof(buf)), 42);
	assert_memory_equal(buf + 34, "12345678", 8);
	assert_int_equal(buf[23], IPPROTO_UDP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_udp_frame_byte_by_byte),
		cmocka_unit_test(every_kind_parses_back_with_right_checksums),
		cmocka_unit_test(an_exact_buffer_does_and_one_byte_less_does_not),
		cmocka_unit_test(what_cannot_be_a_packet_is_refused),
		cmocka_unit_test(options_and_extension_headers_lie_before_the_upper_header),
		cmocka_unit_test(a_zero_udp_checksum_is_sent_as_ones),
		cmocka_unit_test(raw_payload_has_no_header_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

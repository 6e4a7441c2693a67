// SPDX-License-Identifier: BSD-2-Clause
// Every frame is taken apart here by offsets alone, and its sums are added up byte by byte.
#include "gen/source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t be(const uint8_t *p, unsigned n)
{
	uint32_t v = 0;

	while (n-- > 0)
		v = v << 8 | *p++;
	return v;
}

// RFC 1071, on paper: 16-bit big-endian words, an odd byte padded with 0, end-around carry.
static uint32_t add(uint32_t sum, const uint8_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i += 2) {
		sum += (uint32_t)p[i] << 8 | (i + 1 < n ? p[i + 1] : 0);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum;
}

static void check_ip4(const uint8_t *f, unsigned len)
{
	assert_int_equal(be(f + 12, 2), 0x0800);
	assert_int_equal(be(f + 14, 2), 0x4510); // version, header length, TOS
	assert_int_equal(be(f + 16, 2), len - 14);
	assert_int_equal(be(f + 18, 4), 0x00004000); // id 0, don't fragment
	assert_int_equal(be(f + 22, 2), 0x4011);     // TTL 64, UDP
	assert_int_equal(add(0, f + 14, 20), 0xffff);
}

static void check_ip6(const uint8_t *f, unsigned len)
{
	assert_int_equal(be(f + 12, 2), 0x86dd);
	assert_int_equal(f[14], 0x60);
	assert_int_equal(be(f + 18, 2), len - 54);
	assert_int_equal(be(f + 20, 2), 0x1140); // UDP, hop limit 64
}

static void check_frame(int family, const uint8_t *f, unsigned len)
{
	unsigned l4 = family == 4 ? 34 : 54, addrs = family == 4 ? 26 : 22;
	uint32_t sum = len - l4 + 17;

	if (family == 4)
		check_ip4(f, len);
	else
		check_ip6(f, len);
	assert_int_equal(be(f + l4 + 4, 2), len - l4);
	assert_int_not_equal(be(f + l4 + 6, 2), 0);
	sum = add(sum, f + addrs, l4 - addrs); // addresses
	sum = add(sum, f + l4, len - l4);
	if (sum != 0xffff)
		fail_msg("UDP sum %04x of a frame of %u bytes", sum, len);
}

static struct gen_conf profile(int family, unsigned len, const char *src, const char *dst)
{
	struct gen_conf c = {.family = family,
		.len = (uint16_t)len,
		.burst = 64,
		.smac = {{0, 0x1b, 0x21, 0xc4, 0x95, 0x7a}},
		.dmac = {{0, 0x08, 0xa2, 0x09, 0x33, 0xda}},
		.seed = 7};
	struct err err = {0};

	if (gen_range_parse(src, family, &c.src, &err) != 0 ||
		gen_range_parse(dst, family, &c.dst, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

static void check_addresses(const struct gen_conf *c, const uint8_t *f, uint64_t i)
{
	struct flows flows;
	struct flow want;
	unsigned l4 = c->family == 4 ? 34 : 54;

	flows_init(&flows, c);
	flows_at(&flows, i, &want);
	assert_memory_equal(f, c->dmac.b, 6);
	assert_memory_equal(f + 6, c->smac.b, 6);
	assert_int_equal(be(f + l4, 2), want.sport);
	assert_int_equal(be(f + l4 + 2, 2), want.dport);
	if (c->family == 4) {
		assert_int_equal(be(f + 26, 4), want.saddr);
		assert_int_equal(be(f + 30, 4), want.daddr);
	} else {
		assert_int_equal(be(f + 22 + c->src.group * 2, 2), want.saddr);
		assert_int_equal(be(f + 38 + c->dst.group * 2, 2), want.daddr);
		assert_memory_equal(f + 22, c->src.lo.v6.b, c->src.group * 2u);
		assert_memory_equal(f + 38, c->dst.lo.v6.b, c->dst.group * 2u);
	}
}

static void check_number(const struct gen_conf *c, const uint8_t *f, uint64_t i)
{
	unsigned payload = gen_headers_len(c->family);

	if (c->txseq) {
		assert_int_equal(be(f + payload, 4), (uint32_t)i);
	} else if (c->stamp && c->len - payload < 8) {
		assert_int_equal(be(f + 14, 4), 0x60000000 | (i & 0xfffff));
	} else if (c->stamp) {
		assert_int_equal(be(f + payload, 4), c->run);
		assert_int_equal(be(f + payload + 4, 4), (uint32_t)i);
	} else if (c->family == 6) {
		assert_int_equal(be(f + 14, 4), 0x60000000);
	}
}

// n frames of a profile; the room behind each must stay as it was.
static void check_profile(const struct gen_conf *c, unsigned n)
{
	static uint8_t room[64][GEN_LEN_MAX + 64];
	uint8_t *buf[64];
	uint16_t len[64];
	struct err err = {0};
	struct source *s = source_new(c, &err);

	if (s == NULL)
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < 64; i++)
		buf[i] = room[i];
	for (uint64_t done = 0; done < n;) {
		unsigned lot = 1 + (unsigned)rand() % 64, end = c->len < 64 ? 64 : c->len;

		for (unsigned i = 0; i < lot; i++)
			memset(room[i] + end, 0xaa, 16);
		source_fill(s, buf, len, lot);
		for (unsigned i = 0; i < lot; i++, done++) {
			assert_int_equal(len[i], source_len(c, done));
			check_frame(c->family, buf[i], len[i]);
			check_addresses(c, buf[i], done);
			check_number(c, buf[i], done);
			for (unsigned k = 0; k < 16; k++)
				assert_int_equal(room[i][end + k], 0xaa);
		}
	}
	source_free(s);
}

static const char lab_src[] = "198.18.10.1:2000-198.18.10.100",
		  lab_dst[] = "198.19.10.1:2000-198.19.10.20";
static const char lab_src6[] = "[2001:2:0:1::1]-[2001:2:0:1::14]",
		  lab_dst6[] = "[2001:2:0:8001::1]-[2001:2:0:8001::64]";

static void every_frame_of_the_lab_profiles_is_right(void **state)
{
	struct gen_conf c = profile(4, 60, lab_src, lab_dst);

	(void)state;
	check_profile(&c, 4500);
	c = profile(6, 62, lab_src6, lab_dst6);
	check_profile(&c, 4500);
}

static void sums_stay_right_when_ports_wrap(void **state)
{
	struct gen_conf c = profile(
		4, 60, "10.0.0.250:65530-10.0.1.5:65535", "10.1.0.1:0-10.1.0.2:3");

	(void)state;
	check_profile(&c, 3000);
	// Too many flows for a table.
	c = profile(4, 60, "10.0.0.250:65000-10.0.1.5:65535", "10.1.0.1:0-10.1.0.9:63");
	check_profile(&c, 20000);
	c = profile(6, 70, "[2001:2::fffe]:65500-[2001:2::ffff]",
		"5@[2001:2::1]:1-5@[2001:2:0:0:0:ff::1]:9");
	check_profile(&c, 20000);
}

static void all_lengths_have_right_sums(void **state)
{
	(void)state;
	for (unsigned len = 42; len <= 1514; len++) {
		struct gen_conf c = profile(4, len, lab_src, lab_dst);

		check_profile(&c, 5);
		if (len < 62)
			continue;
		c = profile(6, len, lab_src6, lab_dst6);
		check_profile(&c, 5);
	}
	for (unsigned len = 9500; len <= GEN_LEN_MAX; len += 33) {
		struct gen_conf c = profile(4, len, lab_src, lab_dst);

		check_profile(&c, 5);
	}
}

static void random_addresses_have_right_sums(void **state)
{
	struct gen_conf c = profile(4, 60, lab_src, lab_dst);

	(void)state;
	c.random_src = true;
	check_profile(&c, 5000);
	c.random_dst = true;
	check_profile(&c, 5000);
	c = profile(6, 62, lab_src6, lab_dst6);
	c.random_src = c.random_dst = true;
	check_profile(&c, 5000);
}

static void random_lengths_lie_in_their_bounds_and_headers_follow(void **state)
{
	struct gen_conf c = profile(4, 1514, lab_src, lab_dst);
	unsigned least = 2000, most = 0;

	(void)state;
	c.len_min = 60;
	check_profile(&c, 20000);
	for (uint64_t i = 0; i < 200000; i++) {
		unsigned len = source_len(&c, i);

		assert_int_equal(len, source_len(&c, i / 64 * 64));
		least = len < least ? len : least;
		most = len > most ? len : most;
	}
	assert_in_range(least, 60, 70);
	assert_in_range(most, 1500, 1513);
	c.len_min = c.len = 777;
	check_profile(&c, 300);
	assert_int_equal(source_len(&c, 12345), 777);
	c = profile(6, 200, lab_src6, lab_dst6);
	c.len_min = 62;
	check_profile(&c, 5000);
}

static void stamps_and_numbers_are_in_place_and_in_the_sums(void **state)
{
	struct gen_conf c;

	(void)state;
	for (unsigned len = 50; len < 130; len++) {
		c = profile(4, len, lab_src, lab_dst);
		c.stamp = true;
		c.run = 0xdeadbeef;
		check_profile(&c, 300);
	}
	for (unsigned len = 62; len < 130; len++) {
		c = profile(6, len, lab_src6, lab_dst6);
		c.stamp = true;
		c.run = 1;
		check_profile(&c, 300);
	}
	c = profile(4, 60, lab_src, lab_dst);
	c.txseq = true;
	check_profile(&c, 70000); // numbers whose low half wraps
	c.random_src = true;
	check_profile(&c, 3000);
	c = profile(6, 66, lab_src6, lab_dst6);
	c.txseq = true;
	check_profile(&c, 70000);
	// The flow label's 20 bits wrap.
	c = profile(6, 62, lab_src6, lab_dst6);
	c.stamp = true;
	check_profile(&c, (1 << 20) + 300);
}

// RFC 768: a sum of zero is sent as all ones.  One of 65536 source ports gives it.
static void a_udp_sum_of_zero_becomes_ones(void **state)
{
	struct gen_conf c = profile(4, 60, "10.0.0.1:0-10.0.0.1:65535", "10.1.0.1");
	uint8_t room[64], *buf[1] = {room};
	uint16_t len;
	unsigned ones = 0;
	struct source *s = source_new(&c, NULL);

	(void)state;
	for (unsigned i = 0; i < 65536; i++) {
		source_fill(s, buf, &len, 1);
		check_frame(4, room, 60);
		ones += be(room + 40, 2) == 0xffff;
	}
	source_free(s);
	// 0xffff stands for both zeros, so one value in 65535.
	assert_in_range(ones, 1, 2);
}

static void profiles_that_make_no_sense_are_refused(void **state)
{
	struct gen_conf good = profile(4, 60, lab_src, lab_dst), c;
	struct err err = {0};

	(void)state;
	assert_int_equal(gen_conf_check(&good, &err), 0);
#define REFUSED(change, part)                                                                      \
	do {                                                                                       \
		c = good;                                                                          \
		change;                                                                            \
		assert_int_equal(gen_conf_check(&c, &err), -EINVAL);                               \
		assert_non_null(strstr(err.msg, part));                                            \
	} while (0)
	REFUSED(c.family = 5, "5");
	REFUSED(c.family = 6, "IPv6");
	REFUSED(c.len = 41, "42");
	REFUSED(c.len = GEN_LEN_MAX + 1, "9596");
	REFUSED(c.len_min = 61, "61");
	REFUSED(c.burst = 0, "burst");
	REFUSED(c.burst = GEN_BURST_MAX + 1, "burst");
	REFUSED((c.stamp = true, c.len = 49), "50");
	REFUSED((c.txseq = true, c.len = 45), "46");
	REFUSED((c.stamp = true, c.txseq = true), "one kind");
	REFUSED(c.capture_timing = true, "capture");
#undef REFUSED
	c = profile(6, 61, lab_src6, lab_dst6);
	assert_int_equal(gen_conf_check(&c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "62"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_of_the_lab_profiles_is_right),
		cmocka_unit_test(sums_stay_right_when_ports_wrap),
		cmocka_unit_test(all_lengths_have_right_sums),
		cmocka_unit_test(random_addresses_have_right_sums),
		cmocka_unit_test(random_lengths_lie_in_their_bounds_and_headers_follow),
		cmocka_unit_test(stamps_and_numbers_are_in_place_and_in_the_sums),
		cmocka_unit_test(a_udp_sum_of_zero_becomes_ones),
		cmocka_unit_test(profiles_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// A device under test is played here: frames of a source, TTL lowered, then spoiled in one way.
#include "gen/check.h"

#include "gen/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct mac behind_smac = {{2, 0, 0, 0, 0, 1}}, behind_dmac = {{2, 0, 0, 0, 0, 2}};

struct rig {
	struct gen_conf conf;
	struct source *source;
	struct check *check;
	struct checker_counters before;
	uint8_t frame[GEN_LEN_MAX + 64];
	unsigned len;
};

static struct gen_conf profile(int family, unsigned len, const char *src, const char *dst)
{
	struct gen_conf c = {.family = family,
		.len = (uint16_t)len,
		.burst = 64,
		.stamp = true,
		.run = 77,
		.seed = 3,
		.smac = {{0, 1, 2, 3, 4, 5}},
		.dmac = {{0, 1, 2, 3, 4, 6}}};
	struct err err = {0};

	if (gen_range_parse(src, family, &c.src, &err) != 0 ||
		gen_range_parse(dst, family, &c.dst, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

static struct gen_conf lab4(unsigned len)
{
	return profile(4, len, "198.18.10.1:2000-198.18.10.100", "198.19.10.1:2000-198.19.10.20");
}

static struct gen_conf lab6(unsigned len)
{
	return profile(6, len, "[2001:2:0:1::1]-[2001:2:0:1::14]",
		"[2001:2:0:8001::1]-[2001:2:0:8001::64]");
}

static void start(struct rig *r, struct gen_conf conf, enum check_how how)
{
	struct err err = {0};

	*r = (struct rig){.conf = conf};
	r->source = source_new(&conf, &err);
	r->check = check_new(&conf, 1, &behind_smac, &behind_dmac, &err);
	if (r->source == NULL || r->check == NULL)
		fail_msg("%s", err.msg);
	check_use(r->check, how);
}

static void stop(struct rig *r)
{
	source_free(r->source);
	check_free(r->check);
}

// The header checksum of an IPv4 header, added up word by word.
static void sum_ip4(uint8_t *ip)
{
	uint32_t sum = 0;

	ip[10] = ip[11] = 0;
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum;
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

// The next frame as a right device sends it on.
static void next(struct rig *r)
{
	uint8_t *buf[1] = {r->frame};
	uint16_t len;

	source_fill(r->source, buf, &len, 1);
	r->len = len;
	memcpy(r->frame, behind_dmac.b, MAC_LEN);
	memcpy(r->frame + MAC_LEN, behind_smac.b, MAC_LEN);
	if (r->conf.family == 4) {
		r->frame[22]--;
		sum_ip4(r->frame + 14);
	} else {
		r->frame[21]--;
	}
}

static void give(struct rig *r)
{
	const uint8_t *f[1] = {r->frame};
	uint16_t len[1] = {(uint16_t)r->len};

	r->before = *check_counters(r->check);
	check_frames(r->check, f, len, 1);
}

static void good(struct rig *r, unsigned n)
{
	struct checker_counters *c = check_counters(r->check);

	while (n-- > 0) {
		next(r);
		give(r);
		if (c->good != r->before.good + 1 || c->reordered != r->before.reordered)
			fail_msg("frame %llu of IPv%d length %u is not good",
				(unsigned long long)c->packets, r->conf.family, r->conf.len);
	}
}

enum count { GOOD, TTL, CHECKSUM, CONTENT, DUPLICATE, FOREIGN };

// The last frame given counted as that, and as nothing else.
static void counted_as(struct rig *r, enum count want, unsigned line)
{
	struct checker_counters *n = check_counters(r->check), *o = &r->before;
	uint64_t delta[] = {n->good - o->good, n->bad_ttl - o->bad_ttl,
		n->bad_checksum - o->bad_checksum, n->bad_content - o->bad_content,
		n->duplicate - o->duplicate, n->foreign - o->foreign};

	assert_int_equal(n->packets - o->packets, 1);
	for (unsigned i = 0; i < 6; i++)
		if (delta[i] != (i == want))
			fail_msg("line %u, IPv%d, length %u: counter %u moved by %d", line,
				r->conf.family, r->conf.len, i, (int)delta[i]);
}

#define COUNTED_AS(r, want) counted_as(r, want, __LINE__)

static const enum check_how hows[] = {CHECK_FASTEST, CHECK_PLAIN, CHECK_SLOW};

// All profiles the checks below run with.
static struct gen_conf nth(unsigned i)
{
	struct gen_conf c;

	switch (i) {
	case 0:
		return lab4(60);
	case 1:
		return lab4(50);
	case 2:
		return lab4(1514);
	case 3:
		return lab6(62);
	case 4:
		return lab6(70);
	case 5:
		return lab6(64);
	case 6:
		return lab6(1514);
	case 7: // too many flows for a table
		return profile(4, 60, "10.0.0.1:1-10.0.255.255:9", "10.1.0.1");
	case 8:
		c = lab4(300);
		c.len_min = 60;
		return c;
	case 9:
		c = lab4(60);
		c.random_src = c.random_dst = true;
		return c;
	default:
		return profile(4, 64, "10.0.0.1", "10.1.0.1");
	}
}

enum { PROFILES = 11 };

static void each(void (*test)(struct rig *r))
{
	static struct rig r;

	for (unsigned i = 0; i < PROFILES; i++)
		for (unsigned k = 0; k < 3; k++) {
			start(&r, nth(i), hows[k]);
			test(&r);
			stop(&r);
		}
}

static void all_good(struct rig *r)
{
	good(r, 5000);
	assert_int_equal(check_counters(r->check)->good, 5000);
	assert_int_equal(check_counters(r->check)->packets, 5000);
}

static void right_frames_are_good(void **state)
{
	(void)state;
	each(all_good);
}

static void ttl(struct rig *r)
{
	unsigned off = r->conf.family == 4 ? 22 : 21;

	good(r, 3);
	next(r);
	r->frame[off]++; // not lowered
	if (r->conf.family == 4)
		sum_ip4(r->frame + 14);
	give(r);
	COUNTED_AS(r, TTL);
	next(r);
	r->frame[off]--; // lowered twice
	if (r->conf.family == 4)
		sum_ip4(r->frame + 14);
	give(r);
	COUNTED_AS(r, TTL);
	good(r, 3);
}

static void a_ttl_not_lowered_by_one_is_found(void **state)
{
	(void)state;
	each(ttl);
}

static void checksum(struct rig *r)
{
	unsigned udp = r->conf.family == 4 ? 40 : 60;

	good(r, 3);
	next(r);
	r->frame[udp] ^= 1;
	give(r);
	COUNTED_AS(r, CHECKSUM);
	next(r);
	r->frame[udp] = r->frame[udp + 1] = 0; // "no checksum"
	give(r);
	COUNTED_AS(r, CHECKSUM);
	if (r->conf.family == 4) {
		next(r);
		r->frame[24] ^= 0x80;
		give(r);
		COUNTED_AS(r, CHECKSUM);
		next(r);
		r->frame[25] ^= 1; // as if the device had lowered the TTL without the sum
		give(r);
		COUNTED_AS(r, CHECKSUM);
	}
	good(r, 3);
}

static void a_wrong_checksum_is_found(void **state)
{
	(void)state;
	each(checksum);
}

static void content(struct rig *r)
{
	unsigned headers = gen_headers_len(r->conf.family);

	good(r, 3);
	// Any single bit of any byte, but those whose meaning makes the frame another's.
	for (unsigned i = 0; i < 12; i++) {
		next(r);
		r->frame[i] ^= 0x10;
		give(r);
		COUNTED_AS(r, CONTENT);
	}
	next(r);
	r->frame[15] ^= r->conf.family == 4 ? 0x03 : 0x80; // ECN; traffic class
	give(r);
	COUNTED_AS(r, CONTENT);
	next(r);
	if (r->len > headers + 8) {
		r->frame[headers + 8] ^= 0x40;
		give(r);
		COUNTED_AS(r, CONTENT);
		next(r);
		r->frame[r->len - 1] ^= 1;
		give(r);
		COUNTED_AS(r, CONTENT);
		next(r);
		r->len--;
		give(r);
		COUNTED_AS(r, CONTENT);
		next(r);
	}
	r->len += 30;
	give(r);
	COUNTED_AS(r, CONTENT);
	good(r, 3);
}

static void altered_bytes_are_found(void **state)
{
	(void)state;
	each(content);
}

static void duplicate(struct rig *r)
{
	uint8_t old[GEN_LEN_MAX];
	unsigned len;

	good(r, 100);
	next(r);
	memcpy(old, r->frame, r->len);
	len = r->len;
	give(r);
	COUNTED_AS(r, GOOD);
	give(r);
	COUNTED_AS(r, DUPLICATE);
	good(r, 3000);
	memcpy(r->frame, old, len);
	r->len = len;
	give(r);
	COUNTED_AS(r, DUPLICATE);
	assert_int_equal(check_counters(r->check)->reordered, 0);
	good(r, 10);
}

static void a_frame_that_comes_twice_is_found(void **state)
{
	(void)state;
	each(duplicate);
}

static void foreign(struct rig *r)
{
	bool random = r->conf.random_src;
	unsigned src = r->conf.family == 4 ? 26 : 22;

	good(r, 3);
	next(r);
	r->frame[src] ^= 0x80; // an address outside the range
	give(r);
	COUNTED_AS(r, FOREIGN);
	if (!random) {
		next(r);
		r->frame[gen_headers_len(r->conf.family) - 8] ^= 0x80; // a port outside
		give(r);
		COUNTED_AS(r, FOREIGN);
	}
	next(r);
	r->frame[12] = 0x08;
	r->frame[13] = 0x06; // ARP
	give(r);
	COUNTED_AS(r, FOREIGN);
	next(r);
	r->len = 20;
	give(r);
	COUNTED_AS(r, FOREIGN);
	next(r);
	r->frame[r->conf.family == 4 ? 23 : 20] = 6; // TCP
	give(r);
	COUNTED_AS(r, FOREIGN);
	if (r->conf.family == 4 || r->conf.len >= 70) {
		next(r);
		r->frame[gen_headers_len(r->conf.family) + 3] ^= 1; // another run
		give(r);
		COUNTED_AS(r, FOREIGN);
	}
	good(r, 3);
}

static void frames_of_others_are_found(void **state)
{
	(void)state;
	each(foreign);
}

// Number 0 of a run is the lowest: what lies before it was never sent.
static void a_number_before_the_first_is_foreign(void **state)
{
	struct gen_conf c = profile(6, 62, "[2001:2::1]", "[2001:2::2]");
	static struct rig r;

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		start(&r, c, hows[k]);
		good(&r, 1);
		next(&r);
		r.frame[15] = 0x0f; // label fffff
		r.frame[16] = r.frame[17] = 0xff;
		give(&r);
		COUNTED_AS(&r, FOREIGN);
		good(&r, 5);
		stop(&r);
	}
}

static void reorder(struct rig *r)
{
	uint64_t flows = gen_conf_flows(&r->conf);
	uint8_t old[GEN_LEN_MAX];
	unsigned len;

	if (r->conf.random_src || flows > 5000)
		return;
	good(r, 10);
	next(r);
	memcpy(old, r->frame, r->len);
	len = r->len;
	good(r, (unsigned)flows - 1); // of other flows
	if (flows > 1) {
		memcpy(r->frame, old, len);
		r->len = len;
		give(r);
		COUNTED_AS(r, GOOD);
		assert_int_equal(check_counters(r->check)->reordered, 0);
		next(r); // lost, as the reordered ones below
		next(r);
		memcpy(old, r->frame, r->len);
		len = r->len;
	}
	good(r, (unsigned)flows); // the last one is of its flow
	memcpy(r->frame, old, len);
	r->len = len;
	give(r);
	COUNTED_AS(r, GOOD);
	assert_int_equal(check_counters(r->check)->reordered, 1);
	give(r);
	COUNTED_AS(r, DUPLICATE);
	assert_int_equal(check_counters(r->check)->reordered, 1);
}

static void a_frame_behind_a_later_one_of_its_flow_is_reordered(void **state)
{
	(void)state;
	each(reorder);
}

static void loss(struct rig *r)
{
	unsigned lost = 0;

	srand(5);
	for (unsigned i = 0; i < 3000; i++) {
		for (unsigned k = (unsigned)rand() % 3 == 0 ? (unsigned)rand() % 300 : 0; k > 0;
			k--, lost++)
			next(r);
		good(r, 1);
	}
	// A hole wider than the window of duplicates.
	for (unsigned i = 0; i < 300000 && r->conf.len < 100; i++)
		next(r);
	good(r, 200);
	give(r);
	COUNTED_AS(r, DUPLICATE);
	assert_true(lost > 1000);
}

static void lost_frames_do_not_hide_what_follows(void **state)
{
	(void)state;
	each(loss);
}

// The same spoiled series in lots of all sizes, through all three ways.
static void all_ways_find_the_same(void **state)
{
	struct checker_counters want = {0};
	static struct rig r;

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		static uint8_t room[64][1600];
		const uint8_t *f[64];
		uint16_t len[64];
		struct checker_counters *got;

		start(&r, lab4(60), hows[k]);
		srand(9);
		for (unsigned lots = 0; lots < 500; lots++) {
			unsigned n = (unsigned)rand() % 65;

			for (unsigned i = 0; i < n; i++) {
				if (i == 0 || rand() % 20 != 0)
					next(&r);
				memcpy(room[i], r.frame, r.len);
				if (rand() % 10 == 0)
					room[i][rand() % 60] ^= (uint8_t)(1 << rand() % 8);
				f[i] = room[i];
				len[i] = (uint16_t)r.len;
			}
			check_frames(r.check, f, len, n);
		}
		got = check_counters(r.check);
		assert_int_equal(got->packets, got->good + got->bad_ttl + got->bad_checksum +
						       got->bad_content + got->duplicate +
						       got->foreign);
		assert_true(got->bad_ttl > 10 && got->bad_checksum > 10 && got->bad_content > 10 &&
			    got->duplicate > 10 && got->foreign > 10);
		if (k == 0)
			want = *got;
		assert_memory_equal(&want, got, sizeof(want));
		stop(&r);
	}
}

// A real port pads to 60 bytes, and MAC addresses nobody asked about may be any.
static void padding_and_unasked_macs_are_no_fault(void **state)
{
	struct gen_conf c = lab4(52);
	static struct rig r;

	(void)state;
	start(&r, c, CHECK_FASTEST);
	next(&r);
	memset(r.frame + 52, 0, 8);
	r.len = 60;
	give(&r);
	COUNTED_AS(&r, GOOD);
	stop(&r);
	start(&r, lab4(60), CHECK_FASTEST);
	check_free(r.check);
	r.check = check_new(&r.conf, 1, NULL, NULL, NULL);
	next(&r);
	memset(r.frame, 0x42, 12);
	give(&r);
	COUNTED_AS(&r, GOOD);
	stop(&r);
}

static void unstamped_profiles_are_refused(void **state)
{
	struct gen_conf c = lab4(60);
	struct err err = {0};

	(void)state;
	c.stamp = false;
	assert_null(check_new(&c, 1, NULL, NULL, &err));
	assert_non_null(strstr(err.msg, "stamped"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_frames_are_good),
		cmocka_unit_test(a_ttl_not_lowered_by_one_is_found),
		cmocka_unit_test(a_wrong_checksum_is_found),
		cmocka_unit_test(altered_bytes_are_found),
		cmocka_unit_test(a_frame_that_comes_twice_is_found),
		cmocka_unit_test(frames_of_others_are_found),
		cmocka_unit_test(a_number_before_the_first_is_foreign),
		cmocka_unit_test(a_frame_behind_a_later_one_of_its_flow_is_reordered),
		cmocka_unit_test(lost_frames_do_not_hide_what_follows),
		cmocka_unit_test(all_ways_find_the_same),
		cmocka_unit_test(padding_and_unasked_macs_are_no_fault),
		cmocka_unit_test(unstamped_profiles_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

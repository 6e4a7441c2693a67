// SPDX-License-Identifier: BSD-2-Clause
#include "packet/cksum.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

// The slow obvious version: big-endian words by bytes, carry folded at each step.  Host order.
static uint16_t slow_sum(uint16_t sum, const uint8_t *p, unsigned len)
{
	uint32_t s = sum;

	for (unsigned i = 0; i < len; i++) {
		s += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
		if (s > 0xffff)
			s -= 0xffff;
	}
	return (uint16_t)s;
}

static uint64_t seed_random(void)
{
	unsigned seed = (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	srand(seed);
	return seed;
}

static void fill_random(uint8_t *p, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		p[i] = (uint8_t)(rand() >> 7);
}

// RFC 1071 3: the example's bytes sum to ddf2.
static void the_example_of_rfc_1071(void **state)
{
	const uint8_t b[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};

	(void)state;
	assert_int_equal(cksum_finish(cksum_add(0, b, 8)), htons((uint16_t)~0xddf2));
}

static void any_length_and_alignment_agrees_with_the_byte_sum(void **state)
{
	uint8_t buf[1600];

	(void)state;
	seed_random();
	fill_random(buf, sizeof(buf));
	for (unsigned off = 0; off < 8; off++) {
		for (unsigned len = 0; len < 1590; len = len < 80 ? len + 1 : len + 37) {
			uint16_t want = htons((uint16_t)~slow_sum(0, buf + off, len));

			assert_int_equal(cksum_finish(cksum_add(0, buf + off, len)), want);
		}
	}
}

static void all_ones_do_not_overflow(void **state)
{
	static uint8_t buf[65536];

	(void)state;
	memset(buf, 0xff, sizeof(buf));
	assert_int_equal(cksum_finish(cksum_add(0, buf, sizeof(buf))), 0);
	assert_int_equal(cksum_finish(cksum_add(UINT32_MAX, buf, 65535)),
		htons((uint16_t)~slow_sum(0xffff, buf, 65535)));
	memset(buf, 0, sizeof(buf));
	assert_int_equal(cksum_finish(cksum_add(0, buf, sizeof(buf))), 0xffff);
}

static void pieces_sum_like_the_whole(void **state)
{
	uint8_t buf[100];
	uint64_t sum;

	(void)state;
	seed_random();
	fill_random(buf, sizeof(buf));
	sum = cksum_add(0, buf, 14);
	sum = cksum_add(sum, buf + 14, 22);
	sum = cksum_add(sum, buf + 36, 63);
	assert_int_equal(cksum_finish(sum), cksum_finish(cksum_add(0, buf, 99)));
}

static void a_right_ipv4_header_gives_zero(void **state)
{
	// A header with a checksum known from a capture: 45 00 00 73 ... b8 61.
	uint8_t h[20] = {0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0, 1,
		0xc0, 0xa8, 0, 0xc7};

	(void)state;
	assert_int_equal(cksum_ip4(h, 20), 0);
	h[10] = h[11] = 0;
	assert_int_equal(cksum_ip4(h, 20), htons(0xb861));
	h[19] ^= 1;
	assert_int_not_equal(cksum_ip4(h, 20), htons(0xb861));
}

static void the_pseudo_header_is_summed(void **state)
{
	uint8_t ip4[20] = {0x45}, ip6[40] = {0x60}, l4[61], pseudo[40] = {0};

	(void)state;
	seed_random();
	for (unsigned len = 0; len <= sizeof(l4); len++) {
		uint16_t sum;

		fill_random(ip4 + 1, 19);
		fill_random(ip6 + 1, 39);
		fill_random(l4, len);
		// RFC 768: source, destination, zero, protocol, length.
		memcpy(pseudo, ip4 + 12, 8);
		pseudo[8] = 0;
		pseudo[9] = 17;
		pseudo[10] = 0;
		pseudo[11] = (uint8_t)len;
		sum = slow_sum(slow_sum(0, pseudo, 12), l4, len);
		assert_int_equal(cksum_l4(ip4, 17, l4, len), htons((uint16_t)~sum));
		// RFC 8200 8.1: source, destination, length in 32 bits, 24 zero bits, protocol.
		memset(pseudo, 0, sizeof(pseudo));
		memcpy(pseudo, ip6 + 8, 32);
		pseudo[35] = (uint8_t)len;
		pseudo[39] = 58;
		sum = slow_sum(slow_sum(0, pseudo, 40), l4, len);
		assert_int_equal(cksum_l4(ip6, 58, l4, len), htons((uint16_t)~sum));
	}
}

// RFC 1624 4: HC = dd2f, m = 5555, m' = 3285 gives 0000, where eq. 4 of RFC 1141 gives ffff.
static void the_example_of_rfc_1624(void **state)
{
	(void)state;
	assert_int_equal(cksum_fix16(0xdd2f, 0x5555, 0x3285), 0x0000);
}

// Over headers that a full sum agrees to, a fix gives bit for bit what a new full sum would, as
// neither ever makes 0xffff of a header that is not all zeros.
static void a_fix_equals_a_new_sum(void **state)
{
	uint8_t h[20];
	unsigned zero_after = 0, zero_before = 0;

	(void)state;
	seed_random();
	for (unsigned round = 0; round < 300000; round++) {
		unsigned at = 2 * (unsigned)(rand() % 10);
		uint16_t hc, old, new, want;

		if (at == 10)
			continue;
		fill_random(h, 20);
		h[0] = 0x45;
		if (at == 0)
			h[1] = 0;
		h[10] = h[11] = 0;
		if (round % 3 == 0) { // choose the word so that the checksum comes out as 0
			h[at] = h[at + 1] = 0;
			if (at == 0)
				h[0] = 0x45;
			uint16_t s = cksum_ip4(h, 20);

			if (at != 0)
				memcpy(h + at, &s, 2);
		}
		hc = cksum_ip4(h, 20);
		zero_before += hc == 0;
		memcpy(&old, h + at, 2);
		fill_random(h + at, 2);
		if (round % 5 == 0)
			memset(h + at, round % 2 == 0 ? 0xff : 0, 2);
		if (round % 7 == 0) { // ... and here so that the new one does
			memset(h + at, 0, 2);
			uint16_t s = cksum_ip4(h, 20);

			memcpy(h + at, &s, 2);
		}
		memcpy(&new, h + at, 2);
		want = cksum_ip4(h, 20);
		zero_after += want == 0;
		assert_int_equal(cksum_fix16(hc, old, new), want);
	}
	assert_true(zero_before > 1000 && zero_after > 1000); // the corners were really visited
}

// Each TTL and protocol: lowering the TTL by one, with the checksums 0x0000 and 0xffff among them.
static void lowering_a_ttl_is_right_for_every_checksum(void **state)
{
	uint8_t h[20] = {0x45, 0, 0, 40, 0, 0, 0, 0, 0, 17, 0, 0, 198, 18, 10, 1, 198, 19, 10, 1};

	(void)state;
	for (unsigned id = 0; id <= 0xffff; id++) {
		uint16_t old, new, hc;

		h[4] = (uint8_t)(id >> 8);
		h[5] = (uint8_t)id;
		h[8] = (uint8_t)(1 + id % 255);
		h[10] = h[11] = 0;
		hc = cksum_ip4(h, 20);
		memcpy(&old, h + 8, 2);
		h[8]--;
		memcpy(&new, h + 8, 2);
		assert_int_equal(cksum_fix16(hc, old, new), cksum_ip4(h, 20));
	}
}

// A sender may have written the other zero, 0xffff; receivers take it, and after a fix they still
// do (the sum over the header with its field stays all ones).
static void a_checksum_of_all_ones_stays_right(void **state)
{
	uint8_t h[20] = {0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0, 198, 18, 10, 1, 198, 19, 10, 1};
	uint16_t s, old, new, hc;

	(void)state;
	s = cksum_ip4(h, 20);
	memcpy(h + 4, &s, 2); // now the checksum is 0x0000
	assert_int_equal(cksum_ip4(h, 20), 0);
	h[10] = h[11] = 0xff;
	assert_int_equal(cksum_ip4(h, 20), 0);
	for (unsigned ttl = 63;; ttl--) {
		memcpy(&old, h + 8, 2);
		h[8] = (uint8_t)ttl;
		memcpy(&new, h + 8, 2);
		memcpy(&hc, h + 10, 2);
		hc = cksum_fix16(hc, old, new);
		memcpy(h + 10, &hc, 2);
		assert_int_equal(cksum_ip4(h, 20), 0);
		if (ttl == 0)
			break;
	}
}

static void an_address_is_fixed_as_two_words(void **state)
{
	uint8_t h[20] = {0x45, 0, 0, 40};

	(void)state;
	seed_random();
	for (unsigned round = 0; round < 10000; round++) {
		uint32_t old, new;
		uint16_t hc;

		fill_random(h + 4, 16);
		h[10] = h[11] = 0;
		hc = cksum_ip4(h, 20);
		memcpy(&old, h + 12, 4);
		fill_random(h + 12, 4);
		memcpy(&new, h + 12, 4);
		assert_int_equal(cksum_fix32(hc, old, new), cksum_ip4(h, 20));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_of_rfc_1071),
		cmocka_unit_test(any_length_and_alignment_agrees_with_the_byte_sum),
		cmocka_unit_test(all_ones_do_not_overflow),
		cmocka_unit_test(pieces_sum_like_the_whole),
		cmocka_unit_test(a_right_ipv4_header_gives_zero),
		cmocka_unit_test(the_pseudo_header_is_summed),
		cmocka_unit_test(the_example_of_rfc_1624),
		cmocka_unit_test(a_fix_equals_a_new_sum),
		cmocka_unit_test(lowering_a_ttl_is_right_for_every_checksum),
		cmocka_unit_test(a_checksum_of_all_ones_stays_right),
		cmocka_unit_test(an_address_is_fixed_as_two_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

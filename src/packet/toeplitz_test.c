// SPDX-License-Identifier: BSD-2-Clause
#include "packet/toeplitz.h"

#include "base/addr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

struct vector {
	const char *dst;
	uint16_t dport;
	const char *src;
	uint16_t sport;
	uint32_t without, with;
};

// Microsoft, "Verifying the RSS Hash Calculation".
static const struct vector ip4[] = {
	{"161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e8fc2, 0x51ccc178},
	{"65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718262a, 0xc626b0ea},
	{"12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0a5de, 0x5c2b394a},
	{"209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xafc7327f},
	{"202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d1809c5, 0x10e828a2},
};
static const struct vector ip6[] = {
	{"3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc18cd5, 0x40207d3d},
	{"ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c461c, 0xdde51bbf},
	{"fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
		0x4b61e985, 0x02d1feef},
};

static void the_published_ipv4_vectors(void **state)
{
	struct toeplitz t;

	(void)state;
	toeplitz_init(&t, toeplitz_default_key);
	for (unsigned i = 0; i < sizeof(ip4) / sizeof(ip4[0]); i++) {
		uint32_t src, dst;

		assert_int_equal(ip4_parse(ip4[i].src, &src, NULL), 0);
		assert_int_equal(ip4_parse(ip4[i].dst, &dst, NULL), 0);
		assert_int_equal(toeplitz_ip4(&t, src, dst), ip4[i].without);
		assert_int_equal(
			toeplitz_ip4_ports(&t, src, dst, ip4[i].sport, ip4[i].dport), ip4[i].with);
	}
}

static void the_published_ipv6_vectors(void **state)
{
	struct toeplitz t;

	(void)state;
	toeplitz_init(&t, toeplitz_default_key);
	for (unsigned i = 0; i < sizeof(ip6) / sizeof(ip6[0]); i++) {
		struct ip6 src, dst;

		assert_int_equal(ip6_parse(ip6[i].src, &src, NULL), 0);
		assert_int_equal(ip6_parse(ip6[i].dst, &dst, NULL), 0);
		assert_int_equal(toeplitz_ip6(&t, src.b, dst.b), ip6[i].without);
		assert_int_equal(toeplitz_ip6_ports(&t, src.b, dst.b, ip6[i].sport, ip6[i].dport),
			ip6[i].with);
	}
}

// The definition, bit by bit with a key that shifts.
static uint32_t slow_hash(const uint8_t *key, const uint8_t *in, unsigned len)
{
	uint32_t hash = 0;

	for (unsigned bit = 0; bit < len * 8; bit++) {
		if ((in[bit / 8] >> (7 - bit % 8) & 1) == 0)
			continue;
		for (unsigned k = 0; k < 32; k++) {
			unsigned at = bit + k;

			if (key[at / 8] >> (7 - at % 8) & 1)
				hash ^= 1u << (31 - k);
		}
	}
	return hash;
}

static void any_key_and_input_agree_with_the_definition(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	for (unsigned round = 0; round < 300; round++) {
		uint8_t key[TOEPLITZ_KEY_LEN], in[TOEPLITZ_INPUT_MAX];
		unsigned len = round % (TOEPLITZ_INPUT_MAX + 1);
		struct toeplitz t;

		for (unsigned i = 0; i < sizeof(key); i++)
			key[i] = (uint8_t)rand();
		for (unsigned i = 0; i < sizeof(in); i++)
			in[i] = (uint8_t)rand();
		toeplitz_init(&t, key);
		assert_int_equal(toeplitz_bytes(&t, in, len), slow_hash(key, in, len));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_ipv4_vectors),
		cmocka_unit_test(the_published_ipv6_vectors),
		cmocka_unit_test(any_key_and_input_agree_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

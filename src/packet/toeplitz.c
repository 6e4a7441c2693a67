// SPDX-License-Identifier: BSD-2-Clause
// The hash is the exclusive-or, over the set bits i of the input, of the 32 key bits from bit i on.
// It is linear, so the share of a nibble can be looked up: 24 loads for IPv4 with ports instead of
// 96 shifts.
#include "packet/toeplitz.h"

#include <string.h>

const uint8_t toeplitz_default_key[TOEPLITZ_KEY_LEN] = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e,
	0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b,
	0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe,
	0xac, 0x01, 0xfa};

// The 32 key bits from bit `at` on; the last input bit needs the key's last.
static uint32_t key_window(const uint8_t *key, unsigned at)
{
	uint64_t w = 0;

	for (unsigned i = 0; i < 5; i++)
		w = w << 8 | (at / 8 + i < TOEPLITZ_KEY_LEN ? key[at / 8 + i] : 0);
	return (uint32_t)(w >> (8 - at % 8));
}

void toeplitz_init(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY_LEN])
{
	for (unsigned n = 0; n < 2 * TOEPLITZ_INPUT_MAX; n++) {
		for (unsigned value = 0; value < 16; value++) {
			uint32_t part = 0;

			for (unsigned bit = 0; bit < 4; bit++) {
				if (value & 8u >> bit)
					part ^= key_window(key, 4 * n + bit);
			}
			t->part[n][value] = part;
		}
	}
}

static inline void put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

uint32_t toeplitz_ip4(const struct toeplitz *t, uint32_t src, uint32_t dst)
{
	uint8_t in[8];

	put32(in, src);
	put32(in + 4, dst);
	return toeplitz_bytes(t, in, sizeof(in));
}

uint32_t toeplitz_ip4_ports(
	const struct toeplitz *t, uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport)
{
	uint8_t in[12];

	put32(in, src);
	put32(in + 4, dst);
	put32(in + 8, (uint32_t)sport << 16 | dport);
	return toeplitz_bytes(t, in, sizeof(in));
}

uint32_t toeplitz_ip6(const struct toeplitz *t, const uint8_t *src, const uint8_t *dst)
{
	uint8_t in[32];

	memcpy(in, src, 16);
	memcpy(in + 16, dst, 16);
	return toeplitz_bytes(t, in, sizeof(in));
}

uint32_t toeplitz_ip6_ports(const struct toeplitz *t, const uint8_t *src, const uint8_t *dst,
	uint16_t sport, uint16_t dport)
{
	uint8_t in[36];

	memcpy(in, src, 16);
	memcpy(in + 16, dst, 16);
	put32(in + 32, (uint32_t)sport << 16 | dport);
	return toeplitz_bytes(t, in, sizeof(in));
}

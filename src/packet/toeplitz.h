// SPDX-License-Identifier: BSD-2-Clause
// toeplitz.h - the receive-side-scaling hash of NICs (Microsoft, "RSS Hashing Functions").
#pragma once

#include <stdint.h>

enum { TOEPLITZ_KEY_LEN = 40, TOEPLITZ_INPUT_MAX = 36 };

// The key of Microsoft's verification suite, which most drivers have as their default.
extern const uint8_t toeplitz_default_key[TOEPLITZ_KEY_LEN];

// The key's share of the hash for each nibble of the input: 4.5 KiB, so that it stays in L1.
struct toeplitz {
	uint32_t part[2 * TOEPLITZ_INPUT_MAX][16];
};

void toeplitz_init(struct toeplitz *t, const uint8_t key[TOEPLITZ_KEY_LEN]);

// Of len <= TOEPLITZ_INPUT_MAX bytes in wire order.  NICs hash source address, destination
// address, source port, destination port, in this order.
static inline uint32_t toeplitz_bytes(const struct toeplitz *t, const void *data, unsigned len)
{
	const uint8_t *p = data;
	uint32_t hash = 0;

	for (unsigned i = 0; i < len; i++)
		hash ^= t->part[2 * i][p[i] >> 4] ^ t->part[2 * i + 1][p[i] & 15];
	return hash;
}

// Addresses and ports in host byte order.
uint32_t toeplitz_ip4(const struct toeplitz *t, uint32_t src, uint32_t dst);
uint32_t toeplitz_ip4_ports(
	const struct toeplitz *t, uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport);

// Addresses are 16 bytes each in wire order, ports in host byte order.
uint32_t toeplitz_ip6(const struct toeplitz *t, const uint8_t *src, const uint8_t *dst);
uint32_t toeplitz_ip6_ports(const struct toeplitz *t, const uint8_t *src, const uint8_t *dst,
	uint16_t sport, uint16_t dport);

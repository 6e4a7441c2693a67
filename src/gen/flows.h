// SPDX-License-Identifier: BSD-2-Clause
// flows.h - which addresses and ports frame number i carries.
#pragma once

#include "gen/gen.h"

// Of one end: an IPv4 address, or the value of the IPv6 group that counts; host byte order.
struct flow {
	uint32_t saddr, daddr;
	uint16_t sport, dport;
};

struct flows {
	struct flow lo, hi;
	uint64_t n_saddr, n_daddr; // up to 2^32
	uint32_t n_sport, n_dport;
	uint64_t n; // product of the four; UINT64_MAX if more
	int family;
	bool random_src, random_dst;
	uint64_t seed;
};

void flows_init(struct flows *f, const struct gen_conf *conf);

// The flow of frame i: source port fastest, then source address, destination port, destination
// address, each wrapping to its start.  Random ends are a function of seed and i.
void flows_at(const struct flows *f, uint64_t i, struct flow *out);

// From the flow of frame i - 1 to that of frame i, without a division.
void flows_next(const struct flows *f, uint64_t i, struct flow *flow);

// 64 well mixed bits of (seed, i).
static inline uint64_t flows_mix(uint64_t seed, uint64_t i)
{
	// SplitMix64 (Steele, Lea, Flood 2014): the i-th value without the ones before it.
	uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

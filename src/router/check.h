// SPDX-License-Identifier: BSD-2-Clause
// check.h - the fast path's first pass: which packets of a burst are plain, where they go, and what
// they will look like.
#pragma once

#include "base/addr.h"
#include "packet/burst.h"

#include <stdint.h>

enum { CHECK_NEVER = 1 << 17 }; // above the length of any packet

// For each packet of a burst.
struct checked {
	uint8_t *frame[BURST_MAX];
	uint32_t need[BURST_MAX]; // the packet's length; CHECK_NEVER and more: not plain
	uint32_t ttl[BURST_MAX];  // IPv4: the word with TTL and checksum, TTL lowered
	union {
		uint32_t dst4[BURST_MAX]; // host order
		struct ip6 dst6[BURST_MAX];
	};
};

// Checks n (1..BURST_MAX) packets that came in by a port whose MAC is the first 48 bits, little end
// first, of mac48.  Of packets that are not plain need[] alone means something.
typedef void check_fn(struct rte_mbuf *const *pkt, unsigned n, uint64_t mac48, struct checked *out);

check_fn check4, check6;

// 16 packets at a time; for processors with AVX-512 F, BW and VL.
check_fn check4_avx512, check6_avx512;

// Whether this processor has them.
bool check_has_avx512(void);

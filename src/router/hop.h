// SPDX-License-Identifier: BSD-2-Clause
// hop.h - next hops: what a route says to do with a packet.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <assert.h>
#include <stdint.h>

enum hop_kind {
	HOP_NO_ROUTE,
	HOP_MARTIAN,
	HOP_MULTICAST,
	HOP_BROADCAST,
	HOP_SCOPE, // link-local
	HOP_LOCAL,
	HOP_REJECT,
	HOP_BLACKHOLE,
	HOP_FIXED, // those above have one entry each, at the index of that number
	HOP_NO_NEIGHBOUR = HOP_FIXED,
	HOP_FORWARD,
};

// What the fast path reads.
struct hop {
	uint8_t eth[16]; // destination and source MAC, 4 bytes unused
	uint32_t mtu; // of the IP packet; 0 unless HOP_FORWARD, so that one comparison tells both
	uint16_t port;
	uint8_t kind;
	uint8_t family;
	uint32_t pad[2];
};

static_assert(sizeof(struct hop) == 32, "two hops in a cache line");

struct hops {
	struct hop *hop;
	struct ip *via; // the neighbour's address; family 0 = the destination itself
	unsigned n, max;
};

enum { HOPS_SMALL = 32767, HOPS_LARGE = 1u << 20 };

// Takes memory for max hops (touched only as they come into use) and adds the fixed ones.
int hops_init(struct hops *h, unsigned max, struct err *err);
void hops_free(struct hops *h);

// A next hop out of `port` whose MAC is not known.  -ENOSPC.
int hops_add(struct hops *h, uint16_t port, const struct ip *via, uint32_t *index, struct err *err);

// Takes back the last one added.
void hops_undo(struct hops *h);

// From now on packets go to this MAC.
void hops_resolve(
	struct hops *h, uint32_t index, const struct mac *dst, const struct mac *src, uint16_t mtu);

// SPDX-License-Identifier: BSD-2-Clause
// classify_peer.h - DPDK's rte_acl with the bench's rules, as a program of its own would use it: a
// packed key of the fields the rules look at, in network byte order.
#pragma once

#include "classify_sets.h"

struct peer;

struct peer_key {
	uint8_t proto;
	uint32_t src, dst;
	uint16_t sport, dport;
	uint8_t iport, frag;
	uint16_t spare;
} __attribute__((packed));

enum { PEER_ALGS = 5 };
extern const char *const peer_alg_name[PEER_ALGS];

// Builds the tables; *cpu_ns is what that took, *bytes what the tables hold.  Exits with a sentence
// if rte_acl refuses.
struct peer *peer_new(const struct set *s, uint64_t *cpu_ns, size_t *bytes);
void peer_free(struct peer *p);

void peer_key_set(struct peer_key *p, const struct classify_key *k);
// false: this CPU or the EAL's SIMD limit does not allow it.
bool peer_can(struct peer *p, unsigned alg);
// ids as classify_first gives them, plus one; 0: none.
void peer_lookup(struct peer *p, unsigned alg, const uint8_t **keys, unsigned n, uint32_t *ids);

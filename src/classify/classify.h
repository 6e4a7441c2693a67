// SPDX-License-Identifier: BSD-2-Clause
// classify.h - rules of value and mask over header fields, compiled to tables that a burst of keys
// is looked up in.  One writer; any number of readers, who hold no result's tables beyond their
// next quiet point.
#pragma once

#include "base/err.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The fields of a packet that rules look at.  All numbers in host byte order; a field of a header
// that is not there is 0.  Also the shape of a rule's values and masks.  Any value of any field is safe.
// What most lookups read stands in the first 32 bytes.
struct classify_key {
	uint8_t family; // 4, 6, or 0: neither
	uint8_t proto;  // behind IPv6 extension headers; 0 where family is 0
	uint8_t frag;   // 1: a part of a fragmented datagram
	uint8_t iport;
	uint8_t tos; // IPv4 TOS or IPv6 traffic class
	uint8_t tcp_flags;
	uint8_t icmp_type, icmp_code;
	uint16_t sport, dport;   // TCP and UDP; 0 in later fragments
	uint32_t src[4], dst[4]; // most significant word first; IPv4 in [0], the others 0
	uint16_t ethertype;      // behind the tags
	uint16_t ivlan, ovlan;   // TCI of the inner (or only) tag and of the outer one of two
	uint16_t vnic;           // PF in bits 15-13, VF in 12-0
	uint16_t macidx;
	uint8_t vlan_valid; // which of the fields that may be absent are there: CLASSIFY_HAS_*
	uint8_t matchtype;
	uint8_t fcoe;
	uint8_t spare[7]; // never looked at
};
static_assert(sizeof(struct classify_key) == 64, "a key is one cache line");
static_assert(offsetof(struct classify_key, dst) == 28, "dst[0] lies in the first half");

// Bits of vlan_valid.  PORTS: sport and dport were read, from TCP or UDP and not a later fragment; a
// rule that port 0 satisfies asks for it, for 0 also stands where there are no ports.
enum {
	CLASSIFY_HAS_IVLAN = 1,
	CLASSIFY_HAS_OVLAN = 2,
	CLASSIFY_HAS_VNIC = 4,
	CLASSIFY_HAS_PORTS = 8
};

// Matches a key if (key & mask) == value in every field, and the ports lie in their ranges.  A rule
// with value bits outside its mask matches nothing.  Masks of addresses may be any bits, but those
// of prefixes are what the tables are made for.
struct classify_rule {
	struct classify_key value, mask;
	uint16_t sport_lo, sport_hi; // inclusive; 0 and 65535: any
	uint16_t dport_lo, dport_hi;
	uint32_t order; // lower is first; one rule for each order
	uint32_t id;    // what a lookup hands out; below CLASSIFY_NONE
};

enum { CLASSIFY_BURST = 64 };
#define CLASSIFY_NONE UINT32_MAX

struct classify;

// What the tables need of the readers: returns when every reader has passed a quiet point since the
// call.  NULL: there are no readers in other threads.
struct classify_readers {
	void (*quiet)(void *arg);
	void *arg;
};

// An empty set.  NULL with *err set: ENOMEM.
struct classify *classify_new(const struct classify_readers *readers, struct err *err);
void classify_free(struct classify *c); // no reader may be left

// Control side, one thread.  0 or -errno with a sentence; a failed call changes nothing.  Readers
// see the set before the call or the set after it, and after it has returned no reader sees the old
// one: what the ids of removed rules stand for may then be freed.
//
// Replaces all rules.  -EEXIST two of one order, -EINVAL a range's end below its begin, an id of
// CLASSIFY_NONE, -ENOMEM.
int classify_set(struct classify *c, const struct classify_rule *rules, size_t n, struct err *err);
//
// One rule more or less takes some ten microseconds (0.1 ms around 1,000 rules), but
// the call that brings a growing set to 2,000 rules, or a shrinking one below 1,000, builds both copies
// of another structure from all rules: 5 to 20 ms.
int classify_add(struct classify *c, const struct classify_rule *rule, struct err *err);
// -ENOENT if no rule has that order.
int classify_delete(struct classify *c, uint32_t order, struct err *err);
// For many rules while nobody looks anything up: from the hold on, adding and deleting only changes the
// rules; the release makes the tables from all of them, once.  No lookup may come between the two.
// -ENOMEM: still held; may be tried again.
void classify_hold(struct classify *c);
int classify_release(struct classify *c, struct err *err);
size_t classify_count(const struct classify *c);
size_t classify_bytes(const struct classify *c); // of memory held by the tables

// Worker side.  id of the first rule that matches each of n <= CLASSIFY_BURST keys, or
// CLASSIFY_NONE.  Cannot fail.  One call sees one set.
void classify_first(
	const struct classify *c, const struct classify_key *keys, unsigned n, uint32_t *ids);

// Ids of all rules that match one key, in their order, at most max; returns how many match.
size_t classify_all(
	const struct classify *c, const struct classify_key *key, uint32_t *ids, size_t max);

// Which instructions lookups use.  The best the CPU has is chosen at the start; another one may be
// forced for the whole process, for tests and measurements.  false: the CPU lacks it.
enum classify_isa { CLASSIFY_SCALAR, CLASSIFY_AVX2, CLASSIFY_AVX512 };
bool classify_use(enum classify_isa isa);
const char *classify_isa_name(enum classify_isa isa);

// SPDX-License-Identifier: BSD-2-Clause
// fields.h - what rules look at.  Stands alone, so that programs for the kernel can include it.
#pragma once

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
_Static_assert(sizeof(struct classify_key) == 64, "a key is one cache line");
_Static_assert(offsetof(struct classify_key, dst) == 28, "dst[0] lies in the first half");

// Bits of vlan_valid.  PORTS: sport and dport were read, from TCP or UDP and not a later fragment; a
// rule that port 0 satisfies asks for it, for 0 also stands where there are no ports.
enum {
	CLASSIFY_HAS_IVLAN = 1,
	CLASSIFY_HAS_OVLAN = 2,
	CLASSIFY_HAS_VNIC = 4,
	CLASSIFY_HAS_PORTS = 8
};

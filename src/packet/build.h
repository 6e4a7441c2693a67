// SPDX-License-Identifier: BSD-2-Clause
// build.h - makes whole frames in the caller's buffer: Ethernet, VLAN tags, IPv4 or IPv6, and TCP,
// UDP, ICMP or ICMPv6, with right lengths and checksums.  Nothing is allocated.
#pragma once

#include "base/addr.h"

#include <stdint.h>

// What a frame shall be.  Fields a protocol does not have are not looked at.
struct build {
	struct mac dmac, smac;
	uint8_t n_vlan;      // 0..2
	uint16_t tci[2];     // outermost first; the outer of two is tagged 0x88a8, others 0x8100
	struct ip src, dst;  // of one family, which is the frame's
	uint8_t tos, ttl;    // traffic class and hop limit in IPv6; no defaults: 0 is 0
	uint16_t ip_id;      // IPv4
	uint16_t ip_off;     // IPv4: flags and fragment offset as in the header, host order
	uint32_t flow_label; // IPv6, 20 bits

	// IPv4 options (a multiple of 4, at most 40 bytes), or a chain of IPv6 extension headers of
	// which the first is of type opt_type and the last names proto as its next header.
	const void *opt;
	uint16_t opt_len;
	uint8_t opt_type;

	// TCP, UDP, ICMP in IPv4 and ICMPv6 in IPv6 get their header before the payload; for any
	// other protocol the payload is all there is.
	uint8_t proto;
	bool raw; // the payload follows the IP header at once whatever proto says: later fragments
	uint16_t sport, dport;
	uint32_t seq, ack;
	uint8_t tcp_flags;
	uint8_t icmp_type, icmp_code;
	uint32_t icmp_rest; // bytes 5 to 8 of the ICMP header, host order
	const void *payload;
	unsigned payload_len;
};

// Writes the frame, without padding, and returns its length; 0 if size does not hold it, an IP
// length would not fit in 16 bits, the families differ, or opt_len is wrong.
unsigned build_frame(const struct build *b, void *buf, unsigned size);

// The pieces.  Each writes at p, where there must be room, and returns how many bytes it wrote.

// Ethernet header and tags, then the ethertype of the family of b->src: 14, 18 or 22 bytes.
unsigned build_eth(const struct build *b, uint8_t *p);

// IP header with options or extension headers and its checksum, before l4_len more bytes.
unsigned build_ip(const struct build *b, uint8_t *p, unsigned l4_len);

// Fills in the checksum of the TCP, UDP, ICMP or ICMPv6 message of len bytes at l4, whose field
// may hold anything; ip is its IP header.  A UDP checksum that comes out as 0 becomes 0xffff
// (RFC 768).  Other protocols, and messages too short to have the field, stay as they are.
void build_l4_cksum(const void *ip, uint8_t proto, void *l4, unsigned len);

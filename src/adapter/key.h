// SPDX-License-Identifier: BSD-2-Clause
// key.h - what rules look at, read out of the packets of a burst.
//
// Where the frame is damaged the key holds what packet_parse read up to there.  A frame whose IP
// header is itself broken (cut short, wrong version, impossible length) has family 0 and nothing of
// IP, so that only rules without a family match it.
//
//	iport      the path's port number; 4 and above show as 4 to 7, the card's loopback numbers,
//	           which no rule names
//	frag       1 for every part of a datagram that was fragmented; an IPv6 fragment header that
//	           covers all of it (RFC 6946) is none
//	ports      of TCP and UDP; 0 in later fragments and where the header is cut off
//	ivlan      the tag next to the payload, ovlan the one before it; with priority bits
//	vnic       never there: the router's ports have no functions
//	matchtype  0 to the port's own MAC, 2 multicast, 6 broadcast, 4 to another station
//	macidx     0 for the port's own MAC, KEY_MAC_NONE for all others
//	fcoe       1 for ethertype 0x8906
#pragma once

#include "base/addr.h"
#include "classify/classify.h"
#include "packet/burst.h"

#include <stdbool.h>
#include <stdint.h>

enum key_matchtype { KEY_OWN = 0, KEY_MULTICAST = 2, KEY_MISS = 4, KEY_BROADCAST = 6 };
enum { KEY_MAC_NONE = 0x1ff };

// Makes keys[0..n-1] of n <= BURST_MAX packets that came in by port `in`, whose MAC is the first 48
// bits, little end first, of mac48.
typedef void key_fn(struct rte_mbuf *const *pkt, unsigned n, uint16_t in, uint64_t mac48,
	struct classify_key *keys);

// A frame at a time by packet_parse: the reference, and what the others leave plain ways for.
key_fn key_slow;
// Reads plain frames (one buffer, no tag, no options or extension headers, not fragmented, to the
// port's own MAC) directly.
key_fn key_plain;
// The same with one permutation of bytes a frame, for processors with AVX-512 VBMI.
key_fn key_vbmi;

bool key_has_vbmi(void);

// The last of these that the processor can.
key_fn *key_best(void);

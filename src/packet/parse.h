// SPDX-License-Identifier: BSD-2-Clause
// parse.h - the one bounds-checked reader of headers.  Bytes in, offsets and fields out; knows
// nothing of mbufs, so tests and fuzzers feed it plain memory.
#pragma once

#include "packet/drop.h"

#include <stdbool.h>
#include <stdint.h>

// Extension headers of one IPv6 packet, as RFC 8504 5.3 proposes; one more is DROP_IP6_EXT.
enum { PARSE_EXT_MAX = 8 };

// Offsets are from the first byte of the frame.  Fields of headers that are not there are 0.
struct hdrs {
	uint8_t family;     // 4, 6, or 0 where the frame is neither
	uint8_t n_vlan;     // 0..2
	uint8_t proto;      // the upper-layer protocol behind all extension headers
	uint8_t frag;       // enum hdrs_frag
	uint16_t ethertype; // host byte order, behind the tags
	uint16_t tci[2];    // host byte order, outermost first
	uint16_t l3;        // the IP header
	uint16_t l4;        // the upper-layer header; 0 in a later fragment or where none is
	uint16_t end;       // one behind the last byte the IP length covers; padding lies after it
	uint16_t sport, dport; // host byte order; TCP and UDP only
	uint8_t tcp_flags;
	uint8_t icmp_type, icmp_code;
	bool ip_options; // IPv4 options or an IPv6 hop-by-hop header: the slow path looks at them
	bool l4_short;   // the upper-layer header (TCP 20 bytes, the others 8) is cut off: l4 is
			 // where it starts, the fields from it are 0, but for ports that are there
	bool has_ports;  // sport and dport were there
};

// An IPv6 fragment header with offset 0 and no more to come is FRAG_NONE (RFC 6946).
enum hdrs_frag { FRAG_NONE, FRAG_FIRST, FRAG_LATER };

// Reads Ethernet II, up to two 802.1Q/802.1ad tags, IPv4 with options, IPv6 with extension headers
// (RFC 8200 4), and the first bytes of TCP, UDP, ICMP and ICMPv6.  Checks lengths and versions
// (RFC 1812 5.2.2 1, 3, 4, 5; RFC 8200 3, 4), not checksums, addresses or TTL.
// DROP_NONE, also for a frame of another ethertype (family 0); else the first thing that is wrong,
// and *h then holds what was read up to there.
//
// In a later IPv6 fragment proto is the fragment header's next header, which may be an extension
// header.  Mobility, HIP and shim6 headers with nothing behind them are the upper layer.  A hop-
// by-hop header elsewhere than first, or a second fragment header, is DROP_IP6_EXT.  So is a
// chain that the frame or the first fragment does not hold whole (RFC 7112).
enum drop packet_parse(const uint8_t *frame, unsigned len, struct hdrs *h);

// The same for a frame of frame_len bytes of which only the first `have` lie at frame: lengths are
// checked against the whole, and a header behind `have` counts as cut off.
enum drop packet_parse_head(
	const uint8_t *frame, unsigned have, unsigned frame_len, struct hdrs *h);

// Whether an IPv6 next-header value is an extension header that packet_parse walks: all but ESP.
bool packet_is_ext6(uint8_t proto);

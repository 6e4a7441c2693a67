// SPDX-License-Identifier: BSD-2-Clause
// frames.h - the golden frames: what goes into the router and what must come out of it, written
// down from the RFCs as text.
//
// The world.  The router has four ports, with neighbours (H...) and routes beside them:
//
//	port 0	198.18.0.1/24  2001:db8::1/64	MTU 1500
//		H0: 198.18.0.2, 2001:db8::2, fe80::2	H5: 198.18.0.3, 2001:db8::3, fe80::3
//	port 1	198.18.1.1/24  2001:db8:0:1::1/64	MTU 1500
//		H1: 198.18.1.2, 2001:db8:0:1::2
//	port 2	198.18.2.1/24  2001:db8:0:2::1/64	MTU 1280
//		H2: 198.18.2.2, 2001:db8:0:2::2
//	port 3	198.18.3.1/24, 198.18.4.0/31		MTU 576
//		H3: 198.18.3.2, 198.18.4.1
//
//	203.0.113.0/24		2001:db8:113::/48	by H1
//	203.0.113.128/25	2001:db8:113:8000::/49	by H2
//	203.0.113.200/32				by H3
//	198.19.0.0/16		2001:db8:ed::/48	by H5, back out of port 0
//	203.0.112.0/24		2001:db8:99::/48	by 198.18.1.99, 2001:db8:0:1::99: no neighbour
//	192.0.2.0/24		2001:db8:bad::/48	reject
//	198.51.100.0/24		2001:db8:b1ac::/48	blackhole
#pragma once

#include "packet/drop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How the router is set up; RIG_PLAIN is the default: forwarding on, options processed, redirects
// off.
enum rig_kind {
	RIG_PLAIN,
	RIG_REDIRECT,
	RIG_OFF,        // forwarding off
	RIG_IGNORE,     // process_options 0
	RIG_REFUSE,     // process_options 2
	RIG_REPLY_FROM, // icmp_reply_from_interface
	RIG_KINDS
};

enum { CASE_OUT_MAX = 4, FRAME_BYTES_MAX = 2048 };

struct frame_out {
	uint8_t port;
	const char *text;
};

struct frame_case {
	const char *name; // what is so, and the RFC's section
	enum rig_kind rig;
	uint8_t port; // that the frame comes in by
	const char *in;
	enum drop why; // DROP_NONE: it is forwarded
	struct frame_out out[CASE_OUT_MAX];
};

// A table ends with a case without a name.
extern const struct frame_case eth_cases[];
extern const struct frame_case ip4_header_cases[];
extern const struct frame_case ip4_address_cases[];
extern const struct frame_case ip4_route_cases[];
extern const struct frame_case ip4_option_cases[];
extern const struct frame_case ip4_size_cases[];
extern const struct frame_case ip4_icmp_cases[];
extern const struct frame_case ip6_header_cases[];
extern const struct frame_case ip6_address_cases[];
extern const struct frame_case ip6_route_cases[];
extern const struct frame_case ip6_ext_cases[];
extern const struct frame_case ip6_icmp_cases[];

// A frame as text: bytes in hex; blanks and '|' are for the reader.  ".." is any byte (what the
// router may choose).  "{N@S}" are N bytes S, S+1, S+2 ... modulo 256.  "<A:B>" are bytes A to B-1
// of the frame that went in, "<A:>" up to its end.
struct frame {
	unsigned n;
	uint8_t b[FRAME_BYTES_MAX];
	bool any[FRAME_BYTES_MAX];
};

// in is what "<A:B>" copies from; may be NULL.  false: the text is malformed.
bool frame_read(const char *text, const struct frame *in, struct frame *out);

// Link-layer addresses of the router and its neighbours.
#define R0 "020000000010 "
#define R1 "020000000011 "
#define R2 "020000000012 "
#define R3 "020000000013 "
#define H0 "0200000000a0 "
#define H1 "0200000000a1 "
#define H2 "0200000000a2 "
#define H3 "0200000000a3 "
#define H5 "0200000000a5 "

#define IP4   "0800 | "
#define IP6   "86dd | "
#define FROM0 R0 H0 // what H0 sends to the router ...
#define TO0   H0 R0 // ... and what it gets
#define FROM1 R1 H1
#define TO1   H1 R1
#define TO2   H2 R2
#define TO3   H3 R3
#define TO5   H5 R0

// Addresses: a host beside port 0, and three behind the routes by H1, H2 and H3.
#define A_H0   "c6120002 "
#define A_H5   "c6120003 "
#define A_R0   "c6120001 "
#define A_NET1 "cb007102 "
#define A_NET2 "cb007182 "
#define A_NET3 "cb0071c8 "
#define S_H0   "20010db8000000000000000000000002 "
#define S_H5   "20010db8000000000000000000000003 "
#define S_R0   "20010db8000000000000000000000001 "
// Link-local: the router's is made from the MAC (RFC 4291 appendix A).
#define L_R0   "fe80000000000000000000fffe000010 "
#define L_H0   "fe800000000000000000000000000002 "
#define L_H5   "fe800000000000000000000000000003 "
#define S_NET1 "20010db8011300000000000000000002 "
#define S_NET2 "20010db8011380000000000000000002 "

// SPDX-License-Identifier: BSD-2-Clause
// Where IPv6 goes: longest prefix, unreachables (RFC 4443 3.1), redirects (RFC 4861 8), and a
// router that does not forward.
#include "frames.h"

#define HDR     "60000000 0010 fd 40 "
#define OUT_HDR "60000000 0010 fd 3f "
#define ANY     "{16@0}"

#define UNREACH(code)                                                                              \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP6 "60000000 0040 3a 40 " S_R0 S_H0 "01" code                      \
				   " .... 00000000 | <14:>"                                        \
		}                                                                                  \
	}

// RFC 4861 4.5: hop limit 255, from the link-local address; the target, the destination, the
// target's link-layer address (option 2) and the packet (option 4: 8 and 56 bytes).
#define REDIRECT(target, dst)                                                                      \
	{                                                                                          \
		0, TO0 IP6 "60000000 0070 3a ff " L_R0 S_H0 "8900 .... 00000000 " target dst       \
			   "0201 " H5 "0408 000000000000 | <14:>"                                  \
	}

const struct frame_case ip6_route_cases[] = {
	{.name = "by a gateway",
		.in = FROM0 IP6 HDR S_H0 "20010db8011300000000000000000001" ANY,
		.out = {{1, TO1 IP6 OUT_HDR S_H0 "20010db8011300000000000000000001" ANY}}},
	{.name = "the longer prefix wins",
		.in = FROM0 IP6 HDR S_H0 S_NET2 ANY,
		.out = {{2, TO2 IP6 OUT_HDR S_H0 S_NET2 ANY}}},
	{.name = "the longer prefix begins where it begins",
		.in = FROM0 IP6 HDR S_H0 "20010db8011380000000000000000000" ANY,
		.out = {{2, TO2 IP6 OUT_HDR S_H0 "20010db8011380000000000000000000" ANY}}},
	{.name = "... and not one address before",
		.in = FROM0 IP6 HDR S_H0 "20010db801137fffffffffffffffffff" ANY,
		.out = {{1, TO1 IP6 OUT_HDR S_H0 "20010db801137fffffffffffffffffff" ANY}}},
	{.name = "a host in a connected net",
		.in = FROM0 IP6 HDR S_H0 "20010db8000000010000000000000002" ANY,
		.out = {{1, TO1 IP6 OUT_HDR S_H0 "20010db8000000010000000000000002" ANY}}},
	{.name = "the way back",
		.port = 1,
		.in = FROM1 IP6 HDR S_NET1 S_H0 ANY,
		.out = {{0, TO0 IP6 OUT_HDR S_NET1 S_H0 ANY}}},
	{.name = "back out of the port it came by, without a word",
		.in = FROM0 IP6 HDR S_H0 "20010db800ed00000000000000000005" ANY,
		.out = {{0, TO5 IP6 OUT_HDR S_H0 "20010db800ed00000000000000000005" ANY}}},

	{.name = "no route (RFC 4443 3.1 code 0)",
		.in = FROM0 IP6 HDR S_H0 "20010db9000000000000000000000001" ANY,
		.why = DROP_IP6_NO_ROUTE,
		.out = UNREACH("00")},
	{.name = "a reject route (RFC 4443 3.1 code 6)",
		.in = FROM0 IP6 HDR S_H0 "20010db80bad00000000000000000001" ANY,
		.why = DROP_REJECT,
		.out = UNREACH("06")},
	{.name = "a blackhole route: not a word",
		.in = FROM0 IP6 HDR S_H0 "20010db8b1ac00000000000000000001" ANY,
		.why = DROP_BLACKHOLE},
	{.name = "a gateway without neighbour entry: address unreachable (RFC 4443 3.1 code 3)",
		.in = FROM0 IP6 HDR S_H0 "20010db8009900000000000000000001" ANY,
		.why = DROP_NEIGHBOUR,
		.out = UNREACH("03")},
	{.name = "a host without neighbour entry: address unreachable",
		.in = FROM0 IP6 HDR S_H0 "20010db8000000010000000000000077" ANY,
		.why = DROP_NEIGHBOUR,
		.out = UNREACH("03")},

	{.name = "a redirect to the better gateway, and the packet goes on (RFC 4861 8.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP6 HDR S_H0 "20010db800ed00000000000000000005" ANY,
		.out = {{0, TO5 IP6 OUT_HDR S_H0 "20010db800ed00000000000000000005" ANY},
			REDIRECT(L_H5, "20010db800ed00000000000000000005 ")}},
	{.name = "a redirect to the neighbour itself: target and destination are the same",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP6 HDR S_H0 S_H5 ANY,
		.out = {{0, TO5 IP6 OUT_HDR S_H0 S_H5 ANY}, REDIRECT(S_H5, S_H5)}},
	{.name = "no redirect to a source that is no neighbour (RFC 4861 8.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP6 HDR S_NET1 "20010db800ed00000000000000000005" ANY,
		.out = {{0, TO5 IP6 OUT_HDR S_NET1 "20010db800ed00000000000000000005" ANY}}},
	{.name = "no redirect when it leaves by another port",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP6 HDR S_H0 S_NET1 ANY,
		.out = {{1, TO1 IP6 OUT_HDR S_H0 S_NET1 ANY}}},

	{.name = "a router that does not forward",
		.rig = RIG_OFF,
		.in = FROM0 IP6 HDR S_H0 S_NET1 ANY,
		.why = DROP_IP6_OFF},
	{.name = "... says nothing about hop limits either",
		.rig = RIG_OFF,
		.in = FROM0 IP6 "60000000 0010 fd 01 " S_H0 S_NET1 ANY,
		.why = DROP_IP6_OFF},
	{.name = "... and still knows itself",
		.rig = RIG_OFF,
		.in = FROM0 IP6 HDR S_H0 S_R0 ANY,
		.why = DROP_LOCAL},
	{.name = NULL},
};

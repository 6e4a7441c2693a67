// SPDX-License-Identifier: BSD-2-Clause
// Where IPv4 goes: longest prefix (RFC 1812 5.2.4.3), unreachables (5.2.7.1), redirects (5.2.7.2),
// and a router that does not forward (2.2.8.1).
#include "frames.h"

#define UDP     "1388 0bb8 0010 0000 {8@0}"
#define HDR     "4500 0024 0001 0000 4011 "
#define HDR_OUT "4500 0024 0001 0000 3f11 "
#define ANSWER  "45c0 0040 .... 0000 4001 .... " A_R0 A_H0
#define UNREACH(code)                                                                              \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 ANSWER "03" code " .... 00000000 | <14:>"                       \
		}                                                                                  \
	}
#define REDIRECT(gateway)                                                                          \
	{                                                                                          \
		0, TO0 IP4 ANSWER "0501 .... " gateway "| <14:>"                                   \
	}

const struct frame_case ip4_route_cases[] = {
	{.name = "by a gateway",
		.in = FROM0 IP4 HDR "78b2 " A_H0 "cb007101 " UDP,
		.out = {{1, TO1 IP4 HDR_OUT "79b2 " A_H0 "cb007101 " UDP}}},
	{.name = "the longer prefix wins (RFC 1812 5.2.4.3)",
		.in = FROM0 IP4 HDR "7831 " A_H0 A_NET2 UDP,
		.out = {{2, TO2 IP4 HDR_OUT "7931 " A_H0 A_NET2 UDP}}},
	{.name = "the longer prefix ends where it ends",
		.in = FROM0 IP4 HDR "7835 " A_H0 "cb00717e " UDP,
		.out = {{1, TO1 IP4 HDR_OUT "7935 " A_H0 "cb00717e " UDP}}},
	{.name = "the longer prefix begins where it begins",
		.in = FROM0 IP4 HDR "7833 " A_H0 "cb007180 " UDP,
		.out = {{2, TO2 IP4 HDR_OUT "7933 " A_H0 "cb007180 " UDP}}},
	{.name = "a host route wins over all",
		.in = FROM0 IP4 HDR "77eb " A_H0 A_NET3 UDP,
		.out = {{3, TO3 IP4 HDR_OUT "78eb " A_H0 A_NET3 UDP}}},
	{.name = "a host in a connected net",
		.in = FROM0 IP4 HDR "ed9f " A_H0 "c6120102 " UDP,
		.out = {{1, TO1 IP4 HDR_OUT "ee9f " A_H0 "c6120102 " UDP}}},
	{.name = "the way back",
		.port = 1,
		.in = FROM1 IP4 HDR "78b1 " A_NET1 A_H0 UDP,
		.out = {{0, TO0 IP4 HDR_OUT "79b1 " A_NET1 A_H0 UDP}}},
	{.name = "back out of the port it came by, without a word",
		.in = FROM0 IP4 HDR "ee9b " A_H0 "c6130005 " UDP,
		.out = {{0, TO5 IP4 HDR_OUT "ef9b " A_H0 "c6130005 " UDP}}},

	{.name = "no route: net unreachable (RFC 1812 5.2.7.1)",
		.in = FROM0 IP4 HDR "a4a4 " A_H0 "08080808 " UDP,
		.why = DROP_IP4_NO_ROUTE,
		.out = UNREACH("00")},
	{.name = "one address beyond a route",
		.in = FROM0 IP4 HDR "77b3 " A_H0 "cb007200 " UDP,
		.why = DROP_IP4_NO_ROUTE,
		.out = UNREACH("00")},
	{.name = "a reject route: host unreachable",
		.in = FROM0 IP4 HDR "f2b2 " A_H0 "c0000201 " UDP,
		.why = DROP_REJECT,
		.out = UNREACH("01")},
	{.name = "a blackhole route: not a word",
		.in = FROM0 IP4 HDR "8a7f " A_H0 "c6336401 " UDP,
		.why = DROP_BLACKHOLE},
	{.name = "a gateway without neighbour entry: host unreachable (RFC 1812 5.2.7.1)",
		.in = FROM0 IP4 HDR "79b2 " A_H0 "cb007001 " UDP,
		.why = DROP_NEIGHBOUR,
		.out = UNREACH("01")},
	{.name = "a host without neighbour entry: host unreachable",
		.in = FROM0 IP4 HDR "ed54 " A_H0 "c612014d " UDP,
		.why = DROP_NEIGHBOUR,
		.out = UNREACH("01")},

	{.name = "no route: before the TTL is looked at",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 e3a4 " A_H0 "08080808 " UDP,
		.why = DROP_IP4_NO_ROUTE,
		.out = UNREACH("00")},

	{.name = "a redirect to the better gateway, and the packet goes on (RFC 1812 5.2.7.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 HDR "ee9b " A_H0 "c6130005 " UDP,
		.out = {{0, TO5 IP4 HDR_OUT "ef9b " A_H0 "c6130005 " UDP}, REDIRECT(A_H5)}},
	{.name = "a redirect to the neighbour itself (RFC 1812 5.2.7.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 HDR "ee9e " A_H0 A_H5 UDP,
		.out = {{0, TO5 IP4 HDR_OUT "ef9e " A_H0 A_H5 UDP}, REDIRECT(A_H5)}},
	{.name = "no redirect to a source on another net (RFC 1812 5.2.7.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 HDR "78ad " A_NET1 "c6130005 " UDP,
		.out = {{0, TO5 IP4 HDR_OUT "79ad " A_NET1 "c6130005 " UDP}}},
	{.name = "no redirect when it leaves by another port",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 HDR "78b1 " A_H0 A_NET1 UDP,
		.out = {{1, TO1 IP4 HDR_OUT "79b1 " A_H0 A_NET1 UDP}}},
	{.name = "no redirect about a later fragment (RFC 1812 4.3.2.7)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 "4500 0024 0001 0002 4011 ee99 " A_H0 "c6130005 {16@16}",
		.out = {{0, TO5 IP4 "4500 0024 0001 0002 3f11 ef99 " A_H0 "c6130005 {16@16}"}}},
	{.name = "no redirect about an ICMP error",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4
		"4500 0038 0001 0000 4001 ee97 " A_H0 "c6130005 "
		"0303 f0ec 00000000 4500001c000000004011eea4 c6130005 c6120002 {8@0}",
		.out = {{0, TO5 IP4 "4500 0038 0001 0000 3f01 ef97 " A_H0 "c6130005 <34:>"}}},

	{.name = "a router that does not forward (RFC 1812 2.2.8.1)",
		.rig = RIG_OFF,
		.in = FROM0 IP4 HDR "78b1 " A_H0 A_NET1 UDP,
		.why = DROP_IP4_OFF},
	{.name = "... says nothing about TTL either",
		.rig = RIG_OFF,
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 b7b1 " A_H0 A_NET1 UDP,
		.why = DROP_IP4_OFF},
	{.name = "... nor about routes it does not have",
		.rig = RIG_OFF,
		.in = FROM0 IP4 HDR "a4a4 " A_H0 "08080808 " UDP,
		.why = DROP_IP4_OFF},
	{.name = "... and still knows itself",
		.rig = RIG_OFF,
		.in = FROM0 IP4 HDR "eea0 " A_H0 A_R0 UDP,
		.why = DROP_LOCAL},
	{.name = "... and drops what is malformed for what it is",
		.rig = RIG_OFF,
		.in = FROM0 IP4 "4500 0013 0001 0000 4011 78c2 " A_H0 A_NET1 UDP,
		.why = DROP_IP4_LENGTH},
	{.name = NULL},
};

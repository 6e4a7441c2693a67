// SPDX-License-Identifier: BSD-2-Clause
// When an ICMP error is made, by whom, to whom and about what: RFC 1812 4.3.2.
#include "frames.h"

#define ANSWER(total) TO0 IP4 "45c0 " total " .... 0000 4001 .... " A_R0 A_H0
#define EXCEEDED      "0b00 .... 00000000 | "

const struct frame_case ip4_icmp_cases[] = {
	{.name = "echo requests are forwarded",
		.in = FROM0 IP4 "4500 0024 0001 0000 4001 78c1 " A_H0 A_NET1
				"0800 d9ba 1234 0001 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3f01 79c1 " A_H0 A_NET1 "<34:>"}}},
	{.name = "ICMP errors are forwarded",
		.port = 1,
		.in = FROM1 IP4
		"4500 0038 0001 0000 4001 78ad " A_NET1 A_H0
		"0303 f0ec 00000000 4500001c000000003f1179ba c6120002 cb007102 {8@0}",
		.out = {{0, TO0 IP4 "4500 0038 0001 0000 3f01 79ad " A_NET1 A_H0 "<34:>"}}},
	{.name = "an error about an echo request (RFC 1812 4.3.2.7)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0101 b7c1 " A_H0 A_NET1
				"0800 d9ba 1234 0001 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0040") EXCEEDED "<14:>"}}},
	{.name = "an error about an echo reply",
		.in = FROM0 IP4 "4500 0024 0001 0000 0101 b7c1 " A_H0 A_NET1
				"0000 e1ba 1234 0001 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0040") EXCEEDED "<14:>"}}},
	{.name = "no error about a destination unreachable (RFC 1812 4.3.2.7)",
		.in = FROM0 IP4
		"4500 0038 0001 0000 0101 b7ad " A_H0 A_NET1
		"0303 f0ec 00000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "no error about a source quench",
		.in = FROM0 IP4
		"4500 0038 0001 0000 0101 b7ad " A_H0 A_NET1
		"0400 efef 00000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "no error about a redirect",
		.in = FROM0 IP4
		"4500 0038 0001 0000 0101 b7ad " A_H0 A_NET1
		"0501 28d9 c6120003 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "no error about a time exceeded",
		.in = FROM0 IP4
		"4500 0038 0001 0000 0101 b7ad " A_H0 A_NET1
		"0b00 e8ef 00000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "no error about a parameter problem",
		.in = FROM0 IP4
		"4500 0038 0001 0000 0101 b7ad " A_H0 A_NET1
		"0c00 d3ef 14000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "no route for an ICMP error: not a word",
		.in = FROM0 IP4
		"4500 0038 0001 0000 4001 a4a0 " A_H0 "08080808 "
		"0303 f0ec 00000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_NO_ROUTE},
	{.name = "ICMP whose type is cut off is not answered",
		.in = FROM0 IP4 "4500 0014 0001 0000 0101 b7d1 " A_H0 A_NET1,
		.why = DROP_IP4_TTL},
	{.name = "an error about the first fragment",
		.in = FROM0 IP4 "4500 0024 0001 2000 0111 97b1 " A_H0 A_NET1
				"1388 0bb8 0018 0000 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0040") EXCEEDED "<14:>"}}},
	{.name = "no error about a later fragment (RFC 1812 4.3.2.7)",
		.in = FROM0 IP4 "4500 0024 0001 2002 0111 97af " A_H0 A_NET1 "{16@16}",
		.why = DROP_IP4_TTL},
	{.name = "no error about the last fragment",
		.in = FROM0 IP4 "4500 0024 0001 0002 0111 b7af " A_H0 A_NET1 "{16@16}",
		.why = DROP_IP4_TTL},
	{.name = "no error about a bad checksum (RFC 1812 4.3.2.7)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 1234 " A_H0 A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_CHECKSUM},
	{.name = "no error about a link-layer broadcast (RFC 1812 4.3.2.7)",
		.in = "ffffffffffff " H0 IP4 "4500 0024 0001 0000 0111 b7b1 " A_H0 A_NET1
		      "1388 0bb8 0010 0000 {8@0}",
		.why = DROP_ETH_GROUP},
	{.name = "an error to a source without a way back is not made",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 6db6 08080808 " A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "an error to a source whose neighbour is not known is not made",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 b766 c612004d " A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "an error to a source behind a reject route is not made",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 bbc4 c0000201 " A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "an error to the router itself is not made",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 b6b2 c6120101 " A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL},
	{.name = "an error about what goes back where it came from",
		.port = 1,
		.in = FROM1 IP4 "4500 0024 0001 0000 0111 41c0 " A_NET1 "cb007105 "
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{1, TO1 IP4 "45c0 0040 .... 0000 4001 .... c6120101 " A_NET1 EXCEEDED
				    "<14:>"}}},
	{.name = "an error comes from the port that it leaves by (RFC 1812 4.3.2.4)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 4143 " A_NET1 A_NET2
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{1, TO1 IP4 "45c0 0040 .... 0000 4001 .... c6120101 " A_NET1 EXCEEDED
				    "<14:>"}}},
	{.name = "reply_from_interface: from the port that the packet came by",
		.rig = RIG_REPLY_FROM,
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 4143 " A_NET1 A_NET2
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{1, TO1 IP4 "45c0 0040 .... 0000 4001 .... c6120001 " A_NET1 EXCEEDED
				    "<14:>"}}},
	// Precedence 6 and the TOS of the packet (RFC 1812 4.3.2.5), without ECN (RFC 3168).
	{.name = "the TOS of an error (RFC 1812 4.3.2.5)",
		.in = FROM0 IP4 "45bb 0024 0001 0000 0111 b6f6 " A_H0 A_NET1
				"1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, TO0 IP4 "45d8 0040 .... 0000 4001 .... " A_R0 A_H0 EXCEEDED "<14:>"}}},
	{.name = "padding is not quoted (RFC 1812 4.3.2.3)",
		.in = FROM0 IP4 "4500 001c 0001 0000 0111 b7b9 " A_H0 A_NET1
				"1388 0bb8 0008 0000 | {18@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0038") EXCEEDED "<14:42>"}}},
	{.name = "548 bytes are quoted whole",
		.in = FROM0 IP4 "4500 0224 0001 0000 0111 b5b1 " A_H0 A_NET1
				"1388 0bb8 0210 0000 {520@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0240") EXCEEDED "<14:562>"}}},
	{.name = "of 549 bytes 548 are quoted: an error of 576 bytes (RFC 1812 4.3.2.3)",
		.in = FROM0 IP4 "4500 0225 0001 0000 0111 b5b0 " A_H0 A_NET1
				"1388 0bb8 0211 0000 {521@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, ANSWER("0240") EXCEEDED "<14:562>"}}},
	{.name = NULL},
};

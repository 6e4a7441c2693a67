// SPDX-License-Identifier: BSD-2-Clause
// Larger than the egress MTU, and fragments: RFC 791 3.2, RFC 1812 4.2.2.7 and 5.2.6, RFC 1191 4.
#include "frames.h"

// 20 bytes of IP header, 8 of ICMP, and 548 of the packet.
#define TOO_BIG(mtu)                                                                               \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 "45c0 0240 .... 0000 4001 .... " A_R0 A_H0                      \
				   "0304 .... 0000 " mtu "| <14:562>"                              \
		}                                                                                  \
	}

const struct frame_case ip4_size_cases[] = {
	{.name = "as large as the MTU",
		.in = FROM0 IP4 "4500 0500 0001 4000 4011 3355 " A_H0 A_NET2
				"1388 0bb8 04ec 4e49 {1252@0}",
		.out = {{2, TO2 IP4 "4500 0500 0001 4000 3f11 3455 " A_H0 A_NET2
				    "1388 0bb8 04ec 4e49 {1252@0}"}}},
	{.name = "as large as the largest MTU",
		.in = FROM0 IP4 "4500 05dc 0001 4000 4011 32f9 " A_H0 A_NET1
				"1388 0bb8 05c8 4da4 {1472@0}",
		.out = {{1, TO1 IP4 "4500 05dc 0001 4000 3f11 33f9 " A_H0 A_NET1
				    "1388 0bb8 05c8 4da4 {1472@0}"}}},
	{.name = "one byte above with DF: fragmentation needed, with the MTU (RFC 1191 4)",
		.in = FROM0 IP4 "4500 0501 0001 4000 4011 3354 " A_H0 A_NET2
				"1388 0bb8 04ed 6a46 {1253@0}",
		.why = DROP_IP4_DF,
		.out = TOO_BIG("0500")},
	{.name = "1500 bytes with DF to an MTU of 576",
		.in = FROM0 IP4 "4500 05dc 0001 4000 4011 3233 " A_H0 A_NET3
				"1388 0bb8 05c8 4cde {1472@0}",
		.why = DROP_IP4_DF,
		.out = TOO_BIG("0240")},
	{.name = "no answer about a later fragment with DF",
		.in = FROM0 IP4 "4500 05dc 0001 4010 4011 3223 " A_H0 A_NET3 "{1480@128}",
		.why = DROP_IP4_DF},
	{.name = "the TTL is looked at before the size",
		.in = FROM0 IP4 "4500 05dc 0001 4000 0111 7133 " A_H0 A_NET3
				"1388 0bb8 05c8 4cde {1472@0}",
		.why = DROP_IP4_TTL,
		.out = {{0, TO0 IP4 "45c0 0240 .... 0000 4001 .... " A_R0 A_H0
				    "0b00 .... 00000000 | <14:562>"}}},
	// (1280 - 20) / 8 * 8 = 1256 bytes of data in the first fragment, 5 in the second.
	{.name = "one byte above without DF is fragmented (RFC 791 3.2)",
		.in = FROM0 IP4 "4500 0501 0001 0000 4011 7354 " A_H0 A_NET2
				"1388 0bb8 04ed 6a46 {1253@0}",
		.out = {{2, TO2 IP4 "4500 04fc 0001 2000 3f11 5459 " A_H0 A_NET2 "<34:1290>"},
			{2, TO2 IP4 "4500 0019 0001 009d 3f11 789f " A_H0 A_NET2 "<1290:1295>"}}},
	// (576 - 20) / 8 * 8 = 552.
	{.name = "three fragments",
		.in = FROM0 IP4 "4500 05dc abcd 0000 4011 c666 " A_H0 A_NET3
				"1388 0bb8 05c8 4cde {1472@0}",
		.out = {{3, TO3 IP4 "4500 023c abcd 2000 3f11 ab06 " A_H0 A_NET3 "<34:586>"},
			{3, TO3 IP4 "4500 023c abcd 2045 3f11 aac1 " A_H0 A_NET3 "<586:1138>"},
			{3, TO3 IP4 "4500 018c abcd 008a 3f11 cb2c " A_H0 A_NET3 "<1138:1514>"}}},
	{.name = "the last fragment may be as large as the others",
		.in = FROM0 IP4 "4500 0464 abcd 0000 4011 c7de " A_H0 A_NET3
				"1388 0bb8 0450 e31c {1096@0}",
		.out = {{3, TO3 IP4 "4500 023c abcd 2000 3f11 ab06 " A_H0 A_NET3 "<34:586>"},
			{3, TO3 IP4 "4500 023c abcd 0045 3f11 cac1 " A_H0 A_NET3 "<586:1138>"}}},
	// Offset 185 = 1480 / 8; 185 + 69 = 254, and MF stays in each piece.
	{.name = "a middle fragment is fragmented again",
		.in = FROM0 IP4 "4500 03fc abcd 20b9 4011 a78d " A_H0 A_NET3 "{1000@7}",
		.out = {{3, TO3 IP4 "4500 023c abcd 20b9 3f11 aa4d " A_H0 A_NET3 "<34:586>"},
			{3, TO3 IP4 "4500 01d4 abcd 20fe 3f11 aa70 " A_H0 A_NET3 "<586:1034>"}}},
	{.name = "the last fragment is fragmented again",
		.in = FROM0 IP4 "4500 03fc abcd 00b9 4011 c78d " A_H0 A_NET3 "{1000@7}",
		.out = {{3, TO3 IP4 "4500 023c abcd 20b9 3f11 aa4d " A_H0 A_NET3 "<34:586>"},
			{3, TO3 IP4 "4500 01d4 abcd 00fe 3f11 ca70 " A_H0 A_NET3 "<586:1034>"}}},
	// Router alert (148) has the copy bit; 0x1e (an experiment) has not.  With 8
	// bytes of options (576 - 28) / 8 * 8 = 544; the second header: 4 bytes of options.
	{.name = "options go into every fragment or the first, as they say (RFC 791 3.1)",
		.in = FROM0 IP4 "4700 0278 abcd 0000 4011 14c0 " A_H0 A_NET3
				"94040000 1e040102 {604@3}",
		.out = {{3, TO3 IP4 "4700 023c abcd 2000 3f11 f5fb " A_H0 A_NET3
				    "94040000 1e040102 <42:586>"},
			{3, TO3 IP4 "4600 0054 abcd 0044 3f11 37a6 " A_H0 A_NET3
				    "94040000 <586:646>"}}},

	{.name = "the first fragment is forwarded as it is",
		.in = FROM0 IP4 "4500 0024 0001 2000 4011 58b1 " A_H0 A_NET1
				"1388 0bb8 0018 0000 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 2000 3f11 59b1 " A_H0 A_NET1 "<34:>"}}},
	{.name = "a middle fragment",
		.in = FROM0 IP4 "4500 0024 0001 2002 4011 58af " A_H0 A_NET1 "{16@16}",
		.out = {{1, TO1 IP4 "4500 0024 0001 2002 3f11 59af " A_H0 A_NET1 "{16@16}"}}},
	{.name = "the last fragment",
		.in = FROM0 IP4 "4500 0019 0001 0004 4011 78b8 " A_H0 A_NET1 "{5@32}",
		.out = {{1, TO1 IP4 "4500 0019 0001 0004 3f11 79b8 " A_H0 A_NET1 "{5@32}"}}},
	{.name = "a fragment of one byte whose end lies beyond 65535 is the receiver's business",
		.in = FROM0 IP4 "4500 0024 0001 1fff 4011 58b2 " A_H0 A_NET1 "{16@16}",
		.out = {{1, TO1 IP4 "4500 0024 0001 1fff 3f11 59b2 " A_H0 A_NET1 "{16@16}"}}},
	{.name = "a first fragment too short for its TCP header (RFC 1858) is the filter's business",
		.in = FROM0 IP4 "4500 001c 0001 2000 4006 58c4 " A_H0 A_NET1 "{8@0}",
		.out = {{1, TO1 IP4 "4500 001c 0001 2000 3f06 59c4 " A_H0 A_NET1 "{8@0}"}}},
	{.name = NULL},
};

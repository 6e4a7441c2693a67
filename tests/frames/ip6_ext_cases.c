// SPDX-License-Identifier: BSD-2-Clause
// IPv6 extension headers in transit: RFC 8200 4 (of all of them a router reads the hop-by-hop
// options only), RFC 7045 2.1, RFC 5095 (routing type 0), RFC 2711 (router alert).
#include "frames.h"

#define ADDRS S_H0 S_NET1

// A chain of 8 bytes and UDP of 8 behind it: 56 bytes, quoted whole.
#define PROBLEM(code, pointer)                                                                     \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP6 "60000000 0040 3a 40 " S_R0 S_H0 "04" code " .... " pointer     \
				   "| <14:>"                                                       \
		}                                                                                  \
	}

const struct frame_case ip6_ext_cases[] = {
	{.name = "hop-by-hop options of padding",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 0104 00000000 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 00 3f " ADDRS "1100 0104 00000000 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "hop-by-hop options of single padding bytes",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 000000000000 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 00 3f " ADDRS "1100 000000000000 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "router alert is carried on (RFC 2711 2)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 0502 0000 0100 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 00 3f " ADDRS "1100 0502 0000 0100 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "an unknown option 00: skipped (RFC 8200 4.2)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 1e04 01020304 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 00 3f " ADDRS "1100 1e04 01020304 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "an unknown option 00 that may change on the way: skipped",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 3e04 01020304 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 00 3f " ADDRS "1100 3e04 01020304 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "an unknown option 01: dropped (RFC 8200 4.2)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 5e04 01020304 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OPTION},
	{.name = "an unknown option 10: dropped, parameter problem 2 (RFC 8200 4.2)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 9e04 01020304 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OPTION,
		.out = PROBLEM("02", "0000002a ")},
	{.name = "an unknown option 11: the same for a unicast (RFC 8200 4.2)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 de04 01020304 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OPTION,
		.out = PROBLEM("02", "0000002a ")},
	{.name = "the pointer points at the option, behind padding",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 00 0100 de01 01 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OPTION,
		.out = PROBLEM("02", "0000002d ")},
	{.name = "a jumbo payload in a packet that is none (RFC 2675 3)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 c204 00010000 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OPTION,
		.out = PROBLEM("02", "0000002a ")},
	{.name = "an option longer than the hop-by-hop header",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 1e05 01020304 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_EXT,
		.out = PROBLEM("00", "0000002b ")},
	{.name = "an option of which only the type is left",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 0103 000000 1e "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_EXT,
		.out = PROBLEM("00", "0000002f ")},
	{.name = "a hop-by-hop header longer than the packet",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1102 0104 00000000 {8@0}",
		.why = DROP_IP6_EXT,
		.out = PROBLEM("00", "00000029 ")},
	{.name = "a hop-by-hop header of which nothing is there",
		.in = FROM0 IP6 "60000000 0000 00 40 " ADDRS,
		.why = DROP_IP6_EXT,
		.out = {{0,
			TO0 IP6 "60000000 0030 3a 40 " S_R0 S_H0 "0400 .... 00000029 | <14:>"}}},
	{.name = "hop-by-hop options and a hop limit of 1",
		.in = FROM0 IP6 "60000000 0010 00 01 " ADDRS "1100 0104 00000000 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_HOP_LIMIT,
		.out = {{0,
			TO0 IP6 "60000000 0040 3a 40 " S_R0 S_H0 "0300 .... 00000000 | <14:>"}}},
	{.name = "no answer about an unknown option in an ICMPv6 error (RFC 4443 2.4 e.1)",
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "3a00 9e04 01020304 "
				"0100 a234 00000000",
		.why = DROP_IP6_OPTION},
	{.name = "options of a router that does not forward are not read",
		.rig = RIG_OFF,
		.in = FROM0 IP6 "60000000 0010 00 40 " ADDRS "1100 de04 01020304 "
				"1388 0bb8 0008 8415 ",
		.why = DROP_IP6_OFF},

	{.name = "destination options are not the router's (RFC 8200 4.6)",
		.in = FROM0 IP6 "60000000 0010 3c 40 " ADDRS "1100 de04 01020304 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 3c 3f " ADDRS "1100 de04 01020304 "
				    "1388 0bb8 0008 8415 "}}},
	{.name = "routing type 0 in transit is forwarded (RFC 5095 3)",
		.in = FROM0 IP6 "60000000 0020 2b 40 " ADDRS
				"1102 0001 00000000 20010db8000000010000000000000002 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0020 2b 3f " ADDRS "<54:>"}}},
	{.name = "routing type 0 by this router is for the router itself",
		.in = FROM0 IP6 "60000000 0020 2b 40 " S_H0 S_R0
				"1102 0001 00000000 20010db8000000010000000000000002 "
				"1388 0bb8 0008 1234",
		.why = DROP_LOCAL},
	{.name = "an unknown routing type in transit is forwarded (RFC 7045 2.1)",
		.in = FROM0 IP6 "60000000 0010 2b 40 " ADDRS "1100 fd01 00000000 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 2b 3f " ADDRS "<54:>"}}},
	{.name = "authentication and encapsulation are forwarded",
		.in = FROM0 IP6 "60000000 0020 33 40 " ADDRS
				"3204 0000 00000001 00000001 {12@0} 00000002 00000001",
		.out = {{1, TO1 IP6 "60000000 0020 33 3f " ADDRS "<54:>"}}},
	{.name = "the first fragment is forwarded as it is",
		.in = FROM0 IP6 "60000000 0010 2c 40 " ADDRS
				"1100 0001 00000007 1388 0bb8 0020 1234",
		.out = {{1, TO1 IP6 "60000000 0010 2c 3f " ADDRS "<54:>"}}},
	{.name = "a middle fragment",
		.in = FROM0 IP6 "60000000 0010 2c 40 " ADDRS "1100 0009 00000007 {8@8}",
		.out = {{1, TO1 IP6 "60000000 0010 2c 3f " ADDRS "<54:>"}}},
	{.name = "the last fragment",
		.in = FROM0 IP6 "60000000 000b 2c 40 " ADDRS "1100 0010 00000007 {3@16} 000000",
		.out = {{1, TO1 IP6 "60000000 000b 2c 3f " ADDRS "<54:65>"}}},
	{.name = "an atomic fragment (RFC 6946)",
		.in = FROM0 IP6 "60000000 0010 2c 40 " ADDRS "1100 0000 00000007 "
				"1388 0bb8 0008 8415 ",
		.out = {{1, TO1 IP6 "60000000 0010 2c 3f " ADDRS "<54:>"}}},
	{.name = "every kind of header in one packet",
		.in = FROM0 IP6 "60000000 0048 00 40 " ADDRS "3c00 0104 00000000 "
				"2b00 0104 00000000 "
				"2c02 0400 00000000 00000000000000000000000000000000 "
				"3300 0001 12345678 1101 0000 00000000 00000000 "
				"1388 0bb8 000c 1234 00000000",
		.out = {{1, TO1 IP6 "60000000 0048 00 3f " ADDRS "<54:>"}}},
	{.name = "a chain longer than a router cares to walk is forwarded (RFC 7045 2.1)",
		.in = FROM0 IP6 "60000000 0058 3c 40 " ADDRS
				"3c00 0104 00000000 3c00 0104 00000000 "
				"3c00 0104 00000000 3c00 0104 00000000 3c00 0104 00000000 "
				"3c00 0104 00000000 3c00 0104 00000000 3c00 0104 00000000 "
				"3c00 0104 00000000 1100 0104 00000000 1388 0bb8 0008 1234",
		.out = {{1, TO1 IP6 "60000000 0058 3c 3f " ADDRS "<54:>"}}},
	{.name = "a chain that is cut off is the receiver's business",
		.in = FROM0 IP6 "60000000 0008 3c 40 " ADDRS "11ff 0104 00000000",
		.out = {{1, TO1 IP6 "60000000 0008 3c 3f " ADDRS "<54:>"}}},
	{.name = "a hop-by-hop header where none may be is the receiver's business (RFC 8200 4.1)",
		.in = FROM0 IP6 "60000000 0018 3c 40 " ADDRS "0000 0104 00000000 "
				"1100 de04 00000000 1388 0bb8 0008 1234",
		.out = {{1, TO1 IP6 "60000000 0018 3c 3f " ADDRS "<54:>"}}},
	{.name = NULL},
};

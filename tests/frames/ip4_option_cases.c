// SPDX-License-Identifier: BSD-2-Clause
// IPv4 options in transit: RFC 791 3.1, RFC 792 (parameter problem), RFC 1812 4.2.2.1 and 5.2.4.1,
// RFC 2113 (router alert), RFC 7126 (what to do with which).
#include "frames.h"

#define UDP   "1388 0bb8 0010 0000 {8@0}"
#define ADDRS A_H0 A_NET1

// Headers of 24, 28 and 32 bytes before 16 of UDP; the answers quote all of it.
#define HDR24 "4600 0028 0001 0000 4011 "
#define OUT24 "4600 0028 0001 0000 3f11 "
#define HDR28 "4700 002c 0001 0000 4011 "
#define OUT28 "4700 002c 0001 0000 3f11 "
#define HDR32 "4800 0030 0001 0000 4011 "
#define OUT32 "4800 0030 0001 0000 3f11 "
#define ANSWER24(what)                                                                             \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 "45c0 0044 .... 0000 4001 .... " A_R0 A_H0 what "| <14:>"       \
		}                                                                                  \
	}
#define ANSWER28(what)                                                                             \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 "45c0 0048 .... 0000 4001 .... " A_R0 A_H0 what "| <14:>"       \
		}                                                                                  \
	}
#define ANSWER32(what)                                                                             \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 "45c0 004c .... 0000 4001 .... " A_R0 A_H0 what "| <14:>"       \
		}                                                                                  \
	}
// Type 12 with the header's octet that is wrong; type 3 code 5.
#define PROBLEM(octet) "0c00 .... " octet "000000 "
#define SRCFAIL        "0305 .... 00000000 "

const struct frame_case ip4_option_cases[] = {
	{.name = "no-operation",
		.in = FROM0 IP4 HDR24 "75ab " ADDRS "01010101 " UDP,
		.out = {{1, TO1 IP4 OUT24 "76ab " ADDRS "01010101 " UDP}}},
	{.name = "what follows the end of the options is not looked at",
		.in = FROM0 IP4 HDR24 "77a6 " ADDRS "0007ffff " UDP,
		.out = {{1, TO1 IP4 OUT24 "78a6 " ADDRS "0007ffff " UDP}}},
	{.name = "40 bytes of options",
		.in = FROM0 IP4 "4f00 004c 0001 0000 4011 b8f6 " ADDRS "5e28{38@0} " UDP,
		.out = {{1, TO1 IP4 "4f00 004c 0001 0000 3f11 b9f6 " ADDRS "5e28{38@0} " UDP}}},
	{.name = "options this router does not know are carried on (RFC 1812 4.2.2.1)",
		.in = FROM0 IP4 HDR28 "139c " ADDRS "5e06 01020304 01 01 " UDP,
		.out = {{1, TO1 IP4 OUT28 "149c " ADDRS "5e06 01020304 01 01 " UDP}}},
	{.name = "router alert is carried on (RFC 2113 2.1)",
		.in = FROM0 IP4 HDR24 "e3a8 " ADDRS "94040000 " UDP,
		.out = {{1, TO1 IP4 OUT24 "e4a8 " ADDRS "94040000 " UDP}}},
	{.name = "the security option is carried on",
		.in = FROM0 IP4 HDR32 "f399 " ADDRS "820b 0000 0000 0000 000000 00 " UDP,
		.out = {{1, TO1 IP4 OUT32 "f499 " ADDRS "820b 0000 0000 0000 000000 00 " UDP}}},

	{.name = "record route gets the address of the port it leaves by (RFC 791 3.1)",
		.in = FROM0 IP4 HDR28 "6ba2 " ADDRS "070704 00000000 00 " UDP,
		.out = {{1, TO1 IP4 OUT28 "54db " ADDRS "070708 c6120101 00 " UDP}}},
	{.name = "record route, another port",
		.in = FROM0 IP4 HDR28 "6b22 " A_H0 A_NET2 "070704 00000000 00 " UDP,
		.out = {{2, TO2 IP4 OUT28 "545a " A_H0 A_NET2 "070708 c6120201 00 " UDP}}},
	{.name = "record route in its second slot, behind a no-operation",
		.in = FROM0 IP4 HDR32 "a794 " ADDRS "01 070b08 c0000201 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT32 "e17c " ADDRS "01 070b0c c0000201 c6120101 " UDP}}},
	{.name = "a full record route is carried on (RFC 791 3.1)",
		.in = FROM0 IP4 HDR28 "65e0 " ADDRS "070708 c0000201 00 " UDP,
		.out = {{1, TO1 IP4 OUT28 "66e0 " ADDRS "070708 c0000201 00 " UDP}}},
	{.name = "record route with room for half an address is an error (RFC 791 3.1)",
		.in = FROM0 IP4 HDR28 "6ba3 " ADDRS "070604 000000 0000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("16"))},
	{.name = "record route whose pointer points at itself",
		.in = FROM0 IP4 HDR28 "6ca2 " ADDRS "070703 00000000 00 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("16"))},
	{.name = "record route with pointer 0",
		.in = FROM0 IP4 HDR28 "6fa2 " ADDRS "070700 00000000 00 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("16"))},
	{.name = "record route without a pointer",
		.in = FROM0 IP4 HDR24 "6faa " ADDRS "0702 0101 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("15"))},

	{.name = "timestamp alone (RFC 791 3.1, flag 0)",
		.in = FROM0 IP4 HDR28 "2da1 " ADDRS "44080500 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT28 ".... " ADDRS "44080900 ........ " UDP}}},
	{.name = "timestamp with address (flag 1)",
		.in = FROM0 IP4 HDR32 "2c98 " ADDRS "440c0501 00000000 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT32 ".... " ADDRS "440c0d01 c6120101 ........ " UDP}}},
	{.name = "timestamp asked of this router (flag 3)",
		.in = FROM0 IP4 HDR32 "6582 " ADDRS "440c0503 c6120101 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT32 ".... " ADDRS "440c0d03 c6120101 ........ " UDP}}},
	{.name = "timestamp asked of another (flag 3)",
		.in = FROM0 IP4 HDR32 "6a94 " ADDRS "440c0503 c0000201 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT32 "6b94 " ADDRS "440c0503 c0000201 00000000 " UDP}}},
	{.name = "a full timestamp counts who had no room (RFC 791 3.1)",
		.in = FROM0 IP4 HDR28 "257b " ADDRS "44080920 01020304 " UDP,
		.out = {{1, TO1 IP4 OUT28 "266b " ADDRS "44080930 01020304 " UDP}}},
	{.name = "... and is an error when that count overflows",
		.in = FROM0 IP4 HDR28 "24ab " ADDRS "440809f0 01020304 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("17"))},
	{.name = "timestamp with room for the address only",
		.in = FROM0 IP4 HDR28 "2da0 " ADDRS "44080501 00000000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("16"))},
	{.name = "timestamp whose pointer points into its head",
		.in = FROM0 IP4 HDR28 "2ea1 " ADDRS "44080400 00000000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("16"))},
	{.name = "timestamp of three bytes",
		.in = FROM0 IP4 HDR24 "2ea9 " ADDRS "440305 01 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("15"))},
	{.name = "timestamp with a flag that is none",
		.in = FROM0 IP4 HDR28 "2d9f " ADDRS "44080502 00000000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("17"))},

	{.name = "option length 0",
		.in = FROM0 IP4 HDR24 "19ad " ADDRS "5e000000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("15"))},
	{.name = "option length 1",
		.in = FROM0 IP4 HDR24 "754f " ADDRS "015e0100 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("16"))},
	{.name = "option length one beyond the header",
		.in = FROM0 IP4 HDR28 "18a0 " ADDRS "5e090000 00000000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER28(PROBLEM("15"))},
	{.name = "option length 255",
		.in = FROM0 IP4 HDR24 "18ae " ADDRS "5eff0000 " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("15"))},
	{.name = "an option that ends exactly with the header",
		.in = FROM0 IP4 HDR28 "18a1 " ADDRS "5e080000 00000000 " UDP,
		.out = {{1, TO1 IP4 OUT28 "19a1 " ADDRS "5e080000 00000000 " UDP}}},
	{.name = "an option of which only the type is left",
		.in = FROM0 IP4 HDR24 "754e " ADDRS "0101015e " UDP,
		.why = DROP_IP4_OPTION,
		.out = ANSWER24(PROBLEM("17"))},
	{.name = "no answer about a malformed option in a later fragment (RFC 1812 4.3.2.7)",
		.in = FROM0 IP4 "4600 0028 0001 0001 4011 19ac " ADDRS "5e000000 {16@0}",
		.why = DROP_IP4_OPTION},
	{.name = "... nor in an ICMP error",
		.in = FROM0 IP4
		"4600 003c 0001 0000 4001 19a9 " ADDRS "5e000000 "
		"0303 f0ec 00000000 4500001c00000000401178ba cb007102 c6120002 {8@0}",
		.why = DROP_IP4_OPTION},

	{.name = "a loose source route is refused (RFC 7126 4.3)",
		.in = FROM0 IP4 HDR28 "dada " ADDRS "830704 c6120102 00 " UDP,
		.why = DROP_IP4_SRCROUTE,
		.out = ANSWER28(SRCFAIL)},
	{.name = "a strict source route is refused (RFC 7126 4.4)",
		.in = FROM0 IP4 HDR28 "d4da " ADDRS "890704 c6120102 00 " UDP,
		.why = DROP_IP4_SRCROUTE,
		.out = ANSWER28(SRCFAIL)},
	{.name = "a source route is found behind other options",
		.in = FROM0 IP4 HDR32 "1205 " ADDRS "94040000 01 830704 c6120102 " UDP,
		.why = DROP_IP4_SRCROUTE,
		.out = ANSWER32(SRCFAIL)},
	{.name = "a source route that has come to its end",
		.in = FROM0 IP4 HDR28 "d6da " ADDRS "830708 c6120102 00 " UDP,
		.why = DROP_IP4_SRCROUTE,
		.out = ANSWER28(SRCFAIL)},
	{.name = "a source route by this router is for the router itself",
		.in = FROM0 IP4 HDR28 "6255 " A_H0 A_R0 "830704 cb007102 00 " UDP,
		.why = DROP_LOCAL},
	{.name = "no redirect for a source route (RFC 1812 5.2.7.2)",
		.rig = RIG_REDIRECT,
		.in = FROM0 IP4 HDR28 "50c5 " A_H0 "c6130005 830704 c6120102 00 " UDP,
		.why = DROP_IP4_SRCROUTE,
		.out = ANSWER28(SRCFAIL)},

	{.name = "options and TTL 1: quoted as they came",
		.in = FROM0 IP4 "4700 002c 0001 0000 0111 aaa2 " ADDRS "070704 00000000 00 " UDP,
		.why = DROP_IP4_TTL,
		.out = ANSWER28("0b00 .... 00000000 ")},

	{.name = "process_options 0: record route is carried on as it is",
		.rig = RIG_IGNORE,
		.in = FROM0 IP4 HDR28 "6ba2 " ADDRS "070704 00000000 00 " UDP,
		.out = {{1, TO1 IP4 OUT28 "6ca2 " ADDRS "070704 00000000 00 " UDP}}},
	{.name = "process_options 0: so is a source route",
		.rig = RIG_IGNORE,
		.in = FROM0 IP4 HDR28 "dada " ADDRS "830704 c6120102 00 " UDP,
		.out = {{1, TO1 IP4 OUT28 "dbda " ADDRS "830704 c6120102 00 " UDP}}},
	{.name = "process_options 0: so is what is malformed",
		.rig = RIG_IGNORE,
		.in = FROM0 IP4 HDR24 "19ad " ADDRS "5e000000 " UDP,
		.out = {{1, TO1 IP4 OUT24 "1aad " ADDRS "5e000000 " UDP}}},
	{.name = "process_options 2: any option is prohibited",
		.rig = RIG_REFUSE,
		.in = FROM0 IP4 HDR24 "75ab " ADDRS "01010101 " UDP,
		.why = DROP_IP4_OPTION_OFF,
		.out = ANSWER24("030d .... 00000000 ")},
	{.name = "process_options 2: no option, no matter",
		.rig = RIG_REFUSE,
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 78b1 " ADDRS UDP,
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3f11 79b1 " ADDRS UDP}}},
	{.name = NULL},
};

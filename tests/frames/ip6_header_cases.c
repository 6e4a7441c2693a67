// SPDX-License-Identifier: BSD-2-Clause
// The IPv6 header: RFC 8200 3 and RFC 4443 3.3 (hop limit).
#include "frames.h"

#define ADDRS S_H0 S_NET1
#define ANY   "{16@0}"

#define EXCEEDED                                                                                   \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP6 "60000000 0040 3a 40 " S_R0 S_H0 "0300 .... 00000000 | <14:>"   \
		}                                                                                  \
	}

const struct frame_case ip6_header_cases[] = {
	{.name = "a packet is forwarded: hop limit, link addresses (RFC 8200 3)",
		.in = FROM0 IP6 "60000000 0010 11 40 " ADDRS "1388 0bb8 0010 77f5 {8@0}",
		.out = {{1, TO1 IP6 "60000000 0010 11 3f " ADDRS "1388 0bb8 0010 77f5 {8@0}"}}},
	{.name = "traffic class and flow label stay as they are (RFC 6437 3)",
		.in = FROM0 IP6 "6b9abcde 0010 11 40 " ADDRS "1388 0bb8 0010 77f5 {8@0}",
		.out = {{1, TO1 IP6 "6b9abcde 0010 11 3f " ADDRS "1388 0bb8 0010 77f5 {8@0}"}}},
	{.name = "any protocol is forwarded",
		.in = FROM0 IP6 "60000000 0010 fd 40 " ADDRS ANY,
		.out = {{1, TO1 IP6 "60000000 0010 fd 3f " ADDRS ANY}}},
	{.name = "TCP is forwarded",
		.in = FROM0 IP6 "60000000 0014 06 40 " ADDRS
				"c350 0050 00000001 00000000 5002 ffff 8fb8 0000",
		.out = {{1, TO1 IP6 "60000000 0014 06 3f " ADDRS
				    "c350 0050 00000001 00000000 5002 ffff 8fb8 0000"}}},
	{.name = "a UDP checksum of 0 is the receiver's business (RFC 8200 8.1)",
		.in = FROM0 IP6 "60000000 0010 11 40 " ADDRS "1388 0bb8 0010 0000 {8@0}",
		.out = {{1, TO1 IP6 "60000000 0010 11 3f " ADDRS "1388 0bb8 0010 0000 {8@0}"}}},
	{.name = "a header and nothing else: no next header",
		.in = FROM0 IP6 "60000000 0000 3b 40 " ADDRS,
		.out = {{1, TO1 IP6 "60000000 0000 3b 3f " ADDRS}}},
	{.name = "no next header with bytes behind it, which are forwarded (RFC 8200 4.7)",
		.in = FROM0 IP6 "60000000 0008 3b 40 " ADDRS "{8@0}",
		.out = {{1, TO1 IP6 "60000000 0008 3b 3f " ADDRS "{8@0}"}}},
	{.name = "a payload of no byte under UDP",
		.in = FROM0 IP6 "60000000 0000 11 40 " ADDRS,
		.out = {{1, TO1 IP6 "60000000 0000 11 3f " ADDRS}}},
	{.name = "padding up to the shortest frame stays",
		.in = FROM0 IP6 "60000000 0002 fd 40 " ADDRS "0102 00000000",
		.out = {{1, TO1 IP6 "60000000 0002 fd 3f " ADDRS "0102 00000000"}}},
	{.name = "bytes behind the packet beyond that are not sent on",
		.in = FROM0 IP6 "60000000 0010 fd 40 " ADDRS ANY "ffffffff",
		.out = {{1, TO1 IP6 "60000000 0010 fd 3f " ADDRS ANY}}},

	{.name = "39 bytes are no header",
		.in = FROM0 IP6 "60000000 0000 3b 40 " S_H0 "200100021234800000000000000000",
		.why = DROP_IP6_SHORT},
	{.name = "version 0 (RFC 8200 3)",
		.in = FROM0 IP6 "00000000 0010 fd 40 " ADDRS ANY,
		.why = DROP_IP6_VERSION},
	{.name = "version 4 under the ethertype of IPv6",
		.in = FROM0 IP6 "4500 0028 0001 0000 4011 0000 " A_H0 A_NET1 "{20@0}",
		.why = DROP_IP6_VERSION},
	{.name = "version 7",
		.in = FROM0 IP6 "70000000 0010 fd 40 " ADDRS ANY,
		.why = DROP_IP6_VERSION},
	{.name = "payload length one beyond the frame (RFC 8200 3)",
		.in = FROM0 IP6 "60000000 0011 fd 40 " ADDRS ANY,
		.why = DROP_IP6_LENGTH},
	{.name = "payload length 65535 in a short frame",
		.in = FROM0 IP6 "60000000 ffff fd 40 " ADDRS ANY,
		.why = DROP_IP6_LENGTH},

	{.name = "hop limit 0 is answered by time exceeded (RFC 4443 3.3)",
		.in = FROM0 IP6 "60000000 0010 fd 00 " ADDRS ANY,
		.why = DROP_IP6_HOP_LIMIT,
		.out = EXCEEDED},
	{.name = "hop limit 1 is answered by time exceeded (RFC 4443 3.3)",
		.in = FROM0 IP6 "60000000 0010 fd 01 " ADDRS ANY,
		.why = DROP_IP6_HOP_LIMIT,
		.out = EXCEEDED},
	{.name = "hop limit 2 allows one more hop",
		.in = FROM0 IP6 "60000000 0010 fd 02 " ADDRS ANY,
		.out = {{1, TO1 IP6 "60000000 0010 fd 01 " ADDRS ANY}}},
	{.name = "hop limit 128 is not negative",
		.in = FROM0 IP6 "60000000 0010 fd 80 " ADDRS ANY,
		.out = {{1, TO1 IP6 "60000000 0010 fd 7f " ADDRS ANY}}},
	{.name = "hop limit 255",
		.in = FROM0 IP6 "60000000 0010 fd ff " ADDRS ANY,
		.out = {{1, TO1 IP6 "60000000 0010 fd fe " ADDRS ANY}}},
	{.name = "hop limit 0 for the router itself has arrived (RFC 8200 3)",
		.in = FROM0 IP6 "60000000 0010 fd 00 " S_H0 S_R0 ANY,
		.why = DROP_LOCAL},
	{.name = NULL},
};

// SPDX-License-Identifier: BSD-2-Clause
// The IPv4 header: RFC 791 3.1, RFC 1812 5.2.2 (checks), 5.3.1 (TTL), RFC 1624 (checksum).
#include "frames.h"

#define ADDRS A_H0 A_NET1

#define TTL_EXCEEDED                                                                               \
	{                                                                                          \
		{                                                                                  \
			0, TO0 IP4 "45c0 0040 .... 0000 4001 .... " A_R0 A_H0                      \
				   "0b00 .... 00000000 | <14:>"                                    \
		}                                                                                  \
	}

const struct frame_case ip4_header_cases[] = {
	{.name = "a datagram is forwarded: TTL, checksum, link addresses (RFC 1812 5.2.1)",
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 78b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3f11 79b1 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "TOS, identification and DF stay as they are",
		.in = FROM0 IP4 "45b9 0024 ffff 4000 4011 37f9 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "45b9 0024 ffff 4000 3f11 38f9 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "the reserved flag is not the router's business (RFC 791 3.1)",
		.in = FROM0 IP4 "4500 0024 0001 8000 4011 f8b0 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 8000 3f11 f9b0 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "any protocol is forwarded",
		.in = FROM0 IP4 "4500 0024 0001 0000 40fd 77c5 " ADDRS "{16@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3ffd 78c5 " ADDRS "{16@0}"}}},
	{.name = "TCP is forwarded",
		.in = FROM0 IP4 "4500 0028 0001 4000 4006 38b8 " ADDRS
				"c350 0050 00000001 00000000 5002 ffff ea29 0000",
		.out = {{1, TO1 IP4 "4500 0028 0001 4000 3f06 39b8 " ADDRS
				    "c350 0050 00000001 00000000 5002 ffff ea29 0000"}}},
	{.name = "a wrong UDP checksum is not the router's business",
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 78b1 " ADDRS "1388 0bb8 0010 1234 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3f11 79b1 " ADDRS
				    "1388 0bb8 0010 1234 {8@0}"}}},
	{.name = "a header and nothing else",
		.in = FROM0 IP4 "4500 0014 0001 0000 40ff 77d3 " ADDRS,
		.out = {{1, TO1 IP4 "4500 0014 0001 0000 3fff 78d3 " ADDRS}}},
	{.name = "padding up to the shortest frame stays (RFC 894)",
		.in = FROM0 IP4 "4500 001c 0001 0000 4011 78b9 " ADDRS "1388 0bb8 0008 de86 {18@0}",
		.out = {{1, TO1 IP4 "4500 001c 0001 0000 3f11 79b9 " ADDRS
				    "1388 0bb8 0008 de86 {18@0}"}}},
	{.name = "bytes behind the datagram beyond that are not sent on",
		.in = FROM0 IP4 "4500 0030 0001 0000 4011 78a5 " ADDRS
				"1388 0bb8 001c 83fa {20@0} ffffffff",
		.out = {{1, TO1 IP4 "4500 0030 0001 0000 3f11 79a5 " ADDRS
				    "1388 0bb8 001c 83fa {20@0}"}}},

	{.name = "19 bytes are no header (RFC 1812 5.2.2 1)",
		.in = FROM0 IP4 "4500 0014 0001 0000 40ff 77d5 c6120002 cb0071",
		.why = DROP_IP4_SHORT},
	{.name = "version 0 (RFC 1812 5.2.2 3)",
		.in = FROM0 IP4 "0500 0024 0001 0000 4011 b8b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_VERSION},
	{.name = "version 5",
		.in = FROM0 IP4 "5500 0024 0001 0000 4011 68b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_VERSION},
	{.name = "version 6 under the ethertype of IPv4",
		.in = FROM0 IP4 "60000000 0010 11 40 " S_H0 S_NET1 "1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_VERSION},
	{.name = "version 15",
		.in = FROM0 IP4 "f500 0024 0001 0000 4011 c8b0 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_VERSION},
	{.name = "header length 0 (RFC 1812 5.2.2 4)",
		.in = FROM0 IP4 "4000 0024 0001 0000 4011 7db1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_IHL},
	{.name = "header length 1",
		.in = FROM0 IP4 "4100 0024 0001 0000 4011 7cb1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_IHL},
	{.name = "header length 2",
		.in = FROM0 IP4 "4200 0024 0001 0000 4011 7bb1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_IHL},
	{.name = "header length 3",
		.in = FROM0 IP4 "4300 0024 0001 0000 4011 7cc9 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_IHL},
	{.name = "header length 4, which would sum up right",
		.in = FROM0 IP4 "4400 0024 0001 0000 4011 b5b4 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_IHL},
	{.name = "the frame ends inside the options",
		.in = FROM0 IP4 "4f00 0024 0001 0000 4011 2e69 " ADDRS "{16@1}",
		.why = DROP_IP4_SHORT},
	{.name = "header length beyond the total length (RFC 1812 5.2.2 5)",
		.in = FROM0 IP4 "4600 0014 0001 0000 4011 75bf " ADDRS "01010101 {12@0}",
		.why = DROP_IP4_LENGTH},
	{.name = "total length 19",
		.in = FROM0 IP4 "4500 0013 0001 0000 4011 78c2 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_LENGTH},
	{.name = "total length 0",
		.in = FROM0 IP4 "4500 0000 0001 0000 4011 78d5 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_LENGTH},
	{.name = "total length one beyond the frame (RFC 1812 5.2.2)",
		.in = FROM0 IP4 "4500 0025 0001 0000 4011 78b0 " ADDRS "1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_LENGTH},
	{.name = "total length 65535 in a short frame",
		.in = FROM0 IP4 "4500 ffff 0001 0000 4011 78d5 " ADDRS "1388 0bb8 0010 0000 {8@0}",
		.why = DROP_IP4_LENGTH},

	{.name = "header checksum one too high (RFC 1812 5.2.2 2)",
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 78b2 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_CHECKSUM},
	{.name = "header checksum 0 does not mean none",
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 0000 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_CHECKSUM},
	{.name = "header checksum wrong by the bytes' order",
		.in = FROM0 IP4 "4500 0024 0001 0000 4011 b178 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_CHECKSUM},
	{.name = "the checksum covers the options",
		.in = FROM0 IP4 "4600 0028 0001 0000 4011 77ad " ADDRS "01010101 "
				"1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_CHECKSUM},
	{.name = "checksum 0x0000 that is right",
		.in = FROM0 IP4 "4500 0024 78b2 0000 4011 0000 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 78b2 0000 3f11 0100 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "checksum 0xffff, the other zero (RFC 1624 3)",
		.in = FROM0 IP4 "4500 0024 78b2 0000 4011 ffff " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 78b2 0000 3f11 0100 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "a checksum that becomes 0x0000, not 0xffff (RFC 1624 3)",
		.in = FROM0 IP4 "4500 0024 79b2 0000 4011 feff " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 79b2 0000 3f11 0000 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "a checksum that wraps around to 0x0001",
		.in = FROM0 IP4 "4500 0024 79b1 0000 4011 ff00 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 79b1 0000 3f11 0001 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "a checksum that wraps around to 0x00ff",
		.in = FROM0 IP4 "4500 0024 78b3 0000 4011 fffe " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 78b3 0000 3f11 00ff " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},

	{.name = "TTL 0 is answered by time exceeded (RFC 1812 5.3.1)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0011 b8b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_TTL,
		.out = TTL_EXCEEDED},
	{.name = "TTL 1 is answered by time exceeded (RFC 1812 5.3.1)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 b7b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_IP4_TTL,
		.out = TTL_EXCEEDED},
	{.name = "TTL 2 allows one more hop",
		.in = FROM0 IP4 "4500 0024 0001 0000 0211 b6b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 0111 b7b1 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "TTL 128 is not negative",
		.in = FROM0 IP4 "4500 0024 0001 0000 8011 38b1 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 7f11 39b1 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "TTL 255",
		.in = FROM0 IP4 "4500 0024 0001 0000 ff11 b9b0 " ADDRS "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 fe11 bab0 " ADDRS
				    "1388 0bb8 0010 d266 {8@0}"}}},
	{.name = "TTL 1 for the router itself has arrived (RFC 1812 5.3.1)",
		.in = FROM0 IP4 "4500 0024 0001 0000 0111 2da1 " A_H0 A_R0
				"1388 0bb8 0010 4856 {8@0}",
		.why = DROP_LOCAL},
	{.name = NULL},
};

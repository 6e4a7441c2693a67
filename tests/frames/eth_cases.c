// SPDX-License-Identifier: BSD-2-Clause
// Ethernet: lengths, whom a frame is for, types, VLAN tags (RFC 894, 1042, 1812 5.3.4; 802.1Q).
#include "frames.h"

const struct frame_case eth_cases[] = {
	{.name = "an empty frame", .in = "", .why = DROP_ETH_SHORT},
	{.name = "one byte of a frame", .in = "02", .why = DROP_ETH_SHORT},
	{.name = "13 bytes are no Ethernet header", .in = FROM0 "08", .why = DROP_ETH_SHORT},
	{.name = "an Ethernet header alone, IPv4", .in = FROM0 "0800", .why = DROP_IP4_SHORT},
	{.name = "an Ethernet header alone, IPv6", .in = FROM0 "86dd", .why = DROP_IP6_SHORT},
	{.name = "for another station",
		.in = H5 H0 IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
				"1388 0bb8 0010 d266 {8@0}",
		.why = DROP_ETH_NOT_OURS},
	{.name = "for the router's MAC of another port",
		.in = R1 H0 IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
				"1388 0bb8 0010 d266 {8@0}",
		.why = DROP_ETH_NOT_OURS},
	{.name = "for another station, IPv6",
		.in = H5 H0 IP6 "60000000 0010 11 40 " S_H0 S_NET1 "1388 0bb8 0010 77f5 {8@0}",
		.why = DROP_ETH_NOT_OURS},
	{.name = "link-layer broadcast, unicast IPv4 (RFC 1812 5.3.4)",
		.in = "ffffffffffff " H0 IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
		      "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_ETH_GROUP},
	{.name = "link-layer multicast, unicast IPv4 (RFC 1812 5.3.4)",
		.in = "01005e000001 " H0 IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
		      "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_ETH_GROUP},
	{.name = "link-layer multicast, unicast IPv6",
		.in = "333300000001 " H0 IP6 "60000000 0010 11 40 " S_H0 S_NET1
		      "1388 0bb8 0010 77f5 {8@0}",
		.why = DROP_ETH_GROUP},
	{.name = "an ARP request, broadcast",
		.in = "ffffffffffff " H0 "0806 0001 0800 06 04 0001 " H0 A_H0 "000000000000 " A_R0,
		.why = DROP_ETH_GROUP},
	{.name = "an ARP reply to the router, with no host stack to take it",
		.in = FROM0 "0806 0001 0800 06 04 0002 " H0 A_H0 R0 A_R0,
		.why = DROP_ETH_TYPE},
	{.name = "LLDP", .in = FROM0 "88cc {46@0}", .why = DROP_ETH_TYPE},
	{.name = "MPLS",
		.in = FROM0 "8847 00010140 "
			    "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_ETH_TYPE},
	{.name = "802.3 with a length field (RFC 1042)",
		.in = FROM0 "0026 aaaa03 000000 0800 {38@0}",
		.why = DROP_ETH_TYPE},
	{.name = "ethertype 0x0000", .in = FROM0 "0000 {46@0}", .why = DROP_ETH_TYPE},
	{.name = "a VLAN without an interface",
		.in = FROM0 "8100 0005 " IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_VLAN_UNKNOWN},
	{.name = "a VLAN without an interface, IPv6",
		.in = FROM0 "8100 0fff " IP6 "60000000 0010 11 40 " S_H0 S_NET1
			    "1388 0bb8 0010 77f5 {8@0}",
		.why = DROP_VLAN_UNKNOWN},
	{.name = "a service tag (802.1ad)",
		.in = FROM0 "88a8 0005 " IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_VLAN_UNKNOWN},
	{.name = "two tags",
		.in = FROM0 "88a8 0005 8100 0006 " IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_VLAN_UNKNOWN},
	{.name = "three tags",
		.in = FROM0 "88a8 0005 8100 0006 8100 0007 " IP4
			    "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.why = DROP_VLAN_DEPTH},
	{.name = "the frame ends inside a tag", .in = FROM0 "8100 0005 08", .why = DROP_VLAN_SHORT},
	{.name = "the frame ends inside the second tag",
		.in = FROM0 "8100 0005 8100 00",
		.why = DROP_VLAN_SHORT},
	{.name = "a priority tag is no VLAN (802.1Q 6.9)",
		.in = FROM0 "8100 a000 " IP4 "4500 0024 0001 0000 4011 78b1 " A_H0 A_NET1
			    "1388 0bb8 0010 d266 {8@0}",
		.out = {{1, TO1 IP4 "4500 0024 0001 0000 3f11 79b1 " A_H0 A_NET1 "<38:>"}}},
	{.name = "a priority tag is no VLAN, IPv6",
		.in = FROM0 "8100 e000 " IP6 "60000000 0010 11 40 " S_H0 S_NET1
			    "1388 0bb8 0010 77f5 {8@0}",
		.out = {{1, TO1 IP6 "60000000 0010 11 3f " S_H0 S_NET1 "<58:>"}}},
	{.name = "a priority tag with nothing behind it, IPv4",
		.in = FROM0 "8100 a000 0800",
		.why = DROP_IP4_SHORT},
	{.name = NULL},
};

// SPDX-License-Identifier: BSD-2-Clause
// drop.h - every reason for which a packet is dropped.  A line here is all a new reason needs: it
// gets its counter, its name and its sentence from it.  There is no "other".
#pragma once

#include <stdint.h>

// X(NAME, "name", "sentence")
#define DROP_REASONS(X)                                                                            \
	X(NONE, "none", "not dropped")                                                             \
	X(ETH_SHORT, "eth-short", "frame shorter than an Ethernet header")                         \
	X(ETH_TYPE, "eth-type", "neither IPv4 nor IPv6")                                           \
	X(ETH_NOT_OURS, "eth-not-ours", "addressed to another station's MAC")                      \
	X(ETH_GROUP, "eth-group", "link-layer broadcast or multicast (RFC 1812 5.3.4)")            \
	X(VLAN_SHORT, "vlan-short", "frame ends inside a VLAN tag")                                \
	X(VLAN_DEPTH, "vlan-depth", "more than two VLAN tags")                                     \
	X(VLAN_UNKNOWN, "vlan-unknown", "no interface for this VLAN tag")                          \
	X(IP4_SHORT, "ip4-short", "frame ends inside the IPv4 header")                             \
	X(IP4_VERSION, "ip4-version", "version is not 4")                                          \
	X(IP4_IHL, "ip4-ihl", "header length below 20 bytes")                                      \
	X(IP4_LENGTH, "ip4-length", "total length below the header's or beyond the frame's")       \
	X(IP4_CHECKSUM, "ip4-checksum", "header checksum wrong")                                   \
	X(IP4_OPTION, "ip4-option", "malformed IPv4 option")                                       \
	X(IP4_OPTION_OFF, "ip4-option-off", "IPv4 options are refused (process_options=2)")        \
	X(IP4_SRCROUTE, "ip4-srcroute", "source route option, which this router does not serve")   \
	X(IP4_SRC_MARTIAN, "ip4-src-martian", "impossible source address (RFC 1812 5.3.7)")        \
	X(IP4_DST_MARTIAN, "ip4-dst-martian", "impossible destination address (RFC 1812 5.3.7)")   \
	X(IP4_MULTICAST, "ip4-multicast", "multicast, which is not routed")                        \
	X(IP4_BROADCAST, "ip4-broadcast", "broadcast, limited or directed (RFC 2644)")             \
	X(IP4_TTL, "ip4-ttl", "TTL does not allow another hop")                                    \
	X(IP4_NO_ROUTE, "ip4-no-route", "no route to the destination")                             \
	X(IP4_DF, "ip4-df", "larger than the egress MTU and DF set")                               \
	X(IP4_OFF, "ip4-off", "IPv4 forwarding is switched off")                                   \
	X(IP6_SHORT, "ip6-short", "frame ends inside the IPv6 header")                             \
	X(IP6_VERSION, "ip6-version", "version is not 6")                                          \
	X(IP6_LENGTH, "ip6-length", "payload length beyond the frame's")                           \
	X(IP6_EXT, "ip6-ext", "malformed or too long chain of extension headers")                  \
	X(IP6_OPTION, "ip6-option", "hop-by-hop option that says to drop (RFC 8200 4.2)")          \
	X(IP6_SRC_MARTIAN, "ip6-src-martian", "impossible source address")                         \
	X(IP6_DST_MARTIAN, "ip6-dst-martian", "impossible destination address")                    \
	X(IP6_SCOPE, "ip6-scope", "link-local address may not leave its link (RFC 4291 2.5.6)")    \
	X(IP6_MULTICAST, "ip6-multicast", "multicast, which is not routed")                        \
	X(IP6_HOP_LIMIT, "ip6-hop-limit", "hop limit does not allow another hop")                  \
	X(IP6_NO_ROUTE, "ip6-no-route", "no route to the destination")                             \
	X(IP6_TOO_BIG, "ip6-too-big", "larger than the egress MTU")                                \
	X(IP6_OFF, "ip6-off", "IPv6 forwarding is switched off")                                   \
	X(REJECT, "reject", "a route says to refuse")                                              \
	X(BLACKHOLE, "blackhole", "a route says to drop in silence")                               \
	X(FILTER, "filter", "a rule of the card's filter table says to drop")                      \
	X(SWITCH, "switch", "a switch rule of the card matched what it cannot rewrite")            \
	X(LOCAL, "local", "for the router itself, and no host stack is attached")                  \
	X(NEIGHBOUR, "neighbour", "the next hop's MAC is not known")                               \
	X(NO_MBUF, "no-mbuf", "no packet buffer left")                                             \
	X(BUF_CHAIN, "buf-chain", "spread over more packet buffers than one can hold")             \
	X(BURST_FULL, "burst-full", "no room in the burst for what would have to be made")         \
	X(TX_FULL, "tx-full", "the egress queue was full")

enum drop {
#define X(name, text, sentence) DROP_##name,
	DROP_REASONS(X)
#undef X
		DROP_COUNT
};

// "ip4-ttl"; drops above DROP_COUNT give "?".
const char *drop_name(enum drop why);

// The sentence of the table.
const char *drop_text(enum drop why);

// SPDX-License-Identifier: BSD-2-Clause
// router.h - IPv4 and IPv6 forwarding (RFC 1812 5.2, 5.3; RFC 8200).  Knows bursts and tables,
// nothing of drivers, threads or clocks: the caller passes `now`.
//
// A frame is looked at in this order; the first thing wrong is its drop reason.
//  1. Ethernet: length, group address (eth-group, whatever it carries), our MAC, VLAN tag, type.
//     A priority tag (VLAN 0) is taken off.
//  2. IP header: length, version, header and total length, IPv4 checksum.  Of the IPv6 extension
//     headers a router reads the hop-by-hop header and no other (RFC 8200 4): ip6-ext means that
//     this one is longer than the packet, or an option of it longer than the header.
//  3. Source: 0/8, 127/8, 169.254/16 and 224/3 are martian; so are ::/96, ::ffff:0:0/96 and ff00::/8.
//  4. Destination: martian (0/8, 127/8, 169.254/16, 240/4; ::/96, ::ffff:0:0/96), multicast,
//     broadcast (255.255.255.255, and all-ones or all-zeros in a connected net of /30 or shorter),
//     our own address or subnet-router anycast address (local), link-local IPv6 (ip6-scope).
//  5. Forwarding switched on; link-local IPv6 source (ip6-scope); IPv4 options: refused, malformed,
//     source route; IPv6 hop-by-hop options.
//  6. Route: none, reject, blackhole.   7. TTL or hop limit below 2.   8. The next hop's MAC is known.
//  9. Size against the egress MTU: IPv4 without DF is fragmented.
// What passes has its TTL lowered, record-route and timestamp options filled in, and our Ethernet
// header.  Padding up to the shortest frame of 60 bytes stays; more behind the packet is cut off.
//
// Answered by ICMP (type/code), from the address of the interface that leads back to the source, or
// for IPv4 of the one the packet came in by (icmp_reply_from_interface):
//	no-route	3/0	1/0		ip4-df, ip6-too-big	3/4	2/0	with the MTU
//	reject		3/1	1/6		ip4-option (pointer)	12/0
//	neighbour	3/1	1/3		ip4-option-off		3/13
//	ip4-ttl, ip6-hop-limit	11/0	3/0	ip4-srcroute		3/5
//	ip6-scope (the source)		1/2	ip6-option		4/2 if it asks for it
//	egress = ingress, and the source is a neighbour there	5/1	137/0	and forwarded
// Never answered: ICMP errors, later fragments (of IPv6 only those that may be an error's), what went
// to or came from a group, broadcast or martian address (RFC 1812 4.3.2.7, RFC 4443 2.4 e), sources we
// have no usable route back to, and what is above the limit.  IPv4 errors: precedence 6 and the
// packet's other TOS bits without ECN, DF clear, identification counting up, quoting up to
// icmp_quote_bytes of the packet (header included).
// IPv6 errors quote as much as fits into 1280 bytes.
#pragma once

#include "base/addr.h"
#include "base/err.h"
#include "packet/burst.h"

#include <stdbool.h>
#include <stdint.h>

struct router;
struct rte_mempool;

enum { ROUTER_PORTS_MAX = 16 };

// Zero-initialised: all off or the default given.
struct router_conf {
	bool forward4, forward6;   // net.inet.ip.forwarding, net.inet6.ip6.forwarding
	bool redirect4, redirect6; // send ICMP redirects
	uint8_t ttl, hlim;         // of packets made here; 0 = 64
	uint8_t process_options;   // net.inet.ip.process_options: 0 ignore, 1 process, 2 refuse
	uint32_t icmp_limit_pps;   // net.inet.icmp.icmplim, for each family; 0 = no limit
	uint16_t icmp_quote_bytes; // net.inet.icmp.quotelen; 0 = 548: errors of 576 bytes
	bool icmp_reply_from_interface;    // net.inet.icmp.reply_from_interface
	unsigned max_routes4, max_routes6; // with connected nets and neighbours; 0 = 4096
	struct rte_mempool *pool;          // for packets made here
};

// -EINVAL, -ENOMEM.  All memory is taken now, of what port_init got: 33 and 40 MB for a thousand
// routes of each family, 37 and 330 MB for 65,536.
struct router *router_new(const struct router_conf *conf, struct err *err);
void router_free(struct router *r);

// Control side.  Addresses as in base/addr.h.  0 or -errno with a sentence; a failed call
// changes nothing.  Ports first, then addresses, then routes and neighbours in any order.

// The interface that is the path's port number `port`, with its MAC and MTU.
int router_port_add(struct router *r, uint16_t port, const char *name, const struct mac *mac,
	uint16_t mtu, struct err *err);

// An address of the box; its connected route comes with it.  -EEXIST if another port has the
// address or the net.
int router_addr_add(struct router *r, uint16_t port, const struct prefix *addr, struct err *err);

enum route_kind { ROUTE_GATEWAY, ROUTE_INTERFACE, ROUTE_REJECT, ROUTE_BLACKHOLE };

struct route {
	struct prefix dst; // host bits are ignored
	enum route_kind kind;
	struct ip gateway; // ROUTE_GATEWAY; must lie in a connected net
	uint16_t port;     // ROUTE_INTERFACE, or the zone of a link-local gateway
	bool has_port;
};

// -EEXIST if there is a route to exactly this prefix, -EINVAL, -ENOSPC.
int router_route_add(struct router *r, const struct route *route, struct err *err);

// A permanent neighbour.  -EINVAL if no interface's net holds ip.  A neighbour again: new MAC.
int router_neigh_add(struct router *r, const struct ip *ip, const struct mac *mac, struct err *err);

// The same on a given port: how link-local neighbours are told apart.
int router_neigh_add_on(struct router *r, uint16_t port, const struct ip *ip, const struct mac *mac,
	struct err *err);

// Worker side: checks, looks up, lowers TTL, rewrites the Ethernet header, sets b->out.
// Packets made here (ICMP errors, further fragments) are put behind the others as far as the burst
// has room, else dropped and counted.  Correct for n = 0 and n = 1; n <= BURST_MAX.
void router_forward(struct router *r, struct burst *b, uint64_t now_ns);

struct router_counters {
	uint64_t icmp_sent, icmp_limited; // errors made, errors the limit forbade
	uint64_t fragmented, fragments;   // packets that were, pieces they became
	uint64_t slow;                    // packets that took the slow path
};

// Of the one worker; may be called from another thread.
void router_counters(const struct router *r, struct router_counters *out);

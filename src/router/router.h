// SPDX-License-Identifier: BSD-2-Clause
// router.h - IPv4 and IPv6 forwarding (RFC 1812 5.2, 5.3; RFC 8200).  Knows bursts and tables,
// nothing of drivers, threads or clocks: the caller passes `now`.
#pragma once

#include "base/addr.h"
#include "base/err.h"
#include "packet/burst.h"

#include <stdbool.h>
#include <stdint.h>

struct router;
struct rte_mempool;

// Zero-initialised: all off or the default given.
struct router_conf {
	bool forward4, forward6;   // net.inet.ip.forwarding, net.inet6.ip6.forwarding
	bool redirect4, redirect6; // send ICMP redirects
	uint8_t ttl, hlim;         // of packets made here; 0 = 64
	uint8_t process_options;   // net.inet.ip.process_options: 0 ignore, 1 process, 2 refuse
	uint32_t icmp_limit_pps;   // net.inet.icmp.icmplim; 0 = no limit
	uint16_t icmp_quote_bytes; // net.inet.icmp.quotelen; 0 = 548
	bool icmp_reply_from_interface;    // net.inet.icmp.reply_from_interface
	unsigned max_routes4, max_routes6; // 0 = 65536
	struct rte_mempool *pool;          // for packets made here
};

struct router *router_new(const struct router_conf *conf, struct err *err);
void router_free(struct router *r);

// Control side.  Addresses as in base/addr.h.  0 or -errno with a sentence; a failed call
// changes nothing.

// The interface that is the path's port number `port`, with its MAC and MTU.
int router_port_add(struct router *r, uint16_t port, const char *name, const struct mac *mac,
	uint16_t mtu, struct err *err);

// An address of the box; its connected route comes with it.
int router_addr_add(struct router *r, uint16_t port, const struct prefix *addr, struct err *err);

enum route_kind { ROUTE_GATEWAY, ROUTE_INTERFACE, ROUTE_REJECT, ROUTE_BLACKHOLE };

struct route {
	struct prefix dst;
	enum route_kind kind;
	struct ip gateway; // ROUTE_GATEWAY; must lie in a connected net
	uint16_t port;     // ROUTE_INTERFACE, or the zone of a link-local gateway
	bool has_port;
};

int router_route_add(struct router *r, const struct route *route, struct err *err);

// A permanent neighbour.  -EINVAL if no interface's net holds ip.
int router_neigh_add(struct router *r, const struct ip *ip, const struct mac *mac, struct err *err);

// Worker side: checks, looks up, lowers TTL, rewrites the Ethernet header, sets b->out.
// Packets made here (ICMP errors, fragments) are put behind the others as far as the burst has
// room, else dropped and counted.  Correct for n = 0 and n = 1.
void router_forward(struct router *r, struct burst *b, uint64_t now_ns);

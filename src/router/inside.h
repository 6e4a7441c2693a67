// SPDX-License-Identifier: BSD-2-Clause
// inside.h - what a router consists of; for the files of this folder.
#pragma once

#include "router/check.h"
#include "router/fib.h"
#include "router/hop.h"
#include "router/limit.h"
#include "router/neigh.h"
#include "router/router.h"

struct iface {
	bool used;
	char name[32];
	struct mac mac;
	uint64_t mac48; // the MAC as the first 48 bits of a little-endian word
	uint16_t mtu;
	uint32_t glean;       // next hop of the nets connected here: the neighbour is not known
	struct prefix *addrs; // of both families, link-local ones too
	unsigned n_addrs;
};

enum { N_SPECIALS = 10 };

// A net whose hosts are neighbours on a port.
struct onlink {
	struct prefix net;
	uint16_t port;
};

struct router {
	struct router_conf conf;
	struct fib4 *fib4;
	struct fib6 *fib6;
	check_fn *check4, *check6; // of this machine
	struct hops hops;
	struct iface port[ROUTER_PORTS_MAX];
	struct router_counters counters;
	struct limit icmp4, icmp6;
	uint16_t ip_id; // of the last IPv4 packet made here

	// Control side and slow path only.
	struct neighs neighs;
	struct onlink *onlinks;
	unsigned n_onlinks;
	struct prefix specials[N_SPECIALS];
};

// The next hop of any destination but a link-local one.
uint32_t route_find(const struct router *r, const struct ip *dst);

// Enters the prefixes no packet may come from or go to.
int special_init(struct router *r, struct err *err);

// The reserved prefix that holds all of p, as text for a message, or NULL.
const char *special_name(const struct router *r, const struct prefix *p);

// Sources a router does not forward: martian4 of the address in host order, martian6 in wire order.
bool special_src4(uint32_t src);
bool special_src6(const uint8_t *src);

static inline bool ip6_is_linklocal(const uint8_t *a)
{
	return a[0] == 0xfe && (a[1] & 0xc0) == 0x80;
}

// The longest net with a neighbour of this address, on any port or (port >= 0) on one; or NULL.
const struct onlink *onlink_find(const struct router *r, const struct ip *ip, int port);

// Our address that a neighbour of this address on `port` sees: of the net they share, else the
// port's first of the family (not link-local, unless ip is).  NULL if there is none.
const struct ip *iface_source(const struct router *r, uint16_t port, const struct ip *ip);

// Whether ip is an address of the port.
bool iface_owns(const struct iface *f, const struct ip *ip);

// Behind the port's other addresses.  -ENOMEM.
int iface_add_addr(struct iface *f, const struct prefix *p, struct err *err);

int onlink_add(struct router *r, const struct prefix *net, uint16_t port, struct err *err);

// The entry for (port, ip), made with an unknown MAC if need be; *made tells.  -ENOSPC, -ENOMEM.
struct neigh *neigh_need(
	struct router *r, uint16_t port, const struct ip *ip, bool *made, struct err *err);

// Gives the neighbour a host route if the route to it is its connected net, else takes it away.
int neigh_settle(struct router *r, struct neigh *nb, struct err *err);

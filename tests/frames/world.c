// SPDX-License-Identifier: BSD-2-Clause
#include "world.h"

#include "base/addr.h"
#include "router/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

const uint16_t world_mtu[WORLD_PORTS] = {1500, 1500, 1280, 576};

static void must(int rc, const struct err *err)
{
	if (rc < 0)
		fail_msg("%s", err->msg);
}

static struct prefix prefix_of(const char *text)
{
	struct err err = {0};
	struct prefix p;

	must(prefix_parse(text, &p, &err), &err);
	return p;
}

static struct ip ip_of(const char *text)
{
	return prefix_of(text).addr;
}

static void add_ports(struct router *r)
{
	struct err err = {0};

	for (uint16_t i = 0; i < WORLD_PORTS; i++) {
		struct mac mac = {{2, 0, 0, 0, 0, (uint8_t)(0x10 + i)}};
		char name[8];

		snprintf(name, sizeof(name), "p%u", i);
		must(router_port_add(r, i, name, &mac, world_mtu[i], &err), &err);
	}
}

static void add_addresses(struct router *r)
{
	const struct {
		uint16_t port;
		const char *addr;
	} addrs[] = {{0, "198.18.0.1/24"}, {0, "2001:db8::1/64"}, {1, "198.18.1.1/24"},
		{1, "2001:db8:0:1::1/64"}, {2, "198.18.2.1/24"}, {2, "2001:db8:0:2::1/64"},
		{3, "198.18.3.1/24"}, {3, "198.18.4.0/31"}};
	struct err err = {0};

	for (unsigned i = 0; i < sizeof(addrs) / sizeof(addrs[0]); i++) {
		struct prefix p = prefix_of(addrs[i].addr);

		must(router_addr_add(r, addrs[i].port, &p, &err), &err);
	}
}

static void add_neighbours(struct router *r)
{
	const struct {
		const char *ip;
		uint8_t mac;
	} neighs[] = {{"198.18.0.2", 0xa0}, {"2001:db8::2", 0xa0}, {"198.18.0.3", 0xa5},
		{"2001:db8::3", 0xa5}, {"198.18.1.2", 0xa1}, {"2001:db8:0:1::2", 0xa1},
		{"198.18.2.2", 0xa2}, {"2001:db8:0:2::2", 0xa2}, {"198.18.3.2", 0xa3},
		{"198.18.4.1", 0xa3}, {"fe80::2", 0xa0}, {"fe80::3", 0xa5}};
	struct err err = {0};

	for (unsigned i = 0; i < sizeof(neighs) / sizeof(neighs[0]); i++) {
		struct mac mac = {{2, 0, 0, 0, 0, neighs[i].mac}};
		struct ip ip = ip_of(neighs[i].ip);

		if (neighs[i].ip[0] == 'f')
			must(router_neigh_add_on(r, 0, &ip, &mac, &err), &err);
		else
			must(router_neigh_add(r, &ip, &mac, &err), &err);
	}
}

static void add_routes(struct router *r)
{
	const struct {
		const char *dst, *gateway;
		enum route_kind kind;
	} routes[] = {
		{"203.0.113.0/24", "198.18.1.2", ROUTE_GATEWAY},
		{"203.0.113.128/25", "198.18.2.2", ROUTE_GATEWAY},
		{"203.0.113.200/32", "198.18.3.2", ROUTE_GATEWAY},
		{"198.19.0.0/16", "198.18.0.3", ROUTE_GATEWAY},
		{"203.0.112.0/24", "198.18.1.99", ROUTE_GATEWAY},
		{"192.0.2.0/24", NULL, ROUTE_REJECT},
		{"198.51.100.0/24", NULL, ROUTE_BLACKHOLE},
		{"2001:db8:113::/48", "2001:db8:0:1::2", ROUTE_GATEWAY},
		{"2001:db8:113:8000::/49", "2001:db8:0:2::2", ROUTE_GATEWAY},
		{"2001:db8:ed::/48", "fe80::3", ROUTE_GATEWAY},
		{"2001:db8:99::/48", "2001:db8:0:1::99", ROUTE_GATEWAY},
		{"2001:db8:bad::/48", NULL, ROUTE_REJECT},
		{"2001:db8:b1ac::/48", NULL, ROUTE_BLACKHOLE},
	};
	struct err err = {0};

	for (unsigned i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
		struct route route = {.dst = prefix_of(routes[i].dst), .kind = routes[i].kind};

		if (routes[i].gateway != NULL) {
			route.gateway = ip_of(routes[i].gateway);
			route.has_port = routes[i].gateway[0] == 'f'; // port 0
		}
		must(router_route_add(r, &route, &err), &err);
	}
}

struct router *world_router(enum rig_kind kind, struct rte_mempool *pool)
{
	struct router_conf conf = {
		.forward4 = kind != RIG_OFF,
		.forward6 = kind != RIG_OFF,
		.redirect4 = kind == RIG_REDIRECT,
		.redirect6 = kind == RIG_REDIRECT,
		.process_options = kind == RIG_IGNORE   ? 0
				   : kind == RIG_REFUSE ? 2
							: 1,
		.icmp_reply_from_interface = kind == RIG_REPLY_FROM,
		.pool = pool,
	};
	struct err err = {0};
	struct router *r = router_new(&conf, &err);

	if (r == NULL)
		fail_msg("%s", err.msg);
	add_ports(r);
	add_addresses(r);
	add_routes(r);
	add_neighbours(r);
	return r;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

#include "base/addr.h"
#include "router/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

enum { N_BUFS = 1023, N_PORTS = 4 };

struct rig {
	struct rte_mempool *pool;
	struct router *router;
	struct drops drops;
	uint64_t now_ns;
};

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

// The packet I/O layer, once, without huge pages, devices or files.
static void start_eal(void)
{
	static bool started;
	char name[] = "frames", pages[] = "--no-huge", files[] = "--no-shconf", pci[] = "--no-pci",
	     quiet[] = "--log-level=4", mem[] = "-m", mem_mb[] = "768",
	     telemetry[] = "--no-telemetry";
	char *argv[] = {name, pages, files, pci, quiet, telemetry, mem, mem_mb, NULL};

	if (started)
		return;
	if (rte_eal_init(8, argv) < 0)
		fail_msg("EAL: %s", rte_strerror(rte_errno));
	started = true;
}

static void add_ports(struct router *r)
{
	const uint16_t mtu[N_PORTS] = {1500, 1500, 1280, 576};
	struct err err = {0};

	for (uint16_t i = 0; i < N_PORTS; i++) {
		struct mac mac = {{2, 0, 0, 0, 0, (uint8_t)(0x10 + i)}};
		char name[8];

		snprintf(name, sizeof(name), "p%u", i);
		must(router_port_add(r, i, name, &mac, mtu[i], &err), &err);
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

struct rig *rig_new(enum rig_kind kind)
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
	};
	struct rig *g = calloc(1, sizeof(*g));
	struct err err = {0};

	start_eal();
	assert_non_null(g);
	g->pool = rte_pktmbuf_pool_create("frames", N_BUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, -1);
	assert_non_null(g->pool);
	conf.pool = g->pool;
	g->router = router_new(&conf, &err);
	if (g->router == NULL)
		fail_msg("%s", err.msg);
	add_ports(g->router);
	add_addresses(g->router);
	add_routes(g->router);
	add_neighbours(g->router);
	g->now_ns = 1000000000;
	return g;
}

void rig_free(struct rig *g)
{
	assert_int_equal(rte_mempool_avail_count(g->pool), N_BUFS);
	router_free(g->router);
	rte_mempool_free(g->pool);
	free(g);
}

// The frame in one buffer, or in two of which the first holds `head` bytes.
static struct rte_mbuf *mbuf_of(struct rte_mempool *pool, const struct frame *f, unsigned head)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *tail;
	unsigned first = head < f->n ? head : f->n;

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)first), f->b, first);
	if (first == f->n)
		return m;
	tail = rte_pktmbuf_alloc(pool);
	assert_non_null(tail);
	memcpy(rte_pktmbuf_append(tail, (uint16_t)(f->n - first)), f->b + first, f->n - first);
	assert_int_equal(rte_pktmbuf_chain(m, tail), 0);
	return m;
}

static void frame_of(const struct rte_mbuf *m, struct frame *f)
{
	const void *at;

	assert_in_range(m->pkt_len, 1, FRAME_BYTES_MAX);
	f->n = m->pkt_len;
	at = rte_pktmbuf_read(m, 0, f->n, f->b);
	assert_non_null(at);
	if (at != f->b)
		memcpy(f->b, at, f->n);
	memset(f->any, 0, sizeof(f->any));
}

// What is in and what was made is out or dropped, each for a reason.
static void check_balance(unsigned n_in, const struct burst *b, const struct outcome *o)
{
	assert_int_equal(n_in + o->made, o->n + o->dropped);
	assert_true(b->n_dropped <= o->dropped); // what could not be made has no buffer
	assert_int_equal(o->drop[DROP_NONE], 0);
}

void rig_run(struct rig *g, uint16_t port, const struct frame *frames, unsigned n, unsigned head,
	struct outcome *o)
{
	static struct burst b;
	struct drops before = g->drops;

	memset(&b, 0xa5, sizeof(b)); // what the path does not set is not to be read
	b.in = port;
	b.drops = &g->drops;
	b.n_dropped = b.n_made = 0;
	for (b.n = 0; b.n < n; b.n++)
		b.pkt[b.n] = mbuf_of(g->pool, &frames[b.n], head);
	g->now_ns += 1000000000;
	router_forward(g->router, &b, g->now_ns);

	o->n = b.n;
	o->made = b.n_made;
	o->dropped = 0;
	for (unsigned i = 0; i < b.n; i++) {
		assert_in_range(b.out[i], 0, N_PORTS - 1);
		o->out[i].port = b.out[i];
		frame_of(b.pkt[i], &o->out[i].frame);
		rte_pktmbuf_free(b.pkt[i]);
	}
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		o->drop[i] = g->drops.n[i] - before.n[i];
		o->dropped += (unsigned)o->drop[i];
	}
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
	check_balance(n, &b, o);
}

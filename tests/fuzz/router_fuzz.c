// SPDX-License-Identifier: BSD-2-Clause
// Whole frames through a router: whatever comes, the account is right and no buffer is lost.
#include "port/port.h"
#include "router/router.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { POOL = 1023 };

static struct rte_mempool *pool;
static struct router *router;
static struct drops drops;

static void add(uint16_t port, const char *addr, const char *peer)
{
	struct mac mac = {{2, 0, 0, 0, 0, (uint8_t)port}};
	struct prefix a;
	struct ip p;

	assert(prefix_parse(addr, &a, NULL) == 0 && ip_parse(peer, &p, NULL) == 0);
	router_port_add(router, port, port == 0 ? "a" : "b", &mac, port == 0 ? 1500 : 1280, NULL);
	assert(router_addr_add(router, port, &a, NULL) == 0);
	mac.b[0] = 6;
	assert(router_neigh_add(router, &p, &mac, NULL) == 0);
}

static void start(void)
{
	struct port_env env = {.first_cpu = -1};
	struct router_conf c = {.forward4 = true,
		.forward6 = true,
		.redirect4 = true,
		.redirect6 = true,
		.process_options = 1,
		.max_routes4 = 64,
		.max_routes6 = 64};
	struct route r = {.kind = ROUTE_GATEWAY};

	if (port_init(&env, NULL) != 0)
		abort();
	c.pool = pool = port_pool("fuzz", POOL, 2048, NULL);
	router = router_new(&c, NULL);
	if (pool == NULL || router == NULL)
		abort();
	add(0, "10.0.0.1/24", "10.0.0.2");
	add(0, "2001:db8::1/64", "2001:db8::2");
	add(1, "10.0.1.1/24", "10.0.1.2");
	add(1, "2001:db8:1::1/64", "2001:db8:1::2");
	// Everything has a route: a random packet comes far.
	prefix_parse("0.0.0.0/0", &r.dst, NULL);
	ip_parse("10.0.1.2", &r.gateway, NULL);
	assert(router_route_add(router, &r, NULL) == 0);
	prefix_parse("::/0", &r.dst, NULL);
	ip_parse("2001:db8:1::2", &r.gateway, NULL);
	assert(router_route_add(router, &r, NULL) == 0);
}

// The frame, to our MAC and with a right IPv4 checksum.
static void put(struct burst *b, const uint8_t *data, size_t size)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *p = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)size);

	assert(p != NULL);
	memcpy(p, data, size);
	if (size >= 12)
		memcpy(p, (const uint8_t[]){2, 0, 0, 0, 0, 0}, 6);
	if (size >= 34 && (p[14] & 15) >= 5 && size >= 14u + (p[14] & 15) * 4u) {
		uint32_t sum = 0;

		p[24] = p[25] = 0;
		for (unsigned i = 14; i < 14u + (p[14] & 15) * 4u; i += 2)
			sum += (uint32_t)p[i] << 8 | p[i + 1];
		sum = (sum & 0xffff) + (sum >> 16);
		sum += sum >> 16;
		p[24] = (uint8_t)(~sum >> 8);
		p[25] = (uint8_t)~sum;
	}
	b->pkt[b->n++] = m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct burst b = {.drops = &drops};
	uint64_t before = 0, after = 0;
	unsigned n;

	if (router == NULL)
		start();
	if (size < 2 || size > 1800)
		return 0;
	b.in = data[0] & 1;
	for (n = 1; n < 1u + (data[0] >> 6); n++)
		put(&b, data + 1, size - 1);
	n = b.n;
	for (unsigned i = 0; i < DROP_COUNT; i++)
		before += drops.n[i];
	router_forward(router, &b, 0);
	for (unsigned i = 0; i < DROP_COUNT; i++)
		after += drops.n[i];
	assert(n + b.n_made == b.n + (after - before));
	for (unsigned i = 0; i < b.n; i++)
		assert(b.out[i] < 2 && rte_pktmbuf_pkt_len(b.pkt[i]) >= 34);
	rte_pktmbuf_free_bulk(b.pkt, b.n);
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
	assert(rte_mempool_avail_count(pool) == POOL);
	return 0;
}

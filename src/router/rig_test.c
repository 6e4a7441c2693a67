// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/rig_test.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_SIZE = 1023 };

const uint8_t rig_mac[2][6] = {
	{0x00, 0x08, 0xa2, 0x09, 0x33, 0xda}, {0x00, 0x08, 0xa2, 0x09, 0x33, 0xdb}};
const uint8_t rig_peer[2][6] = {
	{0x00, 0x1b, 0x21, 0xc4, 0x95, 0x7a}, {0x00, 0x1b, 0x21, 0xc4, 0x95, 0x7b}};

void rig_eal(void)
{
	static bool started;
	static char text[] = "test\0--no-huge\0--no-shconf\0--no-pci\0--no-telemetry\0-m\0"
			     "512\0"
			     "--log-level=lib.eal:error\0--force-max-simd-bitwidth=512\0"
			     "--lcores=0@0\0";
	char *argv[16];
	int argc = 0;

	if (started)
		return;
	for (char *p = text; *p != '\0'; p += strlen(p) + 1) // EAL wants writable words
		argv[argc++] = p;
	assert_int_not_equal(rte_eal_init(argc, argv), -1);
	started = true;
}

struct prefix rig_prefix(const char *text)
{
	struct prefix p;

	assert_int_equal(prefix_parse(text, &p, NULL), 0);
	return p;
}

struct ip rig_ip(const char *text)
{
	struct ip ip;

	assert_int_equal(ip_parse(text, &ip, NULL), 0);
	return ip;
}

struct mac rig_mac_of(const char *text)
{
	struct mac mac;

	assert_int_equal(mac_parse(text, &mac, NULL), 0);
	return mac;
}

static void ok(int rc, const struct err *err)
{
	if (rc != 0)
		fail_msg("%d: %s", rc, err->msg);
}

static void side(struct rig *g, uint16_t port, const char *const *text)
{
	struct prefix addr4 = rig_prefix(text[0]), addr6 = rig_prefix(text[1]);
	struct route r4 = {.dst = rig_prefix(text[2]), .gateway = rig_ip(text[3])};
	struct route r6 = {.dst = rig_prefix(text[4]), .gateway = rig_ip(text[5])};
	struct mac mac;
	struct err err = {0};

	memcpy(mac.b, rig_mac[port], 6);
	ok(router_port_add(g->r, port, port == 0 ? "igb2" : "igb3", &mac, 1500, &err), &err);
	ok(router_addr_add(g->r, port, &addr4, &err), &err);
	ok(router_addr_add(g->r, port, &addr6, &err), &err);
	ok(router_route_add(g->r, &r4, &err), &err);
	ok(router_route_add(g->r, &r6, &err), &err);
	memcpy(mac.b, rig_peer[port], 6);
	ok(router_neigh_add(g->r, &r4.gateway, &mac, &err), &err);
	ok(router_neigh_add(g->r, &r6.gateway, &mac, &err), &err);
}

void rig_start(struct rig *g, const struct router_conf *conf)
{
	static const char *const sides[2][6] = {
		{"198.18.0.209/25", "2001:2::209/64", "198.18.0.0/16", "198.18.0.203",
			"2001:2::/49", "2001:2::203"},
		{"198.19.0.209/25", "2001:2:0:8000::209/64", "198.19.0.0/16", "198.19.0.203",
			"2001:2:0:8000::/49", "2001:2:0:8000::203"},
	};
	static unsigned serial;
	struct router_conf c = *conf;
	struct err err = {0};
	char name[16];

	rig_eal();
	*g = (struct rig){0};
	snprintf(name, sizeof(name), "rig%u", serial++);
	g->pool = rte_pktmbuf_pool_create(name, POOL_SIZE, 0, 0, 9600 + RTE_PKTMBUF_HEADROOM, -1);
	assert_non_null(g->pool);
	c.pool = g->pool;
	c.max_routes4 = c.max_routes6 = 256;
	g->r = router_new(&c, &err);
	if (g->r == NULL)
		fail_msg("%s", err.msg);
	g->b.drops = &g->drops;
	side(g, 0, sides[0]);
	side(g, 1, sides[1]);
}

void rig_stop(struct rig *g)
{
	rig_clear(g);
	router_free(g->r);
	assert_int_equal(rte_mempool_avail_count(g->pool), POOL_SIZE);
	rte_mempool_free(g->pool);
}

uint16_t slow_sum(uint64_t sum, const uint8_t *p, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		sum += i % 2 == 0 ? (unsigned)p[i] << 8 : p[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void pad(struct frame *f)
{
	f->len = f->len < 60 ? 60 : f->len;
}

static void start_frame(struct frame *f, unsigned type, unsigned len)
{
	assert_true(len <= sizeof(f->b));
	memset(f, 0, sizeof(*f));
	memcpy(f->b, rig_mac[0], 6);
	memcpy(f->b + 6, rig_peer[0], 6);
	put16(f->b + 12, type);
	f->len = len;
}

static void fill_udp(uint8_t *udp, unsigned payload)
{
	put16(udp, 2000);
	put16(udp + 2, 2000);
	put16(udp + 4, 8 + payload);
	for (unsigned i = 0; i < payload; i++)
		udp[8 + i] = (uint8_t)(i * 7 + 1);
}

void frame_sum(struct frame *f)
{
	uint8_t *ip = f->b + 14;

	put16(ip + 10, 0);
	put16(ip + 10, slow_sum(0, ip, (ip[0] & 15) * 4u));
}

void frame_udp4(struct frame *f, const char *src, const char *dst, uint8_t ttl, unsigned payload)
{
	uint8_t *ip = f->b + 14;
	struct ip a = rig_ip(src), b = rig_ip(dst);

	start_frame(f, 0x0800, 14 + 28 + payload);
	ip[0] = 0x45;
	put16(ip + 2, 28 + payload);
	put16(ip + 4, 0x1234);
	ip[8] = ttl;
	ip[9] = 17;
	put16(ip + 12, a.v4 >> 16);
	put16(ip + 14, a.v4 & 0xffff);
	put16(ip + 16, b.v4 >> 16);
	put16(ip + 18, b.v4 & 0xffff);
	fill_udp(ip + 20, payload);
	frame_sum(f);
	pad(f);
}

void frame_udp6(struct frame *f, const char *src, const char *dst, uint8_t hlim, unsigned payload)
{
	uint8_t *ip = f->b + 14;
	struct ip a = rig_ip(src), b = rig_ip(dst);

	start_frame(f, 0x86dd, 14 + 48 + payload);
	ip[0] = 0x60;
	put16(ip + 4, 8 + payload);
	ip[6] = 17;
	ip[7] = hlim;
	memcpy(ip + 8, a.v6.b, 16);
	memcpy(ip + 24, b.v6.b, 16);
	fill_udp(ip + 40, payload);
}

void frame_options(struct frame *f, const uint8_t *opt, unsigned len)
{
	uint8_t *ip = f->b + 14;
	unsigned total = (unsigned)ip[2] << 8 | ip[3];

	memmove(ip + 20 + len, ip + 20, total - 20);
	memcpy(ip + 20, opt, len);
	ip[0] = (uint8_t)(0x45 + len / 4);
	put16(ip + 2, total + len);
	f->len = 14 + total + len;
	frame_sum(f);
	pad(f);
}

void rig_put(struct rig *g, const struct frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(g->pool);
	char *p;

	assert_non_null(m);
	p = rte_pktmbuf_append(m, (uint16_t)f->len);
	assert_non_null(p);
	memcpy(p, f->b, f->len);
	assert_true(g->b.n < BURST_MAX);
	g->b.pkt[g->b.n++] = m;
}

void rig_run(struct rig *g, uint16_t in, uint64_t now_ns)
{
	uint64_t before = 0, after = 0;
	unsigned n = g->b.n;

	for (unsigned i = 0; i < DROP_COUNT; i++)
		before += g->drops.n[i];
	g->b.in = in;
	router_forward(g->r, &g->b, now_ns);
	for (unsigned i = 0; i < DROP_COUNT; i++)
		after += g->drops.n[i];
	assert_int_equal(n + g->b.n_made, g->b.n + (after - before));
}

enum drop rig_one(struct rig *g, uint16_t in, const struct frame *f)
{
	rig_clear(g);
	memset(&g->drops, 0, sizeof(g->drops));
	rig_put(g, f);
	rig_run(g, in, 0);
	for (unsigned i = 1; i < DROP_COUNT; i++)
		if (g->drops.n[i] != 0)
			return (enum drop)i;
	return DROP_NONE;
}

void rig_clear(struct rig *g)
{
	rte_pktmbuf_free_bulk(g->b.pkt, g->b.n);
	rte_pktmbuf_free_bulk(g->b.dropped, g->b.n_dropped);
	g->b.n = g->b.n_dropped = g->b.n_made = 0;
}

const uint8_t *rig_data(const struct rig *g, unsigned i)
{
	return rte_pktmbuf_mtod(g->b.pkt[i], const uint8_t *);
}

unsigned rig_len(const struct rig *g, unsigned i)
{
	return rte_pktmbuf_pkt_len(g->b.pkt[i]);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "adapter/rig_test.h"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct rte_mempool *rig_pool;
const struct mac rig_mac = {{0x00, 0x08, 0xa2, 0x09, 0x33, 0xda}};

int rig_eal(void **state)
{
	static char text[] = "test\0--no-huge\0--no-shconf\0--no-pci\0--no-telemetry\0-m\0"
			     "128\0--log-level=lib.eal:error\0--lcores=0@0\0";
	char *argv[16];
	int argc = 0;

	(void)state;
	for (char *p = text; *p != '\0'; p += strlen(p) + 1) // EAL wants writable words
		argv[argc++] = p;
	if (rte_eal_init(argc, argv) < 0)
		return -1;
	rig_pool = rte_pktmbuf_pool_create(
		"rig", RIG_POOL, 0, 0, RIG_FRAME_MAX + RTE_PKTMBUF_HEADROOM, -1);
	return rig_pool != NULL ? 0 : -1;
}

int rig_all_back(void **state)
{
	(void)state;
	return rte_mempool_avail_count(rig_pool) == RIG_POOL ? 0 : -1;
}

void rig_seed(void)
{
	unsigned s = (unsigned)time(NULL);

	if (getenv("SEED") != NULL)
		s = (unsigned)strtoul(getenv("SEED"), NULL, 10);
	printf("SEED=%u\n", s);
	srandom(s);
}

unsigned rig_below(unsigned n)
{
	return (unsigned)random() % n;
}

static void fill(void *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		((uint8_t *)to)[i] = (uint8_t)random();
}

static struct ip address(uint8_t family)
{
	struct ip ip = {.family = family};

	if (family == 4)
		fill(&ip.v4, sizeof(ip.v4));
	else
		fill(&ip.v6, sizeof(ip.v6));
	return ip;
}

// A destination options header of 8 or 16 bytes of padding, and maybe a fragment header of all.
static void extensions(struct recipe *r)
{
	static const uint8_t pad8[8] = {0, 0, 1, 4}, pad16[16] = {0, 1, 1, 12};
	static const uint8_t whole[8] = {0};
	unsigned n = rig_below(2) == 0 ? 8 : 16;
	bool atomic = rig_below(2) == 0;

	r->b.opt_type = 60;
	memcpy(r->opt, n == 8 ? pad8 : pad16, n);
	r->opt[0] = atomic ? 44 : r->b.proto;
	if (atomic) {
		memcpy(r->opt + n, whole, 8);
		r->opt[n] = r->b.proto;
		n += 8;
	}
	r->b.opt = r->opt;
	r->b.opt_len = (uint16_t)n;
}

void rig_recipe(struct recipe *r, uint8_t family)
{
	static const uint8_t protos[] = {6, 6, 6, 17, 17, 17, 1, 58, 47, 132};

	memset(r, 0, sizeof(*r));
	r->b = (struct build){.dmac = rig_mac,
		.src = address(family),
		.dst = address(family),
		.tos = (uint8_t)random(),
		.ttl = (uint8_t)(1 + rig_below(255)),
		.ip_id = (uint16_t)random(),
		.proto = protos[rig_below(sizeof(protos))],
		.sport = (uint16_t)random(),
		.dport = (uint16_t)random(),
		.seq = (uint32_t)random(),
		.tcp_flags = (uint8_t)random(),
		.icmp_type = (uint8_t)random(),
		.icmp_code = (uint8_t)random(),
		.payload = r->payload,
		.payload_len = rig_below(8) == 0 ? rig_below(1000) : rig_below(40)};
	if (r->b.proto == 1 && family == 6)
		r->b.proto = 58;
	fill(r->b.smac.b, MAC_LEN);
	fill(r->payload, sizeof(r->payload));
	r->b.n_vlan = rig_below(4) == 0 ? (uint8_t)rig_below(3) : 0;
	fill(r->b.tci, sizeof(r->b.tci));
	if (rig_below(4) != 0)
		return;
	if (family == 6) {
		extensions(r);
		return;
	}
	memset(r->opt, 1, sizeof(r->opt)); // no operation
	r->b.opt = r->opt;
	r->b.opt_len = (uint16_t)(4 * (1 + rig_below(10)));
}

void rig_build(const struct recipe *r, struct frame *f)
{
	f->n = build_frame(&r->b, f->b, sizeof(f->b));
	assert_true(f->n > 0);
}

void rig_damage(struct frame *f)
{
	switch (rig_below(8)) {
	case 0:
		f->b[rig_below(f->n < 90 ? f->n : 90)] ^= (uint8_t)(1u << rig_below(8));
		break;
	case 1:
		f->b[12 + rig_below(60)] = (uint8_t)random();
		break;
	case 2:
		f->n = rig_below(f->n + 1);
		break;
	case 3: // padding
		memset(f->b + f->n, 0xa5, 60);
		f->n += rig_below(60);
		break;
	case 4: // DF, MF and offsets
		if (f->b[12] == 8)
			f->b[20] = (uint8_t)(rig_below(8) << 5);
		break;
	case 5: // next headers
		if (f->b[12] == 0x86)
			f->b[14 + 6] = (const uint8_t[]){0, 43, 44, 51, 59, 60, 135}[rig_below(7)];
		break;
	case 6: // other stations
		f->b[0] ^= (uint8_t)rig_below(2);
		f->b[5] ^= (uint8_t)rig_below(2);
		if (rig_below(3) == 0)
			memset(f->b, 0xff, 6);
		break;
	default:
		break;
	}
}

struct rte_mbuf *rig_mbuf(const struct frame *f, unsigned piece)
{
	struct rte_mbuf *first = NULL;

	for (unsigned at = 0; first == NULL || at < f->n; at += piece) {
		unsigned n = f->n - at < piece ? f->n - at : piece;
		struct rte_mbuf *m = rte_pktmbuf_alloc(rig_pool);

		assert_non_null(m);
		// What lies behind the frame must count for nothing.
		memset(m->buf_addr, rig_below(256), m->buf_len);
		memcpy(rte_pktmbuf_append(m, (uint16_t)n), f->b + at, n);
		if (first == NULL)
			first = m;
		else
			assert_int_equal(rte_pktmbuf_chain(first, m), 0);
	}
	return first;
}

void rig_read(const struct rte_mbuf *m, struct frame *f)
{
	const void *at;

	f->n = m->pkt_len;
	assert_true(f->n <= sizeof(f->b));
	at = rte_pktmbuf_read(m, 0, f->n, f->b);
	assert_non_null(at);
	if (at != f->b)
		memcpy(f->b, at, f->n);
}

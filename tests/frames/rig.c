// SPDX-License-Identifier: BSD-2-Clause
#include "rig.h"

#include "buf.h"
#include "router/router.h"
#include "world.h"

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

enum { N_BUFS = 1023 };

struct rig {
	struct rte_mempool *pool;
	struct router *router;
	struct drops drops;
	uint64_t now_ns;
};

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

struct rig *rig_new(enum rig_kind kind)
{
	static unsigned serial;
	struct rig *g = calloc(1, sizeof(*g));
	char name[32];

	start_eal();
	assert_non_null(g);
	snprintf(name, sizeof(name), "frames%u", serial++);
	g->pool = rte_pktmbuf_pool_create(name, N_BUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, -1);
	assert_non_null(g->pool);
	g->router = world_router(kind, g->pool);
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
		b.pkt[b.n] = buf_of(g->pool, &frames[b.n], head);
	g->now_ns += 1000000000;
	router_forward(g->router, &b, g->now_ns);

	o->n = b.n;
	o->made = b.n_made;
	o->dropped = 0;
	for (unsigned i = 0; i < b.n; i++) {
		assert_in_range(b.out[i], 0, WORLD_PORTS - 1);
		o->out[i].port = b.out[i];
		buf_take(b.pkt[i], &o->out[i].frame);
	}
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		o->drop[i] = g->drops.n[i] - before.n[i];
		o->dropped += (unsigned)o->drop[i];
	}
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
	check_balance(n, &b, o);
}

// SPDX-License-Identifier: BSD-2-Clause
// The golden frames in bursts through the whole path: into a memory port, through the router, out
// of memory ports.  After each turn in + made = sent + queued + dropped, each drop counted under
// its reason, and every frame counted as sent is there.
#include "buf.h"
#include "golden.h"
#include "path/path.h"
#include "port/port.h"
#include "router/router.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
	struct rte_mempool *pool;
	struct port *inner[WORLD_PORTS], *outer[WORLD_PORTS];
	struct router *router;
	struct path *path;
};

static struct bench bench;

static int start(void **state)
{
	const char *names[WORLD_PORTS] = {"mem:f0", "mem:f1", "mem:f2", "mem:f3"};
	struct port_env env = {.pages = PAGES_SMALL, .first_cpu = -1};
	struct err err = {0};

	if (port_init(&env, &err) < 0)
		fail_msg("%s", err.msg);
	bench.pool = port_pool("frames", 4095, FRAME_BYTES_MAX, &err);
	if (bench.pool == NULL)
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < WORLD_PORTS; i++) {
		struct port_conf conf = {.pool = bench.pool};

		bench.inner[i] = port_open(names[i], &conf, &err);
		bench.outer[i] = port_open(names[i], &conf, &err);
		if (bench.inner[i] == NULL || bench.outer[i] == NULL)
			fail_msg("%s", err.msg);
	}
	return golden_read(state);
}

static int stop(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORLD_PORTS; i++) {
		port_close(bench.inner[i]);
		port_close(bench.outer[i]);
	}
	port_pool_free(bench.pool);
	port_fini();
	return 0;
}

static void path_start(enum rig_kind kind)
{
	struct err err = {0};

	bench.router = world_router(kind, bench.pool);
	bench.path = path_new(bench.inner, WORLD_PORTS, bench.router, &err);
	if (bench.path == NULL)
		fail_msg("%s", err.msg);
}

static void path_stop(void)
{
	path_free(bench.path);
	router_free(bench.router);
}

static void send_batch(const struct batch *b, uint16_t port)
{
	struct rte_mbuf *m[BURST_MAX];

	for (unsigned i = 0; i < b->n; i++)
		m[i] = buf_of(bench.pool, &b->in[i], FRAME_BYTES_MAX);
	assert_int_equal(port_tx(bench.outer[port], 0, m, b->n), b->n);
}

// Everything that waits at the far ends.
static void receive_all(struct outcome *o)
{
	struct rte_mbuf *m[BURST_MAX];
	unsigned n;

	o->n = 0;
	for (uint16_t port = 0; port < WORLD_PORTS; port++) {
		while ((n = port_rx(bench.outer[port], 0, m, BURST_MAX)) > 0) {
			assert_true(o->n + n <= BURST_ROOM);
			for (unsigned i = 0; i < n; i++) {
				o->out[o->n].port = port;
				buf_take(m[i], &o->out[o->n++].frame);
			}
		}
	}
}

// The counters' growth since `before`, held against what was seen.
static void check_counters(
	const struct path_counters *before, const struct batch *b, uint16_t port, struct outcome *o)
{
	static struct path_counters now;
	uint64_t per_port[WORLD_PORTS] = {0};

	path_counters(bench.path, &now);
	o->dropped = 0;
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		o->drop[i] = now.drop[i] - before->drop[i];
		o->dropped += (unsigned)o->drop[i];
	}
	o->made = (unsigned)(now.made - before->made);
	assert_int_equal(now.queued, 0);
	assert_int_equal(now.in - before->in, b->n);
	assert_int_equal(now.sent - before->sent, o->n);
	assert_int_equal(b->n + o->made, o->n + o->dropped);
	assert_int_equal(now.port[port].rx_packets - before->port[port].rx_packets, b->n);
	for (unsigned i = 0; i < o->n; i++)
		per_port[o->out[i].port]++;
	for (unsigned i = 0; i < WORLD_PORTS; i++)
		assert_int_equal(now.port[i].tx_packets - before->port[i].tx_packets, per_port[i]);
}

static void bursts_through_memory_ports(void **state)
{
	static struct path_counters before;
	static struct outcome o;
	static struct batch b;

	(void)state;
	srand(2);
	for (unsigned kind = 0; kind < RIG_KINDS; kind++) {
		path_start((enum rig_kind)kind);
		for (unsigned round = 0; round < 100; round++) {
			uint16_t port = round % 8 == 7;

			batch_fill(&b, (enum rig_kind)kind, port);
			path_counters(bench.path, &before);
			send_batch(&b, port);
			path_once(bench.path);
			receive_all(&o);
			check_counters(&before, &b, port, &o);
			batch_check(&b, &o);
		}
		path_stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_through_memory_ports),
	};

	return cmocka_run_group_tests(tests, start, stop);
}

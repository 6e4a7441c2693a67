// SPDX-License-Identifier: BSD-2-Clause
// Rules are added, deleted and listed while a worker forwards as fast as it can.  Two seconds of it, or
// WEIR_CHURN_SECONDS.
//
// The worker makes and receives the frames itself, between turns of the path, so that nothing is lost
// but by the path: then every packet is accounted for.
//
//	kept	flow that a rule nobody touches passes: all of it arrives, whatever changes
//	played	flow that a last rule drops, and that a rule that comes and goes passes
//	quiet	flow that nobody sends: its rules' counters must stay at 0
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "path/path.h"

#include "adapter/adapter.h"
#include "base/clock.h"
#include "packet/build.h"
#include "router/router.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL_SIZE = 8191, RING = 512, BURST = 32, KEPT = 1000, PLAYED = 2000, QUIET = 3000 };
enum { IDX_KEPT = 50000, IDX_LAST = 60000, N_RULES = 300 };

struct rig {
	struct rte_mempool *pool;
	struct port *near[2], *far[2];
	struct router *router;
	struct path *path;
	struct worker *worker;
	struct adapter_path *card;
	struct adapter *adapter;
	struct mac mac[2], peer;
	uint8_t frame[2][64]; // kept, played
	unsigned len;
	// The worker's figures.  Made: before the packets enter the path.
	_Atomic uint64_t made[2], got[2];
};

static struct rig rig;

static void ok(int rc, const struct err *err)
{
	if (rc != 0)
		fail_msg("%d: %s", rc, err->msg);
}

static void add_to(_Atomic uint64_t *n, uint64_t more)
{
	atomic_store_explicit(
		n, atomic_load_explicit(n, memory_order_relaxed) + more, memory_order_release);
}

static uint64_t look(const _Atomic uint64_t *n)
{
	return atomic_load_explicit(n, memory_order_acquire);
}

static void send(struct rig *g)
{
	struct rte_mbuf *m[2 * BURST];
	unsigned sent;

	if (rte_pktmbuf_alloc_bulk(g->pool, m, 2 * BURST) != 0)
		abort();
	for (unsigned i = 0; i < 2 * BURST; i++)
		memcpy(rte_pktmbuf_append(m[i], (uint16_t)g->len), g->frame[i % 2], g->len);
	add_to(&g->made[0], BURST);
	add_to(&g->made[1], BURST);
	sent = port_tx(g->far[0], 0, m, 2 * BURST);
	if (sent != 2 * BURST)
		abort(); // the ring was empty
}

static void receive(struct rig *g)
{
	struct rte_mbuf *m[64];
	unsigned n, played = 0;

	while ((n = port_rx(g->far[1], 0, m, 64)) > 0) {
		for (unsigned i = 0; i < n; i++)
			played += rte_pktmbuf_mtod(m[i], uint8_t *)[36] == PLAYED >> 8;
		port_free(m, n);
		add_to(&g->got[0], n - played);
		add_to(&g->got[1], played);
		played = 0;
	}
}

static void turn(void *arg)
{
	send(arg);
	path_once(((struct rig *)arg)->path);
	receive(arg);
}

static void quiet(void *arg)
{
	struct rig *g = arg;

	if (g->worker != NULL)
		worker_quiet(g->worker);
}

static void open_side(struct rig *g, unsigned i)
{
	static const char *const names[] = {"mem:a", "mem:b"};
	struct port_conf c = {.pool = g->pool, .n_rxd = RING, .n_txd = RING};
	struct prefix addr = {.addr = {.family = 4, .v4 = 0x0a000001 | i << 16}, .len = 24};
	struct ip peer = {.family = 4, .v4 = 0x0a000002 | i << 16};
	struct err err = {0};

	g->near[i] = port_open(names[i], &c, &err);
	g->far[i] = port_open(names[i], &c, &err);
	if (g->near[i] == NULL || g->far[i] == NULL)
		fail_msg("%s", err.msg);
	port_mac(g->near[i], &g->mac[i]);
	ok(router_port_add(g->router, (uint16_t)i, names[i] + 4, &g->mac[i], 1500, &err), &err);
	ok(router_addr_add(g->router, (uint16_t)i, &addr, &err), &err);
	ok(router_neigh_add(g->router, &peer, &g->peer, &err), &err);
	adapter_path_mac(g->card, i, &g->mac[i]);
}

static void make_frames(struct rig *g)
{
	for (unsigned i = 0; i < 2; i++) {
		struct build b = {.dmac = g->mac[0],
			.smac = g->peer,
			.src = {.family = 4, .v4 = 0x0a000002},
			.dst = {.family = 4, .v4 = 0x0a010002},
			.ttl = 64,
			.proto = 17,
			.sport = 9,
			.dport = i == 0 ? KEPT : PLAYED};

		g->len = build_frame(&b, g->frame[i], sizeof(g->frame[i]));
		assert_true(g->len > 0);
	}
}

static void say(void *arg, bool to_stderr, const char *text)
{
	if (to_stderr)
		fail_msg("%s", text);
	*(unsigned *)arg += 1;
}

// Lines that it prints.
static unsigned command(struct rig *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static unsigned command(struct rig *g, const char *fmt, ...)
{
	char line[ADAPTER_LINE_MAX + 1], *argv[ADAPTER_WORDS_MAX + 1];
	unsigned lines = 0;
	struct adapter_out out = {.line = say, .arg = &lines};
	va_list ap;
	int argc;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	argc = adapter_split(line, argv, NULL);
	assert_int_equal(adapter_command(g->adapter, argc, argv, &out), 0);
	return lines;
}

struct sought {
	uint32_t idx;
	uint64_t hits;
};

static void seek(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct sought *s = arg;

	(void)f;
	if (idx == s->idx)
		s->hits = hits;
}

static uint64_t hits_of(const struct rig *g, uint32_t idx)
{
	struct sought s = {.idx = idx, .hits = UINT64_MAX};

	adapter_each(g->adapter, false, seek, &s);
	assert_int_not_equal(s.hits, UINT64_MAX);
	return s.hits;
}

static int start(void **state)
{
	struct adapter_conf c = {.name = "t5nex0", .n_ports = 2};
	struct router_conf r = {.forward4 = true, .max_routes4 = 64, .max_routes6 = 64};
	struct classify_readers readers = {.quiet = quiet, .arg = &rig};
	struct err err = {0};

	rig = (struct rig){.peer = {{2, 0, 0, 0, 0, 9}}};
	rig.pool = r.pool = port_pool("churn", POOL_SIZE, 2048, &err);
	assert_non_null(rig.pool);
	rig.router = router_new(&r, &err);
	rig.card = adapter_path_new(0, 2, &readers, &err);
	assert_non_null(rig.card);
	for (unsigned i = 0; i < 2; i++)
		open_side(&rig, i);
	make_frames(&rig);
	adapter_path_place(rig.card, &c.place);
	rig.adapter = adapter_new(&c, &err);
	assert_non_null(rig.adapter);
	rig.path = path_new(rig.near, 2, rig.router, &err);
	assert_non_null(rig.path);
	path_set_adapter(rig.path, rig.card);
	command(&rig, "filter %u dport %u proto 17 action pass", IDX_KEPT, KEPT);
	command(&rig, "filter %u proto 17 action drop", IDX_LAST);
	rig.worker = worker_start(0, turn, &rig, &err);
	if (rig.worker == NULL)
		fail_msg("%s", err.msg);
	*state = &rig;
	return 0;
}

static void stop_worker(struct rig *g)
{
	worker_stop(g->worker);
	g->worker = NULL;
}

static int stop(void **state)
{
	struct rig *g = *state;

	stop_worker(g);
	adapter_free(g->adapter);
	path_free(g->path);
	adapter_path_free(g->card);
	router_free(g->router);
	for (unsigned i = 0; i < 2; i++) {
		port_close(g->near[i]);
		port_close(g->far[i]);
	}
	assert_int_equal(rte_mempool_avail_count(g->pool), POOL_SIZE);
	port_pool_free(g->pool);
	return 0;
}

// A rule that passes the played flow counts what was made while it was in force, and no more.
static void play(struct rig *g, unsigned k)
{
	uint32_t idx = k % 997;
	uint64_t before = look(&g->made[1]), hits;

	command(g, "filter %u dport %u proto 17 action pass", idx, PLAYED);
	hits = hits_of(g, idx);
	assert_in_range(hits, 0, look(&g->made[1]) - before + BURST);
	quiet(g);
	quiet(g); // a whole turn with the rule in force
	hits = hits_of(g, idx);
	assert_in_range(hits, BURST, look(&g->made[1]) - before + BURST);
	command(g, "filter %u delete", idx);
	// Another rule takes its place in the tables, for a flow that nobody sends.
	command(g, "filter %u dport %u proto 17 action drop", idx, QUIET);
	quiet(g);
	assert_int_equal(hits_of(g, idx), 0);
	command(g, "filter %u delete", idx);
}

static void fill(struct rig *g, bool there)
{
	for (unsigned i = 0; i < N_RULES; i++)
		if (there)
			command(g, "filter %u sip 192.0.2.%u dport %u proto 17 action drop",
				1000 + i, i % 256, 5000 + i);
		else
			command(g, "filter %u delete", 1000 + i);
}

static uint64_t seconds_ns(void)
{
	const char *text = getenv("WEIR_CHURN_SECONDS");

	return (text != NULL ? strtoull(text, NULL, 10) : 2) * 1000000000u;
}

static void changes_under_load_lose_nothing(void **state)
{
	struct rig *g = *state;
	uint64_t end = clock_ns() + seconds_ns(), dropped = 0, changes = 0, lists = 0;
	struct path_counters c;

	for (unsigned k = 0; clock_ns() < end; k++) {
		if (k % 64 == 0)
			fill(g, k / 64 % 2 == 0);
		play(g, k);
		// Two that stay, the ones of fill(), and the heading.
		assert_int_equal(command(g, "filter list"), 3 + (k / 64 % 2 == 0 ? N_RULES : 0));
		changes += 4 + (k % 64 == 0 ? N_RULES : 0);
		lists++;
	}
	stop_worker(g);
	path_counters(g->path, &c);
	for (unsigned i = 0; i < DROP_COUNT; i++)
		dropped += i == DROP_FILTER ? 0 : c.drop[i];
	print_message("%lu packets, %lu changes, %lu lists\n", (unsigned long)c.in,
		(unsigned long)changes, (unsigned long)lists);
	assert_int_equal(dropped, 0);
	assert_int_equal(look(&g->got[0]), look(&g->made[0]));
	assert_int_equal(hits_of(g, IDX_KEPT), look(&g->made[0]));
	assert_int_equal(c.in, look(&g->made[0]) + look(&g->made[1]));
	assert_int_equal(c.drop[DROP_FILTER] + look(&g->got[1]), look(&g->made[1]));
	assert_int_equal(hits_of(g, IDX_LAST), c.drop[DROP_FILTER]);
	assert_true(look(&g->got[1]) > 0);
	assert_true(c.drop[DROP_FILTER] > 0);
}

int main(void)
{
	struct port_env env = {.n_workers = 1, .first_cpu = -1};
	struct err err = {0};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changes_under_load_lose_nothing, start, stop),
	};
	int rc;

	if (port_init(&env, &err) != 0) {
		print_error("%s\n", err.msg);
		return 1;
	}
	rc = cmocka_run_group_tests_name("churn", tests, NULL, NULL);
	port_fini();
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "path/path.h"

#include "adapter/adapter.h"
#include "packet/build.h"
#include "router/router.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>

enum { N = 3, POOL_SIZE = 8191, RING = 256 };

// A path over three ports; far[i] is the other end of port i, where the test sends and receives.
struct rig {
	struct rte_mempool *pool;
	struct port *near[N], *far[N];
	struct router *router;
	struct path *path;
	struct mac mac[N], peer;
	unsigned free_before;
};

static struct rig rig;

static void open_pair(struct rig *g, unsigned i)
{
	static const char *const names[N] = {"mem:a", "mem:b", "mem:c"};
	struct port_conf c = {.pool = g->pool, .n_rxd = RING, .n_txd = RING};
	struct err err = {0};

	g->near[i] = port_open(names[i], &c, &err);
	if (g->near[i] == NULL)
		fail_msg("%s", err.msg);
	g->far[i] = port_open(names[i], &c, &err);
	if (g->far[i] == NULL)
		fail_msg("%s", err.msg);
	port_mac(g->near[i], &g->mac[i]);
}

// Port i is 10.i.0.1/24 with the neighbour 10.i.0.2.
static void add_net(struct rig *g, unsigned i)
{
	struct prefix addr = {.addr = {.family = 4, .v4 = 0x0a000001 | i << 16}, .len = 24};
	struct ip peer = {.family = 4, .v4 = 0x0a000002 | i << 16};
	char name[8] = {'p', (char)('0' + i), '\0'};

	assert_int_equal(router_port_add(g->router, (uint16_t)i, name, &g->mac[i],
				 i == 2 ? 100 : 1500, NULL),
		0);
	assert_int_equal(router_addr_add(g->router, (uint16_t)i, &addr, NULL), 0);
	assert_int_equal(router_neigh_add(g->router, &peer, &g->peer, NULL), 0);
}

static int start(void **state)
{
	struct router_conf c = {.forward4 = true, .forward6 = true};
	struct err err = {0};

	rig = (struct rig){.peer = {{2, 0, 0, 0, 0, 9}}};
	rig.pool = port_pool("path", POOL_SIZE, 2048, &err);
	assert_non_null(rig.pool);
	for (unsigned i = 0; i < N; i++)
		open_pair(&rig, i);
	c.pool = rig.pool;
	c.max_routes4 = c.max_routes6 = 256;
	rig.router = router_new(&c, &err);
	assert_non_null(rig.router);
	for (unsigned i = 0; i < N; i++)
		add_net(&rig, i);
	rig.path = path_new(rig.near, N, rig.router, &err);
	assert_non_null(rig.path);
	rig.free_before = rte_mempool_avail_count(rig.pool);
	*state = &rig;
	return 0;
}

static int stop(void **state)
{
	struct rig *g = *state;

	path_free(g->path);
	router_free(g->router);
	assert_int_equal(rte_mempool_avail_count(g->pool), g->free_before);
	for (unsigned i = 0; i < N; i++) {
		port_close(g->near[i]);
		port_close(g->far[i]);
	}
	port_pool_free(g->pool);
	return 0;
}

// Sends a frame into port in, to 10.to.0.2; payload bytes behind the UDP header.
static void put(struct rig *g, unsigned in, unsigned to, uint8_t ttl, unsigned payload)
{
	static const uint8_t zeros[2000];
	struct build b = {.dmac = g->mac[in],
		.smac = g->peer,
		.src = {.family = 4, .v4 = 0x0a000002 | in << 16},
		.dst = {.family = 4, .v4 = 0x0a000002 | to << 16},
		.ttl = ttl,
		.proto = 17,
		.payload = zeros,
		.payload_len = payload};
	struct rte_mbuf *m = rte_pktmbuf_alloc(g->pool);
	unsigned len;

	assert_non_null(m);
	len = build_frame(&b, rte_pktmbuf_mtod(m, void *), 2048);
	assert_true(len > 0);
	assert_non_null(rte_pktmbuf_append(m, (uint16_t)len));
	assert_int_equal(port_tx(g->far[in], 0, &m, 1), 1);
}

// Takes and frees all that came out of port i; returns how many, adds their bytes.
static unsigned take(struct rig *g, unsigned i, uint64_t *bytes)
{
	struct rte_mbuf *m[64];
	unsigned n, all = 0;

	while ((n = port_rx(g->far[i], 0, m, 64)) > 0) {
		for (unsigned k = 0; k < n; k++)
			*bytes += rte_pktmbuf_pkt_len(m[k]);
		port_free(m, n);
		all += n;
	}
	return all;
}

static struct path_counters checked(const struct rig *g)
{
	struct path_counters c;
	uint64_t dropped = 0, rx = 0, tx = 0;

	path_counters(g->path, &c);
	for (unsigned i = 0; i < DROP_COUNT; i++)
		dropped += c.drop[i];
	for (unsigned i = 0; i < PATH_PORTS_MAX; i++) {
		rx += c.port[i].rx_packets;
		tx += c.port[i].tx_packets;
	}
	assert_int_equal(c.in + c.made, c.sent + c.queued + dropped);
	assert_int_equal(c.in, rx);
	assert_int_equal(c.sent, tx);
	return c;
}

static void idle_turns_count_as_idle(void **state)
{
	struct rig *g = *state;
	struct path_counters c;

	for (unsigned i = 0; i < 5; i++)
		path_once(g->path);
	c = checked(g);
	assert_int_equal(c.idle_polls, 5);
	assert_int_equal(c.busy_polls, 0);
	assert_int_equal(c.in, 0);
	assert_int_equal(c.busy_cycles, 0);
}

static void bursts_of_every_size_go_through(void **state)
{
	struct rig *g = *state;
	uint64_t bytes = 0, sum = 0;
	struct path_counters c;

	for (unsigned n = 0; n <= 130; n++) {
		for (unsigned i = 0; i < n; i++)
			put(g, 0, 1, 64, 100);
		for (unsigned i = 0; i < 3; i++)
			path_once(g->path);
		assert_int_equal(take(g, 1, &bytes), n);
		sum += n;
	}
	c = checked(g);
	assert_int_equal(c.sent, sum);
	assert_int_equal(c.port[0].rx_bytes, sum * 142);
	assert_int_equal(c.port[1].tx_bytes, sum * 142);
	assert_int_equal(bytes, sum * 142);
	assert_int_equal(c.stage[STAGE_ROUTER].packets, sum);
	assert_int_equal(c.busy_packets, sum);
	assert_true(c.stage[STAGE_RX].cycles + c.stage[STAGE_ROUTER].cycles +
			    c.stage[STAGE_TX].cycles ==
		    c.busy_cycles);
}

static void a_mixed_burst_is_sorted_by_egress_in_order(void **state)
{
	struct rig *g = *state;
	struct rte_mbuf *m[64];
	struct path_counters c;
	uint64_t bytes = 0;
	unsigned n;

	for (unsigned i = 0; i < 60; i++)
		put(g, 0, i % 3 == 2 ? 2 : 1, i % 10 == 9 ? 1 : 64, i);
	path_once(g->path);
	n = port_rx(g->far[1], 0, m, 64);
	assert_int_equal(n, 36);
	for (unsigned i = 1; i < n; i++)
		assert_true(m[i]->pkt_len > m[i - 1]->pkt_len);
	port_free(m, n);
	assert_int_equal(take(g, 2, &bytes), 18);
	assert_int_equal(take(g, 0, &bytes), 6); // ICMP errors
	c = checked(g);
	assert_int_equal(c.drop[DROP_IP4_TTL], 6);
	assert_int_equal(c.made, 6);
}

static void fragments_count_as_made_here(void **state)
{
	struct rig *g = *state;
	struct path_counters c;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < 30; i++)
		put(g, 0, 2, 64, 400); // 408 bytes of data, 80 in a piece: 6 pieces
	path_once(g->path);
	assert_int_equal(take(g, 2, &bytes), 180);
	c = checked(g);
	assert_int_equal(c.made, 150);
	assert_int_equal(c.sent, 180);
	assert_int_equal(c.port[2].tx_bytes, bytes);
}

static void what_a_full_port_refuses_is_dropped_and_counted(void **state)
{
	struct rig *g = *state;
	uint64_t bytes = 0;
	struct path_counters c;
	unsigned sent = 0;

	for (; sent < 2 * RING; sent += 64) {
		for (unsigned i = 0; i < 64; i++)
			put(g, 0, 1, 64, i);
		path_once(g->path);
	}
	c = checked(g);
	assert_true(c.drop[DROP_TX_FULL] > 0);
	assert_int_equal(c.sent + c.drop[DROP_TX_FULL], sent);
	assert_int_equal(take(g, 1, &bytes), c.sent);
	assert_int_equal(c.port[1].tx_bytes, bytes);
}

static void both_directions_are_carried(void **state)
{
	struct rig *g = *state;
	uint64_t bytes = 0;
	struct path_counters c;

	put(g, 0, 1, 64, 20);
	put(g, 1, 0, 64, 20);
	put(g, 2, 0, 64, 20);
	path_once(g->path);
	assert_int_equal(take(g, 1, &bytes), 1);
	assert_int_equal(take(g, 0, &bytes), 2);
	c = checked(g);
	assert_int_equal(c.busy_polls, 1);
	assert_int_equal(c.port[2].rx_packets, 1);
}

// Puts a rule for what goes to 10.net in force; the slot is its order.
static void add_rule(struct adapter_path *card, uint32_t slot, enum adapter_action action,
	uint8_t eport, uint8_t net)
{
	struct adapter_filter f = {.action = action,
		.eport = eport,
		.value = {.family = 4, .dst = {0x0a000000u | (uint32_t)net << 16}},
		.mask = {.family = 0xff, .dst = {0xffff0000}}};
	struct adapter_place place;

	adapter_path_place(card, &place);
	assert_int_equal(place.add(place.state, slot, slot, &f, NULL), 0);
}

static struct adapter_path *add_card(struct rig *g)
{
	struct adapter_path *card = adapter_path_new(16, N, NULL, NULL);

	assert_non_null(card);
	for (unsigned i = 0; i < N; i++)
		adapter_path_mac(card, i, &g->mac[i]);
	path_set_adapter(g->path, card);
	return card;
}

static void a_card_without_rules_is_not_called(void **state)
{
	struct rig *g = *state;
	struct adapter_path *card = add_card(g);
	struct path_counters c;
	uint64_t bytes = 0;

	put(g, 0, 1, 64, 100);
	path_once(g->path);
	assert_int_equal(take(g, 1, &bytes), 1);
	c = checked(g);
	assert_int_equal(c.stage[STAGE_ADAPTER].calls, 0);
	add_rule(card, 0, ADAPTER_PASS, 0, 1);
	put(g, 0, 1, 64, 100);
	path_once(g->path);
	assert_int_equal(take(g, 1, &bytes), 1);
	c = checked(g);
	assert_int_equal(c.stage[STAGE_ADAPTER].calls, 1);
	assert_int_equal(c.stage[STAGE_ADAPTER].packets, 1);
	path_set_adapter(g->path, NULL);
	adapter_path_free(card);
}

// To 10.0 dropped, to 10.1 switched to port 2 with TTL 1 and larger than its MTU, to 10.2 passed.
static void what_the_card_takes_does_not_meet_the_router(void **state)
{
	struct rig *g = *state;
	struct adapter_path *card = add_card(g);
	struct path_counters c;
	struct rte_mbuf *m[64];
	uint64_t bytes = 0;
	unsigned n;

	add_rule(card, 0, ADAPTER_DROP, 0, 0);
	add_rule(card, 1, ADAPTER_SWITCH, 2, 1);
	for (unsigned i = 0; i < 60; i++)
		put(g, 1, i % 3, i % 3 == 2 ? 64 : 1, i % 3 == 2 ? 20 : 200 + i);
	path_once(g->path);
	n = port_rx(g->far[2], 0, m, 64);
	assert_int_equal(n, 40);
	for (unsigned i = 0; i < 20; i++) // routed ones first
		assert_int_equal(m[i]->pkt_len, 62);
	for (unsigned i = 20; i < 40; i++) {
		assert_int_equal(m[i]->pkt_len, 242 + 1 + 3 * (i - 20));
		assert_int_equal(rte_pktmbuf_mtod(m[i], uint8_t *)[22], 1); // the TTL
	}
	port_free(m, n);
	assert_int_equal(take(g, 0, &bytes) + take(g, 1, &bytes), 0);
	c = checked(g);
	assert_int_equal(c.drop[DROP_FILTER], 20);
	assert_int_equal(c.made, 0);
	assert_int_equal(c.sent, 40);
	assert_int_equal(c.stage[STAGE_ADAPTER].packets, 60);
	assert_int_equal(c.stage[STAGE_ROUTER].packets, 20);
	assert_int_equal(c.stage[STAGE_TX].packets, 40);
	path_set_adapter(g->path, NULL);
	adapter_path_free(card);
}

static void switched_packets_fill_a_port_like_others(void **state)
{
	struct rig *g = *state;
	struct adapter_path *card = add_card(g);
	struct path_counters c;
	uint64_t bytes = 0;
	unsigned sent = 0;

	add_rule(card, 0, ADAPTER_SWITCH, 1, 2);
	for (; sent < 2 * RING; sent += 64) {
		for (unsigned i = 0; i < 64; i++)
			put(g, 0, 1 + i % 2, 64, i);
		path_once(g->path);
	}
	c = checked(g);
	assert_true(c.drop[DROP_TX_FULL] > 0);
	assert_int_equal(c.sent + c.drop[DROP_TX_FULL], sent);
	assert_int_equal(take(g, 1, &bytes), c.sent);
	path_set_adapter(g->path, NULL);
	adapter_path_free(card);
}

static void cleared_ports_count_from_zero(void **state)
{
	struct rig *g = *state;
	struct path_counters c;
	uint64_t bytes = 0;

	put(g, 0, 1, 64, 100);
	path_once(g->path);
	path_clear_port(g->path, 0);
	path_counters(g->path, &c);
	assert_int_equal(c.port[0].rx_packets, 0);
	assert_int_equal(c.port[0].rx_bytes, 0);
	assert_int_equal(c.port[1].tx_packets, 1);
	assert_int_equal(c.in, 1);
	put(g, 0, 1, 64, 100);
	path_once(g->path);
	path_counters(g->path, &c);
	assert_int_equal(c.port[0].rx_packets, 1);
	assert_int_equal(c.port[0].rx_bytes, 142);
	assert_int_equal(take(g, 1, &bytes), 2);
}

static void a_path_needs_one_to_sixteen_ports(void **state)
{
	struct rig *g = *state;
	struct err err = {0};

	assert_null(path_new(g->near, 0, g->router, &err));
	assert_string_equal(err.msg, "0 ports: must be 1 to 16");
	assert_null(path_new(g->near, 17, g->router, &err));
}

int main(void)
{
	struct port_env env = {.first_cpu = -1};
	struct err err = {0};
#define T(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		T(idle_turns_count_as_idle),
		T(bursts_of_every_size_go_through),
		T(a_mixed_burst_is_sorted_by_egress_in_order),
		T(fragments_count_as_made_here),
		T(what_a_full_port_refuses_is_dropped_and_counted),
		T(both_directions_are_carried),
		T(a_card_without_rules_is_not_called),
		T(what_the_card_takes_does_not_meet_the_router),
		T(switched_packets_fill_a_port_like_others),
		T(cleared_ports_count_from_zero),
		T(a_path_needs_one_to_sixteen_ports),
	};
	int rc;

	if (port_init(&env, &err) != 0) {
		print_error("%s\n", err.msg);
		return 1;
	}
	rc = cmocka_run_group_tests_name("path", tests, NULL, NULL);
	port_fini();
	return rc;
}

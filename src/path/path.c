// SPDX-License-Identifier: BSD-2-Clause
// A packet ends in one of three ways, and each is counted once: taken by an egress port, waiting
// inside, or dropped for a named reason.
#include "path/path.h"

#include "adapter/adapter.h"
#include "base/clock.h"
#include "packet/burst.h"
#include "router/router.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static_assert(
	(int)PATH_PORTS_MAX <= (int)ROUTER_PORTS_MAX, "a port of the path is one of the router's");

struct path {
	struct port *port[PATH_PORTS_MAX];
	uint16_t n_rxq[PATH_PORTS_MAX];
	unsigned n_ports;
	// NULL: none.  Stored with release, so that the worker's acquire in turn() sees the whole card.
	_Atomic(struct adapter_path *) card;
	struct router *router;
	uint64_t start_cycles;
	uint64_t ns_per_cycle_32; // nanoseconds a cycle, times 2^32
	struct drops drops;
	struct path_counters c; // but the drops
	// What the ports' counters were when they were cleared; the reader's.
	struct path_port_counters cleared[PATH_PORTS_MAX];
	struct burst burst;
	struct rte_mbuf *group[BURST_ROOM]; // packets of one egress port
};

struct path *path_new(struct port *const *ports, unsigned n, struct router *router, struct err *err)
{
	struct path *p;

	if (n == 0 || n > PATH_PORTS_MAX) {
		err_set(err, EINVAL, "%u ports: must be 1 to %u", n, PATH_PORTS_MAX);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		err_set(err, ENOMEM, "no memory for a path");
		return NULL;
	}
	memcpy(p->port, ports, n * sizeof(*ports));
	p->n_ports = n;
	for (unsigned i = 0; i < n; i++)
		p->n_rxq[i] = port_rx_queues(ports[i]);
	p->router = router;
	p->ns_per_cycle_32 = (uint64_t)((double)(1ull << 32) * 1e9 / (double)clock_cycles_hz());
	p->start_cycles = clock_cycles();
	p->burst.drops = &p->drops;
	return p;
}

void path_free(struct path *p)
{
	free(p);
}

void path_set_adapter(struct path *p, struct adapter_path *card)
{
	atomic_store_explicit(&p->card, card, memory_order_release);
}

const char *path_stage_name(enum path_stage s)
{
	static const char *const names[] = {[STAGE_RX] = "rx",
		[STAGE_ADAPTER] = "adapter",
		[STAGE_ROUTER] = "router",
		[STAGE_TX] = "tx"};

	return (unsigned)s < STAGE_COUNT ? names[s] : "?";
}

// Since the path was made; the clock of the system costs as much as two packets.
static uint64_t now_ns(const struct path *p, uint64_t cycles)
{
	__extension__ unsigned __int128 ns = cycles - p->start_cycles;

	return (uint64_t)(ns * p->ns_per_cycle_32 >> 32);
}

// Adds a call to a stage's account; returns the time at its end.
static uint64_t account(struct path *p, enum path_stage s, unsigned packets, uint64_t since)
{
	uint64_t now = clock_cycles();

	p->c.stage[s].calls++;
	p->c.stage[s].packets += packets;
	p->c.stage[s].cycles += now - since;
	return now;
}

static void send(struct path *p, uint16_t out, struct rte_mbuf **m, unsigned n)
{
	struct path_port_counters *c = &p->c.port[out];
	uint64_t bytes = burst_bytes(m, n);
	unsigned taken = port_tx(p->port[out], 0, m, n);

	if (taken < n) {
		bytes -= burst_bytes(m + taken, n - taken);
		p->drops.n[DROP_TX_FULL] += n - taken;
		port_free(m + taken, n - taken);
	}
	c->tx_packets += taken;
	c->tx_bytes += bytes;
	p->c.sent += taken;
}

static bool one_egress(const uint16_t *out, unsigned n)
{
	unsigned differ = 0;

	for (unsigned i = 1; i < n; i++)
		differ |= out[i] ^ out[0];
	return differ == 0;
}

// Each egress port gets its packets in their order.
static void send_all(struct path *p, struct rte_mbuf **m, const uint16_t *out, unsigned n)
{
	if (n == 0)
		return;
	if (one_egress(out, n)) {
		send(p, out[0], m, n);
		return;
	}
	for (uint16_t port = 0; port < p->n_ports; port++) {
		unsigned n_group = 0;

		for (unsigned i = 0; i < n; i++)
			if (out[i] == port)
				p->group[n_group++] = m[i];
		if (n_group > 0)
			send(p, port, p->group, n_group);
	}
}

// Polls one queue of a port; true if packets came.
static bool turn(struct path *p, uint16_t in, uint16_t queue)
{
	struct path_port_counters *c = &p->c.port[in];
	struct adapter_path *card = atomic_load_explicit(&p->card, memory_order_acquire);
	struct burst *b = &p->burst;
	uint64_t t0 = clock_cycles(), t;
	unsigned n;

	b->n = port_rx(p->port[in], queue, b->pkt, BURST_MAX);
	if (b->n == 0)
		return false;
	b->in = in;
	b->n_dropped = b->n_made = b->n_switched = 0;
	c->rx_packets += b->n;
	c->rx_bytes += burst_bytes(b->pkt, b->n);
	p->c.in += b->n;
	p->c.busy_packets += b->n;
	t = account(p, STAGE_RX, b->n, t0);

	if (card != NULL && adapter_path_active(card)) {
		n = b->n;
		adapter_in(card, b);
		t = account(p, STAGE_ADAPTER, n, t);
	}

	n = b->n_dropped;
	router_forward(p->router, b, now_ns(p, t));
	p->c.made += b->n_made;
	t = account(p, STAGE_ROUTER, b->n + b->n_dropped - n, t);

	send_all(p, b->pkt, b->out, b->n);
	send_all(p, b->switched, b->switched_out, b->n_switched);
	if (b->n_dropped > 0)
		port_free(b->dropped, b->n_dropped);
	t = account(p, STAGE_TX, b->n + b->n_switched, t);
	p->c.busy_cycles += t - t0;
	return true;
}

void path_once(struct path *p)
{
	bool busy = false;

	for (uint16_t i = 0; i < p->n_ports; i++)
		for (uint16_t q = 0; q < p->n_rxq[i]; q++)
			busy |= turn(p, i, q);
	if (busy)
		p->c.busy_polls++;
	else
		p->c.idle_polls++;
}

void path_clear_port(struct path *p, unsigned port)
{
	p->cleared[port] = p->c.port[port];
}

void path_counters(const struct path *p, struct path_counters *out)
{
	*out = p->c;
	memcpy(out->drop, p->drops.n, sizeof(out->drop));
	for (unsigned i = 0; i < p->n_ports; i++) {
		out->port[i].rx_packets -= p->cleared[i].rx_packets;
		out->port[i].rx_bytes -= p->cleared[i].rx_bytes;
		out->port[i].tx_packets -= p->cleared[i].tx_packets;
		out->port[i].tx_bytes -= p->cleared[i].tx_bytes;
	}
}

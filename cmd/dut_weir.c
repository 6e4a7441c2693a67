// SPDX-License-Identifier: BSD-2-Clause
// Two in-memory pairs join the tester with the router; every run gets new pairs, pools and router.
//
// The ring towards the router bounds what is under way; the ring back is so much larger that the
// router never finds it full, however late the tester comes to empty it.
#include "dut_weir.h"

#include "box.h"
#include "lab_filter.h"

#include "lab/topo.h"

#include "packet/drop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RING_IN = 512,
	RING_BACK = 4096,
	TESTER_BUFFERS = 8191,
	ROUTER_BUFFERS = 2047,
	FRAME_MIN = 2048
};

struct weir {
	struct box *box;
	struct rte_mempool *tester_pool, *router_pool;
	struct port *tester_out, *tester_in, *in, *out;
};

static struct port *open_end(
	const char *name, unsigned rxd, unsigned txd, struct rte_mempool *pool, struct err *err)
{
	const struct port_conf conf = {
		.n_rxd = (uint16_t)rxd, .n_txd = (uint16_t)txd, .pool = pool};

	return port_open(name, &conf, err);
}

static int open_ports(struct weir *w, unsigned len, struct err *err)
{
	unsigned max = len > FRAME_MIN ? len : FRAME_MIN;

	w->tester_pool = port_pool("lab-tester", TESTER_BUFFERS, max, err);
	w->router_pool = w->tester_pool == NULL
				 ? NULL
				 : port_pool("lab-router", ROUTER_BUFFERS, FRAME_MIN, err);
	if (w->router_pool == NULL)
		return -err->code;
	w->tester_out = open_end("mem:lab-in", RING_BACK, RING_IN, w->tester_pool, err);
	if (w->tester_out != NULL)
		w->in = open_end("mem:lab-in", RING_IN, RING_BACK, w->router_pool, err);
	if (w->in != NULL)
		w->out = open_end("mem:lab-out", RING_IN, RING_BACK, w->router_pool, err);
	if (w->out != NULL)
		w->tester_in = open_end("mem:lab-out", RING_BACK, RING_IN, w->tester_pool, err);
	return w->tester_in != NULL ? 0 : -err->code;
}

// The MAC a port of the router goes by.
static void router_mac(const struct conf_iface *f, const struct port *p, struct mac *out)
{
	if (f->has_ether)
		*out = f->ether;
	else
		port_mac(p, out);
}

static int fill_ends(const struct weir *w, const struct lab_condition *c,
	const struct lab_topo *topo, struct lab_ends *ends, struct err *err)
{
	const struct conf *conf = &c->conf;

	if (!topo->has_out_mac)
		return err_set(err, EINVAL,
			"%s: the destinations' next hop has no static ARP or NDP entry, and the "
			"tester answers neither",
			c->name);
	ends->out = w->tester_out;
	ends->in = w->tester_in;
	ends->pool = w->tester_pool;
	router_mac(&conf->ifaces[topo->in], w->in, &ends->dmac);
	if (topo->has_in_mac)
		ends->smac = topo->in_mac;
	else
		port_mac(w->tester_out, &ends->smac);
	router_mac(&conf->ifaces[topo->out], w->out, &ends->out_smac);
	ends->out_dmac = topo->out_mac;
	ends->check_smac = ends->check_dmac = true;
	return 0;
}

static int start(struct dut *d, const struct lab_condition *c, const struct lab_traffic *t,
	struct lab_ends *ends, struct err *err)
{
	struct weir *w = d->state;
	struct box_port ports[2];
	struct box_setup setup = {.conf = &c->conf, .ports = ports, .n_ports = 2};
	struct lab_topo topo;
	int rc;

	if (c->setup[0] != '\0')
		return err_set(err, EINVAL,
			"%s: a set-up script is for --dut linux; Weir's router reads the other files",
			c->setup);
	if (lab_topo(&c->conf, t, &topo, err) != 0)
		return err_context(err, "%s", c->name);
	rc = open_ports(w, t->gen.len, err);
	if (rc == 0)
		rc = fill_ends(w, c, &topo, ends, err);
	if (rc != 0)
		return rc;
	ports[lab_topo_iport(&topo, false)] = (struct box_port){
		c->conf.ifaces[topo.in].name, w->in};
	ports[lab_topo_iport(&topo, true)] = (struct box_port){
		c->conf.ifaces[topo.out].name, w->out};
	setup.pool = w->router_pool;
	if (c->filter.script != NULL)
		setup.adapter = LAB_CARD;
	w->box = box_new(&setup, err);
	if (w->box == NULL)
		return err_context(err, "%s", c->name);
	if (c->filter.script != NULL)
		rc = box_commands(w->box, lab_filter_name(c), &c->filter.commands, err);
	return rc == 0 ? box_start(w->box, 0, err) : rc;
}

struct counting {
	uint64_t *hits;
	unsigned n;
};

static void count_one(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct counting *c = arg;

	(void)idx;
	(void)f;
	if (c->n > 0) {
		*c->hits++ = hits;
		c->n--;
	}
}

static void read_hits(struct dut *d, uint64_t *out, unsigned n)
{
	const struct weir *w = d->state;
	struct counting c = {out, n};

	adapter_walk(box_adapter(w->box), count_one, &c);
}

static void read_counters(struct dut *d, struct dut_counters *out)
{
	const struct weir *w = d->state;
	struct path_counters c;

	box_counters(w->box, &c);
	out->in = c.in;
	out->made = c.made;
	out->sent = c.sent;
	out->queued = c.queued;
	out->busy_turns = c.busy_polls;
	out->busy_cycles = c.busy_cycles;
	out->cpu_ns = box_cpu_ns(w->box);
	out->n_drops = 0;
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		struct lab_drop *drop = &out->drop[out->n_drops];

		if (c.drop[i] == 0)
			continue;
		// More reasons at once than there is room for would show in the account.
		if (out->n_drops == LAB_DROPS_MAX)
			break;
		snprintf(drop->name, sizeof(drop->name), "%s", drop_name((enum drop)i));
		drop->n = c.drop[i];
		out->n_drops++;
	}
}

static void stop(struct dut *d)
{
	struct weir *w = d->state;
	struct port *ports[] = {w->tester_out, w->in, w->out, w->tester_in};

	box_free(w->box);
	for (unsigned i = 0; i < 4; i++)
		if (ports[i] != NULL)
			port_close(ports[i]);
	if (w->router_pool != NULL)
		port_pool_free(w->router_pool);
	if (w->tester_pool != NULL)
		port_pool_free(w->tester_pool);
	*w = (struct weir){0};
}

int dut_weir(struct dut *d, struct err *err)
{
	*d = (struct dut){.accounts = true,
		.has_work = true,
		.polls = true,
		.settle_s = 0.001,
		.both_ways = true,
		.start = start,
		.read = read_counters,
		.hits = read_hits,
		.stop = stop};
	d->state = calloc(1, sizeof(struct weir));
	if (d->state == NULL)
		return err_set(err, ENOMEM, "no memory for the device under test");
	snprintf(d->about, sizeof(d->about),
		"weir %s: router and path on one core, ports in memory", WEIR_VERSION);
	snprintf(d->tester, sizeof(d->tester), "one core makes, receives and checks every frame");
	return 0;
}

void dut_weir_free(struct dut *d)
{
	free(d->state);
	d->state = NULL;
}

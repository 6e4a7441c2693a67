// SPDX-License-Identifier: BSD-2-Clause
// ping.c - round trip times.  A ping carries its number (32 bits) and the time it was built
// (seconds and nanoseconds, 32 bits each) in the sender's byte order, as pkt-gen's does.
#include "gen/frame.h"
#include "gen/gen.h"
#include "gen/pace.h"

#include "base/clock.h"
#include "packet/cksum.h"
#include "packet/parse.h"
#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LOT = 64, UDP_LEN = 8, PROTO_UDP = 17, NS = 1000000000 };

struct stamp {
	uint32_t number, seconds, ns;
};

struct pinger {
	struct gen_conf conf;
	struct port *port;
	struct rte_mempool *pool;
	struct frame_tmpl tmpl;
	uint8_t head[FRAME_HEAD];
	struct pace pace;
	uint64_t hz;
	uint64_t last;    // cycles: the last time a ping went or an echo came
	uint64_t waiting; // pings on their way
	struct pinger_counters counters;
	_Atomic uint64_t min_ns; // reset by the thread that reports
};

static int check(const struct gen_conf *c, struct port *port, struct err *err)
{
	unsigned least = gen_headers_len(c->family) + (unsigned)sizeof(struct stamp);

	if (gen_conf_check(c, err) != 0)
		return -EINVAL;
	if (c->len < least)
		return err_set(err, EINVAL, "frame length %u: a ping needs at least %u bytes",
			c->len, least);
	if (c->len > port_mtu(port) + 14u)
		return err_set(err, EMSGSIZE,
			"port %s takes frames of up to %u bytes (MTU %u), not of %u",
			port_name(port), port_mtu(port) + 14u, port_mtu(port), c->len);
	if (c->len_min != 0 || c->capture != NULL || c->rubbish || c->stamp || c->txseq)
		return err_set(err, EINVAL, "pings have one length and a payload of their own");
	return 0;
}

struct pinger *pinger_new(
	const struct gen_conf *conf, struct port *port, struct rte_mempool *pool, struct err *err)
{
	struct flows flows;
	struct flow flow;
	struct pinger *p;

	if (check(conf, port, err) != 0)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		err_set(err, ENOMEM, "no memory for pings");
		return NULL;
	}
	p->conf = *conf;
	p->port = port;
	p->pool = pool;
	if (frame_tmpl_init(&p->tmpl, conf, 64, err) != 0) {
		free(p);
		return NULL;
	}
	flows_init(&flows, conf);
	flows_at(&flows, 0, &flow);
	frame_head(&p->tmpl, &flow, conf->len, p->head);
	p->hz = clock_cycles_hz();
	if (conf->rate_pps != 0)
		pace_start(&p->pace, conf->rate_pps, p->hz,
			conf->pace_group != 0 ? conf->pace_group : 1);
	p->counters.rtt.min_ns = UINT64_MAX;
	atomic_init(&p->min_ns, UINT64_MAX);
	return p;
}

void pinger_free(struct pinger *p)
{
	if (p == NULL)
		return;
	frame_tmpl_fini(&p->tmpl);
	free(p);
}

static void write_ping(struct pinger *p, uint8_t *f, uint32_t number)
{
	unsigned len = p->conf.len, off = p->tmpl.headers, sum_off = p->tmpl.udp_cksum_off;
	uint64_t now = clock_ns();
	struct stamp s = {number, (uint32_t)(now / NS), (uint32_t)(now % NS)};
	uint16_t sum = 0;

	memcpy(f, p->head, FRAME_HEAD);
	frame_tail(&p->tmpl, len, f);
	memcpy(f + off, &s, sizeof(s));
	memcpy(f + sum_off, &sum, sizeof(sum));
	sum = cksum_l4(f + FRAME_ETH, PROTO_UDP, f + off - UDP_LEN, len - off + UDP_LEN);
	if (sum == 0)
		sum = 0xffff;
	memcpy(f + sum_off, &sum, sizeof(sum));
}

static unsigned send(struct pinger *p, unsigned n)
{
	struct rte_mbuf *m[LOT];
	unsigned took;

	if (n > LOT)
		n = LOT;
	if (n == 0)
		return 0;
	if (rte_pktmbuf_alloc_bulk(p->pool, m, n) != 0) {
		p->counters.sent.no_buffer++;
		return 0;
	}
	for (unsigned i = 0; i < n; i++) {
		uint8_t *f = rte_pktmbuf_mtod(m[i], uint8_t *);

		write_ping(p, f, (uint32_t)(p->counters.sent.packets + i));
		m[i]->data_len = p->conf.len;
		m[i]->pkt_len = p->conf.len;
		if (p->conf.look != NULL)
			p->conf.look(p->conf.look_arg, f, p->conf.len);
	}
	took = port_tx(p->port, 0, m, n);
	port_free(m + took, n - took);
	p->counters.sent.packets += took;
	p->counters.sent.bytes += (uint64_t)took * p->conf.len;
	p->counters.sent.events += took != 0;
	p->counters.sent.refused += took < n;
	if (p->conf.rate_pps != 0)
		pace_take(&p->pace, took);
	p->waiting += took;
	return took;
}

static void note(struct pinger *p, uint64_t ns)
{
	struct rtt *r = &p->counters.rtt;
	unsigned k = ns == 0 ? 0 : 63 - (unsigned)__builtin_clzll(ns);

	r->count++;
	r->sum_ns += ns;
	r->bucket[k < RTT_BUCKETS ? k : RTT_BUCKETS - 1]++;
	if (ns < r->min_ns)
		r->min_ns = ns;
	if (ns < atomic_load_explicit(&p->min_ns, memory_order_relaxed))
		atomic_store_explicit(&p->min_ns, ns, memory_order_relaxed);
}

static bool take_echo(struct pinger *p, const struct rte_mbuf *m, uint64_t now_ns)
{
	const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *);
	struct stamp s;
	struct hdrs h;
	uint64_t sent_ns;

	if (packet_parse(f, m->data_len, &h) != DROP_NONE || h.family != p->conf.family ||
		h.proto != PROTO_UDP || h.l4 == 0 || h.frag != FRAG_NONE ||
		h.l4 + UDP_LEN + sizeof(s) > h.end)
		return false;
	memcpy(&s, f + h.l4 + UDP_LEN, sizeof(s));
	sent_ns = (uint64_t)s.seconds * NS + s.ns;
	// Not ours: a number not given out yet, or a time in the future or before the last hour.
	if ((uint32_t)p->counters.sent.packets - s.number - 1 > INT32_MAX || sent_ns > now_ns ||
		now_ns - sent_ns > 3600ull * NS)
		return false;
	note(p, now_ns - sent_ns);
	p->waiting -= p->waiting != 0;
	return true;
}

static unsigned receive(struct pinger *p)
{
	struct rte_mbuf *m[LOT];
	unsigned n = port_rx(p->port, 0, m, LOT);
	uint64_t now_ns;

	if (n == 0)
		return 0;
	now_ns = clock_ns();
	for (unsigned i = 0; i < n; i++) {
		if (p->conf.look != NULL)
			p->conf.look(p->conf.look_arg, rte_pktmbuf_mtod(m[i], const uint8_t *),
				m[i]->data_len);
		if (!take_echo(p, m[i], now_ns))
			p->counters.foreign++;
	}
	port_free(m, n);
	return n;
}

static uint64_t allowance(struct pinger *p, uint64_t now)
{
	uint64_t most = p->conf.burst, due;

	if (p->conf.count != 0 && p->conf.count - p->counters.sent.packets < most)
		most = p->conf.count - p->counters.sent.packets;
	due = p->conf.rate_pps != 0
		      ? pace_due(&p->pace, now)
		      : p->conf.burst - (p->waiting < p->conf.burst ? p->waiting : p->conf.burst);
	return due < most ? due : most;
}

unsigned pinger_step(struct pinger *p, uint64_t now)
{
	uint64_t echoes = p->counters.rtt.count;
	unsigned sent, got;

	if (p->last == 0)
		p->last = now;
	sent = send(p, (unsigned)allowance(p, now));
	got = receive(p);
	if (sent != 0 || p->counters.rtt.count != echoes) {
		p->last = now;
	} else if (p->waiting != 0 && now - p->last > PINGER_PATIENCE_S * p->hz) {
		p->counters.timeouts++;
		p->waiting = 0;
		p->last = now;
	}
	return sent + got;
}

uint64_t pinger_wait(const struct pinger *p, uint64_t now)
{
	return p->conf.rate_pps != 0 && p->waiting == 0 ? pace_wait(&p->pace, now) : 0;
}

bool pinger_done(const struct pinger *p)
{
	return p->conf.count != 0 && p->counters.sent.packets >= p->conf.count && p->waiting == 0;
}

void pinger_counters(const struct pinger *p, struct pinger_counters *out)
{
	*out = p->counters;
}

uint64_t pinger_min_ns(struct pinger *p)
{
	return atomic_exchange_explicit(&p->min_ns, UINT64_MAX, memory_order_relaxed);
}

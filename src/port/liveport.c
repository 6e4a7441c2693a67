// SPDX-License-Identifier: BSD-2-Clause
// liveport.c - queues of live frames: rows for senders that know them, and a few rows of our own for
// buffers of any sender.
#include "port/liveport.h"

#include "port/iface.h"
#include "xdp/live.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { OWN_ROWS = 64, ETH_HEADER = 14 };

struct liveport {
	unsigned n_queues;
	uint64_t too_long;
	struct live_counts before; // of queues that were made anew
	struct {
		struct live *live;
		unsigned n_rows, frame_max;
	} queue[];
};

// Before Linux 6.3 a veth takes everything and then loses it if nobody listens at the other end.
static bool veth_tells(void)
{
	unsigned major, minor;
	struct utsname u;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 3));
}

bool liveport_sure(const struct port *p, struct err *err)
{
	if (!iface_driver_is(p->iface, "veth") || !veth_tells()) {
		err_set(err, ENOTSUP,
			"only sending would tell if its driver takes them (live:%s does)",
			p->spec.name);
		return false;
	}
	return live_try((unsigned)p->iface->index, p->mtu, err) == 0;
}

static void add(struct live_counts *sum, const struct live *l)
{
	struct live_counts c;

	if (l == NULL)
		return;
	live_counts(l, &c);
	sum->taken += c.taken;
	sum->bytes += c.bytes;
	sum->full += c.full;
	sum->refused += c.refused;
}

static int make(struct port *p, struct liveport *l, uint16_t q, const struct live_conf *conf,
	struct err *err)
{
	struct live *live = live_open(conf, err);

	if (live == NULL)
		return err_context(err, "%s", p->name);
	add(&l->before, l->queue[q].live);
	live_close(l->queue[q].live);
	l->queue[q].live = live;
	l->queue[q].n_rows = conf->n_rows;
	l->queue[q].frame_max = conf->frame_max;
	return 0;
}

struct liveport *liveport_open(struct port *p, struct err *err)
{
	struct liveport *l = calloc(1, sizeof(*l) + p->n_txq * sizeof(l->queue[0]));
	unsigned longest = p->mtu + ETH_HEADER;
	struct live_conf conf = {.ifindex = (unsigned)p->iface->index,
		.n_rows = OWN_ROWS,
		.frame_max = longest < LIVE_FRAME_MAX ? longest : LIVE_FRAME_MAX,
		.varies = true};

	if (l == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", p->name);
		return NULL;
	}
	l->n_queues = p->n_txq;
	for (uint16_t q = 0; q < p->n_txq; q++)
		if (make(p, l, q, &conf, err) != 0) {
			liveport_close(l);
			return NULL;
		}
	return l;
}

void liveport_close(struct liveport *l)
{
	for (unsigned q = 0; l != NULL && q < l->n_queues; q++)
		live_close(l->queue[q].live);
	free(l);
}

bool port_has_rows(const struct port *p)
{
	return p->io == IO_LIVE;
}

int port_rows_make(struct port *p, uint16_t queue, struct port_rows *rows, struct err *err)
{
	struct live_conf conf = {.like = p->live->queue[queue].live,
		.n_rows = rows->n,
		.frame_max = rows->frame_max,
		.varies = rows->varies};
	int rc = make(p, p->live, queue, &conf, err);
	struct live *live = p->live->queue[queue].live;

	if (rc != 0)
		return rc;
	rows->frames = live_rows(live);
	rows->stride = live_stride(live);
	rows->lengths = live_lengths(live);
	return 0;
}

void port_rows_send(
	struct port *p, uint16_t queue, unsigned first, unsigned n, struct port_sent *sent)
{
	struct live *live = p->live->queue[queue].live;
	struct live_counts a, b;
	int rc;

	live_counts(live, &a);
	rc = live_send(live, first, n);
	live_counts(live, &b);
	*sent = (struct port_sent){.tried = (unsigned)(b.tried - a.tried),
		.taken = (unsigned)(b.taken - a.taken),
		.bytes = b.bytes - a.bytes,
		.error = rc != 0                  ? -rc
			 : b.refused != a.refused ? b.error
						  : 0};
}

void port_rows_taken(const struct port *p, uint16_t queue, uint64_t *frames, uint64_t *bytes)
{
	struct live_counts c;

	live_counts(p->live->queue[queue].live, &c);
	*frames = c.taken;
	*bytes = c.bytes;
}

// Of one buffer to its row; how long it is, or 0.
static unsigned copy_out(uint8_t *to, unsigned room, const struct rte_mbuf *m)
{
	unsigned n = 0;

	if (m->pkt_len > room)
		return 0;
	for (; m != NULL; m = m->next) {
		memcpy(to + n, rte_pktmbuf_mtod(m, const void *), m->data_len);
		n += m->data_len;
	}
	return n;
}

unsigned liveport_tx(struct liveport *l, uint16_t queue, struct rte_mbuf **m, unsigned n)
{
	struct live *live = l->queue[queue].live;
	uint64_t *lengths = live_lengths(live);
	unsigned most = l->queue[queue].n_rows, filled = 0;

	// Rows made for one length take no buffers of others; who asked for them has no buffers.
	if (lengths == NULL)
		return 0;
	if (n > most)
		n = most;
	for (unsigned i = 0; i < n; i++) {
		unsigned len = copy_out(live_rows(live) + (size_t)filled * live_stride(live),
			l->queue[queue].frame_max, m[i]);

		if (len == 0)
			l->too_long++;
		else
			lengths[filled++] = len;
	}
	rte_pktmbuf_free_bulk(m, n);
	if (filled > 0)
		live_send(live, 0, filled);
	return n;
}

void liveport_stats(const struct liveport *l, struct port_stats *s)
{
	struct live_counts sum = l->before;

	for (unsigned q = 0; q < l->n_queues; q++)
		add(&sum, l->queue[q].live);
	s->tx_packets += sum.taken;
	s->tx_bytes += sum.bytes;
	s->tx_errors += sum.full + sum.refused + l->too_long;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "gen/gen.h"

#include "packet/parse.h"
#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

enum { LOT = 64 };

struct ponger {
	struct ponger_conf conf;
	struct port *port;
	struct mac own;
	struct sender_counters counters;
};

struct ponger *ponger_new(const struct ponger_conf *conf, struct port *port, struct err *err)
{
	struct ponger *p = calloc(1, sizeof(*p));

	if (p == NULL) {
		err_set(err, ENOMEM, "no memory for echoes");
		return NULL;
	}
	p->port = port;
	p->conf = *conf;
	if (p->conf.burst > LOT)
		p->conf.burst = LOT;
	port_mac(port, &p->own);
	return p;
}

void ponger_free(struct ponger *p)
{
	free(p);
}

static void swap(uint8_t *a, uint8_t *b, unsigned n)
{
	uint8_t tmp[IP6_LEN];

	memcpy(tmp, a, n);
	memcpy(a, b, n);
	memcpy(b, tmp, n);
}

// Sums stay right: both addresses are in them either way.
static bool turn_around(const struct ponger *p, struct rte_mbuf *m)
{
	uint8_t *f = rte_pktmbuf_mtod(m, uint8_t *);
	struct hdrs h;

	if (packet_parse(f, m->data_len, &h) != DROP_NONE || h.family == 0)
		return false;
	swap(f, f + MAC_LEN, MAC_LEN);
	if ((f[MAC_LEN] & 1) != 0)
		memcpy(f + MAC_LEN, p->own.b, MAC_LEN);
	if (h.family == 4)
		swap(f + h.l3 + 12, f + h.l3 + 16, 4);
	else
		swap(f + h.l3 + 8, f + h.l3 + 24, IP6_LEN);
	return true;
}

unsigned ponger_step(struct ponger *p)
{
	unsigned most = p->conf.burst, n, keep = 0, n_others = 0, took;
	struct rte_mbuf *m[LOT], *others[LOT];
	uint64_t bytes[LOT + 1] = {0};

	if (p->conf.count != 0 && p->conf.count - p->counters.packets < most)
		most = (unsigned)(p->conf.count - p->counters.packets);
	n = port_rx(p->port, 0, m, most);
	for (unsigned i = 0; i < n; i++) {
		if (p->conf.look != NULL)
			p->conf.look(p->conf.look_arg, rte_pktmbuf_mtod(m[i], const uint8_t *),
				m[i]->data_len);
		if (!turn_around(p, m[i])) {
			others[n_others++] = m[i];
			continue;
		}
		bytes[keep + 1] = bytes[keep] + m[i]->pkt_len;
		m[keep++] = m[i];
	}
	port_free(others, n_others);
	if (keep == 0)
		return n;
	took = port_tx(p->port, 0, m, keep);
	port_free(m + took, keep - took);
	p->counters.packets += took;
	p->counters.bytes += bytes[took];
	p->counters.events += took != 0;
	p->counters.refused += took < keep;
	return n;
}

void ponger_counters(const struct ponger *p, struct sender_counters *out)
{
	*out = p->counters;
}

bool ponger_done(const struct ponger *p)
{
	return p->conf.count != 0 && p->counters.packets >= p->conf.count;
}

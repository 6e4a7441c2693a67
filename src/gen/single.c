// SPDX-License-Identifier: BSD-2-Clause
// single.c - one flow of a profile, one frame of the caller's.
#include "gen/flows.h"

#include "port/port.h"

#include <rte_mbuf.h>
#include <string.h>

static void end_of(const struct gen_range *r, uint32_t counted, struct ip *out)
{
	*out = r->lo;
	if (r->lo.family == 4) {
		out->v4 = counted;
		return;
	}
	out->v6.b[r->group * 2] = (uint8_t)(counted >> 8);
	out->v6.b[r->group * 2 + 1] = (uint8_t)counted;
}

void gen_conf_flow(const struct gen_conf *conf, uint64_t i, struct gen_flow *out)
{
	struct flows f;
	struct flow at;

	flows_init(&f, conf);
	flows_at(&f, i, &at);
	end_of(&conf->src, at.saddr, &out->src);
	end_of(&conf->dst, at.daddr, &out->dst);
	out->sport = at.sport;
	out->dport = at.dport;
}

bool gen_frame_send(struct port *port, uint16_t queue, struct rte_mempool *pool, const void *frame,
	unsigned len)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	char *room = m != NULL ? rte_pktmbuf_append(m, (uint16_t)len) : NULL;

	if (room == NULL || len > UINT16_MAX) {
		rte_pktmbuf_free(m);
		return false;
	}
	memcpy(room, frame, len);
	if (port_tx(port, queue, &m, 1) == 1)
		return true;
	rte_pktmbuf_free(m);
	return false;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "gen/gen.h"

#include "packet/parse.h"
#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LOT = 64, UDP_LEN = 8, PROTO_UDP = 17 };

struct receiver {
	struct receiver_conf conf;
	struct port *port;
	uint16_t queue;
	struct receiver_counters counters;
	unsigned backlog;           // frames taken since the ring was last empty
	_Atomic unsigned min_space; // reset by the thread that reports
	bool started;               // a first number was seen
	uint32_t expected;
	uint8_t touched; // what touch read, so that reading is not optimised away
};

struct receiver *receiver_new(
	const struct receiver_conf *conf, struct port *port, uint16_t queue, struct err *err)
{
	struct receiver *r;

	if (conf->burst == 0 || conf->burst > GEN_BURST_MAX) {
		err_set(err, EINVAL, "a burst of %u packets is not within 1 and %d", conf->burst,
			GEN_BURST_MAX);
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	if (r == NULL) {
		err_set(err, ENOMEM, "no memory for a receiver");
		return NULL;
	}
	r->conf = *conf;
	r->port = port;
	r->queue = queue;
	atomic_init(&r->min_space, RECEIVER_NO_SPACE_SEEN);
	return r;
}

void receiver_free(struct receiver *r)
{
	free(r);
}

static void tell(struct receiver *r, enum receiver_event e, uint32_t expected, uint32_t found)
{
	if (r->conf.event != NULL)
		r->conf.event(r->conf.arg, e, expected, found);
}

static void follow(struct receiver *r, uint32_t found)
{
	int32_t ahead = (int32_t)(found - r->expected);

	if (r->started && ahead < 0) {
		r->counters.out_of_order++;
		tell(r, RECEIVER_OUT_OF_ORDER, r->expected, found);
		return;
	}
	if (r->started && ahead > 0) {
		r->counters.gaps++;
		tell(r, RECEIVER_GAP, r->expected, found);
	}
	r->started = true;
	r->expected = found + 1;
}

// Other frames than UDP (a kernel's own, say) carry no numbers and are only counted.
static void follow_sequence(struct receiver *r, const struct rte_mbuf *m)
{
	const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *);
	struct hdrs h;
	unsigned off;
	uint32_t be;

	if (m->nb_segs != 1)
		tell(r, RECEIVER_SEGMENTS, 1, m->nb_segs);
	if (packet_parse(f, m->data_len, &h) != DROP_NONE || h.proto != PROTO_UDP || h.l4 == 0 ||
		h.frag != FRAG_NONE)
		return;
	off = h.l4 + UDP_LEN;
	if (h.l4_short || off + sizeof(be) > h.end) {
		tell(r, RECEIVER_SHORT, off + (uint32_t)sizeof(be), m->pkt_len);
		return;
	}
	memcpy(&be, f + off, sizeof(be));
	follow(r, __builtin_bswap32(be));
}

static void look_at(struct receiver *r, struct rte_mbuf *const *m, unsigned n)
{
	if (r->conf.prefetch)
		for (unsigned i = 0; i < n; i++)
			rte_prefetch0(rte_pktmbuf_mtod(m[i], void *));
	for (unsigned i = 0; i < n; i++) {
		if (r->conf.touch)
			r->touched ^= *rte_pktmbuf_mtod(m[i], const uint8_t *);
		if (r->conf.look != NULL)
			r->conf.look(r->conf.arg, rte_pktmbuf_mtod(m[i], const uint8_t *),
				m[i]->data_len);
		if (r->conf.sequence)
			follow_sequence(r, m[i]);
	}
}

static void note_space(struct receiver *r, unsigned moved, bool emptied)
{
	unsigned space;

	r->backlog += moved;
	space = r->backlog < r->conf.slots ? r->conf.slots - r->backlog : 0;
	if (space < atomic_load_explicit(&r->min_space, memory_order_relaxed))
		atomic_store_explicit(&r->min_space, space, memory_order_relaxed);
	if (emptied)
		r->backlog = 0;
}

static unsigned limit(const struct receiver *r)
{
	uint64_t left = r->conf.count - r->counters.packets;

	return r->conf.count != 0 && left < r->conf.burst ? (unsigned)left : r->conf.burst;
}

unsigned receiver_step(struct receiver *r)
{
	bool plain = r->conf.look == NULL && !r->conf.sequence && !r->conf.touch &&
		     !r->conf.prefetch;
	unsigned most = limit(r), moved = 0, want, n;
	struct rte_mbuf *m[LOT];
	uint64_t bytes;

	do {
		want = most - moved < LOT ? most - moved : LOT;
		n = port_rx(r->port, r->queue, m, want);
		if (n == 0)
			break;
		bytes = 0;
		for (unsigned i = 0; i < n; i++)
			bytes += m[i]->pkt_len;
		if (!plain)
			look_at(r, m, n);
		port_free(m, n);
		r->counters.packets += n;
		r->counters.bytes += bytes;
		moved += n;
	} while (n == want && moved < most);
	if (moved == 0) {
		r->backlog = 0;
		return 0;
	}
	r->counters.events++;
	note_space(r, moved, n < want);
	return moved;
}

void receiver_counters(const struct receiver *r, struct receiver_counters *out)
{
	*out = r->counters;
}

bool receiver_done(const struct receiver *r)
{
	return r->conf.count != 0 && r->counters.packets >= r->conf.count;
}

unsigned receiver_min_space(struct receiver *r)
{
	return atomic_exchange_explicit(
		&r->min_space, RECEIVER_NO_SPACE_SEEN, memory_order_relaxed);
}

// SPDX-License-Identifier: BSD-2-Clause
// The worker's side of a card: one key for each packet, one lookup for all of them, and then what
// their rules say.
//
// A rule that passes a packet to a queue or to RSS leaves it to the router: one worker has all
// queues, so there is nothing to move.
#include "adapter/place.h"

#include <rte_mbuf.h>

static inline void count(struct adapter_path *p, uint32_t slot, uint64_t n)
{
	// Only this thread writes; the reader must not see half a figure.
	__atomic_store_n(&p->hits[slot], p->hits[slot] + n, __ATOMIC_RELAXED);
}

static bool all_same(const uint32_t *ids, unsigned n)
{
	uint32_t differ = 0;

	for (unsigned i = 1; i < n; i++)
		differ |= ids[i] ^ ids[0];
	return differ == 0;
}

static void switch_out(struct adapter_path *p, struct burst *b, unsigned i, uint32_t slot)
{
	const struct rewrite *r = p->rewrites[slot];
	enum drop why = rewrite_packet(r, &b->pkt[i]);

	if (why != DROP_NONE) {
		burst_drop(b, i, why);
		return;
	}
	b->switched[b->n_switched] = b->pkt[i];
	b->switched_out[b->n_switched++] = r->eport;
}

// Packet by packet; the survivors move up.
static void apply(struct adapter_path *p, struct burst *b, const uint32_t *ids)
{
	unsigned live = 0;

	for (unsigned i = 0; i < b->n; i++) {
		uint32_t id = ids[i], slot = place_slot(id);

		if (id == CLASSIFY_NONE) {
			burst_keep(b, live++, i);
			continue;
		}
		count(p, slot, 1);
		if (place_action(id) == ADAPTER_PASS)
			burst_keep(b, live++, i);
		else if (place_action(id) == ADAPTER_DROP)
			burst_drop(b, i, DROP_FILTER);
		else
			switch_out(p, b, i, slot);
	}
	b->n = live;
}

void adapter_in(struct adapter_path *p, struct burst *b)
{
	uint32_t ids[BURST_MAX];

	if (b->n == 0)
		return;
	p->keys_of(b->pkt, b->n, b->in, p->mac48[b->in], p->keys);
	classify_cache_first(p->cache, p->keys, b->n, ids);
	// Traffic comes in trains, and most of it passes.
	if (!all_same(ids, b->n))
		apply(p, b, ids);
	else if (ids[0] == CLASSIFY_NONE)
		return;
	else if (place_action(ids[0]) == ADAPTER_PASS)
		count(p, place_slot(ids[0]), b->n);
	else
		apply(p, b, ids);
}

// SPDX-License-Identifier: BSD-2-Clause
// The control side of a card that sits in a router's path.
#include "adapter/place.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)ADAPTER_SWITCH < 1 << PLACE_ACTION_BITS, "an action fits beside a slot");

struct adapter_path *adapter_path_new(unsigned n_filters, unsigned n_ports,
	const struct classify_readers *readers, struct err *err)
{
	struct adapter_path *p;

	if (n_ports == 0 || n_ports > PLACE_PORTS_MAX) {
		err_set(err, EINVAL, "%u ports: a card's path has 1 to %d", n_ports,
			PLACE_PORTS_MAX);
		return NULL;
	}
	if (n_filters > CLASSIFY_NONE >> PLACE_ACTION_BITS) {
		err_set(err, EINVAL, "%u filters are more than a card can have", n_filters);
		return NULL;
	}
	p = aligned_alloc(_Alignof(struct adapter_path), sizeof(*p));
	if (p == NULL) {
		err_set(err, ENOMEM, "no memory for a card");
		return NULL;
	}
	memset(p, 0, sizeof(*p));
	p->n_filters = n_filters != 0 ? n_filters : ADAPTER_FILTERS;
	p->n_ports = n_ports;
	p->keys_of = key_best();
	p->hits = calloc(p->n_filters, sizeof(*p->hits));
	p->rewrites = calloc(p->n_filters, sizeof(*p->rewrites));
	p->rules = classify_new(readers, err);
	p->cache = p->rules != NULL ? classify_cache_new(p->rules, err) : NULL;
	if (p->hits != NULL && p->rewrites != NULL && p->cache != NULL)
		return p;
	if (p->cache != NULL)
		err_set(err, ENOMEM, "no memory for a card of %u filters", p->n_filters);
	adapter_path_free(p);
	return NULL;
}

void adapter_path_free(struct adapter_path *p)
{
	if (p == NULL)
		return;
	classify_cache_free(p->cache);
	classify_free(p->rules);
	if (p->rewrites != NULL)
		for (unsigned i = 0; i < p->n_filters; i++)
			free(p->rewrites[i]);
	free(p->rewrites);
	free(p->hits);
	free(p);
}

void adapter_path_mac(struct adapter_path *p, unsigned port, const struct mac *mac)
{
	uint64_t mac48 = 0;

	memcpy(&mac48, mac->b, MAC_LEN);
	p->mac48[port] = mac48;
}

bool adapter_path_active(const struct adapter_path *p)
{
	// No order is needed: the rules themselves are published by classify.
	return atomic_load_explicit(&p->n_rules, memory_order_relaxed) != 0;
}

static int rewrite_of(const struct adapter_path *p, const struct adapter_filter *f,
	struct rewrite **out, struct err *err)
{
	struct rewrite *r;
	int rc;

	if (f->eport >= p->n_ports)
		return err_set(err, EINVAL, "eport %u: there are %u ports", f->eport, p->n_ports);
	r = malloc(sizeof(*r));
	if (r == NULL)
		return err_set(err, ENOMEM, "no memory for a rule");
	rc = rewrite_make(r, f, err);
	if (rc == 0)
		*out = r;
	else
		free(r);
	return rc;
}

void adapter_path_gather(struct adapter_path *p)
{
	classify_hold(p->rules);
}

int adapter_path_release(struct adapter_path *p, struct err *err)
{
	return classify_release(p->rules, err);
}

static int add(
	void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f, struct err *err)
{
	struct adapter_path *p = state;
	struct classify_rule rule;
	int rc = 0;

	if (slot >= p->n_filters)
		return err_set(err, EINVAL, "slot %u: there are %u", slot, p->n_filters);
	if (f->action == ADAPTER_SWITCH)
		rc = rewrite_of(p, f, &p->rewrites[slot], err);
	if (rc != 0)
		return rc;
	// The last rule of this slot is out and the workers are quiet since: nobody counts here now.
	__atomic_store_n(&p->hits[slot], 0, __ATOMIC_RELAXED);
	adapter_rule(f, &rule);
	rule.order = order;
	rule.id = place_id(slot, f->action);
	atomic_fetch_add_explicit(&p->n_rules, 1, memory_order_relaxed);
	rc = classify_add(p->rules, &rule, err);
	if (rc == 0)
		return 0;
	atomic_fetch_sub_explicit(&p->n_rules, 1, memory_order_relaxed);
	free(p->rewrites[slot]);
	p->rewrites[slot] = NULL;
	return rc;
}

static int take_out(void *state, uint32_t slot, uint32_t order, struct err *err)
{
	struct adapter_path *p = state;
	int rc = classify_delete(p->rules, order, err);

	if (rc != 0)
		return rc;
	// No worker holds the rule's id any more.
	atomic_fetch_sub_explicit(&p->n_rules, 1, memory_order_relaxed);
	free(p->rewrites[slot]);
	p->rewrites[slot] = NULL;
	return 0;
}

static uint64_t hits(void *state, uint32_t slot)
{
	const struct adapter_path *p = state;

	return __atomic_load_n(&p->hits[slot], __ATOMIC_RELAXED);
}

static int clear_stats(void *state, unsigned port, struct err *err)
{
	const struct adapter_path *p = state;

	if (port >= p->n_ports)
		return err_set(err, EINVAL, "port %u: there are %u", port, p->n_ports);
	if (p->clear == NULL)
		return err_set(err, ENOTSUP, "the counters of ports are kept elsewhere");
	p->clear(p->clear_arg, port);
	return 0;
}

// By the keys' plain reference: whether the workers' ways make the same is tested elsewhere.
static int verdict(
	void *state, unsigned port, const void *frame, size_t len, uint32_t *slot, struct err *err)
{
	const struct adapter_path *p = state;
	struct rte_mbuf m = {.buf_addr = (void *)(uintptr_t)frame,
				.buf_len = (uint16_t)len,
				.data_len = (uint16_t)len,
				.pkt_len = (uint32_t)len,
				.nb_segs = 1},
			*pkt = &m;
	struct classify_key key;
	uint32_t id;

	(void)err;
	key_slow(&pkt, 1, (uint16_t)port, p->mac48[port], &key);
	classify_first(p->rules, &key, 1, &id);
	*slot = id == CLASSIFY_NONE ? PLACE_NO_SLOT : place_slot(id);
	return 0;
}

void adapter_path_clear(struct adapter_path *p, void (*clear)(void *arg, unsigned port), void *arg)
{
	p->clear = clear;
	p->clear_arg = arg;
}

void adapter_path_place(struct adapter_path *p, struct adapter_place *out)
{
	*out = (struct adapter_place){.state = p,
		.add = add,
		.remove = take_out,
		.hits = hits,
		.clear_stats = clear_stats,
		.verdict = verdict};
}

// SPDX-License-Identifier: BSD-2-Clause
#include "router/neigh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash(uint16_t port, const struct ip *ip)
{
	uint64_t a = ip->v4, b = port | (uint64_t)ip->family << 16;

	if (ip->family == 6) {
		uint64_t lo;

		memcpy(&a, ip->v6.b, 8);
		memcpy(&lo, ip->v6.b + 8, 8);
		b ^= lo * 0x9e3779b97f4a7c15u;
	}
	a = (a ^ b) * 0xbf58476d1ce4e5b9u;
	return a ^ a >> 31;
}

// The slot that holds (port, ip), or the free one where it would be put.
static uint32_t *slot_of(const struct neighs *ns, uint16_t port, const struct ip *ip)
{
	unsigned mask = ns->n_slots - 1;

	for (unsigned i = (unsigned)hash(port, ip) & mask;; i = (i + 1) & mask) {
		uint32_t *s = &ns->slot[i];

		if (*s == 0)
			return s;
		if (ns->v[*s - 1].port == port && ip_equal(&ns->v[*s - 1].ip, ip))
			return s;
	}
}

static int grow(struct neighs *ns)
{
	unsigned max = ns->max == 0 ? 64 : ns->max * 2;
	struct neigh *v = realloc(ns->v, max * sizeof(*v));
	uint32_t *slot;

	if (v == NULL)
		return -ENOMEM;
	ns->v = v;
	slot = calloc(max * 2u, sizeof(*slot));
	if (slot == NULL)
		return -ENOMEM;
	free(ns->slot);
	ns->slot = slot;
	ns->n_slots = max * 2;
	ns->max = max;
	for (unsigned i = 0; i < ns->n; i++)
		*slot_of(ns, v[i].port, &v[i].ip) = i + 1;
	return 0;
}

void neighs_free(struct neighs *ns)
{
	free(ns->v);
	free(ns->slot);
	*ns = (struct neighs){0};
}

struct neigh *neigh_find(const struct neighs *ns, uint16_t port, const struct ip *ip)
{
	uint32_t *s;

	if (ns->n == 0)
		return NULL;
	s = slot_of(ns, port, ip);
	return *s == 0 ? NULL : &ns->v[*s - 1];
}

struct neigh *neigh_enter(
	struct neighs *ns, uint16_t port, const struct ip *ip, uint32_t hop, struct err *err)
{
	if (ns->n == ns->max && grow(ns) != 0) {
		err_set(err, ENOMEM, "no memory for another neighbour");
		return NULL;
	}
	*slot_of(ns, port, ip) = ns->n + 1;
	ns->v[ns->n] = (struct neigh){.ip = *ip, .port = port, .hop = hop};
	return &ns->v[ns->n++];
}

void neigh_undo(struct neighs *ns)
{
	// Nothing was entered since, so no other's probe sequence runs through this slot.
	struct neigh *last = &ns->v[ns->n - 1];

	*slot_of(ns, last->port, &last->ip) = 0;
	ns->n--;
}

// SPDX-License-Identifier: BSD-2-Clause
// table.c - the rules of a card by index: where they lie, which slots they have, which come first.
//
// An IPv6 rule takes four indices of the TCAM, two on a T6 and two of the hash region; it stands at
// the first of them.
#include "adapter/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool table_has_prio(const struct adapter *a)
{
	return a->chip >= 6;
}

static unsigned span(const struct adapter *a, const struct adapter_filter *f)
{
	return f->value.family != 6 ? 1 : f->hash || a->chip >= 6 ? 2 : 4;
}

static struct region *region_of(struct adapter *a, bool prio, bool hash)
{
	return hash ? &a->hash : prio && table_has_prio(a) ? &a->prio : &a->tcam;
}

// The rule an index belongs to: one that stands there, or an IPv6 rule before it.  NULL: none.
static const struct entry *taken(const struct adapter *a, const struct region *r, uint32_t idx)
{
	const struct entry *e = r->at[idx];

	for (uint32_t i = idx; e == NULL && i % 4 != 0; i--)
		e = r->at[i - 1];
	return e != NULL && e->idx + span(a, &e->f) > idx ? e : NULL;
}

static bool free_at(const struct adapter *a, const struct region *r, uint32_t idx,
	const struct adapter_filter *f)
{
	for (uint32_t i = 0; i < span(a, f); i++)
		if (idx + i >= r->size || taken(a, r, idx + i) != NULL)
			return false;
	return true;
}

// That a rule stands at the index itself needs no sentence.
static int tcam_place(const struct adapter *a, const struct region *r, uint32_t idx,
	const struct adapter_filter *f, struct err *err)
{
	for (uint32_t i = 0; i < span(a, f); i++) {
		const struct entry *e = taken(a, r, idx + i);

		if (e == NULL)
			continue;
		if (e->idx > idx)
			err_set(err, EBUSY, HINT "an IPv6 rule takes %u indices, and %u is in use",
				span(a, f), e->idx);
		else if (e->idx < idx)
			err_set(err, EBUSY, HINT "index %u belongs to the IPv6 rule %u", idx,
				e->idx);
		return EBUSY;
	}
	return 0;
}

static uint32_t slot_take(struct adapter *a)
{
	return a->n_free > 0 ? a->free_slot[--a->n_free] : a->next_slot++;
}

static struct entry **bucket_of(const struct adapter *a, const struct adapter_filter *f)
{
	const uint8_t *p = (const uint8_t *)&f->value;
	uint64_t h = 0xcbf29ce484222325u; // FNV-1a

	for (size_t i = 0; i < sizeof(f->value); i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return &a->bucket[(h ^ h >> 32) & (a->n_buckets - 1)];
}

static const struct entry *hash_find(const struct adapter *a, const struct adapter_filter *f)
{
	const struct entry *e = *bucket_of(a, f);

	while (e != NULL && memcmp(&e->f.value, &f->value, sizeof(f->value)) != 0)
		e = e->next;
	return e;
}

// The lowest free index of the hash region, even for IPv6.  SIZE if it is full.
static uint32_t hash_index(struct adapter *a, const struct adapter_filter *f)
{
	unsigned step = span(a, f);
	uint32_t i;

	while (a->hash_hint < a->hash.size && taken(a, &a->hash, a->hash_hint))
		a->hash_hint++;
	i = (a->hash_hint + step - 1) / step * step;
	while (i + step <= a->hash.size && !free_at(a, &a->hash, i, f))
		i += step;
	return i + step <= a->hash.size ? i : a->hash.size;
}

static int hash_place(
	struct adapter *a, uint32_t *idx, const struct adapter_filter *f, struct err *err)
{
	if (hash_find(a, f) != NULL)
		return EEXIST;
	*idx = hash_index(a, f);
	if (*idx == a->hash.size)
		return -err_set(err, ENOMEM, HINT "no index of the hash region is left for it");
	return 0;
}

static void link_entry(struct adapter *a, struct region *r, struct entry *e)
{
	r->at[e->idx] = e;
	r->count++;
	if (r->end <= e->idx)
		r->end = e->idx + 1;
	if (e->f.hash) {
		struct entry **b = bucket_of(a, &e->f);

		e->next = *b;
		*b = e;
	} else if (e->f.prio && r == &a->tcam)
		a->n_mixed++;
}

int table_set(struct adapter *a, uint32_t *idx, const struct adapter_filter *f, struct err *err)
{
	struct region *r = region_of(a, f->prio, f->hash);
	struct entry *e;
	int rc = f->hash ? hash_place(a, idx, f, err) : tcam_place(a, r, *idx, f, err);

	if (rc != 0)
		return rc;
	if (a->n_free == 0 && a->next_slot == a->n_slots)
		return -err_set(err, ENOMEM,
			"the card holds %u rules, hash rules among them, and no more", a->n_slots);
	e = malloc(sizeof(*e));
	if (e == NULL)
		return ENOMEM;
	e->f = *f;
	e->idx = *idx;
	e->order = r->base + *idx;
	e->slot = slot_take(a);
	e->next = NULL;
	rc = a->place.add(a->place.state, e->slot, e->order, f, err);
	if (rc != 0) {
		a->free_slot[a->n_free++] = e->slot;
		free(e);
		return -rc;
	}
	link_entry(a, r, e);
	return 0;
}

int table_restore(struct adapter *a, const struct adapter_kept *k)
{
	struct region *r = region_of(a, k->f.prio, k->f.hash);
	uint32_t idx = k->order - r->base;
	struct entry *e;

	if (k->order < r->base || idx >= r->size || !free_at(a, r, idx, &k->f))
		return EINVAL;
	e = malloc(sizeof(*e));
	if (e == NULL)
		return ENOMEM;
	*e = (struct entry){.f = k->f, .idx = idx, .slot = k->slot, .order = k->order};
	link_entry(a, r, e);
	return 0;
}

static void hash_unlink(struct adapter *a, struct entry *e)
{
	struct entry **p = bucket_of(a, &e->f);

	while (*p != e)
		p = &(*p)->next;
	*p = e->next;
	if (a->hash_hint > e->idx)
		a->hash_hint = e->idx;
}

static int nothing_at(
	const struct adapter *a, const struct region *r, uint32_t idx, struct err *err)
{
	const struct entry *e = idx < r->size ? taken(a, r, idx) : NULL;

	if (e != NULL)
		return -err_set(
			err, EINVAL, HINT "index %u belongs to the IPv6 rule %u", idx, e->idx);
	return -err_set(
		err, EINVAL, HINT "there is no rule %u%s", idx, r == &a->prio ? " of prio 1" : "");
}

int table_delete(struct adapter *a, uint32_t idx, bool prio, bool hash, struct err *err)
{
	struct region *r = region_of(a, prio, hash);
	struct entry *e = idx < r->size ? r->at[idx] : NULL;
	int rc;

	if (e == NULL)
		return nothing_at(a, r, idx, err);
	rc = a->place.remove(a->place.state, e->slot, e->order, err);
	if (rc != 0)
		return -rc;
	if (hash)
		hash_unlink(a, e);
	else if (e->f.prio && r == &a->tcam)
		a->n_mixed--;
	r->at[idx] = NULL;
	r->count--;
	while (r->end > 0 && r->at[r->end - 1] == NULL)
		r->end--;
	a->free_slot[a->n_free++] = e->slot;
	free(e);
	return 0;
}

uint64_t table_hits(const struct adapter *a, const struct entry *e)
{
	return a->place.hits(a->place.state, e->slot);
}

static void each(const struct adapter *a, const struct region *r,
	void (*rule)(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits),
	void *arg)
{
	for (uint32_t i = 0; i < r->end; i++)
		if (r->at[i] != NULL)
			rule(arg, i, &r->at[i]->f, table_hits(a, r->at[i]));
}

size_t adapter_n_rules(const struct adapter *a)
{
	return a->tcam.count + a->hash.count + a->prio.count;
}

void adapter_each(const struct adapter *a, bool hash,
	void (*rule)(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits),
	void *arg)
{
	if (hash) {
		each(a, &a->hash, rule, arg);
		return;
	}
	each(a, &a->prio, rule, arg);
	each(a, &a->tcam, rule, arg);
}

void adapter_walk(const struct adapter *a,
	void (*rule)(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits),
	void *arg)
{
	each(a, &a->prio, rule, arg);
	each(a, &a->hash, rule, arg);
	each(a, &a->tcam, rule, arg);
}

// SPDX-License-Identifier: BSD-2-Clause
// check.c - what the driver of a card refuses, in its order; then what this card cannot do.
#include "adapter/table.h"

#include <errno.h>

static int check_hash(
	const struct adapter *a, bool idx_given, const struct adapter_filter *f, struct err *err)
{
	bool whole = f->mask.sport == UINT16_MAX && f->mask.dport == UINT16_MAX;

	if (a->chip == 4)
		return ENOTSUP;
	if (idx_given)
		return EINVAL;
	if (a->chip == 5 && f->count_hits)
		return EINVAL;
	for (unsigned i = 0; i < (f->value.family == 6 ? 4u : 1u); i++)
		whole = whole && f->mask.src[i] == UINT32_MAX && f->mask.dst[i] == UINT32_MAX;
	if (!whole || filter_criteria(f) != a->hash_mask)
		return EINVAL;
	if (a->n_mixed != 0)
		return -err_set(err, EINVAL,
			"a rule of `prio 1` is there: it would have to be before the hash rules and "
			"among the others, which it cannot");
	return 0;
}

static int check_index(const struct adapter *a, uint32_t idx, const struct adapter_filter *f)
{
	const struct region *r = f->prio && table_has_prio(a) ? &a->prio : &a->tcam;

	if (r->size == 0)
		return ENOTSUP;
	if (idx >= r->size)
		return EINVAL;
	// The last four are out of an IPv6 rule's reach: the driver compares so.
	if (f->value.family == 6 && (idx % 4 != 0 || idx + 4 >= r->size))
		return EINVAL;
	return 0;
}

static int check_mode(const struct adapter *a, const struct adapter_filter *f)
{
	uint32_t needs = filter_criteria(f);

	if ((needs & ~a->mode) != 0)
		return E2BIG;
	if ((needs & 1u << C_VNIC) != 0 &&
		a->vnic_is_function != ((f->mask.vlan_valid & CLASSIFY_HAS_VNIC) != 0))
		return EINVAL;
	return 0;
}

static int check_software(const struct adapter *a, const struct adapter_filter *f, struct err *err)
{
	if (f->steer != STEER_RSS && f->queue >= a->n_queues)
		return -err_set(err, EINVAL, "%s %u: the card has %u receive queue%s",
			f->steer == STEER_RSS_REGION ? "tcbrss" : "queue", f->queue, a->n_queues,
			a->n_queues == 1 ? "" : "s");
	if (a->chip == 5 && f->prio && a->hash.count != 0)
		return -err_set(err, EINVAL,
			"prio 1: hash rules are there: this one would have to be before them and among "
			"the others, which it cannot");
	return 0;
}

int table_check(const struct adapter *a, uint32_t idx, bool idx_given,
	const struct adapter_filter *f, struct err *err)
{
	int rc = f->hash ? check_hash(a, idx_given, f, err) : check_index(a, idx, f);

	if (rc != 0)
		return rc;
	if (a->chip == 4 && f->action == ADAPTER_SWITCH &&
		(f->vlan == VLAN_REMOVE || f->vlan == VLAN_REWRITE || f->swapmac ||
			f->nat != NAT_NONE))
		return ENOTSUP;
	if (f->action == ADAPTER_SWITCH && f->eport >= a->n_ports)
		return EINVAL;
	if (f->value.iport >= a->n_ports)
		return EINVAL;
	if (f->steer == STEER_RSS && f->queue != 0)
		return EINVAL;
	rc = check_mode(a, f);
	return rc != 0 ? rc : check_software(a, f, err);
}

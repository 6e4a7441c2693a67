// SPDX-License-Identifier: BSD-2-Clause
// check.c - what the driver of a card refuses, in its order; then what this card cannot do.
#include "adapter/table.h"

#include <errno.h>
#include <string.h>

// The word for what a criterion looks at: the first that the rule gives; without one, that it would give.
static const char *word_of(
	const struct adapter *a, const struct adapter_filter *f, enum criterion c)
{
	const char *word = NULL;

	for (unsigned i = n_fields; i-- > 0;) {
		bool function = (fields[i].has & CLASSIFY_HAS_VNIC) != 0;

		if (fields[i].criterion != c)
			continue;
		if (f != NULL ? field_given(f, &fields[i])
			      : c != C_VNIC || function == a->vnic_is_function)
			word = fields[i].name;
	}
	return word;
}

static enum criterion first_of(uint32_t criteria)
{
	return (enum criterion)__builtin_ctz(criteria);
}

// Of both addresses and both ports, the first that a hash rule does not give; NULL: all are there.
static const char *missing_of_tuple(const struct adapter_filter *f)
{
	bool sip = true, dip = true;

	for (unsigned i = 0; i < (f->value.family == 6 ? 4u : 1u); i++) {
		sip = sip && f->mask.src[i] == UINT32_MAX;
		dip = dip && f->mask.dst[i] == UINT32_MAX;
	}
	return !sip                          ? "sip"
	       : !dip                        ? "dip"
	       : f->mask.sport != UINT16_MAX ? "sport"
	       : f->mask.dport != UINT16_MAX ? "dport"
					     : NULL;
}

// A rule's criteria that a mode does not have.
static int lacks(const struct adapter *a, const struct adapter_filter *f, uint32_t criteria,
	const char *mode, int code, struct err *err)
{
	enum criterion c = first_of(criteria);
	bool function = (f->mask.vlan_valid & CLASSIFY_HAS_VNIC) != 0;
	const char *word = word_of(a, f, c), *name = mode_criterion(c, function);

	if (strcmp(word, name) == 0)
		return -err_set(err, code, HINT "`%s` lacks %s", mode, name);
	return -err_set(err, code, HINT "%s: `%s` lacks %s", word, mode, name);
}

static int check_hash(
	const struct adapter *a, bool idx_given, const struct adapter_filter *f, struct err *err)
{
	uint32_t given = filter_criteria(f);
	const char *missing = missing_of_tuple(f);

	if (a->chip == 4)
		return -err_set(err, ENOTSUP, HINT "a T4 has no hash rules");
	if (idx_given)
		return -err_set(err, EINVAL, HINT "the card chooses the index of a hash rule");
	if (a->chip == 5 && f->count_hits)
		return -err_set(err, EINVAL,
			HINT "a T5 does not count hits of hash rules: hitcnts 0 is missing");
	if (missing == NULL && (a->hash_mask & ~given) != 0)
		missing = word_of(a, NULL, first_of(a->hash_mask & ~given));
	if (missing != NULL)
		return -err_set(err, EINVAL,
			HINT "a hash rule gives all that `hashfilter mode` lists: %s is missing",
			missing);
	if (given != a->hash_mask)
		return lacks(a, f, given & ~a->hash_mask, "hashfilter mode", EINVAL, err);
	if (a->n_mixed != 0)
		return -err_set(err, EINVAL,
			"a rule of `prio 1` is there: it would have to be before the hash rules and "
			"among the others, which it cannot");
	return 0;
}

static int check_index(
	const struct adapter *a, uint32_t idx, const struct adapter_filter *f, struct err *err)
{
	const struct region *r = f->prio && table_has_prio(a) ? &a->prio : &a->tcam;

	if (r->size == 0)
		return -err_set(err, ENOTSUP, HINT "the card has no indices for rules of prio 1");
	if (idx >= r->size)
		return -err_set(err, EINVAL, HINT "index %u: indices are below %u%s", idx, r->size,
			r == &a->prio ? " for rules of prio 1" : "");
	if (f->value.family == 6 && idx % 4 != 0)
		return -err_set(
			err, EINVAL, HINT "index %u: an IPv6 rule begins at a multiple of 4", idx);
	// The driver compares so.
	if (f->value.family == 6 && idx + 4 >= r->size)
		return -err_set(err, EINVAL,
			HINT "index %u: the last four are out of an IPv6 rule's reach", idx);
	return 0;
}

static int check_mode(const struct adapter *a, const struct adapter_filter *f, struct err *err)
{
	uint32_t needs = filter_criteria(f);
	bool function = (f->mask.vlan_valid & CLASSIFY_HAS_VNIC) != 0;

	if ((needs & ~a->mode) != 0)
		return lacks(a, f, needs & ~a->mode, "filter mode", E2BIG, err);
	if ((needs & 1u << C_VNIC) != 0 && a->vnic_is_function != function)
		return lacks(a, f, 1u << C_VNIC, "filter mode", EINVAL, err);
	return 0;
}

static int check_action(const struct adapter *a, const struct adapter_filter *f, struct err *err)
{
	bool t5 = f->vlan == VLAN_REMOVE || f->vlan == VLAN_REWRITE || f->swapmac ||
		  f->nat != NAT_NONE;

	if (f->action != ADAPTER_SWITCH)
		return 0;
	if (a->chip == 4 && t5)
		return -err_set(err, ENOTSUP,
			HINT
			"a T4 can insert a VLAN tag, not change one, and has neither swapmac nor nat");
	if (f->eport >= a->n_ports)
		return -err_set(err, EINVAL, HINT "eport %u: the card's ports are below %u",
			f->eport, a->n_ports);
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
	int rc = f->hash ? check_hash(a, idx_given, f, err) : check_index(a, idx, f, err);

	if (rc == 0)
		rc = check_action(a, f, err);
	if (rc != 0)
		return rc;
	if (f->value.iport >= a->n_ports)
		return -err_set(err, EINVAL, HINT "iport %u: the card's ports are below %u",
			f->value.iport, a->n_ports);
	if (f->steer == STEER_RSS && f->queue != 0)
		return -err_set(err, EINVAL, HINT "tcbhash without queue steers nowhere");
	rc = check_mode(a, f, err);
	return rc != 0 ? rc : check_software(a, f, err);
}

// SPDX-License-Identifier: BSD-2-Clause
// verdict.c - what a card's rules say of a frame, without the frame being sent.
#include "adapter/table.h"

#include <errno.h>

static const struct entry *find_slot(const struct region *r, uint32_t slot)
{
	for (uint32_t i = 0; i < r->end; i++)
		if (r->at[i] != NULL && r->at[i]->slot == slot)
			return r->at[i];
	return NULL;
}

static int check(const struct adapter *a, unsigned port, size_t len, struct err *err)
{
	if (a->place.verdict == NULL)
		return err_set(err, ENOTSUP, "%s: no packet meets this card", a->name);
	if (port >= a->n_ports)
		return err_set(err, EINVAL, "port %u: %s has %u port%s, counted from 0", port,
			a->name, a->n_ports, a->n_ports == 1 ? "" : "s");
	if (len < ADAPTER_FRAME_MIN || len > ADAPTER_FRAME_MAX)
		return err_set(err, EMSGSIZE, "a frame of %zu bytes: %d to %d can be tried", len,
			ADAPTER_FRAME_MIN, ADAPTER_FRAME_MAX);
	return 0;
}

int adapter_verdict(const struct adapter *a, unsigned port, const void *frame, size_t len,
	struct adapter_verdict *out, struct err *err)
{
	const struct region *const regions[] = {&a->prio, &a->hash, &a->tcam};
	const struct entry *e = NULL;
	uint32_t slot;
	int rc = check(a, port, len, err);

	if (rc == 0)
		rc = a->place.verdict(a->place.state, port, frame, len, &slot, err);
	if (rc != 0)
		return rc;
	*out = (struct adapter_verdict){.action = ADAPTER_PASS};
	if (slot == PLACE_NO_SLOT)
		return 0;
	for (unsigned i = 0; i < 3 && e == NULL; i++)
		e = find_slot(regions[i], slot);
	if (e == NULL)
		return err_set(err, EPROTO, "%s: a rule that is not in the table matched", a->name);
	*out = (struct adapter_verdict){.action = e->f.action,
		.met = true,
		.idx = e->idx,
		.hash = e->f.hash,
		.prio = e->f.prio};
	return 0;
}

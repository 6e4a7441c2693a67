// SPDX-License-Identifier: BSD-2-Clause
// keep.c - a card put down and taken up again, for a place that outlives the process.
#include "adapter/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int adapter_settings(const struct adapter *a, struct adapter_settings *out, struct err *err)
{
	memset(out, 0, sizeof(*out));
	if (a->n_clip > ADAPTER_CLIPS_KEPT)
		return err_set(err, E2BIG, "%s: it keeps %d held addresses, and no more", a->name,
			ADAPTER_CLIPS_KEPT);
	out->mode = a->mode;
	out->hash_mask = a->hash_mask;
	out->vnic_is_function = a->vnic_is_function;
	out->n_clip = (uint32_t)a->n_clip;
	for (size_t i = 0; i < a->n_clip; i++) {
		out->clip[i].ip = a->clip[i].ip;
		out->clip[i].users = a->clip[i].users;
	}
	return 0;
}

static int settings(struct adapter *a, const struct adapter_settings *s, struct err *err)
{
	uint32_t n = s->n_clip < ADAPTER_CLIPS_KEPT ? s->n_clip : ADAPTER_CLIPS_KEPT;

	a->mode = s->mode & ((1u << C_COUNT) - 1);
	a->hash_mask = s->hash_mask & a->mode;
	a->vnic_is_function = s->vnic_is_function != 0;
	free(a->clip);
	a->n_clip = 0;
	a->clip = calloc(n + 1, sizeof(*a->clip));
	if (a->clip == NULL)
		return err_set(err, ENOMEM, "%s: no memory for held addresses", a->name);
	for (; a->n_clip < n; a->n_clip++)
		a->clip[a->n_clip] = (struct clip){
			.ip = s->clip[a->n_clip].ip, .users = s->clip[a->n_clip].users};
	return 0;
}

// Above the highest slot that a rule has, of those that there are.
static uint32_t slots_end(const struct adapter *a, const struct adapter_kept *rules, size_t n)
{
	uint32_t end = 0;

	for (size_t i = 0; i < n; i++)
		if (rules[i].slot >= end && rules[i].slot < a->n_slots)
			end = rules[i].slot + 1;
	return end;
}

// The slots below the highest one that no rule has; the lowest is taken first.
static void free_slots(struct adapter *a, const uint8_t *used)
{
	for (uint32_t i = a->next_slot; i-- > 0;)
		if (!used[i])
			a->free_slot[a->n_free++] = i;
}

int adapter_restore(struct adapter *a, const struct adapter_settings *s,
	const struct adapter_kept *rules, size_t n, struct err *err)
{
	uint32_t end = slots_end(a, rules, n);
	uint8_t *used = calloc(end + 1, 1);
	int rc = used != NULL ? settings(a, s, err)
			      : err_set(err, ENOMEM, "%s: no memory for rules", a->name);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct adapter_kept *k = &rules[i];

		rc = k->slot < end && !used[k->slot] ? table_restore(a, k) : EINVAL;
		if (rc == 0)
			used[k->slot] = 1;
		else
			rc = err_set(err, rc, "%s: rule %zu of those that are kept: %s", a->name, i,
				rc == ENOMEM ? "no memory" : "it makes no sense");
	}
	a->next_slot = end;
	if (rc == 0)
		free_slots(a, used);
	free(used);
	return rc;
}

void adapter_slots_last(struct adapter *a, const bool *last, uint32_t n)
{
	a->next_slot = n < a->n_slots ? n : a->n_slots;
	a->n_free = 0;
	for (int free = 0; free < 2; free++) // what lies on top is taken first
		for (uint32_t i = a->next_slot; i-- > 0;)
			if (last[i] != (free != 0))
				a->free_slot[a->n_free++] = i;
}

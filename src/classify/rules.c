// SPDX-License-Identifier: BSD-2-Clause
// A sorted index of small entries over slots that stay where they are, so that 100,000 rules put in
// one after another move little memory.
#include "classify/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Position of the first entry that is not before an order.
static size_t position(const struct rules *r, uint32_t order)
{
	size_t lo = 0;

	for (size_t n = r->n; n > 0;) {
		size_t half = n / 2;

		if (r->index[lo + half].order < order) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

static bool has(const struct rules *r, size_t at, uint32_t order)
{
	return at < r->n && r->index[at].order == order;
}

static struct classify_rule *slot_at(const struct rules *r, uint32_t slot)
{
	return &r->run[slot / RULES_RUN][slot % RULES_RUN];
}

static size_t n_runs(const struct rules *r)
{
	return (r->n_slots + RULES_RUN - 1) / RULES_RUN;
}

static int grow(struct rules *r)
{
	size_t max = r->max > 0 ? r->max * 2 : RULES_RUN;
	void *p;

	if (r->n < r->max)
		return 0;
	p = realloc(r->index, max * sizeof(*r->index));
	if (p == NULL)
		return -ENOMEM;
	r->index = p;
	p = realloc(r->run, max / RULES_RUN * sizeof(*r->run));
	if (p == NULL)
		return -ENOMEM;
	r->run = p;
	p = realloc(r->vacant, max * sizeof(*r->vacant));
	if (p == NULL)
		return -ENOMEM;
	r->vacant = p;
	r->max = max;
	return 0;
}

// -ENOMEM, or *slot: one that holds no rule.
static int slot_take(struct rules *r, uint32_t *slot)
{
	if (r->n_vacant > 0) {
		*slot = r->vacant[--r->n_vacant];
		return 0;
	}
	if (r->n_slots % RULES_RUN == 0) {
		struct classify_rule *run = malloc(RULES_RUN * sizeof(*run));

		if (run == NULL)
			return -ENOMEM;
		r->run[r->n_slots / RULES_RUN] = run;
	}
	*slot = (uint32_t)r->n_slots++;
	return 0;
}

// Counts a rule, or takes it out of the count.
static void count_looks(struct rules *r, const struct classify_rule *rule, uint32_t by)
{
	struct classify_key mask = rule->mask;

	if (rule->sport_lo > 0 || rule->sport_hi < UINT16_MAX)
		mask.sport = UINT16_MAX;
	if (rule->dport_lo > 0 || rule->dport_hi < UINT16_MAX)
		mask.dport = UINT16_MAX;
	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		r->looks[i] += ((const uint8_t *)&mask)[i] != 0 ? by : 0;
}

void rules_mask(const struct rules *r, struct classify_key *mask)
{
	for (size_t i = 0; i < sizeof(*mask); i++)
		((uint8_t *)mask)[i] = r->looks[i] != 0 ? UINT8_MAX : 0;
}

int rules_put(struct rules *r, const struct classify_rule *rule)
{
	size_t at = position(r, rule->order);
	uint32_t slot;

	if (has(r, at, rule->order))
		return -EEXIST;
	if (grow(r) != 0 || slot_take(r, &slot) != 0)
		return -ENOMEM;
	memmove(&r->index[at + 1], &r->index[at], (r->n - at) * sizeof(*r->index));
	r->index[at] = (struct rules_entry){rule->order, slot};
	*slot_at(r, slot) = *rule;
	count_looks(r, rule, 1);
	r->n++;
	return 0;
}

void rules_remove(struct rules *r, uint32_t order)
{
	size_t at = position(r, order);

	count_looks(r, slot_at(r, r->index[at].slot), UINT32_MAX); // minus one
	r->vacant[r->n_vacant++] = r->index[at].slot;
	r->n--;
	memmove(&r->index[at], &r->index[at + 1], (r->n - at) * sizeof(*r->index));
}

const struct classify_rule *rules_find(const struct rules *r, uint32_t order)
{
	size_t at = position(r, order);

	return has(r, at, order) ? slot_at(r, r->index[at].slot) : NULL;
}

const struct classify_rule **rules_list(const struct rules *r, size_t *n)
{
	const struct classify_rule **list = malloc((r->n + 1) * sizeof(*list));

	*n = 0;
	for (size_t i = 0; list != NULL && i < r->n; i++) {
		const struct classify_rule *rule = slot_at(r, r->index[i].slot);

		if (rules_can_match(rule))
			list[(*n)++] = rule;
	}
	return list;
}

void rules_free(struct rules *r)
{
	free(r->index);
	for (size_t i = 0; i < n_runs(r); i++)
		free(r->run[i]);
	free(r->run);
	free(r->vacant);
	*r = (struct rules){0};
}

size_t rules_bytes(const struct rules *r)
{
	return r->max * (sizeof(*r->index) + sizeof(*r->vacant)) +
	       n_runs(r) * (sizeof(*r->run) + RULES_RUN * sizeof(**r->run));
}

// Is there a number of lo to hi with (number & mask) == value?  The smallest one that is not below lo
// differs from lo first in one bit, which is 1 in it: each such bit is tried.
static bool port_can_match(uint16_t value, uint16_t mask, uint16_t lo, uint16_t hi)
{
	if (lo > hi)
		return false;
	if ((lo & mask) == value)
		return true;
	for (unsigned bit = 0; bit < 16; bit++) {
		uint32_t below = (1u << bit) - 1, above = 0xffffu & ~(below | 1u << bit);
		uint32_t p = (lo & above) | 1u << bit | (value & below);

		if (!(lo >> bit & 1) && (p & mask) == value && p <= hi)
			return true;
	}
	return false;
}

bool rules_can_match(const struct classify_rule *rule)
{
	const uint8_t *value = (const uint8_t *)&rule->value, *mask = (const uint8_t *)&rule->mask;

	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		if (value[i] & ~mask[i])
			return false;
	return port_can_match(
		       rule->value.sport, rule->mask.sport, rule->sport_lo, rule->sport_hi) &&
	       port_can_match(rule->value.dport, rule->mask.dport, rule->dport_lo, rule->dport_hi);
}

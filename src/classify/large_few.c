// SPDX-License-Identifier: BSD-2-Clause
// The rules that lie in no group.
#include "classify/large.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int large_few_init(
	struct large_few *f, const struct large_rule *rules, const uint32_t *which, size_t n)
{
	const struct classify_rule **list = calloc(n + 1, sizeof(*list));
	struct classify_rule *copy = calloc(n + 1, sizeof(*copy));

	if (list != NULL && copy != NULL) {
		for (size_t i = 0; i < n; i++) {
			f->rule[i] = copy[i] = *rules[which[i]].rule;
			f->rank[i] = large_rank(copy[i].order, copy[i].id);
			f->used[i] = true;
			copy[i].id = (uint32_t)i;
			list[i] = &copy[i];
		}
		f->bits = classify_bits.new(list, n);
		f->n = (uint32_t)n;
	}
	f->rank[LARGE_FEW] = LARGE_NONE;
	free(copy);
	free(list);
	return f->bits != NULL ? 0 : -ENOMEM;
}

int large_few_add(struct large_few *f, const struct classify_rule *rule)
{
	struct classify_rule copy = *rule;
	uint32_t i = 0;

	while (f->used[i])
		i++;
	copy.id = i;
	if (classify_bits.add(f->bits, &copy) != 0)
		return -ENOMEM;
	f->used[i] = true;
	f->rule[i] = *rule;
	f->rank[i] = large_rank(rule->order, rule->id);
	f->n++;
	return 0;
}

int large_few_drop(struct large_few *f, uint32_t place)
{
	struct classify_rule copy = f->rule[place];

	copy.id = place;
	if (classify_bits.delete(f->bits, &copy) != 0)
		return -ENOMEM;
	f->used[place] = false;
	f->n--;
	return 0;
}

int large_few_delete(struct large_few *f, const struct classify_rule *rule)
{
	uint32_t i = 0;

	while (i < LARGE_FEW && !(f->used[i] && f->rank[i] >> 32 == rule->order))
		i++;
	if (i == LARGE_FEW)
		return 0;
	return large_few_drop(f, i) == 0 ? 1 : -ENOMEM;
}

void large_few_first(
	const struct large_few *f, const struct classify_key *keys, unsigned n, uint64_t *ranks)
{
	uint32_t place[CLASSIFY_BURST];

	classify_bits.first(f->bits, keys, n, place);
	for (unsigned i = 0; i < n; i++)
		ranks[i] = f->rank[place[i] == CLASSIFY_NONE ? LARGE_FEW : place[i]];
}

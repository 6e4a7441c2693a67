// SPDX-License-Identifier: BSD-2-Clause
// Which masks the parts of rules have in common.
#include "classify/large_plan.h"

#include <stdlib.h>
#include <string.h>

enum { BITS_MAX = 128 };

static const struct shape {
	unsigned word, bits, levels; // of prefixes: first word, bits, levels beside that of no bit
} shape[PARTS] = {{LARGE_WORD_SRC, 128, 6}, {LARGE_WORD_DST, 128, 6}, {LARGE_WORD_PORTS, 16, 2},
	{LARGE_WORD_PORTS, 16, 3}, {0, 0, 2}};

static unsigned leading(uint32_t x)
{
	return x == UINT32_MAX ? 32 : (unsigned)__builtin_clz(~x);
}

// Length of the prefix that a rule gives in a part.
static unsigned prefix_of(const struct large_rule *r, enum large_part p)
{
	unsigned len = 0;

	if (p == SPORT || p == DPORT)
		return leading(r->mask[LARGE_WORD_PORTS] << (p == SPORT ? 16 : 0) & 0xffff0000u);
	for (unsigned w = 0; w < 4 && len == 32 * w; w++)
		len += leading(r->mask[shape[p].word + w]);
	return len;
}

static void prefix_mask(enum large_part p, unsigned len, uint32_t *mask)
{
	if (p == SPORT || p == DPORT) {
		uint32_t m = len == 0 ? 0 : 0xffffu << (16 - len) & 0xffffu;

		mask[LARGE_WORD_PORTS] = p == SPORT ? m : m << 16;
		return;
	}
	for (unsigned w = 0; w < 4 && len > 32 * w; w++)
		mask[shape[p].word + w] = len >= 32 * w + 32 ? UINT32_MAX
							     : UINT32_MAX << (32 * w + 32 - len);
}

// What prefixes are shorter than `below` lose by going down to length `to`; rules and bits are those of all
// lengths before an index.
static size_t lost(const size_t *rules, const size_t *bits, unsigned to, unsigned below)
{
	return bits[below] - bits[to] - to * (rules[below] - rules[to]);
}

// Chooses the lengths for which the rules lose the least bits, each going down to the next of them.
// best[j][e]: loss of the lengths below e, if e is the next level and j lie between 0 and e; solved from
// short to long.
static void prefix_levels(struct large_levels *v, enum large_part p, const size_t *count)
{
	size_t best[LARGE_LEVELS][BITS_MAX + 2], rules[BITS_MAX + 2] = {0},
								  bits_of[BITS_MAX + 2] = {0};
	uint8_t from[LARGE_LEVELS][BITS_MAX + 2];
	unsigned bits = shape[p].bits, k = shape[p].levels, at;

	for (unsigned e = 0; e <= bits; e++) {
		rules[e + 1] = rules[e] + count[e];
		bits_of[e + 1] = bits_of[e] + count[e] * e;
	}
	for (unsigned e = 1; e <= bits + 1; e++) {
		best[0][e] = lost(rules, bits_of, 0, e);
		from[0][e] = 0;
	}
	for (unsigned j = 1; j <= k; j++)
		for (unsigned e = 1; e <= bits + 1; e++) {
			best[j][e] = SIZE_MAX;
			for (unsigned s = j; s < e; s++) {
				size_t cost = best[j - 1][s] + lost(rules, bits_of, s, e);

				if (cost < best[j][e]) {
					best[j][e] = cost;
					from[j][e] = (uint8_t)s;
				}
			}
		}
	while (k > 0 && best[k - 1][bits + 1] <= best[k][bits + 1])
		k--; // a level that saves nothing
	v->n[p] = k + 1;
	at = bits + 1;
	for (unsigned j = k; j > 0; j--) {
		at = from[j][at];
		prefix_mask(p, at, v->mask[p][j]);
	}
}

static void rest_of(const struct large_rule *r, uint32_t *mask)
{
	memcpy(mask, r->mask, sizeof(r->mask));
	mask[LARGE_WORD_PORTS] = 0;
	memset(&mask[LARGE_WORD_SRC], 0, 4 * sizeof(*mask));
	memset(&mask[LARGE_WORD_DST], 0, 4 * sizeof(*mask));
}

// The most frequent masks of the other fields, by a list of the first few that are seen.
static void rest_levels(struct large_levels *v, const struct large_rule *rules, size_t n)
{
	enum { LIST = 32 };
	uint32_t mask[LIST][LARGE_WORDS], m[LARGE_WORDS];
	size_t count[LIST] = {0};
	unsigned n_list = 0, i, best;

	for (size_t r = 0; r < n; r++) {
		rest_of(&rules[r], m);
		for (i = 0; i < n_list && memcmp(mask[i], m, sizeof(m)) != 0; i++)
			;
		if (i == LIST)
			continue;
		if (i == n_list)
			memcpy(mask[n_list++], m, sizeof(m));
		count[i]++;
	}
	v->n[REST] = 1;
	while (v->n[REST] <= shape[REST].levels) {
		best = 0;
		for (i = 1; i < n_list; i++)
			if (count[i] > count[best])
				best = i;
		if (n_list == 0 || count[best] == 0)
			return;
		memcpy(v->mask[REST][v->n[REST]++], mask[best], sizeof(m));
		count[best] = 0;
	}
}

struct large_levels *large_levels_make(const struct large_rule *rules, size_t n)
{
	struct large_levels *v = calloc(1, sizeof(*v));
	size_t count[BITS_MAX + 1];

	if (v == NULL)
		return NULL;
	for (enum large_part p = SRC; p < REST; p++) {
		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < n; i++)
			count[prefix_of(&rules[i], p)]++;
		prefix_levels(v, p, count);
	}
	rest_levels(v, rules, n);
	return v;
}

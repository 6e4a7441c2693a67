// SPDX-License-Identifier: BSD-2-Clause
// bits_lookup.h - what lookups of all instruction sets have in common.
#pragma once

#include "base/load.h"
#include "classify/bits.h"

#include <string.h>

static inline void bits_table_step(
	const struct bits_step *s, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const uint8_t *at = (const uint8_t *)keys + s->at;

	for (unsigned i = 0; i < n; i++, at += sizeof(*keys))
		sum[i] += s->table[load16(at)] * s->stride;
}

// Adds what up to four bytes of each key stand for.  The caller has its own copy, made with its
// instructions.
static inline __attribute__((always_inline)) void bits_bytes4(const struct bits_step *s,
	unsigned steps, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	const uint8_t *key = (const uint8_t *)keys;
	const uint32_t *off0 = s[0].off, *off1 = steps > 1 ? s[1].off : NULL;
	const uint32_t *off2 = steps > 2 ? s[2].off : NULL, *off3 = steps > 3 ? s[3].off : NULL;
	size_t at0 = s[0].at, at1 = steps > 1 ? s[1].at : 0;
	size_t at2 = steps > 2 ? s[2].at : 0, at3 = steps > 3 ? s[3].at : 0;

	for (unsigned i = 0; i < n; i++, key += sizeof(*keys)) {
		uint32_t add = off0[key[at0]];

		add += steps > 1 ? off1[key[at1]] : 0;
		add += steps > 2 ? off2[key[at2]] : 0;
		add += steps > 3 ? off3[key[at3]] : 0;
		sum[i] += add;
	}
}

static inline __attribute__((always_inline)) void bits_byte_steps(const struct bits_step *s,
	unsigned steps, const struct classify_key *keys, unsigned n, uint32_t *sum)
{
	for (; steps >= 4; steps -= 4, s += 4)
		bits_bytes4(s, 4, keys, n, sum);
	if (steps == 3)
		bits_bytes4(s, 3, keys, n, sum);
	else if (steps == 2)
		bits_bytes4(s, 2, keys, n, sum);
	else if (steps == 1)
		bits_bytes4(s, 1, keys, n, sum);
}

// The sum of what a group's steps add, for each key; range() does the steps that search.  The caller
// has its own copy, made with its instructions.
static inline __attribute__((always_inline)) void bits_sum_group(const struct bits_view *v,
	const struct bits_group *g, const struct classify_key *keys, unsigned n, uint32_t *sum,
	void (*range)(const struct bits_step *, const struct classify_key *, unsigned, uint32_t *))
{
	const struct bits_step *s = &v->step[g->step], *end = s + g->n_steps;

	memset(sum, 0, n * sizeof(*sum));
	for (; s < end && s->size != 1; s++) {
		if (s->how == BITS_TABLE)
			bits_table_step(s, keys, n, sum);
		else
			range(s, keys, n, sum);
	}
	bits_byte_steps(s, (unsigned)(end - s), keys, n, sum);
}

static inline uint32_t bits_lowest(uint64_t word) // 64: none
{
	return word != 0 ? (uint32_t)__builtin_ctzll(word) : 64;
}

// Rows of one word.
static inline __attribute__((always_inline)) void bits_and1(const struct bits_view *v,
	unsigned groups, uint32_t (*sum)[CLASSIFY_BURST], unsigned n, uint32_t *ids)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t all = v->group[0].rows[sum[0][i]];

		for (unsigned g = 1; g < groups; g++)
			all &= v->group[g].rows[sum[g][i]];
		ids[i] = v->id[bits_lowest(all)];
	}
}

// How many groups the keys have to go through: all, if one of them is of IPv6.
static inline unsigned bits_groups(
	const struct bits_view *v, const struct classify_key *keys, unsigned n)
{
	bool six = false;

	if (v->n_groups4 == v->n_groups)
		return v->n_groups;
	for (unsigned i = 0; i < n; i++)
		six |= keys[i].family == 6;
	return six ? v->n_groups : v->n_groups4;
}

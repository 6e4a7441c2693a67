// SPDX-License-Identifier: BSD-2-Clause
// bits_lookup.h - what lookups of all instruction sets have in common.
#pragma once

#include "classify/bits.h"

#include <string.h>

// A field's value in a key.
static inline uint32_t bits_value(const struct bits_step *s, const struct classify_key *key)
{
	const uint8_t *at = (const uint8_t *)key + s->at;
	uint32_t word;
	uint16_t half;

	if (s->size == 1)
		return *at;
	if (s->size == 2) {
		memcpy(&half, at, sizeof(half));
		return half;
	}
	memcpy(&word, at, sizeof(word));
	return word;
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

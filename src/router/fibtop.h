// SPDX-License-Identifier: BSD-2-Clause
// fibtop.h - the prefixes above the groups, in pieces.
//
// DPDK's tables (22.11, both) overwrite more than they should when a prefix that ends at the last
// address there is, such as the default route, is entered above another that ends there, such as
// the groups.  So such prefixes are never entered: the default route becomes 0/1, 128/2 and 192/3,
// which cover all but the groups.  A piece has the next hop of the longest prefix that was given and
// holds it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TOP_MAX = 8, TOP_NONE = -1 };

// Index i of each: `wide` is the prefix of i one-bits, `piece` of i one-bits and a zero.
struct top {
	unsigned n; // 3 for IPv4 (224/3), 8 for IPv6 (ff00::/8)
	int64_t wide[TOP_MAX], piece[TOP_MAX];
	int64_t entered[TOP_MAX]; // next hop of each piece in the table
};

static inline void top_init(struct top *t, unsigned n)
{
	memset(t, 0xff, sizeof(*t)); // TOP_NONE
	t->n = n;
}

// The first byte of the prefix of `ones` one-bits.
static inline uint8_t top_byte(unsigned ones)
{
	return (uint8_t) ~(0xff >> ones);
}

// Where the prefix of this first byte (bits behind len are 0) and length has its place in *t, or
// NULL: it is entered as it is.
static inline int64_t *top_slot(struct top *t, uint8_t first, unsigned len)
{
	if (len < t->n && first == top_byte(len))
		return &t->wide[len];
	if (len >= 1 && len <= t->n && first == top_byte(len - 1))
		return &t->piece[len - 1];
	return NULL;
}

// What piece i shall have.
static inline int64_t top_want(const struct top *t, unsigned i)
{
	if (t->piece[i] != TOP_NONE)
		return t->piece[i];
	for (unsigned k = i + 1; k-- > 0;)
		if (t->wide[k] != TOP_NONE)
			return t->wide[k];
	return TOP_NONE;
}

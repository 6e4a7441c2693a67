// SPDX-License-Identifier: BSD-2-Clause
// flat.h - tables without a pointer, in one block: for lookups by programs in the kernel.  They are built at
// once, never changed, and walked one key at a time.  What was in the block before does not matter.
//
// As in the tables for bursts (bits.c), a field of a key is looked up as a class, and every class has a
// row: one bit for each rule, in their order.  A row begins with a summary, which has one bit for each
// of the row's words that is not 0; rows of one word have none.  The summaries are ANDed first, so that
// of a long row only the words are read that may hold the answer.
//
// Every offset is masked by the walk, so that no content of a block makes it read outside.
#pragma once

#include "classify/fields.h"

enum {
	FLAT_BITS = 23,             // of an offset in a block
	FLAT_SIZE = 1 << FLAT_BITS, // bytes of a block
	FLAT_WORDS = 64,            // of 64 rules
	FLAT_RULES = FLAT_WORDS * 64,
	FLAT_STEPS = 64, // every field of one or two bytes that there is
	FLAT_LOW = 6,    // words 1 to 3 of both addresses
	FLAT_ROWS = 32,  // of a key, beside those of words 0: first FLAT_LOW, then those of groups
	FLAT_PORTS = 4,  // ingress ports of which plain packets are known
	FLAT_SLACK = 8 + 256 * 8, // bytes behind a block that a row at its end leads to
	FLAT_NODE = 0x8000,       // a class that is not one yet: the rest is the number of a node
	FLAT_DEPTH = 14,          // halvings that find one of 2 * FLAT_RULES + 1 cells
};
#define FLAT_NONE UINT32_MAX

// Offsets are bytes from the begin of the block; classes are 16 bits.
//
// Word 0 of an address: the class of its upper 16 bits, or a node of 256 classes for the next 8, and
// so on.
struct flat_addr {
	uint32_t used; // 0: no rule looks at it
	uint32_t top, nodes, rows;
};

// Another word of an address: the last value of each cell, ascending, and the class of each.
struct flat_word {
	uint32_t n; // cells; 0: no rule looks at it
	uint32_t ends, classes, rows;
};

// Two bytes of the key, a field or two: the class of each value, of which each adds `stride` to the place
// of a row.  Steps follow each other until one is the last of its group; then the row is found.
struct flat_step {
	uint16_t at;   // even
	uint16_t last; // of its group: the number of the group's row; 0: it is not
	uint32_t classes, stride;
	uint32_t rows; // not 0 only in the first of a group
};

// A plain packet: IPv4, TCP or UDP or ICMP with its header, not a fragment, without a tag, to the MAC of the
// port it came by.  Most are.  What of the key is the same for all that are of one kind, which is their
// protocol and port, leads to one row, found when the tables are built; addresses and ports are looked up,
// where rules of that kind look at them.
enum flat_kind { FLAT_TCP, FLAT_UDP, FLAT_ICMP, FLAT_KINDS };
struct flat_plain_key {
	uint32_t kind; // enum flat_kind * FLAT_PORTS + ingress port
	uint32_t src, dst;
	uint16_t sport, dport; // 0 in ICMP
};

// What rules look at.
enum flat_looks {
	FLAT_SRC = 1,
	FLAT_DST = 2,
	FLAT_SPORT = 4,
	FLAT_DPORT = 8,
	FLAT_MORE = 16, // something else, or a part of these: the whole key is needed
};

struct flat_ports {
	uint32_t classes; // of the values
	uint32_t rows;
};

enum { FLAT_KINDS_MAX = 16 };
struct flat_plain {
	uint32_t rows; // of the kinds
	// Of a kind: the first rule, FLAT_NONE for none, where all classes are 0, which are those that no rule asks
	// for by itself.  Most packets are of these.
	uint32_t first[FLAT_KINDS_MAX];
	uint8_t looks[FLAT_KINDS_MAX];  // of a kind: enum flat_looks, ored
	struct flat_ports sport, dport; // 0 where no rule looks at them
};

struct flat_head {
	uint32_t bytes;   // of the block that are in use
	uint32_t n_rules; // 0: nothing matches, and nothing else is set but what plain packets need
	uint32_t words;   // of a row, without its summary
	uint32_t stride;  // of rows in bytes
	uint32_t ones;    // a row of ones
	uint32_t n_steps;
	uint32_t n_rows;      // FLAT_LOW and the groups
	uint32_t low_for_all; // words 1 to 3 count for other families than 6 as well
	struct flat_addr addr[2];
	struct flat_word word[FLAT_LOW];
	struct flat_step step[FLAT_STEPS];
	struct flat_plain plain;
};

#define FLAT_AT(t, off, type)                                                                      \
	((const type *)((const char *)(t) + ((off) & (FLAT_SIZE - sizeof(type)))))
#define FLAT_INLINE static inline __attribute__((always_inline))

// The number of the lowest bit of a word that is not 0, by multiplying with a de Bruijn sequence: BPF
// has no instruction for it.
FLAT_INLINE uint32_t flat_lowest(uint64_t w)
{
	static const uint8_t bit[64] = {0, 1, 2, 53, 3, 7, 54, 27, 4, 38, 41, 8, 34, 55, 48, 28, 62,
		5, 39, 46, 44, 42, 22, 9, 24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6, 26, 37, 40, 33,
		47, 61, 45, 43, 21, 23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15,
		30, 14, 13, 12};

	return bit[((w & -w) * UINT64_C(0x022fdd63cc95386d)) >> 58];
}

// Where rules look at the address.
FLAT_INLINE uint32_t flat_addr_class(
	const struct flat_head *t, const struct flat_addr *a, uint32_t value)
{
	uint32_t class = *FLAT_AT(t, a->top + (value >> 16) * 2, uint16_t);

	if (class & FLAT_NODE) {
		class = (class & (FLAT_NODE - 1)) << 8 | (value >> 8 & 0xff);
		class = *FLAT_AT(t, a->nodes + class * 2, uint16_t);
		if (class & FLAT_NODE) {
			class = (class & (FLAT_NODE - 1)) << 8 | (value & 0xff);
			class = *FLAT_AT(t, a->nodes + class * 2, uint16_t);
		}
	}
	return class;
}

FLAT_INLINE uint32_t flat_addr_row(
	const struct flat_head *t, const struct flat_addr *a, uint32_t stride, uint32_t value)
{
	return a->used ? a->rows + flat_addr_class(t, a, value) * stride : t->ones;
}

FLAT_INLINE uint32_t flat_word_row(
	const struct flat_head *t, const struct flat_word *w, uint32_t value)
{
	uint32_t at = 0, n = w->n;

	if (n == 0)
		return t->ones;
	// No way out of the loop, as the verifier would follow each of them.
	for (int i = 0; i < FLAT_DEPTH; i++) {
		uint32_t half = n / 2;
		uint64_t end = *FLAT_AT(t, w->ends + (at + half - 1) * 4, uint32_t);

		at += half & (uint32_t)((end - value) >> 32); // all ones if end < value
		n -= half;
	}
	return w->rows + *FLAT_AT(t, w->classes + at * 2, uint16_t) * t->stride;
}

// What step s of a group adds to the place of the group's row.
FLAT_INLINE uint32_t flat_step_adds(
	const struct flat_head *t, const struct flat_step *s, const struct classify_key *key)
{
	uint32_t value = *(const uint16_t *)((const uint8_t *)key + (s->at & 62));

	return s->rows + *FLAT_AT(t, s->classes + value * 2, uint16_t) * s->stride;
}

FLAT_INLINE uint32_t flat_low_word(const struct classify_key *key, int i)
{
	return i < 3 ? key->src[i + 1] : key->dst[i - 2];
}

// Rows of one word.
FLAT_INLINE uint32_t flat_first_64(
	const struct flat_head *t, const struct classify_key *key, int low)
{
	uint64_t left = *FLAT_AT(t, flat_addr_row(t, &t->addr[0], 8, key->src[0]), uint64_t);
	uint32_t at = 0;

	left &= *FLAT_AT(t, flat_addr_row(t, &t->addr[1], 8, key->dst[0]), uint64_t);
	for (int i = 0; i < FLAT_LOW && low; i++)
		left &= *FLAT_AT(t, flat_word_row(t, &t->word[i], flat_low_word(key, i)), uint64_t);
	for (uint32_t i = 0; i < FLAT_STEPS; i++) {
		if (i >= t->n_steps)
			break;
		at += flat_step_adds(t, &t->step[i], key);
		if (t->step[i].last) {
			left &= *FLAT_AT(t, at, uint64_t);
			at = 0;
		}
	}
	return left != 0 ? flat_lowest(left) : FLAT_NONE;
}

// Rows with summaries.
FLAT_INLINE uint32_t flat_first_more(
	const struct flat_head *t, const struct classify_key *key, int low)
{
	uint32_t row[FLAT_ROWS] = {0}, addr[2], at = 0;
	uint64_t left;

	addr[0] = flat_addr_row(t, &t->addr[0], t->stride, key->src[0]);
	addr[1] = flat_addr_row(t, &t->addr[1], t->stride, key->dst[0]);
	left = *FLAT_AT(t, addr[0], uint64_t) & *FLAT_AT(t, addr[1], uint64_t);
	for (int i = 0; i < FLAT_LOW; i++) {
		row[i] = t->ones;
		if (low)
			row[i] = flat_word_row(t, &t->word[i], flat_low_word(key, i));
		left &= *FLAT_AT(t, row[i], uint64_t);
	}
	for (uint32_t i = 0; i < FLAT_STEPS; i++) {
		const struct flat_step *s = &t->step[i];

		if (i >= t->n_steps)
			break;
		at += flat_step_adds(t, s, key);
		if (s->last) {
			left &= *FLAT_AT(t, at, uint64_t);
			row[s->last & (FLAT_ROWS - 1)] = at;
			at = 0;
		}
	}
	for (int k = 0; k < FLAT_WORDS; k++) {
		uint32_t word, off;
		uint64_t bits;

		if (left == 0)
			break;
		word = flat_lowest(left);
		off = 8 + word * 8;
		bits = *FLAT_AT(t, addr[0] + off, uint64_t) & *FLAT_AT(t, addr[1] + off, uint64_t);
		for (uint32_t i = low ? 0 : FLAT_LOW; i < FLAT_ROWS; i++) {
			// Read anew, as the verifier would carry on with each value it may have.
			if (i >= *(const volatile uint32_t *)&t->n_rows)
				break;
			bits &= *FLAT_AT(t, row[i] + off, uint64_t);
		}
		if (bits != 0)
			return word * 64 + flat_lowest(bits);
		left &= left - 1;
	}
	return FLAT_NONE;
}

// The number of the first rule that matches, from 0; FLAT_NONE: none does.
FLAT_INLINE uint32_t flat_first(const struct flat_head *t, const struct classify_key *key)
{
	int low = key->family == 6 || t->low_for_all;

	if (t->n_rules == 0)
		return FLAT_NONE;
	return t->words == 1 ? flat_first_64(t, key, low) : flat_first_more(t, key, low);
}

FLAT_INLINE uint32_t flat_plain_looks(const struct flat_head *t, const struct flat_plain_key *k)
{
	return t->plain.looks[k->kind & (FLAT_KINDS_MAX - 1)];
}

// Classes of a plain packet's fields; of those where no rule of its kind looks, 0.
struct flat_plain_classes {
	uint32_t src, dst, sport, dport;
};

// Rows of one word.
FLAT_INLINE uint32_t flat_plain_64(const struct flat_head *t, uint32_t kind, uint32_t looks,
	const struct flat_plain_classes *c)
{
	const struct flat_plain *p = &t->plain;
	uint64_t left = *FLAT_AT(t, p->rows + kind * 8, uint64_t);

	if (looks & FLAT_SRC)
		left &= *FLAT_AT(t, t->addr[0].rows + c->src * 8, uint64_t);
	if (looks & FLAT_DST)
		left &= *FLAT_AT(t, t->addr[1].rows + c->dst * 8, uint64_t);
	if (looks & FLAT_SPORT)
		left &= *FLAT_AT(t, p->sport.rows + c->sport * 8, uint64_t);
	if (looks & FLAT_DPORT)
		left &= *FLAT_AT(t, p->dport.rows + c->dport * 8, uint64_t);
	return left != 0 ? flat_lowest(left) : FLAT_NONE;
}

// Rows with summaries.
FLAT_INLINE uint32_t flat_plain_more(const struct flat_head *t, uint32_t kind, uint32_t looks,
	const struct flat_plain_classes *c)
{
	const struct flat_plain *p = &t->plain;
	const uint64_t *of_kind = FLAT_AT(t, p->rows + kind * t->stride, uint64_t);
	const uint64_t *src = of_kind, *dst = of_kind, *sport = of_kind, *dport = of_kind;
	uint64_t left;

	if (looks & FLAT_SRC)
		src = FLAT_AT(t, t->addr[0].rows + c->src * t->stride, uint64_t);
	if (looks & FLAT_DST)
		dst = FLAT_AT(t, t->addr[1].rows + c->dst * t->stride, uint64_t);
	if (looks & FLAT_SPORT)
		sport = FLAT_AT(t, p->sport.rows + c->sport * t->stride, uint64_t);
	if (looks & FLAT_DPORT)
		dport = FLAT_AT(t, p->dport.rows + c->dport * t->stride, uint64_t);
	left = *of_kind & *src & *dst & *sport & *dport;
	for (int n = 0; n < FLAT_WORDS; n++) {
		uint32_t word;
		uint64_t bits;

		if (left == 0)
			break;
		word = flat_lowest(left);
		bits = of_kind[1 + word] & src[1 + word] & dst[1 + word] & sport[1 + word] &
		       dport[1 + word];
		if (bits != 0)
			return word * 64 + flat_lowest(bits);
		left &= left - 1;
	}
	return FLAT_NONE;
}

// The first rule that matches a plain packet, of whose kind the caller knows where rules look; not at
// FLAT_MORE.
FLAT_INLINE uint32_t flat_plain_first(
	const struct flat_head *t, const struct flat_plain_key *k, uint32_t looks)
{
	const struct flat_plain *p = &t->plain;
	struct flat_plain_classes c = {0};

	if (looks & FLAT_SRC)
		c.src = flat_addr_class(t, &t->addr[0], k->src);
	if (looks & FLAT_DST)
		c.dst = flat_addr_class(t, &t->addr[1], k->dst);
	if (looks & FLAT_SPORT)
		c.sport = *FLAT_AT(t, p->sport.classes + k->sport * 2, uint16_t);
	if (looks & FLAT_DPORT)
		c.dport = *FLAT_AT(t, p->dport.classes + k->dport * 2, uint16_t);
	if ((c.src | c.dst | c.sport | c.dport) == 0)
		return p->first[k->kind & (FLAT_KINDS_MAX - 1)];
	return t->words == 1 ? flat_plain_64(t, k->kind, looks, &c)
			     : flat_plain_more(t, k->kind, looks, &c);
}

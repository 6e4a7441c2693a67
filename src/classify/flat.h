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
	FLAT_PLAIN_ROWS = 5, // of its kind, its addresses and ports
	FLAT_BYTES = 4,      // of a plain packet that may differ, beside addresses and ports
	FLAT_NODE = 0x8000,  // a class that is not one yet: the rest is the number of a node
	FLAT_DEPTH = 14,     // halvings that find one of 2 * FLAT_RULES + 1 cells
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
// port it came by.  Most are.  What of the key is the same for all that are of one kind, which is their protocol and
// port, leads to one row, found when the tables are built; what differs is looked up field by field.
enum flat_kind { FLAT_TCP, FLAT_UDP, FLAT_ICMP, FLAT_KINDS };
struct flat_plain_key {
	uint32_t kind; // enum flat_kind * FLAT_PORTS + ingress port
	uint32_t src, dst;
	uint16_t sport, dport;                        // 0 in ICMP
	uint8_t tos, tcp_flags, icmp_type, icmp_code; // 0 where the packet has none
};

// A field of which each class has a row.
struct flat_field_rows {
	uint32_t classes; // of the values; 0: no rule looks at it
	uint32_t rows;
};

struct flat_plain {
	// Of a packet: FLAT_PLAIN_ROWS, and if rules look at them FLAT_BYTES.  0: rules look at parts of
	// addresses or ports that are none of these fields, and nothing else is set.
	uint32_t n_rows;
	uint32_t rows; // of the kinds
	struct flat_field_rows sport, dport;
	struct flat_field_rows byte[FLAT_BYTES]; // TOS, TCP flags, ICMP type, code
};

struct flat_head {
	uint32_t bytes;   // of the block that are in use
	uint32_t n_rules; // 0: nothing matches, and nothing else is set
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

FLAT_INLINE uint32_t flat_addr_row(
	const struct flat_head *t, const struct flat_addr *a, uint32_t stride, uint32_t value)
{
	uint32_t class;

	if (!a->used)
		return t->ones;
	class = *FLAT_AT(t, a->top + (value >> 16) * 2, uint16_t);
	if (class & FLAT_NODE) {
		class = (class & (FLAT_NODE - 1)) << 8 | (value >> 8 & 0xff);
		class = *FLAT_AT(t, a->nodes + class * 2, uint16_t);
		if (class & FLAT_NODE) {
			class = (class & (FLAT_NODE - 1)) << 8 | (value & 0xff);
			class = *FLAT_AT(t, a->nodes + class * 2, uint16_t);
		}
	}
	return a->rows + class * stride;
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

FLAT_INLINE uint32_t flat_field_row(
	const struct flat_head *t, const struct flat_field_rows *f, uint32_t stride, uint32_t value)
{
	if (!f->classes)
		return t->ones;
	return f->rows + *FLAT_AT(t, f->classes + value * 2, uint16_t) * stride;
}

FLAT_INLINE uint32_t flat_byte_row(
	const struct flat_head *t, uint32_t stride, const struct flat_plain_key *k, int i)
{
	return flat_field_row(t, &t->plain.byte[i], stride,
		i == 0   ? k->tos
		: i == 1 ? k->tcp_flags
		: i == 2 ? k->icmp_type
			 : k->icmp_code);
}

// The same for a plain packet, where plain.n_rows is not 0.  Rows of one word.
FLAT_INLINE uint32_t flat_plain_64(const struct flat_head *t, const struct flat_plain_key *k)
{
	const struct flat_plain *p = &t->plain;
	uint64_t left = *FLAT_AT(t, p->rows + k->kind * 8, uint64_t);

	if (t->addr[0].used)
		left &= *FLAT_AT(t, flat_addr_row(t, &t->addr[0], 8, k->src), uint64_t);
	if (t->addr[1].used)
		left &= *FLAT_AT(t, flat_addr_row(t, &t->addr[1], 8, k->dst), uint64_t);
	if (p->sport.classes)
		left &= *FLAT_AT(t, flat_field_row(t, &p->sport, 8, k->sport), uint64_t);
	if (p->dport.classes)
		left &= *FLAT_AT(t, flat_field_row(t, &p->dport, 8, k->dport), uint64_t);
	for (int i = 0; i < FLAT_BYTES && p->n_rows > FLAT_PLAIN_ROWS; i++)
		left &= *FLAT_AT(t, flat_byte_row(t, 8, k, i), uint64_t);
	return left != 0 ? flat_lowest(left) : FLAT_NONE;
}

// The places of the first FLAT_PLAIN_ROWS rows of a plain packet, where they have summaries.
struct flat_plain_rows {
	uint32_t kind, src, dst, sport, dport;
};

FLAT_INLINE struct flat_plain_rows flat_plain_rows(
	const struct flat_head *t, const struct flat_plain_key *k)
{
	const struct flat_plain *p = &t->plain;

	return (struct flat_plain_rows){.kind = p->rows + k->kind * t->stride,
		.src = flat_addr_row(t, &t->addr[0], t->stride, k->src),
		.dst = flat_addr_row(t, &t->addr[1], t->stride, k->dst),
		.sport = flat_field_row(t, &p->sport, t->stride, k->sport),
		.dport = flat_field_row(t, &p->dport, t->stride, k->dport)};
}

// The AND of the word at `off` of these.
FLAT_INLINE uint64_t flat_plain_word(
	const struct flat_head *t, const struct flat_plain_rows *r, uint32_t off)
{
	return *FLAT_AT(t, r->kind + off, uint64_t) & *FLAT_AT(t, r->src + off, uint64_t) &
	       *FLAT_AT(t, r->dst + off, uint64_t) & *FLAT_AT(t, r->sport + off, uint64_t) &
	       *FLAT_AT(t, r->dport + off, uint64_t);
}

// The same where these are all the rows: no rule looks at the bytes.
FLAT_INLINE uint32_t flat_plain_five(const struct flat_head *t, const struct flat_plain_rows *r)
{
	uint64_t left = flat_plain_word(t, r, 0);

	for (int n = 0; n < FLAT_WORDS; n++) {
		uint32_t word;
		uint64_t bits;

		if (left == 0)
			break;
		word = flat_lowest(left);
		bits = flat_plain_word(t, r, 8 + word * 8);
		if (bits != 0)
			return word * 64 + flat_lowest(bits);
		left &= left - 1;
	}
	return FLAT_NONE;
}

// And where there may be more.
FLAT_INLINE uint32_t flat_plain_more(const struct flat_head *t, const struct flat_plain_key *k)
{
	const struct flat_plain *p = &t->plain;
	uint32_t row[FLAT_PLAIN_ROWS + FLAT_BYTES] = {0};
	uint64_t left = UINT64_MAX;

	row[0] = p->rows + k->kind * t->stride;
	row[1] = flat_addr_row(t, &t->addr[0], t->stride, k->src);
	row[2] = flat_addr_row(t, &t->addr[1], t->stride, k->dst);
	row[3] = flat_field_row(t, &p->sport, t->stride, k->sport);
	row[4] = flat_field_row(t, &p->dport, t->stride, k->dport);
	for (int i = 0; i < FLAT_PLAIN_ROWS; i++)
		left &= *FLAT_AT(t, row[i], uint64_t);
	for (int i = 0; i < FLAT_BYTES && p->n_rows > FLAT_PLAIN_ROWS; i++) {
		row[FLAT_PLAIN_ROWS + i] = flat_byte_row(t, t->stride, k, i);
		left &= *FLAT_AT(t, row[FLAT_PLAIN_ROWS + i], uint64_t);
	}
	for (int n = 0; n < FLAT_WORDS; n++) {
		uint64_t bits = UINT64_MAX;
		uint32_t word, off;

		if (left == 0)
			break;
		word = flat_lowest(left);
		off = 8 + word * 8;
		for (uint32_t i = 0; i < FLAT_PLAIN_ROWS + FLAT_BYTES; i++) {
			// Read anew, as in flat_first_more().
			if (i >= *(const volatile uint32_t *)&p->n_rows)
				break;
			bits &= *FLAT_AT(t, row[i] + off, uint64_t);
		}
		if (bits != 0)
			return word * 64 + flat_lowest(bits);
		left &= left - 1;
	}
	return FLAT_NONE;
}

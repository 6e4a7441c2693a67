// SPDX-License-Identifier: BSD-2-Clause
// bits.c - the bit vector engine, for up to 2,000 rules.
//
// Idea (Lakshman and Stiliadis, "High-Speed Policy-based Packet Forwarding Using Efficient
// Multi-dimensional Range Matching", SIGCOMM 1998): every field of the key is looked up alone, which
// gives a row with one bit for each rule, set if the rule matches that field.  The AND of the rows is
// the set of rules that match, and as bits stand in the rules' order, its lowest bit is the first.
//
// Fields (bits_part.c): an address is four words, ports and the like are one; a range of values or a
// prefix is found in the sorted ends of the field's cells by a search tree of 16 to 64 ends to a
// node, and of 16 bits that fall into more cells in a table of all values.  Bytes, and words with
// masks that are no prefix, are tables of 256.  A field that no rule looks at does not exist.  Values
// that the same rules match share one row (bits_field.c).
//
// Groups (bits_plan.c): rows of fields with few classes are ANDed beforehand, for each combination of
// their classes (cross-producting: Srinivasan, Varghese, Suri and Waldvogel, SIGCOMM 1998); a lookup
// then adds up numbers and ANDs a few rows.  If everything fits one group, the ids stand there.
//
// Bits: a rule's bit is not its index.  A new rule takes a free bit between its neighbours', and if
// there is none, the bits up to the nearest free one move by one place, in all rows.  A bit that is
// not used is 0 in all rows.  Rows are as wide as the largest number of rules needed, and are packed
// when three quarters of the bits have become free.
//
// Cost of a lookup: a step for each field in use, and as many rows as groups, each a bit for every
// rule.  Cost of a change: proportional to cells and classes (at most twice the number of rules in a
// field) plus the combinations, which are bounded; where bits move, it is mostly within one or two
// words of each row.
#include "classify/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static unsigned bits_of(const struct bits *b)
{
	return b->words * 64;
}

static bool is_used(const struct bits *b, unsigned bit)
{
	return b->used[bit / 64] >> bit % 64 & 1;
}

// The width in words of rows for n rules.
static unsigned words_for(unsigned n)
{
	unsigned words = 1;

	while (words < 8 && words * 64 < n)
		words *= 2;
	return words * 64 < n ? (n + 511) / 512 * 8 : words;
}

// New arrays with the rules' bits packed; the fields' rows follow.
static int resize(struct bits *b, unsigned words)
{
	uint32_t *order = calloc((size_t)words * 64 + 1, sizeof(*order));
	uint32_t *id = calloc((size_t)words * 64 + 1, sizeof(*id));
	uint64_t *used = calloc(words, sizeof(*used));
	unsigned n = 0;

	if (order == NULL || id == NULL || used == NULL)
		goto fail;
	for (unsigned f = 0; f < BITS_FIELDS; f++)
		if (b->field[f].n_cells > 0 &&
			bits_field_resize(&b->field[f], b->words, b->used, words) != 0)
			goto fail;
	for (unsigned i = 0; i < bits_of(b); i++) {
		if (!is_used(b, i))
			continue;
		order[n] = b->order[i];
		id[n++] = b->id[i];
	}
	for (unsigned i = 0; i < n; i++)
		used[i / 64] |= 1ull << i % 64;
	free(b->order);
	free(b->id);
	free(b->used);
	b->order = order;
	b->id = id;
	b->used = used;
	b->words = words;
	id[words * 64] = CLASSIFY_NONE;
	return 0;
fail:
	free(order);
	free(id);
	free(used);
	return -ENOMEM;
}

// The first used bit whose rule is not before an order; bits_of() if there is none.  *before: the
// last used bit below it plus one.
static unsigned place_of(const struct bits *b, uint32_t order, unsigned *before)
{
	*before = 0;
	for (unsigned w = 0; w < b->words; w++) {
		uint64_t rest = b->used[w];
		unsigned top = w * 64 + 63 - (rest != 0 ? (unsigned)__builtin_clzll(rest) : 0);

		if (rest == 0 || b->order[top] < order) {
			*before = rest != 0 ? top + 1 : *before;
			continue;
		}
		for (;; rest &= rest - 1) {
			unsigned bit = w * 64 + (unsigned)__builtin_ctzll(rest);

			if (b->order[bit] >= order)
				return bit;
			*before = bit + 1;
		}
	}
	return bits_of(b);
}

static void move_rules(struct bits *b, unsigned to, unsigned from, unsigned n)
{
	memmove(&b->order[to], &b->order[from], n * sizeof(*b->order));
	memmove(&b->id[to], &b->id[from], n * sizeof(*b->id));
}

// Moves the rules between a free bit and the place at, so that the place itself or the one before it
// becomes free, and returns which.
static unsigned make_free(struct bits *b, unsigned at)
{
	unsigned up = at, down = at;

	while (up < bits_of(b) && is_used(b, up))
		up++;
	while (down > 0 && is_used(b, down - 1))
		down--;
	if (up < bits_of(b) && (down == 0 || up - at <= at - down)) {
		bits_rows_up(b->used, 1, b->words, at, up);
		for (unsigned f = 0; f < BITS_FIELDS; f++)
			bits_rows_up(b->field[f].rows, b->field[f].n_classes, b->words, at, up);
		move_rules(b, at + 1, at, up - at);
		return at;
	}
	down--; // the free bit
	at--;
	bits_rows_down(b->used, 1, b->words, down, at);
	for (unsigned f = 0; f < BITS_FIELDS; f++)
		bits_rows_down(b->field[f].rows, b->field[f].n_classes, b->words, down, at);
	move_rules(b, down, down + 1, at - down);
	return at;
}

// A free bit between those of the rules before and behind an order.
static unsigned free_bit(struct bits *b, uint32_t order)
{
	unsigned before, behind = place_of(b, order, &before);

	return before < behind ? before : make_free(b, behind);
}

static int put_in(struct bits *b, const struct classify_rule *rule)
{
	struct bits_part part[BITS_FIELDS];
	uint64_t hash = bits_rule_hash(rule);
	unsigned bit;

	if (b->n_rules == bits_of(b) && resize(b, words_for(b->n_rules + 1)) != 0)
		return -ENOMEM;
	bit = free_bit(b, rule->order);
	bits_parts(rule, part);
	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		if (b->field[f].n_cells == 0 && part[f].any)
			continue;
		if (b->field[f].n_cells == 0 &&
			bits_field_open(&b->field[f], f < BITS_RANGES, b) != 0)
			return -ENOMEM;
		if (bits_field_add(&b->field[f], &part[f], bit, hash, b->words) != 0)
			return -ENOMEM;
	}
	b->used[bit / 64] |= 1ull << bit % 64;
	b->order[bit] = rule->order;
	b->id[bit] = rule->id;
	b->hash ^= hash;
	b->n_low += bits_low_words(rule);
	b->n_rules++;
	return 0;
}

static int bits_add(void *tables, const struct classify_rule *rule)
{
	int rc = put_in(tables, rule);

	return rc != 0 ? rc : bits_plan(tables);
}

static int bits_delete(void *tables, const struct classify_rule *rule)
{
	struct bits *b = tables;
	uint64_t hash = bits_rule_hash(rule);
	unsigned before, bit = place_of(b, rule->order, &before);

	for (unsigned f = 0; f < BITS_FIELDS; f++)
		if (b->field[f].n_cells > 0)
			bits_field_delete(&b->field[f], bit, hash, b->words);
	b->used[bit / 64] &= ~(1ull << bit % 64);
	b->hash ^= hash;
	b->n_low -= bits_low_words(rule);
	b->n_rules--;
	for (unsigned f = 0; f < BITS_FIELDS; f++)
		if (b->field[f].n_classes == 1)
			bits_field_free(&b->field[f]);
	if (b->words > 1 && b->n_rules <= bits_of(b) / 4 && resize(b, words_for(b->n_rules)) != 0)
		return -ENOMEM;
	return bits_plan(b);
}

static void bits_free(void *tables)
{
	struct bits *b = tables;

	if (b == NULL)
		return;
	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		bits_field_free(&b->field[f]);
		free(b->product[f]);
	}
	free(b->direct);
	free(b->order);
	free(b->id);
	free(b->used);
	free(b);
}

static void *bits_new(const struct classify_rule *const *rules, size_t n)
{
	struct bits *b = calloc(1, sizeof(*b));
	int rc = b != NULL ? resize(b, words_for((unsigned)n)) : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = put_in(b, rules[i]);
	if (rc == 0)
		rc = bits_plan(b);
	if (rc == 0)
		return b;
	bits_free(b);
	return NULL;
}

static void bits_first(
	const void *tables, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	const struct bits *b = tables;

	switch (classify_isa()) {
	case CLASSIFY_AVX512:
		bits_first_avx512(&b->view, keys, n, ids);
		break;
	case CLASSIFY_AVX2:
		bits_first_avx2(&b->view, keys, n, ids);
		break;
	case CLASSIFY_SCALAR:
		bits_first_scalar(&b->view, keys, n, ids);
		break;
	}
}

static size_t bits_all(
	const void *tables, const struct classify_key *key, uint32_t *ids, size_t max)
{
	const struct bits *b = tables;

	return bits_all_scalar(&b->view, key, ids, max);
}

static size_t bits_bytes(const void *tables)
{
	const struct bits *b = tables;
	size_t n = sizeof(*b) + b->max_direct * sizeof(*b->direct);

	n += (bits_of(b) + 1) * (sizeof(*b->order) + sizeof(*b->id)) + b->words * sizeof(*b->used);
	for (unsigned i = 0; i < BITS_FIELDS; i++)
		n += bits_field_bytes(&b->field[i], b->words) +
		     b->max_product[i] * sizeof(*b->product[i]);
	return n;
}

static bool bits_dear(const void *tables)
{
	const struct bits *b = tables;

	return b->view.direct == NULL;
}

const struct classify_engine classify_bits = {
	.new = bits_new,
	.free = bits_free,
	.add = bits_add,
	.delete = bits_delete,
	.first = bits_first,
	.all = bits_all,
	.bytes = bits_bytes,
	.dear = bits_dear,
};

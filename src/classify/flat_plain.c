// SPDX-License-Identifier: BSD-2-Clause
// flat_plain.c - what is known of a plain packet beforehand, and the fields in which plain ones differ.
#include "base/load.h"
#include "classify/flat_build.h"

#include <errno.h>
#include <string.h>

#define AT(member) offsetof(struct classify_key, member)
enum { TYPE_IP4 = 0x0800 };

static const uint8_t proto[FLAT_KINDS] = {[FLAT_TCP] = 6, [FLAT_UDP] = 17, [FLAT_ICMP] = 1};

static bool within(size_t at, size_t first, size_t size)
{
	return at >= first && at < first + size;
}

// What plain packets of one kind differ in, of which the field that is so many bytes of the key from `at` on
// is all or a part; 0: nothing.
static unsigned differs(size_t at, unsigned bytes)
{
	static const struct {
		size_t at;
		unsigned bytes, is;
	} parts[] = {{AT(src[0]), 4, FLAT_SRC}, {AT(dst[0]), 4, FLAT_DST},
		{AT(sport), 2, FLAT_SPORT}, {AT(dport), 2, FLAT_DPORT}, {AT(tos), 1, FLAT_MORE},
		{AT(tcp_flags), 1, FLAT_MORE}, {AT(icmp_type), 1, FLAT_MORE},
		{AT(icmp_code), 1, FLAT_MORE}};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (within(at, parts[i].at, parts[i].bytes))
			return bytes == parts[i].bytes ? parts[i].is : FLAT_MORE;
	return 0;
}

static uint32_t value_at(const struct classify_key *k, unsigned at, unsigned size)
{
	const uint8_t *p = (const uint8_t *)k + at;

	return size == 4 ? load32(p) : size == 2 ? load16(p) : *p;
}

// The rules that match what all plain packets of a kind have in common.
static void kind_row(struct flat_build *b, const struct classify_key *k, uint64_t *row)
{
	memcpy(row, b->used, b->words * sizeof(*row));
	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		const struct flat_field *field = &b->field[f];
		unsigned size, at = bits_field_at(f, &size);
		const uint64_t *rows;
		uint32_t cell;

		// Of IPv4 the words behind the first are 0, and count only if they do for all.
		if (field->n_classes < 2 || differs(at, size) != 0 ||
			(f < BITS_WORDS32 && !b->head->low_for_all))
			continue;
		cell = bits_cell_of(field->end, field->n_cells, value_at(k, at, size));
		rows = &field->rows[(size_t)field->cls[cell] * b->words];
		for (unsigned w = 0; w < b->words; w++)
			row[w] &= rows[w];
	}
}

// Whether one of the rules in a row looks at the field: it is not in all of the field's rows.
static bool looked_at(const struct flat_build *b, unsigned f, const uint64_t *row)
{
	const struct flat_field *field = &b->field[f];

	for (size_t i = 0; field->n_classes > 1 && i < (size_t)field->n_classes * b->words; i++)
		if ((row[i % b->words] & ~field->rows[i]) != 0)
			return true;
	return false;
}

// enum flat_looks, ored, of the rules in a row.
static uint8_t looks(const struct flat_build *b, const uint64_t *row)
{
	unsigned out = 0;

	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		unsigned size, at = bits_field_at(f, &size), is = differs(at, size);

		if ((out & is) != is && looked_at(b, f, row))
			out |= is;
	}
	return (uint8_t)out;
}

// The first rule of a row that is in class 0 of each field where the row's rules look.
static uint32_t first_of(const struct flat_build *b, const uint64_t *row, unsigned looks)
{
	uint64_t left[FLAT_WORDS];

	memcpy(left, row, b->words * sizeof(*left));
	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		unsigned size, at = bits_field_at(f, &size);

		for (unsigned w = 0; (looks & differs(at, size)) != 0 && w < b->words; w++)
			left[w] &= b->field[f].rows[w];
	}
	for (unsigned w = 0; w < b->words; w++)
		if (left[w] != 0)
			return w * 64 + (uint32_t)__builtin_ctzll(left[w]);
	return FLAT_NONE;
}

static int kinds(struct flat_build *b)
{
	uint32_t n = FLAT_KINDS * FLAT_PORTS, rows = flat_take(b, n * flat_row_bytes(b));
	uint64_t row[FLAT_WORDS];

	if (rows == 0)
		return -E2BIG;
	for (uint32_t i = 0; i < n; i++) {
		unsigned kind = i / FLAT_PORTS;
		struct classify_key k = {.family = 4,
			.proto = proto[kind],
			.iport = (uint8_t)(i % FLAT_PORTS),
			.ethertype = TYPE_IP4,
			.vlan_valid = kind != FLAT_ICMP ? CLASSIFY_HAS_PORTS : 0};

		kind_row(b, &k, row);
		flat_put_row(b, rows, i, row);
		b->head->plain.looks[i] = looks(b, row);
		if ((b->head->plain.looks[i] & FLAT_MORE) == 0)
			b->head->plain.first[i] = first_of(b, row, b->head->plain.looks[i]);
	}
	b->head->plain.rows = rows;
	return 0;
}

// The classes of its step, whose rows are the field's own unless others share them.
static int port(struct flat_build *b, size_t of, struct flat_ports *out)
{
	const struct flat_step *s;
	unsigned f = 0, size;

	while (bits_field_at(f, &size) != of || size != 2)
		f++;
	if (b->field[f].step == 0)
		return 0;
	s = &b->head->step[b->field[f].step - 1];
	out->classes = s->classes;
	out->rows = s->rows != 0 && s->last != 0 ? s->rows : flat_rows_of(b, f);
	return out->rows == 0 ? -E2BIG : 0;
}

void flat_plain(struct flat_build *b)
{
	struct flat_plain *p = &b->head->plain;
	uint32_t bytes = b->head->bytes;

	if (kinds(b) == 0 && port(b, AT(sport), &p->sport) == 0 &&
		port(b, AT(dport), &p->dport) == 0)
		return;
	*p = (struct flat_plain){0};
	memset(p->looks, FLAT_MORE, sizeof(p->looks));
	b->head->bytes = bytes;
}

// SPDX-License-Identifier: BSD-2-Clause
// flat_plain.c - what is known of a plain packet beforehand, and the fields in which plain ones differ.
#include "base/load.h"
#include "classify/flat_build.h"

#include <errno.h>
#include <string.h>

#define AT(member) offsetof(struct classify_key, member)
enum { TYPE_IP4 = 0x0800 };

static const uint8_t proto[FLAT_KINDS] = {[FLAT_TCP] = 6, [FLAT_UDP] = 17, [FLAT_ICMP] = 1};

// In the order of flat_plain.byte.
static const size_t byte_at[FLAT_BYTES] = {AT(tos), AT(tcp_flags), AT(icmp_type), AT(icmp_code)};

static bool within(size_t at, size_t first, size_t size)
{
	return at >= first && at < first + size;
}

// Whether plain packets of one kind differ in the byte.
static bool differs(size_t at)
{
	for (unsigned i = 0; i < FLAT_BYTES; i++)
		if (at == byte_at[i])
			return true;
	return within(at, AT(sport), 2) || within(at, AT(dport), 2) || within(at, AT(src[0]), 4) ||
	       within(at, AT(dst[0]), 4);
}

// The field that is so many bytes of the key from `at` on.
static unsigned field_of(size_t at, unsigned bytes)
{
	for (unsigned f = 0;; f++) {
		unsigned size;

		if (bits_field_at(f, &size) == at && size == bytes)
			return f;
	}
}

// Byte masks on addresses and ports make fields that are not looked up here.
static bool usable(const struct flat_build *b)
{
	for (unsigned f = BITS_RANGES; f < BITS_FIELDS; f++) {
		unsigned size, at = bits_field_at(f, &size), own = 0;

		for (unsigned i = 0; i < FLAT_BYTES; i++)
			own |= at == byte_at[i];
		if (b->field[f].n_classes > 1 && differs(at) && !own)
			return false;
	}
	return true;
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
		if (field->n_classes < 2 || differs(at) ||
			(f < BITS_WORDS32 && !b->head->low_for_all))
			continue;
		cell = bits_cell_of(field->end, field->n_cells, value_at(k, at, size));
		rows = &field->rows[(size_t)field->cls[cell] * b->words];
		for (unsigned w = 0; w < b->words; w++)
			row[w] &= rows[w];
	}
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
	}
	b->head->plain.rows = rows;
	return 0;
}

// Of a port there is a step, whose rows are the field's own unless others share them.
static int port(struct flat_build *b, size_t at, struct flat_field_rows *out)
{
	unsigned f = field_of(at, 2);

	if (b->field[f].n_classes < 2)
		return 0;
	for (unsigned i = 0; i < b->head->n_steps; i++) {
		const struct flat_step *s = &b->head->step[i];

		if (s->at != at)
			continue;
		out->classes = s->classes;
		out->rows = s->rows != 0 && s->last != 0 ? s->rows : flat_rows_of(b, f);
	}
	return out->rows == 0 ? -E2BIG : 0;
}

static int byte(struct flat_build *b, size_t at, struct flat_field_rows *out)
{
	unsigned f = field_of(at, 1);
	uint16_t class[256];

	if (b->field[f].n_classes < 2)
		return 0;
	out->rows = flat_rows_of(b, f);
	out->classes = flat_take(b, sizeof(class));
	if (out->rows == 0 || out->classes == 0)
		return -E2BIG;
	flat_classes(&b->field[f], class, 256);
	flat_put(b, out->classes, class, sizeof(class));
	b->head->plain.n_rows = FLAT_PLAIN_ROWS + FLAT_BYTES;
	return 0;
}

static int make(struct flat_build *b, struct flat_plain *p)
{
	p->n_rows = FLAT_PLAIN_ROWS;
	if (kinds(b) != 0 || port(b, AT(sport), &p->sport) != 0 ||
		port(b, AT(dport), &p->dport) != 0)
		return -E2BIG;
	for (unsigned i = 0; i < FLAT_BYTES; i++)
		if (byte(b, byte_at[i], &p->byte[i]) != 0)
			return -E2BIG;
	return 0;
}

void flat_plain(struct flat_build *b)
{
	struct flat_plain *p = &b->head->plain;
	uint32_t bytes = b->head->bytes;

	if (!usable(b))
		return;
	if (make(b, p) != 0) {
		*p = (struct flat_plain){0};
		b->head->bytes = bytes;
	}
}

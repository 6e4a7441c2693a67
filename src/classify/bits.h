// SPDX-License-Identifier: BSD-2-Clause
// bits.h - the parts of the bit vector engine; bits.c says how they work together.
#pragma once

#include "classify/engine.h"

enum {
	BITS_WORDS32 = 8, // of the two addresses
	BITS_WORDS16 = 7, // ports, EtherType, tags, VNIC, MAC index
	BITS_RANGES = BITS_WORDS32 + BITS_WORDS16,
	BITS_BYTES = 57, // bytes of a key that are looked at
	BITS_FIELDS = BITS_RANGES + BITS_BYTES,
	BITS_NODE = 16,   // ends in a node of a search tree: one cache line
	BITS_TOP = 64,    // most ends in the top level
	BITS_TOP_16 = 32, // in 16 bits: above it a table is quicker
	BITS_WIDEST = 64, // and in a node
	BITS_LEVELS = 8,  // more than 2^32 cells
};
enum { BITS_TABLE_VALUES = UINT16_MAX + 2 }; // one more, as lookups read 32 bits

// A field of the key, cut into cells; the cells that the same rules match form a class, and each class
// has a row: one bit for each rule, set where the rule matches.  No two rows are equal.
struct bits_field {
	uint32_t n_cells, max_cells; // 0: no rule has ever looked at this field
	uint32_t n_classes, max_classes;
	uint32_t
		*end; // last value of each cell, ascending, the last one UINT32_MAX; NULL for bytes
	uint32_t *cls; // class of each cell; a byte has a cell for each value
	uint64_t *rows;
	uint64_t *hash;       // of the rules in the row
	uint32_t *count;      // cells of the class
	uint32_t *mark, *map; // for changes: one number for each class, and five
	// For lookups, made by bits_plan().
	uint32_t *off; // of each cell: what its class adds to the place of the row in its group
	uint32_t *up;  // levels of the search tree above end
	size_t max_up;
	uint16_t *table; // class of each value, for fields of 16 bits that ever had many cells
	uint32_t bits;   // of a byte: those that tell its class
	bool changed;    // cells or classes have, since these were found
};

// What a rule asks of one field: cells first to last, and of those the ones with
// (cell & mask) == value.
struct bits_part {
	uint32_t lo, hi;     // of values, where cells are ranges
	uint8_t mask, value; // where they are bytes
	bool any;
};

// How the cell of a field is found.
enum bits_how {
	BITS_TOP_ONLY, // among up to 64 ends
	BITS_TREE,     // down the levels of a search tree
	BITS_TABLE,    // the class of each of 65536 values stands in a table
	BITS_BYTE,     // a byte is the number of its cell
	BITS_FEW       // as BITS_BYTE, but up to five bits in a row say which class it is
};

// A step of a lookup: the cell of one field, and what it adds.
struct bits_step {
	uint16_t at;          // in the key
	uint8_t size;         // 1, 2, 4 bytes
	uint8_t how;          // enum bits_how; one key at a time, a byte is always BITS_BYTE
	uint8_t levels, node; // ends in a node below the top: 16, and with two levels also 32 or 64
	uint8_t shift, few; // of BITS_FEW: the number of the cell in off_16 is value >> shift & few
	uint32_t n_cells, n_top;
	const uint32_t *off;    // by cell
	const uint32_t *off_16; // by cell of how; at least 32
	const uint16_t *table;  // of BITS_TABLE; a class adds itself times
	uint32_t stride;        // this
	// [0]: the top, padded to BITS_TOP; [levels - 1]: the ends of all cells.
	const uint32_t *level[BITS_LEVELS];
};

// Fields whose classes are multiplied out: the sum of what the steps add is the place of a row.
struct bits_group {
	const uint64_t *rows;
	uint32_t step, n_steps;
};

// What lookups read.
struct bits_view {
	unsigned words; // of a row: 1, 2, 4, or a multiple of 8
	unsigned n_groups;
	unsigned n_groups4;     // enough for keys whose family is not 6
	const uint32_t *id;     // by bit; behind the last one stands CLASSIFY_NONE
	const uint32_t *direct; // with one group: the id of the first match; NULL: none
	struct bits_group group[BITS_FIELDS];
	struct bits_step step[BITS_FIELDS];
};

struct bits {
	unsigned words, n_rules;
	uint32_t *order, *id; // by bit
	uint64_t *used;
	uint64_t hash;  // of all rules
	unsigned n_low; // rules that look at address words 1 to 3 without asking for family 6
	struct bits_field field[BITS_FIELDS];
	struct bits_view view;
	uint64_t *product[BITS_FIELDS]; // rows of groups of several fields
	size_t max_product[BITS_FIELDS];
	uint32_t *direct;
	size_t max_direct;
};

// bits_part.c: where a field lies, and what a rule asks of it.
unsigned bits_field_at(unsigned field, unsigned *size);
void bits_parts(const struct classify_rule *rule, struct bits_part part[static BITS_FIELDS]);
bool bits_low_words(const struct classify_rule *rule);
uint64_t bits_rule_hash(const struct classify_rule *rule);

// bits_field.c.  0 or -ENOMEM; words of a row are the caller's.
int bits_field_open(struct bits_field *f, bool ranges, const struct bits *b);
int bits_field_add(struct bits_field *f, const struct bits_part *part, unsigned bit, uint64_t hash,
	unsigned words);
void bits_field_delete(struct bits_field *f, unsigned bit, uint64_t hash, unsigned words);
// Values from..to (at most 65535) are of a class now, in the table.
void bits_field_fill(struct bits_field *f, uint32_t from, uint32_t to, uint32_t class);
// Packs the used bits of all rows into rows of another width.
int bits_field_resize(
	struct bits_field *f, unsigned words, const uint64_t *used, unsigned new_words);
void bits_field_free(struct bits_field *f);
size_t bits_field_bytes(const struct bits_field *f, unsigned words); // of memory held, beside *f

// The cell of a value among n ends.  The comparison is a number, as a branch would be guessed wrong
// half of the time.
static inline uint32_t bits_cell_of(const uint32_t *end, uint32_t n, uint32_t value)
{
	uint32_t lo = 0;

	while (n > 1) {
		uint32_t half = n / 2;

		lo += half & -(uint32_t)(end[lo + half - 1] < value);
		n -= half;
	}
	return lo;
}

// bits_row.c: all rows of a field at once.
void bits_rows_up(uint64_t *rows, size_t n, unsigned words, unsigned from, unsigned to);
void bits_rows_down(uint64_t *rows, size_t n, unsigned words, unsigned from, unsigned to);
void bits_rows_pack(const uint64_t *rows, size_t n, unsigned words, const uint64_t *used,
	uint64_t *out, unsigned out_words);
uint64_t *bits_rows_alloc(size_t n, unsigned words); // zeroed, on a cache line; NULL: no memory

// bits_plan.c: makes the view.  0 or -ENOMEM.
int bits_plan(struct bits *b);

// bits_scalar.c, bits_avx2.c, bits_avx512.c.
void bits_first_scalar(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids);
size_t bits_all_scalar(
	const struct bits_view *v, const struct classify_key *key, uint32_t *ids, size_t max);
void bits_first_avx2(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids);
void bits_first_avx512(
	const struct bits_view *v, const struct classify_key *keys, unsigned n, uint32_t *ids);

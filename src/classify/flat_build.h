// SPDX-License-Identifier: BSD-2-Clause
// flat_build.h - what building the tables of flat.h is made of.
#pragma once

#include "classify/bits.h"
#include "classify/classify.h"
#include "classify/flat.h"

// A field cut into cells, each of one class; of a byte as well.
struct flat_field {
	uint32_t n_cells;
	uint32_t n_classes; // below 2: no rule looks at the field
	uint32_t *end;      // last value of each cell, ascending, the last one UINT32_MAX
	uint16_t *cls;
	uint64_t *rows; // of each class, as many words as the build has
	uint32_t step;  // of a field of two bytes that has classes: its number, and 1 more
};

struct flat_build {
	struct flat_head *head;
	size_t bytes; // of the block
	const struct classify_rule *rule;
	size_t n;
	unsigned words;
	uint64_t used[FLAT_WORDS]; // rules that some key matches
	uint64_t hash[FLAT_RULES]; // of those, to tell sets of them apart
	struct flat_field field[BITS_FIELDS];
	// Parts are made here and then put into the block, of which pages that hold the same are not written.
	void *scratch;
	size_t scratch_bytes;
};

// Fills used, field, and low_for_all of the head.  0 or -ENOMEM.
int flat_fields(struct flat_build *b);
void flat_fields_free(struct flat_build *b);

// flat.c: the next bytes of the block; 0: it is full.
uint32_t flat_take(struct flat_build *b, size_t bytes);
void flat_put(struct flat_build *b, uint32_t off, const void *from, size_t bytes);
size_t flat_row_bytes(const struct flat_build *b);
// Row i of those at `rows`, with its summary; `words` of it are given.
void flat_put_row(struct flat_build *b, uint32_t rows, size_t i, const uint64_t *words);
// One for each class of a field; 0: the block is full.
uint32_t flat_rows_of(struct flat_build *b, unsigned field);
// The class of each of the first n values.
void flat_classes(const struct flat_field *f, uint16_t *class, size_t n);

// flat_plain.c: what plain packets need, when all else is there.  Nothing where that does not fit.
void flat_plain(struct flat_build *b);

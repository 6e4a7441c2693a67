// SPDX-License-Identifier: BSD-2-Clause
// table.h - columns of text for a terminal: numbers to the right, text to the left, as wide as needed.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 10 };

struct table {
	char **cell; // n of them, row by row
	size_t n, room;
	unsigned n_columns;
	const char *columns; // a letter each: 'l' text, 'r' number
};

// heads are the titles of the columns, as many as there are letters.
void table_begin(struct table *t, const char *columns, const char *const *heads);
void table_text(struct table *t, const char *text);
void table_number(struct table *t, uint64_t n);
void table_printf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Prints it, unless it holds titles only, and frees it.  A line is cut at `width` bytes (0: never);
// a control character in a cell becomes a question mark.
void table_end(struct table *t, FILE *out, unsigned width);

// SPDX-License-Identifier: BSD-2-Clause
#include "table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_begin(struct table *t, const char *columns, const char *const *heads)
{
	*t = (struct table){.columns = columns, .n_columns = (unsigned)strlen(columns)};
	for (unsigned i = 0; i < t->n_columns; i++)
		table_text(t, heads[i]);
}

// What there is no memory for is not shown; a table is for people.
void table_text(struct table *t, const char *text)
{
	if (t->n == t->room) {
		size_t room = t->room * 2 + 64;
		char **more = realloc(t->cell, room * sizeof(*more));

		if (more == NULL)
			return;
		t->cell = more;
		t->room = room;
	}
	t->cell[t->n] = strdup(text);
	if (t->cell[t->n] != NULL)
		t->n++;
}

void table_number(struct table *t, uint64_t n)
{
	table_printf(t, "%" PRIu64, n);
}

void table_printf(struct table *t, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	table_text(t, text);
}

static void print_row(
	const struct table *t, size_t row, const size_t *widths, FILE *out, unsigned width)
{
	char line[4096];
	size_t len = 0;

	for (unsigned c = 0; c < t->n_columns; c++) {
		const char *text = t->cell[row * t->n_columns + c];
		int pad = (int)widths[c];
		// Text in the last column needs no blanks behind it.
		int n = t->columns[c] == 'r'
				? snprintf(line + len, sizeof(line) - len, "%s%*s",
					  c > 0 ? "  " : "", pad, text)
				: snprintf(line + len, sizeof(line) - len, "%s%-*s",
					  c > 0 ? "  " : "", c + 1 < t->n_columns ? pad : 0, text);

		len += n < 0 ? 0 : (size_t)n;
		if (len >= sizeof(line))
			len = sizeof(line) - 1;
	}
	if (width != 0 && len > width)
		len = width;
	while (len > 0 && line[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++)
		putc((unsigned char)line[i] < ' ' || line[i] == 0x7f ? '?' : line[i], out);
	putc('\n', out);
}

void table_end(struct table *t, FILE *out, unsigned width)
{
	size_t widths[TABLE_COLUMNS] = {0}, rows = t->n / t->n_columns;

	for (size_t i = 0; i < rows * t->n_columns; i++) {
		size_t len = strlen(t->cell[i]);

		if (len > widths[i % t->n_columns])
			widths[i % t->n_columns] = len;
	}
	for (size_t r = 0; r < rows && rows > 1; r++)
		print_row(t, r, widths, out, width);
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i]);
	free(t->cell);
	*t = (struct table){0};
}

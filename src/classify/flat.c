// SPDX-License-Identifier: BSD-2-Clause
// flat.c - builds the tables of flat.h: the fields' classes (flat_field.c), tables that lead from a
// value to its class, and rows, of several small fields multiplied out as in bits_plan.c.
#include "classify/flat_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCT_BYTES = 64 << 10 }; // multiplied-out rows of one group

struct group {
	unsigned n, field[BITS_FIELDS];
	size_t rows;
};

// The next bytes of the block; 0: it is full.
uint32_t flat_take(struct flat_build *b, size_t bytes)
{
	uint32_t at = (b->head->bytes + 7) & ~7u;

	if (bytes > FLAT_SIZE - at)
		return 0;
	b->head->bytes = at + (uint32_t)bytes;
	return at;
}

void *flat_at(struct flat_build *b, uint32_t off)
{
	return (char *)b->head + off;
}

size_t flat_row_bytes(const struct flat_build *b)
{
	return (b->words + (b->words > 1)) * sizeof(uint64_t);
}

// Rows that are whole but for their summaries.
void flat_summarise(struct flat_build *b, uint32_t rows, size_t n)
{
	for (size_t i = 0; i < n && b->words > 1; i++) {
		uint64_t *row = flat_at(b, rows + (uint32_t)(i * flat_row_bytes(b)));

		row[0] = 0;
		for (unsigned w = 0; w < b->words; w++)
			row[0] |= (uint64_t)(row[1 + w] != 0) << w;
	}
}

uint64_t *flat_row_at(struct flat_build *b, uint32_t rows, size_t i)
{
	return (uint64_t *)flat_at(b, rows + (uint32_t)(i * flat_row_bytes(b))) + (b->words > 1);
}

// All ANDs of one row of each field of the group, the first field's row counting fastest.
static uint32_t group_rows(struct flat_build *b, const struct group *g)
{
	size_t have = 1, words = b->words;
	uint32_t rows = flat_take(b, g->rows * flat_row_bytes(b));

	if (rows == 0)
		return 0;
	memcpy(flat_row_at(b, rows, 0), b->used, words * sizeof(uint64_t));
	for (unsigned i = 0; i < g->n; i++) {
		const struct flat_field *f = &b->field[g->field[i]];

		for (size_t k = f->n_classes; k-- > 0;)
			for (size_t r = 0; r < have; r++) {
				const uint64_t *from = flat_row_at(b, rows, r),
					       *with = &f->rows[k * words];
				uint64_t *to = flat_row_at(b, rows, k * have + r);

				for (size_t w = 0; w < words; w++)
					to[w] = from[w] & with[w];
			}
		have *= f->n_classes;
	}
	flat_summarise(b, rows, g->rows);
	return rows;
}

uint32_t flat_rows_of(struct flat_build *b, unsigned field)
{
	struct group g = {.n = 1, .field = {field}, .rows = b->field[field].n_classes};

	return group_rows(b, &g);
}

// The class of each of the first n values.
static void fill_classes(const struct flat_field *f, uint16_t *class, size_t n)
{
	size_t value = 0;

	for (uint32_t c = 0; c < f->n_cells; c++)
		for (; value < n && value <= f->end[c]; value++)
			class[value] = f->cls[c];
}

// The class of every value of a step's two bytes: that of a field of two, or of one or both of two fields
// of one, in which that of the second counts for as many as the first has.
static uint32_t pair_classes(
	struct flat_build *b, const struct flat_field *first, const struct flat_field *second)
{
	uint16_t low[256] = {0}, high[256] = {0};
	uint32_t classes = flat_take(b, 65536 * sizeof(uint16_t));
	uint32_t n_first = first != NULL ? first->n_classes : 1;

	if (classes == 0)
		return 0;
	if (first != NULL)
		fill_classes(first, low, 256);
	if (second != NULL)
		fill_classes(second, high, 256);
	for (uint32_t v = 0; v < 65536; v++)
		((uint16_t *)flat_at(b, classes))[v] = (uint16_t)(low[v & 255] +
								  n_first * high[v >> 8]);
	return classes;
}

static uint32_t field_classes(struct flat_build *b, const struct flat_field *f)
{
	uint32_t classes = flat_take(b, 65536 * sizeof(uint16_t));

	if (classes != 0)
		fill_classes(f, flat_at(b, classes), 65536);
	return classes;
}

// The step of the group's field i, and of the next one if that is the byte behind it.  Returns how many
// fields it is of, or 0: the block is full.
static unsigned make_step(
	struct flat_build *b, const struct group *g, unsigned i, struct flat_step *s)
{
	const struct flat_field *f = &b->field[g->field[i]], *second = NULL;
	unsigned size, at = bits_field_at(g->field[i], &size), next_size;

	if (size == 1 && at % 2 == 0 && i + 1 < g->n &&
		bits_field_at(g->field[i + 1], &next_size) == at + 1 && next_size == 1)
		second = &b->field[g->field[i + 1]];
	s->at = (uint16_t)(at & ~1u);
	if (size == 2)
		s->classes = field_classes(b, f);
	else
		s->classes = at % 2 == 0 ? pair_classes(b, f, second) : pair_classes(b, NULL, f);
	return s->classes == 0 ? 0 : second != NULL ? 2 : 1;
}

static int steps_of(struct flat_build *b, const struct group *g)
{
	size_t stride = flat_row_bytes(b);
	uint32_t rows = group_rows(b, g);
	struct flat_step *s = NULL;

	if (rows == 0 || b->head->n_steps + g->n > FLAT_STEPS)
		return -E2BIG;
	for (unsigned i = 0, took; i < g->n; i += took) {
		s = &b->head->step[b->head->n_steps++];
		s->stride = (uint32_t)stride;
		s->rows = i == 0 ? rows : 0;
		took = make_step(b, g, i, s);
		if (took == 0)
			return -E2BIG;
		for (unsigned k = 0; k < took; k++)
			stride *= b->field[g->field[i + k]].n_classes;
	}
	s->last = (uint16_t)b->head->n_rows++;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

// Fields of one and two bytes, most classes first.
static unsigned small_fields(const struct flat_build *b, unsigned *list)
{
	unsigned n = 0;

	for (unsigned f = BITS_WORDS32; f < BITS_FIELDS; f++) {
		unsigned to = n;

		if (b->field[f].n_classes < 2)
			continue;
		while (to > 0 && b->field[list[to - 1]].n_classes < b->field[f].n_classes)
			to--;
		memmove(&list[to + 1], &list[to], (n - to) * sizeof(*list));
		list[to] = f;
		n++;
	}
	return n;
}

// Puts each field into the first group in which the product stays small.  Returns the number of groups,
// or 0 if they would be more than there are rows.
static unsigned pack(const struct flat_build *b, const unsigned *list, unsigned n, size_t small,
	struct group *group)
{
	unsigned n_groups = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t classes = b->field[list[i]].n_classes;
		unsigned to = 0;

		while (to < n_groups && group[to].rows * classes * flat_row_bytes(b) > small)
			to++;
		if (to == FLAT_ROWS - FLAT_LOW)
			return 0;
		if (to == n_groups)
			group[n_groups++] = (struct group){.rows = 1};
		group[to].field[group[to].n++] = list[i];
		group[to].rows *= classes;
	}
	return n_groups;
}

static int make_steps(struct flat_build *b)
{
	struct group group[FLAT_ROWS];
	unsigned list[BITS_FIELDS], n = small_fields(b, list), n_groups = 0;

	b->head->n_rows = FLAT_LOW;
	for (size_t small = PRODUCT_BYTES; n_groups == 0 && n > 0; small *= 4) {
		if (small > FLAT_SIZE)
			return -E2BIG;
		n_groups = pack(b, list, n, small, group);
	}
	for (unsigned i = 0; i < n_groups; i++) {
		// Bytes that lie side by side follow each other.
		qsort(group[i].field, group[i].n, sizeof(*group[i].field), by_number);
		if (steps_of(b, &group[i]) != 0)
			return -E2BIG;
	}
	return 0;
}

// Entries of a level of the tree over word 0: those of n values that begin at `first` and are 1 << shift
// apart.  *cell is the one that holds the first.  false: the block is full.
static bool fill(struct flat_build *b, const struct flat_field *f, uint32_t nodes, uint32_t table,
	uint32_t *cell, uint32_t first, unsigned n, unsigned shift)
{
	for (unsigned i = 0; i < n; i++) {
		uint32_t lo = first + (i << shift), hi = lo | ((1u << shift) - 1), node;

		while (f->end[*cell] < lo)
			++*cell;
		((uint16_t *)flat_at(b, table))[i] = f->cls[*cell];
		if (f->end[*cell] >= hi)
			continue;
		node = flat_take(b, 256 * sizeof(uint16_t));
		if (node == 0 || (node - nodes) / 512 >= FLAT_NODE)
			return false;
		((uint16_t *)flat_at(b, table))[i] = (uint16_t)(FLAT_NODE | (node - nodes) / 512);
		if (!fill(b, f, nodes, node, cell, lo, 256, shift - 8))
			return false;
	}
	return true;
}

static int make_addr(struct flat_build *b, unsigned field, struct flat_addr *a)
{
	const struct flat_field *f = &b->field[field];
	uint32_t cell = 0;

	if (f->n_classes < 2)
		return 0;
	a->used = 1;
	a->rows = flat_rows_of(b, field);
	a->top = flat_take(b, 65536 * sizeof(uint16_t));
	a->nodes = b->head->bytes; // a multiple of 8, as the top is
	if (a->rows == 0 || a->top == 0 || !fill(b, f, a->nodes, a->top, &cell, 0, 65536, 16))
		return -E2BIG;
	return 0;
}

static int make_word(struct flat_build *b, unsigned field, struct flat_word *w)
{
	const struct flat_field *f = &b->field[field];

	if (f->n_classes < 2)
		return 0;
	w->rows = flat_rows_of(b, field);
	w->ends = flat_take(b, f->n_cells * sizeof(uint32_t));
	w->classes = flat_take(b, f->n_cells * sizeof(uint16_t));
	if (w->rows == 0 || w->ends == 0 || w->classes == 0)
		return -E2BIG;
	w->n = f->n_cells;
	memcpy(flat_at(b, w->ends), f->end, f->n_cells * sizeof(uint32_t));
	memcpy(flat_at(b, w->classes), f->cls, f->n_cells * sizeof(uint16_t));
	return 0;
}

static int make_tables(struct flat_build *b)
{
	struct flat_head *h = b->head;
	struct group none = {.rows = 1};
	unsigned low = 0;

	h->words = b->words;
	h->stride = (uint32_t)flat_row_bytes(b);
	h->ones = group_rows(b, &none);
	if (h->ones == 0)
		return -E2BIG;
	for (unsigned i = 0; i < 2; i++)
		if (make_addr(b, i * 4, &h->addr[i]) != 0)
			return -E2BIG;
	for (unsigned f = 0; f < BITS_WORDS32; f++)
		if (f % 4 != 0 && make_word(b, f, &h->word[low++]) != 0)
			return -E2BIG;
	return make_steps(b);
}

int classify_flat(const struct classify_rule *rules, size_t n, void *out, struct err *err)
{
	struct flat_build b = {.head = out, .n = n, .rule = rules};
	int rc;

	*b.head = (struct flat_head){.bytes = sizeof(*b.head)};
	if (n == 0)
		return 0;
	if (n > FLAT_RULES)
		return err_set(err, E2BIG, "%zu rules, more than the %d that fit", n, FLAT_RULES);
	b.words = (unsigned)((n + 63) / 64);
	rc = flat_fields(&b);
	if (rc == 0)
		rc = make_tables(&b);
	if (rc == 0)
		flat_plain(&b);
	flat_fields_free(&b);
	if (rc == -ENOMEM)
		return err_set(err, ENOMEM, "no memory for the tables of %zu rules", n);
	if (rc != 0)
		return err_set(err, E2BIG, "the tables of these %zu rules take more than %d MB", n,
			FLAT_SIZE >> 20);
	b.head->n_rules = (uint32_t)n;
	return 0;
}

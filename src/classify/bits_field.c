// SPDX-License-Identifier: BSD-2-Clause
// One field: cells, classes and their rows.
//
// A new rule cuts at most two cells in two, and the new halves stay in their class.  Then a class of
// which all cells are covered by the rule gets the rule's bit; of a class that is covered in part the
// covered cells become a class of their own, with a copy of the row.  When a rule goes, its bit goes
// from every row, which can make a row that had it equal to one that had not, and no other two: they
// are found by the rows' hashes (the exclusive or of the rules' hashes) and become one class again,
// and neighbouring ranges of one class one cell.  So cells and classes are always as few as they can
// be, whatever has been added and deleted before, and no two rows are equal.
//
// Cost: proportional to the cells covered and to the classes.
#include "classify/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_VALUES = 256 };

static int grow_array(void *array, size_t old, size_t more)
{
	uint32_t **p = array;
	size_t bytes = (more * sizeof(uint32_t) + 63) / 64 * 64;
	uint32_t *new = aligned_alloc(64, bytes);

	if (new == NULL)
		return -ENOMEM;
	if (old > 0)
		memcpy(new, *p, old * sizeof(uint32_t));
	free(*p);
	*p = new;
	return 0;
}

static int grow_cells(struct bits_field *f, bool ranges, uint32_t need)
{
	uint32_t max = f->max_cells > 0 ? f->max_cells : BITS_TOP;

	if (need <= f->max_cells)
		return 0;
	while (max < need)
		max *= 2;
	if (ranges && grow_array(&f->end, f->n_cells, max) != 0)
		return -ENOMEM;
	if (grow_array(&f->cls, f->n_cells, max) != 0 || grow_array(&f->off, 0, max) != 0)
		return -ENOMEM;
	f->max_cells = max;
	return 0;
}

static int grow_classes(struct bits_field *f, uint32_t need, unsigned words)
{
	uint32_t max = f->max_classes > 0 ? f->max_classes : 4;
	uint64_t *rows, *hash;

	if (need <= f->max_classes)
		return 0;
	while (max < need)
		max += max / 2;
	rows = bits_rows_alloc(max, words);
	hash = realloc(f->hash, max * sizeof(*hash));
	if (hash != NULL)
		f->hash = hash;
	if (rows == NULL || hash == NULL) {
		free(rows);
		return -ENOMEM;
	}
	if (f->n_classes > 0)
		memcpy(rows, f->rows, (size_t)f->n_classes * words * sizeof(*rows));
	free(f->rows);
	f->rows = rows;
	if (grow_array(&f->count, f->n_classes, max) != 0 || grow_array(&f->mark, 0, max) != 0 ||
		grow_array(&f->map, 0, 5 * (size_t)max) != 0)
		return -ENOMEM;
	f->max_classes = max;
	return 0;
}

int bits_field_open(struct bits_field *f, bool ranges, const struct bits *b)
{
	uint32_t cells = ranges ? 1 : BYTE_VALUES;

	// A byte's off has room for what bits_plan() puts behind it.
	if (grow_cells(f, ranges, ranges ? 1 : BYTE_VALUES + BITS_TOP) != 0 ||
		grow_classes(f, 1, b->words) != 0)
		return -ENOMEM;
	f->n_cells = cells;
	f->n_classes = 1;
	memset(f->cls, 0, cells * sizeof(*f->cls));
	memcpy(f->rows, b->used, b->words * sizeof(*f->rows));
	f->hash[0] = b->hash;
	f->count[0] = cells;
	if (ranges)
		f->end[0] = UINT32_MAX;
	f->changed = true;
	return 0;
}

void bits_field_free(struct bits_field *f)
{
	free(f->end);
	free(f->cls);
	free(f->rows);
	free(f->hash);
	free(f->count);
	free(f->mark);
	free(f->map);
	free(f->off);
	free(f->up);
	free(f->table);
	*f = (struct bits_field){0};
}

size_t bits_field_bytes(const struct bits_field *f, unsigned words)
{
	size_t n = f->max_cells * (sizeof(*f->cls) + sizeof(*f->off));

	if (f->end != NULL)
		n += f->max_cells * sizeof(*f->end);
	if (f->table != NULL)
		n += BITS_TABLE_VALUES * sizeof(*f->table);
	n += f->max_classes * (words * sizeof(*f->rows) + sizeof(*f->hash) + sizeof(*f->count));
	n += f->max_classes * (sizeof(*f->mark) + 5 * sizeof(*f->map));
	return n + f->max_up * sizeof(*f->up);
}

void bits_field_fill(struct bits_field *f, uint32_t from, uint32_t to, uint32_t class)
{
	uint32_t n = to < UINT16_MAX ? to + 1 : UINT16_MAX + 1;

	for (uint32_t value = from; value < n; value++)
		f->table[value] = (uint16_t) class;
}

// Makes a value the last one of a cell, and returns that cell.  There is room.
static uint32_t cut(struct bits_field *f, uint32_t value)
{
	uint32_t i = bits_cell_of(f->end, f->n_cells, value), behind = f->n_cells - i;

	if (f->end[i] == value)
		return i;
	memmove(&f->end[i + 1], &f->end[i], behind * sizeof(*f->end));
	memmove(&f->cls[i + 1], &f->cls[i], behind * sizeof(*f->cls));
	f->end[i] = value;
	f->count[f->cls[i]]++;
	f->n_cells++;
	return i;
}

// The cells of a part.
struct cover {
	uint32_t first, last, mask, value;
};

static inline bool covers(const struct cover *c, uint32_t cell)
{
	return (cell & c->mask) == c->value;
}

// Gives each class that is covered in part a copy; map[] says which class covered cells get.
static int split(struct bits_field *f, const struct cover *c, unsigned words)
{
	uint32_t n = f->n_classes, parted = 0;

	memset(f->mark, 0, n * sizeof(*f->mark));
	for (uint32_t i = c->first; i <= c->last; i++)
		f->mark[f->cls[i]] += covers(c, i);
	for (uint32_t k = 0; k < n; k++)
		parted += f->mark[k] != 0 && f->mark[k] != f->count[k];
	if (n + parted > f->max_classes) {
		if (grow_classes(f, n + parted, words) != 0)
			return -ENOMEM;
		return split(f, c, words); // mark has moved
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t new = f->n_classes;

		f->map[k] = k;
		if (f->mark[k] == 0 || f->mark[k] == f->count[k])
			continue;
		memcpy(&f->rows[(size_t) new *words], &f->rows[(size_t)k * words],
			words * sizeof(*f->rows));
		f->hash[new] = f->hash[k];
		f->count[new] = f->mark[k];
		f->count[k] -= f->mark[k];
		f->map[k] = new;
		f->n_classes++;
	}
	return 0;
}

static inline void set(
	struct bits_field *f, uint32_t k, unsigned bit, uint64_t hash, unsigned words)
{
	f->rows[(size_t)k * words + bit / 64] |= 1ull << bit % 64;
	f->hash[k] ^= hash;
}

// A table of classes follows its cells: value is the first one of the cell.
static inline void tell_table(struct bits_field *f, uint32_t value, uint32_t cell)
{
	if (f->table != NULL)
		bits_field_fill(f, value, f->end[cell], f->cls[cell]);
}

int bits_field_add(struct bits_field *f, const struct bits_part *part, unsigned bit, uint64_t hash,
	unsigned words)
{
	struct cover c = {0, BYTE_VALUES - 1, part->mask, part->value};
	uint32_t n;

	if (part->any) {
		for (uint32_t k = 0; k < f->n_classes; k++)
			set(f, k, bit, hash, words);
		return 0;
	}
	if (f->end != NULL) {
		if (grow_cells(f, true, f->n_cells + 2) != 0)
			return -ENOMEM;
		c = (struct cover){part->lo > 0 ? cut(f, part->lo - 1) + 1 : 0, 0, 0, 0};
		c.last = cut(f, part->hi);
	}
	n = f->n_classes;
	if (split(f, &c, words) != 0)
		return -ENOMEM;
	f->changed |= f->n_classes != n;
	for (uint32_t i = c.first; i <= c.last; i++) {
		if (!covers(&c, i) || f->map[f->cls[i]] == f->cls[i])
			continue;
		f->cls[i] = f->map[f->cls[i]];
		tell_table(f, i > 0 && f->end != NULL ? f->end[i - 1] + 1 : 0, i);
	}
	for (uint32_t k = 0; k < n; k++)
		if (f->mark[k] != 0)
			set(f, f->map[k], bit, hash, words);
	return 0;
}

// Takes the bit from all rows; mark[] says where it was.  Returns in how many it was not.
static uint32_t clear(struct bits_field *f, unsigned bit, uint64_t hash, unsigned words)
{
	uint32_t without = 0;

	for (uint32_t k = 0; k < f->n_classes; k++) {
		uint64_t *w = &f->rows[(size_t)k * words + bit / 64];

		f->mark[k] = *w >> bit % 64 & 1;
		without += !f->mark[k];
		f->hash[k] ^= f->mark[k] ? hash : 0;
		*w &= ~(1ull << bit % 64);
	}
	return without;
}

static bool same(const struct bits_field *f, uint32_t a, uint32_t b, unsigned words)
{
	return f->hash[a] == f->hash[b] &&
	       memcmp(&f->rows[(size_t)a * words], &f->rows[(size_t)b * words], words * 8) == 0;
}

// Are there equal rows?  map[] becomes, for each class, the one with the same row that did not have
// the bit, or itself.  Behind it lies a hash table of the classes without the bit: their numbers plus
// one.
static bool find_equal(struct bits_field *f, unsigned words)
{
	uint32_t *table = f->map + f->max_classes, size = 1;
	bool any = false;

	while (size < 2 * f->n_classes)
		size *= 2;
	memset(table, 0, size * sizeof(*table));
	for (uint32_t k = 0; k < f->n_classes; k++) {
		uint32_t at = f->hash[k] & (size - 1);

		f->map[k] = k;
		while (!f->mark[k] && table[at] != 0)
			at = (at + 1) & (size - 1);
		if (!f->mark[k])
			table[at] = k + 1;
	}
	for (uint32_t k = 0; k < f->n_classes; k++) {
		uint32_t at = f->hash[k] & (size - 1);

		while (f->mark[k] && table[at] != 0 && !same(f, table[at] - 1, k, words))
			at = (at + 1) & (size - 1);
		if (f->mark[k] && table[at] != 0) {
			f->map[k] = table[at] - 1;
			any = true;
		}
	}
	return any;
}

// Takes out the classes that map[] gives another number, and makes map[] the numbers after it.  The
// last classes take the numbers that become free, so that most cells keep theirs.
static void compact(struct bits_field *f, unsigned words)
{
	uint32_t n = 0, hole = 0;

	for (uint32_t k = 0; k < f->n_classes; k++) {
		f->mark[k] = k;
		n += f->map[k] == k;
	}
	for (uint32_t k = n; k < f->n_classes; k++) {
		if (f->map[k] != k)
			continue;
		while (f->map[hole] == hole)
			hole++;
		memcpy(&f->rows[(size_t)hole * words], &f->rows[(size_t)k * words],
			words * sizeof(*f->rows));
		f->hash[hole] = f->hash[k];
		f->mark[k] = hole++;
	}
	for (uint32_t k = 0; k < f->n_classes; k++)
		f->map[k] = f->mark[f->map[k]];
	f->n_classes = n;
}

// Cells get their new classes; neighbours that now are of one class become one.
static void relabel(struct bits_field *f)
{
	uint32_t n = 0, value = 0;

	memset(f->count, 0, f->n_classes * sizeof(*f->count));
	for (uint32_t i = 0; i < f->n_cells; i++) {
		uint32_t old = f->cls[i], k = f->map[old];
		uint32_t last = f->end != NULL ? f->end[i] : 0;

		if (f->end != NULL && n > 0 && f->cls[n - 1] == k) {
			f->end[n - 1] = last;
		} else {
			if (f->end != NULL)
				f->end[n] = last;
			f->cls[n++] = k;
			f->count[k]++;
		}
		if (f->table != NULL && k != old)
			bits_field_fill(f, value, last, k);
		value = last + 1;
	}
	f->n_cells = n;
}

void bits_field_delete(struct bits_field *f, unsigned bit, uint64_t hash, unsigned words)
{
	if (clear(f, bit, hash, words) == 0)
		return;
	if (!find_equal(f, words))
		return;
	f->changed = true;
	compact(f, words);
	relabel(f);
}

int bits_field_resize(
	struct bits_field *f, unsigned words, const uint64_t *used, unsigned new_words)
{
	uint64_t *rows = bits_rows_alloc(f->max_classes, new_words);

	if (rows == NULL)
		return -ENOMEM;
	bits_rows_pack(f->rows, f->n_classes, words, used, rows, new_words);
	free(f->rows);
	f->rows = rows;
	return 0;
}

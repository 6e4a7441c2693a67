// SPDX-License-Identifier: BSD-2-Clause
// flat.c - builds the tables of flat.h: the fields' classes (flat_field.c), tables that lead from a
// value to its class, and rows, of several small fields multiplied out as in bits_plan.c.
#include "base/heap.h"
#include "classify/flat_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCT_BYTES = 64 << 10 }; // multiplied-out rows of one group
// Parts of that size and more begin on a multiple of it: what lies before may grow and not move them.
enum { LARGE = 16 << 10 };
enum { TABLE_BYTES = 65536 * sizeof(uint16_t) }; // the class of each value of two bytes

struct group {
	unsigned n, field[BITS_FIELDS];
	size_t rows;
};

uint32_t flat_take(struct flat_build *b, size_t bytes)
{
	uint32_t step = bytes < LARGE ? 8 : LARGE, at = (b->head->bytes + step - 1) & ~(step - 1);

	if (at > b->bytes || bytes > b->bytes - at)
		return 0;
	b->head->bytes = at + (uint32_t)bytes;
	return at;
}

void flat_put(struct flat_build *b, uint32_t off, const void *from, size_t bytes)
{
	heap_renew((char *)b->head + off, from, bytes);
}

// So many bytes of scratch, whatever was in it.
static int reserve(struct flat_build *b, size_t bytes)
{
	if (bytes <= b->scratch_bytes)
		return 0;
	free(b->scratch);
	b->scratch = malloc(bytes);
	b->scratch_bytes = b->scratch != NULL ? bytes : 0;
	return b->scratch != NULL ? 0 : -ENOMEM;
}

size_t flat_row_bytes(const struct flat_build *b)
{
	return (b->words + (b->words > 1)) * sizeof(uint64_t);
}

void flat_put_row(struct flat_build *b, uint32_t rows, size_t i, const uint64_t *words)
{
	uint64_t row[1 + FLAT_WORDS] = {0};

	for (unsigned w = 0; w < b->words; w++)
		row[0] |= (uint64_t)(words[w] != 0) << w;
	memcpy(row + 1, words, b->words * sizeof(*words));
	flat_put(b, rows + (uint32_t)(i * flat_row_bytes(b)), row + (b->words == 1),
		flat_row_bytes(b));
}

// All ANDs of one row of each field of the group, the first field's row counting fastest, in the scratch.
static void multiply(struct flat_build *b, const struct group *g)
{
	size_t have = 1, words = b->words;
	uint64_t *all = b->scratch;

	memcpy(all, b->used, words * sizeof(*all));
	for (unsigned i = 0; i < g->n; i++) {
		const struct flat_field *f = &b->field[g->field[i]];

		for (size_t k = f->n_classes; k-- > 0;)
			for (size_t r = 0; r < have; r++) {
				const uint64_t *from = &all[r * words], *with = &f->rows[k * words];
				uint64_t *to = &all[(k * have + r) * words];

				for (size_t w = 0; w < words; w++)
					to[w] = from[w] & with[w];
			}
		have *= f->n_classes;
	}
}

static uint32_t group_rows(struct flat_build *b, const struct group *g)
{
	uint32_t rows = flat_take(b, g->rows * flat_row_bytes(b));

	if (rows == 0)
		return 0;
	multiply(b, g);
	for (size_t i = 0; i < g->rows; i++)
		flat_put_row(b, rows, i, (const uint64_t *)b->scratch + i * b->words);
	return rows;
}

uint32_t flat_rows_of(struct flat_build *b, unsigned field)
{
	const struct flat_field *f = &b->field[field];
	uint32_t rows = flat_take(b, f->n_classes * flat_row_bytes(b));

	for (size_t i = 0; rows != 0 && i < f->n_classes; i++)
		flat_put_row(b, rows, i, &f->rows[i * b->words]);
	return rows;
}

// Entries from..to, to not counted, of a table.
static void fill_run(uint16_t *table, size_t from, size_t to, uint16_t class)
{
	for (size_t i = from; i < to; i++)
		table[i] = class;
}

void flat_classes(const struct flat_field *f, uint16_t *class, size_t n)
{
	size_t value = 0;

	for (uint32_t c = 0; c < f->n_cells && value < n; c++) {
		size_t to = f->end[c] < n ? (size_t)f->end[c] + 1 : n;

		fill_run(class, value, to, f->cls[c]);
		value = to;
	}
}

// The table that is in the scratch; 0: the block is full.
static uint32_t put_table(struct flat_build *b)
{
	uint32_t table = flat_take(b, TABLE_BYTES);

	if (table != 0)
		flat_put(b, table, b->scratch, TABLE_BYTES);
	return table;
}

// The class of every value of a step's two bytes: that of a field of two, or of one or both of two fields
// of one, in which that of the second counts for as many as the first has.
static uint32_t pair_classes(
	struct flat_build *b, const struct flat_field *first, const struct flat_field *second)
{
	uint16_t low[256] = {0}, high[256] = {0}, *class = b->scratch;
	uint32_t n_first = first != NULL ? first->n_classes : 1;

	if (first != NULL)
		flat_classes(first, low, 256);
	if (second != NULL)
		flat_classes(second, high, 256);
	for (uint32_t h = 0; h < 256; h++) {
		uint16_t add = (uint16_t)(n_first * high[h]);

		for (uint32_t l = 0; l < 256; l++)
			class[h * 256 + l] = (uint16_t)(low[l] + add);
	}
	return put_table(b);
}

static uint32_t field_classes(struct flat_build *b, const struct flat_field *f)
{
	flat_classes(f, b->scratch, 65536);
	return put_table(b);
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
	if (size == 2) {
		s->classes = field_classes(b, f);
		b->field[g->field[i]].step = b->head->n_steps;
	} else {
		s->classes = at % 2 == 0 ? pair_classes(b, f, second) : pair_classes(b, NULL, f);
	}
	return s->classes == 0 ? 0 : second != NULL ? 2 : 1;
}

static int steps_of(struct flat_build *b, const struct group *g)
{
	size_t stride = flat_row_bytes(b);
	uint32_t rows = g->n == 1 ? flat_rows_of(b, g->field[0]) : group_rows(b, g);
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
		if (group[i].n > 1 && reserve(b, group[i].rows * flat_row_bytes(b)) != 0)
			return -ENOMEM;
		if (steps_of(b, &group[i]) != 0)
			return -E2BIG;
	}
	return 0;
}

// A tree over word 0 of an address.  A node in the place of one that was there before keeps its number, if the
// block still tells: so a node more or fewer does not move all behind it.  What the block tells may be anything.
enum { NODE_ENTRIES = 256, NODE_BYTES = NODE_ENTRIES * sizeof(uint16_t) };
struct tree {
	const struct flat_field *f;
	uint32_t n;     // nodes
	uint32_t nodes; // their place in the block
	uint32_t n_old; // numbers below that lie in the block
	uint32_t next;  // numbers below are wanted or given
	uint64_t wanted[FLAT_NODE / 64], given[FLAT_NODE / 64]; // sets of numbers
};

static bool has(const uint64_t *set, uint32_t number)
{
	return (set[number / 64] >> number % 64 & 1) != 0;
}

static void put_in(uint64_t *set, uint32_t number)
{
	set[number / 64] |= UINT64_C(1) << number % 64;
}

// The number that an entry of before gives to its node; FLAT_NODE: none.
static uint32_t old_number(const struct tree *t, uint16_t entry)
{
	uint32_t number = entry & (FLAT_NODE - 1);

	return (entry & FLAT_NODE) != 0 && number < t->n_old ? number : FLAT_NODE;
}

static uint32_t give(struct tree *t, uint32_t old)
{
	if (old >= t->n || has(t->given, old)) {
		while (t->next < t->n && (has(t->wanted, t->next) || has(t->given, t->next)))
			t->next++;
		// Two places wanted one number, and what is told of one of them was lost.
		for (old = t->next; old >= t->n || has(t->given, old);)
			old = old + 1 < t->n ? old + 1 : 0;
	}
	put_in(t->given, old);
	return old;
}

// Entries of a level of the tree: those of n values that begin at `first` and are 1 << shift apart.  *cell is the
// one that holds the first.  entry is NULL where nodes are counted, and the numbers found that they had.  old: of
// the level that was there before, or NULL.
static void level(struct flat_build *b, struct tree *t, uint16_t *entry, const uint16_t *old,
	uint32_t *cell, uint32_t first, unsigned n, unsigned shift)
{
	const struct flat_field *f = t->f;

	for (unsigned i = 0; i < n;) {
		uint32_t lo = first + (i << shift), hi = lo | ((1u << shift) - 1), number;
		const uint16_t *old_node = NULL;
		uint16_t node[NODE_ENTRIES];

		while (f->end[*cell] < lo)
			++*cell;
		if (f->end[*cell] >= hi) { // and as many more as the cell holds whole
			uint64_t whole = ((uint64_t)f->end[*cell] + 1 - lo) >> shift;
			unsigned to = whole < n - i ? i + (unsigned)whole : n;

			if (entry != NULL)
				fill_run(entry, i, to, f->cls[*cell]);
			i = to;
			continue;
		}
		number = old != NULL ? old_number(t, old[i]) : FLAT_NODE;
		if (number < FLAT_NODE)
			old_node = (const uint16_t *)((const char *)b->head + t->nodes) +
				   (size_t)number * NODE_ENTRIES;
		if (entry == NULL) {
			t->n++;
			if (number < FLAT_NODE)
				put_in(t->wanted, number);
		} else {
			number = give(t, number);
			entry[i] = (uint16_t)(FLAT_NODE | number);
		}
		level(b, t, entry != NULL ? node : NULL, old_node, cell, lo, NODE_ENTRIES,
			shift - 8);
		if (entry != NULL)
			flat_put(b, t->nodes + number * NODE_BYTES, node, NODE_BYTES);
		i++;
	}
}

static int make_addr(struct flat_build *b, unsigned field, struct flat_addr *a)
{
	struct tree t = {.f = &b->field[field]};
	const uint16_t *old;
	uint32_t cell = 0;

	if (t.f->n_classes < 2)
		return 0;
	a->used = 1;
	a->rows = flat_rows_of(b, field);
	a->top = flat_take(b, TABLE_BYTES);
	if (a->rows == 0 || a->top == 0)
		return -E2BIG;
	// Where the nodes will be.
	t.nodes = a->nodes = a->top + TABLE_BYTES;
	t.n_old = (uint32_t)((b->bytes - t.nodes) / NODE_BYTES);
	old = (const uint16_t *)((const char *)b->head + a->top);
	level(b, &t, NULL, old, &cell, 0, 65536, 16);
	if (t.n >= FLAT_NODE || t.n > t.n_old)
		return -E2BIG;
	b->head->bytes = t.nodes + t.n * NODE_BYTES;
	cell = 0;
	level(b, &t, b->scratch, old, &cell, 0, 65536, 16);
	flat_put(b, a->top, b->scratch, TABLE_BYTES);
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
	flat_put(b, w->ends, f->end, f->n_cells * sizeof(uint32_t));
	flat_put(b, w->classes, f->cls, f->n_cells * sizeof(uint16_t));
	return 0;
}

static int make_tables(struct flat_build *b)
{
	struct flat_head *h = b->head;
	unsigned low = 0;

	if (reserve(b, TABLE_BYTES) != 0)
		return -ENOMEM;
	h->words = b->words;
	h->stride = (uint32_t)flat_row_bytes(b);
	h->ones = flat_take(b, flat_row_bytes(b));
	if (h->ones == 0)
		return -E2BIG;
	flat_put_row(b, h->ones, 0, b->used);
	for (unsigned i = 0; i < 2; i++)
		if (make_addr(b, i * 4, &h->addr[i]) != 0)
			return -E2BIG;
	for (unsigned f = 0; f < BITS_WORDS32; f++)
		if (f % 4 != 0 && make_word(b, f, &h->word[low++]) != 0)
			return -E2BIG;
	return make_steps(b);
}

// Tables that match nothing.
static void flat_nothing(struct flat_head *h)
{
	*h = (struct flat_head){.bytes = sizeof(*h)};
	memset(h->plain.first, 0xff, sizeof(h->plain.first)); // FLAT_NONE
}

int classify_flat(
	const struct classify_rule *rules, size_t n, void *out, size_t bytes, struct err *err)
{
	struct flat_build b = {.head = out, .bytes = bytes, .n = n, .rule = rules};
	int rc;

	flat_nothing(b.head);
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
	free(b.scratch);
	if (rc != 0)
		flat_nothing(out);
	if (rc == -ENOMEM)
		return err_set(err, ENOMEM, "no memory for the tables of %zu rules", n);
	if (rc != 0)
		return err_set(err, E2BIG, "the tables of these %zu rules take more than %zu KB", n,
			bytes >> 10);
	b.head->n_rules = (uint32_t)n;
	return 0;
}

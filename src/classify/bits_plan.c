// SPDX-License-Identifier: BSD-2-Clause
// What lookups read: the steps, grouped, with numbers that need only be added up, the search trees,
// and the rows of the groups.  Made anew after every change; what it costs is bounded by the number
// of cells and by PRODUCT_WORDS for each group.
//
// Groups are filled largest field first.  A field alone in its group uses its own rows.
// Words 1 to 3 of addresses have groups of their own behind the others, if only rules for family 6
// look at them: then keys of other families need not go through these, as the row of the family has
// no bit of such a rule.
#include "classify/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Multiplied-out rows of one group: 128 KB.
enum { PRODUCT_WORDS = 16384 };

struct group {
	unsigned n;
	bool low;
	size_t rows;
	unsigned field[BITS_FIELDS];
};

struct plan {
	unsigned n;
	struct group group[BITS_FIELDS];
};

static bool is_low(const struct bits *b, unsigned field)
{
	return b->n_low == 0 && field < BITS_WORDS32 && field % 4 != 0;
}

// Fields with more than one class, most classes first, the low words of addresses behind all others.
static unsigned active(const struct bits *b, unsigned *list)
{
	unsigned n = 0;

	for (unsigned f = 0; f < BITS_FIELDS; f++) {
		unsigned at = n;

		if (b->field[f].n_classes < 2)
			continue;
		while (at > 0 &&
			(is_low(b, list[at - 1]) > is_low(b, f) ||
				(is_low(b, list[at - 1]) == is_low(b, f) &&
					b->field[list[at - 1]].n_classes < b->field[f].n_classes)))
			at--;
		memmove(&list[at + 1], &list[at], (n - at) * sizeof(*list));
		list[at] = f;
		n++;
	}
	return n;
}

static bool fits(const struct bits *b, const struct group *g, bool low, size_t classes)
{
	return g->low == low && g->rows * classes * b->words <= PRODUCT_WORDS;
}

// Puts the fields of the list into the first group they fit in, or the smallest.
static void pack(
	const struct bits *b, const unsigned *list, unsigned n, struct plan *p, bool smallest)
{
	p->n = 0;
	for (unsigned i = 0; i < n; i++) {
		bool low = is_low(b, list[i]);
		size_t classes = b->field[list[i]].n_classes;
		unsigned to = p->n;

		for (unsigned g = p->n; g-- > 0;)
			if (fits(b, &p->group[g], low, classes) &&
				(!smallest || to == p->n || p->group[g].rows < p->group[to].rows))
				to = g;
		if (to == p->n)
			p->group[p->n++] = (struct group){.low = low, .rows = 1};
		p->group[to].field[p->group[to].n++] = list[i];
		p->group[to].rows *= classes;
	}
	if (p->n == 0) // every rule matches every key
		p->group[p->n++] = (struct group){.rows = 1};
}

// As few groups as first fit finds, and of these the small ones: what is multiplied out takes time
// after every change, and room in the cache.
static void make_groups(const struct bits *b, struct plan *p)
{
	unsigned list[BITS_FIELDS], n = active(b, list);
	struct plan small;

	pack(b, list, n, p, false);
	pack(b, list, n, &small, true);
	if (small.n <= p->n)
		*p = small;
}

// Lookups take the steps of ranges before those of bytes; field numbers are in that order.
static void ranges_first(struct group *g)
{
	for (unsigned i = 1; i < g->n; i++)
		for (unsigned k = i; k > 0 && g->field[k - 1] > g->field[k]; k--) {
			unsigned f = g->field[k];

			g->field[k] = g->field[k - 1];
			g->field[k - 1] = f;
		}
}

static int reserve(void *array, size_t *max, size_t need, size_t size)
{
	void **p = array;
	size_t more = need + need / 4;

	if (need <= *max)
		return 0;
	free(*p);
	*max = 0;
	*p = aligned_alloc(64, (more * size + 63) / 64 * 64);
	if (*p == NULL)
		return -ENOMEM;
	*max = more;
	return 0;
}

static uint32_t nodes(uint32_t n, uint32_t size)
{
	return (n + size - 1) / size;
}

// Room for n ends in a level: whole nodes of any size.
static uint32_t padded(uint32_t n)
{
	return nodes(n, BITS_WIDEST) * BITS_WIDEST;
}

static void pad(uint32_t *end, uint32_t n)
{
	for (uint32_t to = padded(n); n < to; n++)
		end[n] = UINT32_MAX;
}

// A second level that reaches all cells by wider nodes costs less than a third one.
static uint32_t node_size(uint32_t n_cells)
{
	uint32_t size = BITS_NODE;

	while (size < BITS_WIDEST && BITS_TOP * size < n_cells)
		size *= 2;
	return BITS_TOP * size < n_cells ? BITS_NODE : size;
}

// The levels of the search tree: above each node stands the last of its ends, and at the top up to
// 64.  What fills a level up is never less than a value, so that a search ends in a real cell.
static int make_tree(struct bits_field *f, struct bits_step *s)
{
	uint32_t node = node_size(f->n_cells), n = f->n_cells, *to;
	const uint32_t *from = f->end;
	size_t need = 0;

	s->levels = 1;
	s->node = (uint8_t)node;
	for (uint32_t m = n; m > BITS_TOP; m = nodes(m, node)) {
		need += padded(nodes(m, node));
		s->levels++;
	}
	if (reserve(&f->up, &f->max_up, need, sizeof(*f->up)) != 0)
		return -ENOMEM;
	pad(f->end, n);
	s->level[s->levels - 1] = f->end;
	to = f->up;
	for (unsigned l = s->levels - 1; l-- > 0;) {
		n = nodes(n, node);
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[(size_t)i * node + node - 1];
		pad(to, n);
		s->level[l] = from = to;
		to += padded(n);
	}
	s->n_top = n;
	return 0;
}

// Which bits of a byte make a difference.
static uint32_t bits_that_count(const struct bits_field *f)
{
	uint32_t bits = 0;

	for (uint32_t bit = 1; bit < 256; bit *= 2)
		for (uint32_t v = 0; v < 256; v++)
			bits |= f->cls[v] != f->cls[v ^ bit] ? bit : 0;
	return bits;
}

// Ranges of values of one class, into up; more than 32 are not counted.
static uint32_t byte_ranges(struct bits_field *f, uint32_t *off)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < 256; v++) {
		if (v < 255 && f->cls[v] == f->cls[v + 1])
			continue;
		if (n == BITS_TOP / 2)
			return n + 1;
		f->up[n] = v < 255 ? v : UINT32_MAX;
		off[n++] = f->off[v];
	}
	return n;
}

// A byte is found in registers, 16 keys at a time, if a few bits of it or a few ranges tell its
// class.
static int make_byte(struct bits_field *f, struct bits_step *s)
{
	uint32_t *off = f->off + 256, shift, few, n;

	if (f->changed)
		f->bits = bits_that_count(f);
	f->changed = false;
	shift = (uint32_t)__builtin_ctz(f->bits);
	few = f->bits >> shift;

	s->how = BITS_BYTE;
	s->off_16 = off;
	if (few < BITS_TOP / 2) {
		while ((few & (few + 1)) != 0)
			few |= few >> 1;
		for (uint32_t i = 0; i <= few; i++)
			off[i] = f->off[i << shift];
		s->how = BITS_FEW;
		s->shift = (uint8_t)shift;
		s->few = (uint8_t)few;
		return 0;
	}
	if (reserve(&f->up, &f->max_up, BITS_TOP, sizeof(*f->up)) != 0)
		return -ENOMEM;
	n = byte_ranges(f, off);
	if (n > BITS_TOP / 2)
		return 0;
	pad(f->up, n);
	s->how = BITS_TOP_ONLY;
	s->level[0] = f->up;
	s->n_top = n;
	return 0;
}

// Made once; bits_field.c keeps it up to date.
static int make_table(struct bits_field *f, struct bits_step *s)
{
	uint32_t value = 0;

	s->table = f->table;
	if (f->table != NULL)
		return 0;
	f->table = malloc(BITS_TABLE_VALUES * sizeof(*f->table));
	if (f->table == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_cells; i++) {
		bits_field_fill(f, value, f->end[i], f->cls[i]);
		value = f->end[i] + 1;
	}
	f->table[BITS_TABLE_VALUES - 1] = 0;
	s->table = f->table;
	return 0;
}

static int make_step(struct bits *b, unsigned field, size_t stride, struct bits_step *s)
{
	struct bits_field *f = &b->field[field];
	unsigned size;

	*s = (struct bits_step){.at = (uint16_t)bits_field_at(field, &size), .off = f->off};
	s->size = (uint8_t)size;
	s->n_cells = f->n_cells;
	s->stride = (uint32_t)stride;
	for (uint32_t i = 0, n = f->n_cells; i < n; i++)
		f->off[i] = f->cls[i] * (uint32_t)stride;
	if (size == 1)
		return make_byte(f, s);
	s->off_16 = f->off;
	if (size == 2 && f->n_cells > BITS_TOP_16) {
		s->how = BITS_TABLE;
		return make_table(f, s);
	}
	s->how = f->n_cells > BITS_TOP ? BITS_TREE : BITS_TOP_ONLY;
	return make_tree(f, s);
}

// n rows ANDed with one.  A row is read as a whole before it is written, for the compiler cannot
// know that no two rows overlap.
static void and_rows(
	uint64_t *to, const uint64_t *from, const uint64_t *row, size_t n, size_t words)
{
	typedef uint64_t line __attribute__((vector_size(64), may_alias));

	if (words < 8) {
		for (size_t i = 0; i < n * words; i++)
			to[i] = from[i] & row[i & (words - 1)];
		return;
	}
	for (size_t w = 0; w < words; w += 8) {
		const line with = *(const line *)(row + w);

		for (size_t i = w; i < n * words; i += words)
			*(line *)(to + i) = *(const line *)(from + i) & with;
	}
}

// All ANDs of one row of each field, the first field's row counting fastest.
static void multiply(const struct bits *b, const struct group *g, uint64_t *out)
{
	size_t have = 1, words = b->words;

	memcpy(out, b->used, words * sizeof(*out));
	for (unsigned i = 0; i < g->n; i++) {
		const struct bits_field *f = &b->field[g->field[i]];

		for (size_t k = f->n_classes; k-- > 0;)
			and_rows(&out[k * have * words], out, &f->rows[k * words], have, words);
		have *= f->n_classes;
	}
}

static uint32_t lowest_id(const struct bits *b, const uint64_t *row)
{
	for (unsigned w = 0; w < b->words; w++)
		if (row[w] != 0)
			return b->id[w * 64 + (unsigned)__builtin_ctzll(row[w])];
	return CLASSIFY_NONE;
}

static int make_rows(struct bits *b, const struct group *g, unsigned i, bool direct)
{
	struct bits_view *v = &b->view;

	v->group[i].rows = g->n == 1 ? b->field[g->field[0]].rows : NULL;
	if (g->n != 1) {
		if (reserve(&b->product[i], &b->max_product[i], g->rows * b->words,
			    sizeof(uint64_t)) != 0)
			return -ENOMEM;
		multiply(b, g, b->product[i]);
		v->group[i].rows = b->product[i];
	}
	if (!direct)
		return 0;
	if (reserve(&b->direct, &b->max_direct, g->rows, sizeof(*b->direct)) != 0)
		return -ENOMEM;
	for (size_t r = 0; r < g->rows; r++)
		b->direct[r] = lowest_id(b, &v->group[i].rows[r * b->words]);
	v->direct = b->direct;
	return 0;
}

int bits_plan(struct bits *b)
{
	struct bits_view *v = &b->view;
	struct plan p;
	unsigned step = 0;

	make_groups(b, &p);
	v->words = b->words;
	v->id = b->id;
	v->direct = NULL;
	v->n_groups = p.n;
	v->n_groups4 = 0;
	for (unsigned i = 0; i < p.n; i++) {
		struct group *g = &p.group[i];
		size_t stride = p.n == 1 ? 1 : b->words;

		v->group[i].step = step;
		v->group[i].n_steps = g->n;
		ranges_first(g);
		for (unsigned k = 0; k < g->n; k++) {
			if (make_step(b, g->field[k], stride, &v->step[step++]) != 0)
				return -ENOMEM;
			stride *= b->field[g->field[k]].n_classes;
		}
		if (make_rows(b, g, i, p.n == 1) != 0)
			return -ENOMEM;
		v->n_groups4 += !g->low;
	}
	return 0;
}

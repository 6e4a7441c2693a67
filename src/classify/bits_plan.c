// SPDX-License-Identifier: BSD-2-Clause
// What lookups read: the steps, grouped, with numbers that need only be added up, the search trees,
// and the rows of the groups.  Made anew after every change; what it costs is bounded by the number
// of cells and by PRODUCT_WORDS for each group.
//
// Groups are filled first fit, largest field first.  A field alone in its group uses its own rows.
// Words 1 to 3 of addresses have groups of their own behind the others, if only rules for family 6
// look at them: then keys of other families need not go through these, as the row of the family has
// no bit of such a rule.
#include "classify/bits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Multiplied-out rows of one group: 64 KB.
enum { PRODUCT_WORDS = 8192 };

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

static void make_groups(const struct bits *b, struct plan *p)
{
	unsigned list[BITS_FIELDS], n = active(b, list);

	p->n = 0;
	for (unsigned i = 0; i < n; i++) {
		bool low = is_low(b, list[i]);
		size_t classes = b->field[list[i]].n_classes;
		unsigned g = 0;

		while (g < p->n && (p->group[g].low != low ||
					   p->group[g].rows * classes * b->words > PRODUCT_WORDS))
			g++;
		if (g == p->n)
			p->group[p->n++] = (struct group){.low = low, .rows = 1};
		p->group[g].field[p->group[g].n++] = list[i];
		p->group[g].rows *= classes;
	}
	if (p->n == 0) // every rule matches every key
		p->group[p->n++] = (struct group){.rows = 1};
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

static uint32_t whole_nodes(uint32_t n)
{
	return (n + BITS_NODE - 1) / BITS_NODE * BITS_NODE;
}

static void pad(uint32_t *end, uint32_t n)
{
	while (n % BITS_NODE != 0)
		end[n++] = UINT32_MAX;
}

// The levels of the search tree: above each node of 16 ends stands the last of them.  What fills the
// last node is never less than a value, so that a search ends in a real cell.
static int make_tree(struct bits_field *f, struct bits_step *s)
{
	uint32_t n = f->n_cells, need = 0, *to;
	const uint32_t *from = f->end;
	size_t max = f->max_up;

	for (uint32_t m = n; m > BITS_NODE; m = (m + BITS_NODE - 1) / BITS_NODE)
		need += whole_nodes((m + BITS_NODE - 1) / BITS_NODE);
	if (reserve(&f->up, &max, need, sizeof(*f->up)) != 0)
		return -ENOMEM;
	f->max_up = (uint32_t)max;
	pad(f->end, n);
	s->levels = 1;
	for (uint32_t m = n; m > BITS_NODE; m = (m + BITS_NODE - 1) / BITS_NODE)
		s->levels++;
	s->level[s->levels - 1] = f->end;
	to = f->up;
	for (unsigned l = s->levels - 1; l-- > 0;) {
		n = (n + BITS_NODE - 1) / BITS_NODE;
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i * BITS_NODE + BITS_NODE - 1];
		pad(to, n);
		s->level[l] = from = to;
		to += whole_nodes(n);
	}
	return 0;
}

static int make_step(struct bits *b, unsigned field, size_t stride, struct bits_step *s)
{
	struct bits_field *f = &b->field[field];
	unsigned size;

	*s = (struct bits_step){.at = (uint16_t)bits_field_at(field, &size), .off = f->off};
	s->size = (uint8_t)size;
	s->n_cells = f->n_cells;
	for (uint32_t i = 0; i < f->n_cells; i++)
		f->off[i] = (uint32_t)(f->cls[i] * stride);
	return f->end != NULL ? make_tree(f, s) : 0;
}

// All ANDs of one row of each field, the first field's row counting fastest.
static void multiply(const struct bits *b, const struct group *g, uint64_t *out)
{
	size_t have = 1, words = b->words;

	memcpy(out, b->used, words * sizeof(*out));
	for (unsigned i = 0; i < g->n; i++) {
		const struct bits_field *f = &b->field[g->field[i]];

		for (size_t k = f->n_classes; k-- > 0;) {
			const uint64_t *row = &f->rows[k * words];

			for (size_t at = 0; at < have * words; at++)
				out[k * have * words + at] = out[at] & row[at % words];
		}
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
	v->n_groups = v->n_groups4 = 0;
	for (unsigned i = 0; i < p.n; i++) {
		const struct group *g = &p.group[i];
		size_t stride = p.n == 1 ? 1 : b->words;

		v->group[i].step = step;
		v->group[i].n_steps = g->n;
		for (unsigned k = 0; k < g->n; k++) {
			if (make_step(b, g->field[k], stride, &v->step[step++]) != 0)
				return -ENOMEM;
			stride *= b->field[g->field[k]].n_classes;
		}
		if (make_rows(b, g, i, p.n == 1) != 0)
			return -ENOMEM;
		v->n_groups++;
		v->n_groups4 += !g->low;
	}
	return 0;
}

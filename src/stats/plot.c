// SPDX-License-Identifier: BSD-2-Clause
// plot.c - ministat's picture: values stacked in columns above a bar for mean, deviation, median.
//
// A column holds the values that fall on it, stacked by set; where the stacks of several sets
// cover a cell, their numbers (1, 2, 3, ...) are ORed and give the symbol.  The picture is thus
// determined by the count of values per set and column, and no cell is stored.
//
// The picture is FreeBSD's to the byte, its two oddities with it: only the height of the set placed
// last is shown, and what lies above the height of the set before is cleared when a higher one
// follows (`top` is lowered); and with three sets the OR of the first two gives the third's symbol.
#include "stats/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the original's search for the ends starts; values beyond stretch the picture.
static const double scale_limit = 999e99;

struct plot {
	struct plot_opts o;
	unsigned n_sets;
	double min, span, x0, dx;
	unsigned *count[PLOT_SETS]; // values in each column
	unsigned top[PLOT_SETS];    // cells above are not shown
	unsigned height;
	char *bar[PLOT_SETS];
};

char plot_symbol(unsigned set)
{
	return "x+*%#@O"[set];
}

static int plot_column(const struct plot *p, double v)
{
	double x = (v - p->x0) / p->dx;

	// Rounding may leave the frame by less than a column when the span is a few ulps.
	if (!(x >= 0))
		return 0;
	return x >= p->o.width ? p->o.width - 1 : (int)x;
}

static void plot_scale(struct plot *p, const struct plot_set *set)
{
	double min = scale_limit;
	double max = -scale_limit;

	for (unsigned i = 0; i < p->n_sets; i++) {
		min = fmin(fmin(min, set[i].sorted[0]), set[i].mean - set[i].stddev);
		max = fmax(fmax(max, set[i].sorted[set[i].n - 1]), set[i].mean + set[i].stddev);
	}
	p->min = min;
	p->span = max - min;
	p->dx = p->span / (p->o.width - 1.0);
	p->x0 = min - .5 * p->dx;
}

static void plot_bar(const struct plot *p, char *bar, const struct plot_set *set)
{
	int left = plot_column(p, set->mean - set->stddev);
	int right = plot_column(p, set->mean + set->stddev);

	bar[right] = '|';
	bar[left] = '|';
	for (int x = left + 1; x < right; x++)
		if (bar[x] == ' ')
			bar[x] = '_';
	bar[plot_column(p, set->median)] = 'M';
	bar[plot_column(p, set->mean)] = 'A';
}

// The first of sorted[from..n) in another column than `from`.
static unsigned next_column(const struct plot *p, const struct plot_set *set, unsigned from)
{
	int x = plot_column(p, set->sorted[from]);
	unsigned lo = from + 1;
	unsigned hi = set->n;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (plot_column(p, set->sorted[mid]) == x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void plot_place(struct plot *p, unsigned i, const struct plot_set *set)
{
	unsigned tallest = 1;

	for (unsigned k = 0, next; k < set->n; k = next) {
		next = next_column(p, set, k);
		p->count[i][plot_column(p, set->sorted[k])] = next - k;
		if (next - k > tallest)
			tallest = next - k;
	}
	p->top[i] = tallest;
	if (tallest > p->height)
		for (unsigned k = 0; k < i; k++)
			if (p->top[k] > p->height)
				p->top[k] = p->height;
	p->height = tallest;
	plot_bar(p, p->bar[p->o.one_bar_line ? i : 0], set);
}

static char plot_char(const struct plot *p, int x, unsigned height)
{
	unsigned value = 0;

	for (unsigned i = 0; i < p->n_sets; i++)
		if (height <= p->count[i][x] && height <= p->top[i])
			value |= i + 1;
	return value == 0 ? ' ' : plot_symbol(value - 1);
}

static bool plot_is_empty(const struct plot *p)
{
	return p->span == 0 || !isfinite(p->span);
}

struct plot *plot_new(const struct plot_set *set, unsigned n, const struct plot_opts *o)
{
	struct plot *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->o = *o;
	p->n_sets = n;
	plot_scale(p, set);
	if (plot_is_empty(p))
		return p;
	for (unsigned i = 0; i < n; i++) {
		p->count[i] = calloc((size_t)o->width, sizeof(*p->count[i]));
		p->bar[i] = malloc((size_t)o->width);
		if (p->count[i] == NULL || p->bar[i] == NULL) {
			plot_free(p);
			return NULL;
		}
		memset(p->bar[i], ' ', (size_t)o->width);
	}
	for (unsigned i = 0; i < n; i++)
		plot_place(p, i, &set[i]);
	return p;
}

void plot_free(struct plot *p)
{
	if (p == NULL)
		return;
	for (unsigned i = 0; i < p->n_sets; i++) {
		free(p->count[i]);
		free(p->bar[i]);
	}
	free(p);
}

static void plot_row(FILE *out, char edge, const char *row, int width)
{
	putc(edge, out);
	fwrite(row, 1, (size_t)width, out);
	putc(edge, out);
	putc('\n', out);
}

void plot_print(const struct plot *p, FILE *out)
{
	char *row = malloc((size_t)p->o.width);

	if (plot_is_empty(p) || row == NULL) {
		fprintf(out, "[no plot, span is %s]\n", p->span == 0 ? "zero width" : "not finite");
		free(row);
		return;
	}
	memset(row, '-', (size_t)p->o.width);
	plot_row(out, '+', row, p->o.width);
	for (unsigned h = p->height; h >= 1; h--) {
		for (int x = 0; x < p->o.width; x++)
			row[x] = plot_char(p, x, h);
		plot_row(out, '|', row, p->o.width);
	}
	for (unsigned i = 0; i < (p->o.one_bar_line ? p->n_sets : 1); i++)
		plot_row(out, '|', p->bar[i], p->o.width);
	memset(row, '-', (size_t)p->o.width);
	plot_row(out, '+', row, p->o.width);
	free(row);
}

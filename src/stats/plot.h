// SPDX-License-Identifier: BSD-2-Clause
// plot.h - ministat's picture of up to seven sets.
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { PLOT_SETS = 7, PLOT_WIDTH_MIN = 2, PLOT_WIDTH_MAX = 1 << 20 };

struct plot_set {
	const double *sorted; // ascending
	unsigned n;
	double mean, stddev, median;
};

struct plot_opts {
	int width; // PLOT_WIDTH_MIN..PLOT_WIDTH_MAX
	bool one_bar_line;
};

struct plot;

// NULL if there is no memory.
struct plot *plot_new(const struct plot_set *set, unsigned n, const struct plot_opts *o);
void plot_free(struct plot *p);

void plot_print(const struct plot *p, FILE *out);

char plot_symbol(unsigned set);

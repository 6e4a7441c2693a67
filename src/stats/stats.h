// SPDX-License-Identifier: BSD-2-Clause
// stats.h - samples, ministat, and tests of a difference.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// n values in the order they were taken; name is shown in legends.
struct sample {
	const char *name;
	const double *v;
	unsigned n;
};

double sample_median(const struct sample *s);
double sample_mean(const struct sample *s);
double sample_stddev(const struct sample *s); // n - 1; Welford
double sample_min(const struct sample *s);
double sample_max(const struct sample *s);

// FreeBSD's ministat, to the byte.
struct ministat_opts {
	double confidence; // 80 90 95 98 99 99.5; 0 = 95
	int width;         // of the plot; 0 = 74
	bool no_plot;      // -A
	bool vitals_only;  // -n
	bool quiet;        // -q
	bool one_bar_line; // -s: one bar line for each set
	bool compat;       // keep the original's defects
};

// Writes legend, plot, vitals and the comparisons with the first of n (1..7) sets of at least 3
// values each.
int ministat_print(FILE *out, const struct sample *s, unsigned n, const struct ministat_opts *o,
	struct err *err);

enum verdict { FASTER, SLOWER, EQUIVALENT, INCONCLUSIVE, INVALID };

// B against A, larger values better.  All relative figures are fractions (0.01 = 1 %).
struct comparison {
	enum verdict verdict;
	double margin;                         // the M of "equivalent within M%"
	double effect;                         // median(b) / median(a) - 1
	double ci_lo, ci_hi;                   // its bootstrap interval
	double confidence;                     // of it, 0.95
	double p_mw, p_welch;                  // two-sided
	double welch_diff, welch_lo, welch_hi; // means, in the values' unit
	double hl_shift, hl_lo, hl_hi;         // Hodges-Lehmann, in the values' unit
	double cliff_delta;
	double mde;    // minimum detectable effect, 80 % power, 5 %
	double noise;  // the noise floor that was given
	uint64_t seed; // of the bootstrap
	char why[200]; // one sentence: the rule that led to the verdict
};

struct compare_opts {
	double margin; // 0 = 0.02
	double noise;  // A/A noise floor; a smaller effect is never faster or slower
	uint64_t seed; // 0 = 1
	bool smaller_is_better;
};

int compare(const struct sample *a, const struct sample *b, const struct compare_opts *o,
	struct comparison *out, struct err *err);

const char *verdict_text(const struct comparison *c, char *out, unsigned size);

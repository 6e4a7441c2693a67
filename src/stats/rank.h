// SPDX-License-Identifier: BSD-2-Clause
// rank.h - rank tests: Mann-Whitney for two samples, Wilcoxon's signed ranks for pairs.
#pragma once

#include <stdbool.h>

enum {
	RANK_SUM_EXACT = 50,    // n_a + n_b up to which the null distribution is counted
	RANK_SIGNED_EXACT = 50, // pairs
};

struct rank_test {
	double p;     // two-sided
	double delta; // P(b > a) - P(b < a)
	bool exact;   // null distribution counted, also with ties
};

// Ascending samples; no NaN.  -ENOMEM.
int rank_sum(const double *a, unsigned na, const double *b, unsigned nb, struct rank_test *out);

// Differences in any order, which are sorted by size; zeros are ranked and then left out (Pratt).
int rank_signed(double *d, unsigned n, struct rank_test *out);

// The largest c with P(U < c) <= tail for the Mann-Whitney U, or for Wilcoxon's signed-rank sum,
// without ties: the c-th smallest and c-th largest elementary estimates bound an interval of
// confidence 1 - 2 tail.  0 if there is none.
double rank_sum_bound(unsigned na, unsigned nb, double tail);
double rank_signed_bound(unsigned n, double tail);

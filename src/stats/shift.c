// SPDX-License-Identifier: BSD-2-Clause
// shift.c - Hodges-Lehmann estimates without listing the elementary estimates.
//
// The k-th smallest of all differences (or pairwise means) is found by halving the interval of
// doubles, taken as ordered integers: 64 steps, each counting the estimates up to a value in one
// walk along both ascending sides.  So a million values need no table of 10^12 differences.
// Subtraction and addition round monotonically, which is all the walk relies on.
#include "stats/shift.h"

#include "stats/sort.h"

#include <math.h>

struct pairs {
	const double *a, *b; // ascending; b NULL: means of pairs of a
	unsigned na, nb;
};

static double mean_of(double x, double y)
{
	return x / 2 + y / 2;
}

// Differences b[j] - a[i] up to x.
static double count_differences(const struct pairs *p, double x)
{
	double count = 0;
	unsigned j = 0;

	for (unsigned i = 0; i < p->na; i++) {
		while (j < p->nb && p->b[j] - p->a[i] <= x)
			j++;
		count += j;
	}
	return count;
}

// Means of a[i] and a[j], i <= j, up to x.
static double count_means(const struct pairs *p, double x)
{
	unsigned j = p->na;
	double count = 0;

	for (unsigned i = 0; i < p->na; i++) {
		while (j > 0 && mean_of(p->a[i], p->a[j - 1]) > x)
			j--;
		if (j <= i)
			break;
		count += j - i;
	}
	return count;
}

// k counts from 1.
static double kth(const struct pairs *p, double k)
{
	uint64_t lo = sort_key(-INFINITY);
	uint64_t hi = sort_key(INFINITY);

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;
		double x = sort_value(mid);
		double count = p->b != NULL ? count_differences(p, x) : count_means(p, x);

		if (count >= k)
			hi = mid;
		else
			lo = mid + 1;
	}
	return sort_value(lo);
}

static void estimate(const struct pairs *p, double total, double c, struct shift *out)
{
	double upper = kth(p, floor(total / 2) + 1);

	out->median = upper;
	if (fmod(total, 2) == 0)
		out->median = mean_of(kth(p, total / 2), upper);
	out->lo = c > 0 ? kth(p, c) : -INFINITY;
	out->hi = c > 0 ? kth(p, total + 1 - c) : INFINITY;
}

void shift_two(
	const double *a, unsigned na, const double *b, unsigned nb, double c, struct shift *out)
{
	struct pairs p = {a, b, na, nb};

	estimate(&p, (double)na * nb, c, out);
}

void shift_paired(const double *d, unsigned n, double c, struct shift *out)
{
	struct pairs p = {d, NULL, n, 0};

	estimate(&p, n * (n + 1.0) / 2, c, out);
}

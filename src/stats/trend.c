// SPDX-License-Identifier: BSD-2-Clause
// trend.c - does a sample drift while it is taken?
//
// Kendall's tau against the order of the values (Mann 1945): pairs that rise minus pairs that fall.
// Without ties every number of falling pairs is as likely as there are orders with so many
// inversions, which is counted up to 50 values; otherwise the normal approximation serves, with the
// variance for ties in Kendall, Rank Correlation Methods.  Falling pairs are counted by merge sort.
#include "stats/dist.h"
#include "stats/sort.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TREND_EXACT = 50, INVERSIONS_MAX = TREND_EXACT * (TREND_EXACT - 1) / 2 };

// Sorts v[n] and returns the number of pairs that were in falling order.
static double count_falling(double *v, double *tmp, size_t n)
{
	size_t half = n / 2;
	size_t i = 0;
	size_t j = half;
	double falling;

	if (n < 2)
		return 0;
	falling = count_falling(v, tmp, half) + count_falling(v + half, tmp, n - half);
	for (size_t k = 0; k < n; k++) {
		if (j >= n || (i < half && v[i] <= v[j])) {
			tmp[k] = v[i++];
		} else {
			falling += (double)(half - i);
			tmp[k] = v[j++];
		}
	}
	memcpy(v, tmp, n * sizeof(*v));
	return falling;
}

// P(falling <= x) of n distinct values in random order.
static double inversions_cdf(unsigned n, double x)
{
	double ways[INVERSIONS_MAX + 1] = {1};
	double next[INVERSIONS_MAX + 1];
	unsigned max = 0;
	double p = 0;

	// The k-th value falls below 0..k-1 of those before it; shares instead of counts: 50! is large.
	for (unsigned k = 2; k <= n; k++) {
		memset(next, 0, sizeof(next));
		for (unsigned s = 0; s <= max; s++)
			for (unsigned f = 0; f < k; f++)
				next[s + f] += ways[s] / k;
		max += k - 1;
		memcpy(ways, next, sizeof(ways));
	}
	for (unsigned s = 0; s <= max && s <= x; s++)
		p += ways[s];
	return p;
}

void sample_trend(const struct sample *s, double *tau, double *p)
{
	double n = s->n;
	double pairs = n * (n - 1) / 2;
	double *v = s->n >= 3 ? malloc(2 * (size_t)s->n * sizeof(*v)) : NULL;
	double tied = 0;
	double tied_var = 0;
	double score, falling, var;

	*tau = 0;
	*p = 1;
	if (v == NULL)
		return;
	memcpy(v, s->v, s->n * sizeof(*v));
	falling = count_falling(v, v + s->n, s->n);
	for (unsigned i = 0, j; i < s->n; i = j) {
		double t;

		for (j = i + 1; j < s->n && v[j] == v[i]; j++)
			;
		t = j - i;
		tied += t * (t - 1) / 2;
		tied_var += t * (t - 1) * (2 * t + 5);
	}
	free(v);
	score = pairs - tied - 2 * falling;
	*tau = score / pairs;
	var = (n * (n - 1) * (2 * n + 5) - tied_var) / 18;
	if (tied == 0 && s->n <= TREND_EXACT)
		*p = fmin(1, 2 * inversions_cdf(s->n, fmin(falling, pairs - falling)));
	else if (var > 0 && score != 0)
		*p = fmin(1, 2 * dist_normal_cdf(-(fabs(score) - 1) / sqrt(var)));
}

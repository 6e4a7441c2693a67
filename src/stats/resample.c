// SPDX-License-Identifier: BSD-2-Clause
// resample.c - bootstrap intervals of medians.
//
// A resample draws n of the n values with replacement, that is, n uniform numbers scaled to
// indices.  Its median needs only the middle one or two of them in order.  The m-th smallest of n
// uniform numbers has a Beta(m, n + 1 - m) distribution, and the next one is the least of n - m
// uniform numbers above it; so they are drawn directly, at the same cost for 5 values and for a
// million, and with exactly the distribution of the plain bootstrap.
//
// The interval is the percentile one.  The bias and acceleration of BCa come from a jackknife,
// which does not work for a median: leaving one value out moves it by one of two steps only.
#include "stats/resample.h"

#include "stats/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

double rng_uniform(struct rng *r)
{
	return ((double)(rng_next(r) >> 12) + 0.5) * 0x1p-52;
}

// Marsaglia's polar method.
double rng_normal(struct rng *r)
{
	double x, y, square, scale;

	r->has_spare = !r->has_spare;
	if (!r->has_spare)
		return r->spare;
	do {
		x = 2 * rng_uniform(r) - 1;
		y = 2 * rng_uniform(r) - 1;
		square = x * x + y * y;
	} while (square >= 1);
	scale = sqrt(-2 * log(square) / square);
	r->spare = y * scale;
	return x * scale;
}

// Gamma(k, 1), k >= 1: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
static double rng_gamma(struct rng *r, double k)
{
	double d = k - 1.0 / 3;
	double c = 1 / sqrt(9 * d);

	for (;;) {
		double x = rng_normal(r);
		double v = 1 + c * x;
		double u;

		if (v <= 0)
			continue;
		v = v * v * v;
		u = rng_uniform(r);
		// The first is implied by the second and nearly always enough.
		if (u < 1 - 0.0331 * x * x * x * x)
			return d * v;
		if (log(u) < x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}

static double at(const double *v, unsigned n, double u)
{
	unsigned i = (unsigned)(u * n);

	return v[i < n ? i : n - 1];
}

static double one_median(struct rng *r, const double *v, unsigned n)
{
	double m = floor((n + 1.0) / 2);
	double g = rng_gamma(r, m);
	double u = g / (g + rng_gamma(r, n + 1.0 - m));
	double next;

	if (n % 2 == 1)
		return at(v, n, u);
	next = u + (1 - u) * (1 - pow(rng_uniform(r), 1 / (n - m)));
	return at(v, n, u) / 2 + at(v, n, next) / 2;
}

static double ratio(double a, double b)
{
	if (a == 0)
		return b == 0 ? 1 : INFINITY;
	return b / a;
}

// The interval of RESAMPLES values, outwards to a value; frees them.
static void percentiles(double *r, double confidence, struct interval *out)
{
	unsigned cut = (unsigned)((1 - confidence) / 2 * RESAMPLES);

	sort_doubles(r, r + RESAMPLES, RESAMPLES);
	out->lo = r[cut > 0 ? cut - 1 : 0] - 1;
	out->hi = r[cut > 0 ? RESAMPLES - cut : RESAMPLES - 1] - 1;
	free(r);
}

int resample_ratio(const double *a, unsigned na, const double *b, unsigned nb, double confidence,
	uint64_t seed, struct interval *out)
{
	double *r = malloc(2 * RESAMPLES * sizeof(*r));
	struct rng rng = {.state = seed};

	if (r == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < RESAMPLES; i++) {
		double ma = one_median(&rng, a, na);

		r[i] = ratio(ma, one_median(&rng, b, nb));
	}
	percentiles(r, confidence, out);
	return 0;
}

int resample_median(
	const double *v, unsigned n, double confidence, uint64_t seed, struct interval *out)
{
	double *r = malloc(2 * RESAMPLES * sizeof(*r));
	struct rng rng = {.state = seed};

	if (r == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < RESAMPLES; i++)
		r[i] = one_median(&rng, v, n);
	percentiles(r, confidence, out);
	return 0;
}

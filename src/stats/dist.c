// SPDX-License-Identifier: BSD-2-Clause
// dist.c - the normal and Student's t distributions.
//
// Abramowitz and Stegun, Handbook of Mathematical Functions: 26.5.8 is the continued fraction of
// the incomplete beta function, 26.7.1 the t distribution by it.  The fraction is evaluated from the
// front (Lentz); it converges in about sqrt(max(a, b)) steps when x < (a + 1) / (a + b + 2), and the
// symmetry I_x(a, b) = 1 - I_{1-x}(b, a) serves the other half.
#include "stats/dist.h"

#include <float.h>
#include <math.h>

enum { FRACTION_STEPS = 100000 };

static double nonzero(double v)
{
	return fabs(v) < DBL_MIN ? DBL_MIN : v;
}

static double beta_fraction(double a, double b, double x)
{
	double c = 1;
	double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
	double h = d;

	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / nonzero(1 + even * d);
		c = nonzero(1 + even / c);
		h *= d * c;
		d = 1 / nonzero(1 + odd * d);
		c = nonzero(1 + odd / c);
		h *= d * c;
		if (fabs(d * c - 1) < 4 * DBL_EPSILON)
			break;
	}
	return h;
}

// log(x^a (1-x)^b / B(a, b)) for y = 1 - x.
static double beta_log_front(double a, double b, double x, double y)
{
	int sign;

	return lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) +
	       b * log(y);
}

// x and y = 1 - x are both given, so that neither loses digits near 0 or 1.
static double beta_xy(double a, double b, double x, double y)
{
	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	if (x < (a + 1) / (a + b + 2))
		return exp(beta_log_front(a, b, x, y)) * beta_fraction(a, b, x) / a;
	return 1 - exp(beta_log_front(a, b, x, y)) * beta_fraction(b, a, y) / b;
}

double dist_beta(double a, double b, double x)
{
	return beta_xy(a, b, x, 1 - x);
}

double dist_normal_cdf(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

double dist_t_two_sided(double t, double df)
{
	double tt = t * t;

	if (isinf(df))
		return erfc(fabs(t) / sqrt(2));
	if (isinf(tt))
		return 0;
	return beta_xy(df / 2, 0.5, df / (df + tt), tt / (df + tt));
}

double dist_t_quantile(double p, double df)
{
	double tail = p < 0.5 ? 2 * p : 2 * (1 - p); // both tails
	double lo = 0;
	double hi = 1;

	while (dist_t_two_sided(hi, df) > tail && hi < 1e300)
		hi *= 2;
	// Halving ends when no double lies between.
	for (;;) {
		double mid = lo + (hi - lo) / 2;

		if (mid <= lo || mid >= hi)
			break;
		if (dist_t_two_sided(mid, df) > tail)
			lo = mid;
		else
			hi = mid;
	}
	return p < 0.5 ? -hi : hi;
}

// SPDX-License-Identifier: BSD-2-Clause
// sample.c - location and spread of one sample.
#include "stats/sort.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

double sample_mean(const struct sample *s)
{
	double sum = 0;

	if (s->n == 0)
		return NAN;
	for (unsigned i = 0; i < s->n; i++)
		sum += s->v[i];
	if (isfinite(sum))
		return sum / s->n;
	// The sum overflows long before the mean does.
	sum = 0;
	for (unsigned i = 0; i < s->n; i++)
		sum += s->v[i] / s->n;
	return sum;
}

double sample_stddev(const struct sample *s)
{
	double mean = sample_mean(s);
	double sum = 0;

	if (s->n < 2)
		return NAN;
	for (unsigned i = 0; i < s->n; i++)
		sum += (s->v[i] - mean) * (s->v[i] - mean);
	return sqrt(sum / (s->n - 1.0));
}

double sample_min(const struct sample *s)
{
	double min = s->n > 0 ? s->v[0] : NAN;

	for (unsigned i = 1; i < s->n; i++)
		min = fmin(min, s->v[i]);
	return min;
}

double sample_max(const struct sample *s)
{
	double max = s->n > 0 ? s->v[0] : NAN;

	for (unsigned i = 1; i < s->n; i++)
		max = fmax(max, s->v[i]);
	return max;
}

double sample_percentile(const struct sample *s, double p)
{
	double *v = s->n > 0 ? sort_copy(s->v, s->n) : NULL;
	double at = p / 100 * (s->n - 1.0);
	double out;
	unsigned i;

	if (v == NULL || !(p >= 0 && p <= 100)) {
		free(v);
		return NAN;
	}
	i = (unsigned)at;
	out = v[i];
	// Nothing is added where nothing lies between: inf - inf would be NaN.
	if (i + 1 < s->n && at > i && v[i + 1] != v[i])
		out += (v[i + 1] - v[i]) * (at - i);
	free(v);
	return out;
}

// As FreeBSD's ministat since 2018: the mean of the two middle values of an even count.
double sample_median(const struct sample *s)
{
	double *v = s->n > 0 ? sort_copy(s->v, s->n) : NULL;
	double out;

	if (v == NULL)
		return NAN;
	out = s->n % 2 == 1 ? v[s->n / 2] : (v[s->n / 2] + v[s->n / 2 - 1]) / 2;
	free(v);
	return out;
}

double sample_mad(const struct sample *s)
{
	double median = sample_median(s);
	double *v = malloc((s->n + (size_t)1) * sizeof(*v));
	struct sample dev = {.name = s->name, .v = v, .n = s->n};
	double out;

	if (v == NULL)
		return NAN;
	for (unsigned i = 0; i < s->n; i++)
		v[i] = fabs(s->v[i] - median);
	out = sample_median(&dev);
	free(v);
	return out;
}

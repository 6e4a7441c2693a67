// SPDX-License-Identifier: BSD-2-Clause
// ministat.c - FreeBSD's ministat: vitals and Student's t test against the first set.
//
// The figures are computed in the original's order (the mean over the values as they came, the
// deviations over the sorted values), so that they print alike to the last digit.  Where the
// original's figure or label is wrong ours is right, unless compat asks for the original's:
// - at 99.5 % it takes t for 99.8 %;
// - a value above 99,999,999 is cut to eight digits.
// The picture is always the original's (plot.c).
#include "stats/dist.h"
#include "stats/plot.h"
#include "stats/sort.h"
#include "stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { TABLE_DF = 100, WIDTH_DEFAULT = 74 };

static const double confidences[] = {80, 90, 95, 98, 99, 99.5};

struct set {
	const char *name;
	double *sorted;
	unsigned n;
	double min, max, median, mean, var;
};

bool ministat_has_confidence(double confidence)
{
	for (size_t i = 0; i < sizeof(confidences) / sizeof(confidences[0]); i++)
		if (confidence == confidences[i])
			return true;
	return false;
}

// Six entries of the original's last column are misprints of the 99.8 % points.
static const double misprint[] = {[7] = 4.782, 4.499, 4.296, 4.143, 4.024, 3.929};

double ministat_t(double confidence, unsigned df, bool compat)
{
	double two_sided = compat && confidence == 99.5 ? 99.8 : confidence;
	double t;

	if (two_sided == 99.8 && df >= 7 && df < sizeof(misprint) / sizeof(misprint[0]))
		return misprint[df];
	t = dist_t_quantile(0.5 + two_sided / 200, df > TABLE_DF ? INFINITY : df);
	return rint(t * 1000) / 1000;
}

static int set_load(struct set *set, const struct sample *s, struct err *err)
{
	double sum = 0;

	set->name = s->name;
	set->n = s->n;
	if (s->n < MINISTAT_MIN)
		return err_set(
			err, EINVAL, "Dataset %s must contain at least 3 data points", s->name);
	for (unsigned i = 0; i < s->n; i++)
		if (!isfinite(s->v[i]))
			return err_set(err, EINVAL, "Dataset %s holds a value that is not finite",
				s->name);
	set->sorted = sort_copy(s->v, s->n);
	if (set->sorted == NULL)
		return err_set(err, ENOMEM, "Dataset %s: out of memory", s->name);
	set->min = set->sorted[0];
	set->max = set->sorted[s->n - 1];
	set->median = set->sorted[s->n / 2];
	if (s->n % 2 == 0)
		set->median = (set->median + set->sorted[s->n / 2 - 1]) / 2;
	set->mean = sample_mean(s);
	for (unsigned i = 0; i < s->n; i++)
		sum += (set->sorted[i] - set->mean) * (set->sorted[i] - set->mean);
	set->var = sum / (s->n - 1.0);
	return 0;
}

// FreeBSD's printf knows no negative NaN.
static double plain(double v)
{
	return isnan(v) ? (double)NAN : v;
}

static void print_value(FILE *out, double v, bool compat)
{
	// As many digits as the column has room for, beside sign and point.
	double limit = v < 0 ? 1e11 : 1e12;
	int digits = v < 0 ? 11 : 12;

	if (compat || fabs(v) <= 99999999 || fabs(v) >= limit)
		digits = 8;
	fprintf(out, " %13.*g", digits, plain(v));
}

static void print_vitals(FILE *out, const struct set *set, unsigned i, bool compat)
{
	fprintf(out, "%c %3u", plot_symbol(i), set->n);
	print_value(out, set->min, compat);
	print_value(out, set->max, compat);
	print_value(out, set->median, compat);
	print_value(out, set->mean, compat);
	print_value(out, sqrt(set->var), compat);
	putc('\n', out);
}

static void print_test(
	FILE *out, const struct set *a, const struct set *b, double conf, bool compat)
{
	double na = a->n;
	double nb = b->n;
	double df = na + nb - 2;
	double t = ministat_t(conf, a->n + b->n - 2, compat);
	double pooled = sqrt(((nb - 1) * b->var + (na - 1) * a->var) / df);
	double diff = b->mean - a->mean;
	double error = t * (pooled * sqrt(1.0 / nb + 1.0 / na));
	// The error of the ratio of two means, to first order.
	double ratio_var = (nb - 1) * b->var +
			   (na - 1) * a->var * (b->mean * b->mean) / (a->mean * a->mean);
	double ratio_error = t * sqrt(ratio_var * ((nb + na) / (nb * na * df)));

	if (!(fabs(diff) > error)) {
		fprintf(out, "No difference proven at %.1f%% confidence\n", conf);
		return;
	}
	fprintf(out, "Difference at %.1f%% confidence\n", conf);
	fprintf(out, "\t%g +/- %g\n", diff, error);
	fprintf(out, "\t%g%% +/- %g%%\n", plain(diff * 100 / a->mean),
		plain(ratio_error * 100 / a->mean));
	fprintf(out, "\t(Student's t, pooled s = %g)\n", pooled);
}

static int print_head(FILE *out, const struct set *set, unsigned n, const struct ministat_opts *o,
	struct err *err)
{
	struct plot_opts po = {o->width == 0 ? WIDTH_DEFAULT : o->width, o->one_bar_line};
	struct plot_set ps[MINISTAT_SETS];
	struct plot *plot = NULL;

	for (unsigned i = 0; i < n; i++)
		ps[i] = (struct plot_set){
			set[i].sorted, set[i].n, set[i].mean, sqrt(set[i].var), set[i].median};
	if (!o->no_plot && !o->vitals_only) {
		plot = plot_new(ps, n, &po);
		if (plot == NULL)
			return err_set(err, ENOMEM, "no memory for the plot");
	}
	for (unsigned i = 0; i < n && !o->quiet; i++)
		fprintf(out, "%c %s\n", plot_symbol(i), set[i].name);
	if (plot != NULL)
		plot_print(plot, out);
	plot_free(plot);
	if (!o->quiet)
		fputs("    N           Min           Max        Median           Avg        Stddev\n",
			out);
	return 0;
}

int ministat_print(FILE *out, const struct sample *s, unsigned n, const struct ministat_opts *o,
	struct err *err)
{
	double conf = o->confidence == 0 ? 95 : o->confidence;
	struct set set[MINISTAT_SETS] = {0};
	int rc = 0;

	if (n < 1 || n > MINISTAT_SETS)
		return err_set(err, EINVAL, "%u sets: ministat shows 1 to %d", n, MINISTAT_SETS);
	if (!ministat_has_confidence(conf))
		return err_set(err, EINVAL, "no support for confidence level %g", conf);
	if (o->width != 0 && (o->width < PLOT_WIDTH_MIN || o->width > PLOT_WIDTH_MAX))
		return err_set(err, EINVAL, "a plot %d columns wide: %d to %d are possible",
			o->width, PLOT_WIDTH_MIN, PLOT_WIDTH_MAX);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = set_load(&set[i], &s[i], err);
	if (rc == 0)
		rc = print_head(out, set, n, o, err);
	for (unsigned i = 0; i < n && rc == 0; i++) {
		print_vitals(out, &set[i], i, o->compat);
		if (i > 0 && !o->vitals_only)
			print_test(out, &set[0], &set[i], conf, o->compat);
	}
	for (unsigned i = 0; i < n; i++)
		free(set[i].sorted);
	return rc;
}

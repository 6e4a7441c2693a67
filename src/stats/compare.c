// SPDX-License-Identifier: BSD-2-Clause
// compare.c - the figures of a comparison of two samples, or of blocks of two values.
//
// Welch's t test (Welch 1947) and the paired t test are shown for those who look for them; the
// verdict (verdict.c) goes by ranks and by the bootstrap of the median, because runs of a router
// have tails far heavier than the normal distribution's.
#include "stats/dist.h"
#include "stats/rank.h"
#include "stats/resample.h"
#include "stats/shift.h"
#include "stats/sort.h"
#include "stats/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double confidence = 0.95;
static const double power = 0.8;
static const double tail = 0.025;

static int options(const struct compare_opts *o, struct comparison *c, struct err *err)
{
	c->margin = o->margin == 0 ? 0.02 : o->margin;
	c->noise = o->noise;
	c->seed = o->seed == 0 ? 1 : o->seed;
	c->smaller_is_better = o->smaller_is_better;
	if (!(c->margin > 0) || !isfinite(c->margin))
		return err_set(err, EINVAL, "margin %g: must be a positive fraction", o->margin);
	if (!(c->noise >= 0) || !isfinite(c->noise))
		return err_set(
			err, EINVAL, "noise floor %g: must be a fraction from 0 up", o->noise);
	return 0;
}

static bool invalid(struct comparison *c, const struct sample *s, const char *what)
{
	c->verdict = INVALID;
	snprintf(c->why, sizeof(c->why), "%s: %s", s->name, what);
	return true;
}

// Why no ratio of medians can be had from this sample.
static bool unusable(struct comparison *c, const struct sample *s)
{
	if (s->n < COMPARE_MIN)
		return invalid(c, s, "a verdict needs at least 4 values");
	for (unsigned i = 0; i < s->n; i++)
		if (!isfinite(s->v[i]) || s->v[i] < 0)
			return invalid(c, s, "a value is negative or not finite");
	return false;
}

// Difference +- t * error, with what follows from it.
static void student(struct comparison *c, double diff, double error, double df, double base)
{
	double t = error > 0 ? dist_t_quantile(1 - tail, df) : 0;

	c->welch_diff = diff;
	c->welch_lo = diff - t * error;
	c->welch_hi = diff + t * error;
	if (error > 0)
		c->p_welch = dist_t_two_sided(diff / error, df);
	else
		c->p_welch = diff == 0 ? 1 : 0;
	c->mde = error > 0 ? (t + dist_t_quantile(power, df)) * error / base : 0;
}

static void welch(struct comparison *c, const struct sample *a, const struct sample *b)
{
	double va = sample_stddev(a) * sample_stddev(a) / a->n;
	double vb = sample_stddev(b) * sample_stddev(b) / b->n;
	double df = (va + vb) * (va + vb) / (va * va / (a->n - 1.0) + vb * vb / (b->n - 1.0));

	student(c, sample_mean(b) - sample_mean(a), sqrt(va + vb), df, sample_mean(a));
}

static double middle(const double *sorted, unsigned n)
{
	return n % 2 == 1 ? sorted[n / 2] : sorted[n / 2] / 2 + sorted[n / 2 - 1] / 2;
}

static void set_shift(struct comparison *c, const struct shift *s)
{
	c->hl_shift = s->median;
	c->hl_lo = s->lo;
	c->hl_hi = s->hi;
}

// Everything but the verdict, from ascending values.
static int measure(struct comparison *c, const double *a, const double *b)
{
	struct rank_test rank;
	struct shift shift;
	struct interval ci;

	if (rank_sum(a, c->n_a, b, c->n_b, &rank) != 0 ||
		resample_ratio(a, c->n_a, b, c->n_b, confidence, c->seed, &ci) != 0)
		return -ENOMEM;
	c->test = rank.exact ? "exact Mann-Whitney" : "Mann-Whitney, normal approximation";
	c->p_mw = rank.p;
	c->cliff_delta = rank.delta;
	c->effect = middle(b, c->n_b) / middle(a, c->n_a) - 1;
	c->ci_lo = ci.lo;
	c->ci_hi = ci.hi;
	shift_two(a, c->n_a, b, c->n_b, rank_sum_bound(c->n_a, c->n_b, tail), &shift);
	set_shift(c, &shift);
	return 0;
}

static void conclude(struct comparison *c, const struct sample *a, const struct sample *b)
{
	double tau;

	c->p_adjusted = c->p_mw;
	sample_trend(a, &tau, &c->trend_a);
	sample_trend(b, &tau, &c->trend_b);
	verdict_decide(c);
}

int compare(const struct sample *a, const struct sample *b, const struct compare_opts *o,
	struct comparison *out, struct err *err)
{
	double *sa = NULL;
	double *sb = NULL;
	int rc;

	*out = (struct comparison){.test = "none",
		.n_a = a->n,
		.n_b = b->n,
		.confidence = confidence,
		.resamples = RESAMPLES,
		.p_mw = 1,
		.p_adjusted = 1};
	rc = options(o, out, err);
	if (rc != 0 || unusable(out, a) || unusable(out, b))
		return rc;
	sa = sort_copy(a->v, a->n);
	sb = sort_copy(b->v, b->n);
	if (sa == NULL || sb == NULL) {
		rc = -ENOMEM;
	} else if (!(middle(sa, a->n) > 0)) {
		invalid(out, a, "the median is zero");
	} else {
		rc = measure(out, sa, sb);
		if (rc == 0) {
			welch(out, a, b);
			conclude(out, a, b);
		}
	}
	free(sa);
	free(sb);
	return rc == 0 ? 0 : err_set(err, ENOMEM, "comparing %s: out of memory", b->name);
}

// Work space for blocks.
struct blocks {
	double *ratio, *diff, *log, *tmp;
};

static int blocks_new(struct blocks *w, const struct sample *a, const struct sample *b)
{
	unsigned n = a->n;

	w->ratio = malloc(4 * (size_t)n * sizeof(*w->ratio));
	if (w->ratio == NULL)
		return -ENOMEM;
	w->diff = w->ratio + n;
	w->log = w->diff + n;
	w->tmp = w->log + n;
	for (unsigned i = 0; i < n; i++) {
		w->diff[i] = b->v[i] - a->v[i];
		// A ratio and its inverse must tie, so logarithms are subtracted, not ratios' taken.
		w->log[i] = a->v[i] == b->v[i] ? 0 : log(b->v[i]) - log(a->v[i]);
		w->ratio[i] = a->v[i] == b->v[i] ? 1 : b->v[i] / a->v[i];
	}
	sort_doubles(w->ratio, w->tmp, n);
	return 0;
}

static int measure_blocks(
	struct comparison *c, struct blocks *w, const struct sample *a, const struct sample *b)
{
	struct sample diff = {.name = b->name, .v = w->diff, .n = a->n};
	struct rank_test rank;
	struct shift shift;
	struct interval ci;
	unsigned n = a->n;

	if (rank_signed(w->log, n, &rank) != 0 ||
		resample_median(w->ratio, n, confidence, c->seed, &ci) != 0)
		return -ENOMEM;
	c->test = rank.exact ? "exact Wilcoxon signed-rank"
			     : "Wilcoxon signed-rank, normal approximation";
	c->p_mw = rank.p;
	c->cliff_delta = rank.delta;
	c->effect = middle(w->ratio, n) - 1;
	c->ci_lo = ci.lo;
	c->ci_hi = ci.hi;
	student(c, sample_mean(&diff), sample_stddev(&diff) / sqrt(n), n - 1.0, sample_mean(a));
	sort_doubles(w->diff, w->tmp, n);
	shift_paired(w->diff, n, rank_signed_bound(n, tail), &shift);
	set_shift(c, &shift);
	return 0;
}

int compare_blocks(const struct sample *a, const struct sample *b, const struct compare_opts *o,
	struct comparison *out, struct err *err)
{
	struct blocks w = {0};
	int rc;

	*out = (struct comparison){.test = "none",
		.n_a = a->n,
		.n_b = b->n,
		.blocks = true,
		.confidence = confidence,
		.resamples = RESAMPLES,
		.p_mw = 1,
		.p_adjusted = 1};
	rc = options(o, out, err);
	if (rc != 0 || unusable(out, a) || unusable(out, b))
		return rc;
	if (a->n != b->n) {
		invalid(out, b, "not as many values as blocks");
		return 0;
	}
	if (!(sample_median(a) > 0)) {
		invalid(out, a, "the median is zero");
		return 0;
	}
	rc = blocks_new(&w, a, b);
	if (rc == 0)
		rc = measure_blocks(out, &w, a, b);
	if (rc == 0)
		conclude(out, a, b);
	free(w.ratio);
	return rc == 0 ? 0 : err_set(err, ENOMEM, "comparing %s: out of memory", b->name);
}

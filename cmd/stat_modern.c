// SPDX-License-Identifier: BSD-2-Clause
// stat_modern.c - comparisons as text and as JSON.
#include "stat_modern.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

// A drift less likely than this is worth a warning; two sets a comparison, so not 5 %.
static const double trend_warning = 0.01;

int stat_compare(const struct sample *s, unsigned n, bool blocks, const struct compare_opts *o,
	struct comparison *c, struct err *err)
{
	for (unsigned i = 1; i < n; i++) {
		int rc = blocks ? compare_blocks(&s[0], &s[i], o, &c[i - 1], err)
				: compare(&s[0], &s[i], o, &c[i - 1], err);

		if (rc != 0)
			return rc;
	}
	comparison_adjust(c, n - 1);
	return 0;
}

static void print_interval(const char *unit, double scale, double lo, double hi)
{
	if (isfinite(lo) && isfinite(hi))
		printf("%.6g%s to %.6g%s", lo * scale, unit, hi * scale, unit);
	else
		fputs("without bounds", stdout);
}

static void print_trend(const char *name, double p)
{
	char text[32];

	if (p < trend_warning)
		printf("\twarning: %s drifts with time (Kendall's tau, %s): runs are not independent\n",
			name, verdict_p(p, text, sizeof(text)));
}

static void print_figures(const struct comparison *c)
{
	char p[32];

	printf("\teffect: %+.4g%% (95%%: ", c->effect * 100 + 0.0);
	print_interval("%", 100, c->ci_lo, c->ci_hi);
	printf("; bootstrap of the %s, %u resamples, seed %llu)\n",
		c->blocks ? "median of ratios" : "ratio of medians", c->resamples,
		(unsigned long long)c->seed);
	printf("\t%s: %s", c->test, verdict_p(c->p_mw, p, sizeof(p)));
	if (c->p_adjusted != c->p_mw)
		printf(", by Holm for several comparisons %s",
			verdict_p(c->p_adjusted, p, sizeof(p)));
	printf("; Cliff's delta %+.3g\n", c->cliff_delta);
	printf("\t%s: difference of means %.6g (95%%: ", c->blocks ? "paired t" : "Welch's t",
		c->welch_diff);
	print_interval("", 1, c->welch_lo, c->welch_hi);
	printf("), %s\n", verdict_p(c->p_welch, p, sizeof(p)));
	printf("\tHodges-Lehmann shift: %.6g (95%%: ", c->hl_shift);
	print_interval("", 1, c->hl_lo, c->hl_hi);
	puts(")");
	printf("\tleast difference such runs can show: %.3g%% (80%% power, 5%% two-sided)\n",
		c->mde * 100);
}

void stat_print_text(const struct sample *s, unsigned n, const struct comparison *c)
{
	char word[80];

	for (unsigned i = 0; i + 1 < n; i++) {
		printf("\n%s against %s: %s\n", s[i + 1].name, s[0].name,
			verdict_text(&c[i], word, sizeof(word)));
		printf("\tbecause: %s\n", c[i].why);
		if (c[i].verdict == INVALID)
			continue;
		print_figures(&c[i]);
		print_trend(s[0].name, c[i].trend_a);
		print_trend(s[i + 1].name, c[i].trend_b);
	}
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *interval(double lo, double hi)
{
	return json_pack("[o,o]", number(lo), number(hi));
}

// Names come from the command line and may not be UTF-8, which JSON text must be.
static json_t *text(const char *name)
{
	json_t *j = json_string(name);

	return j != NULL ? j : json_string("(a name that is not UTF-8)");
}

static json_t *set_json(const struct sample *s)
{
	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "name", text(s->name), "n",
		(json_int_t)s->n, "min", number(sample_min(s)), "max", number(sample_max(s)),
		"median", number(sample_median(s)), "mean", number(sample_mean(s)), "stddev",
		number(sample_stddev(s)), "mad", number(sample_mad(s)));
}

static json_t *figures_json(const struct comparison *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}",
		"effect", number(c->effect), "effect_interval", interval(c->ci_lo, c->ci_hi), "p",
		number(c->p_mw), "p_adjusted", number(c->p_adjusted), "p_t", number(c->p_welch),
		"mean_difference", number(c->welch_diff), "mean_difference_interval",
		interval(c->welch_lo, c->welch_hi), "hodges_lehmann", number(c->hl_shift),
		"hodges_lehmann_interval", interval(c->hl_lo, c->hl_hi), "cliff_delta",
		number(c->cliff_delta), "minimum_detectable_effect", number(c->mde), "trend_p",
		json_pack("[o,o]", number(c->trend_a), number(c->trend_b)), "resamples",
		(json_int_t)c->resamples, "seed", (json_int_t)c->seed);
}

static json_t *comparison_json(
	const struct sample *a, const struct sample *b, const struct comparison *c)
{
	json_t *j = json_pack("{s:o, s:o, s:s, s:s, s:s, s:b, s:b, s:o, s:o, s:o, s:I}", "a",
		text(a->name), "b", text(b->name), "verdict", verdict_word(c->verdict), "because",
		c->why, "test", c->test, "blocks", c->blocks, "smaller_is_better",
		c->smaller_is_better, "confidence", number(c->confidence), "margin",
		number(c->margin), "noise", number(c->noise), "more_runs",
		(json_int_t)c->more_runs);

	if (j != NULL && c->verdict != INVALID)
		json_object_update_new(j, figures_json(c));
	return j;
}

int stat_print_json(const struct sample *s, unsigned n, const struct comparison *c)
{
	json_t *sets = json_array();
	json_t *comparisons = json_array();
	json_t *root = json_pack("{s:o, s:o}", "sets", sets, "comparisons", comparisons);
	int rc = -ENOMEM;

	if (root == NULL)
		return rc;
	for (unsigned i = 0; i < n; i++)
		if (json_array_append_new(sets, set_json(&s[i])) != 0)
			goto out;
	for (unsigned i = 1; i < n; i++)
		if (json_array_append_new(comparisons, comparison_json(&s[0], &s[i], &c[i - 1])) !=
			0)
			goto out;
	rc = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 ? 0 : -ENOMEM;
	putchar('\n');
out:
	json_decref(root);
	return rc;
}

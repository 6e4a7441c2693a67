// SPDX-License-Identifier: BSD-2-Clause
// verdict.c - the rules that lead from figures to a word.
//
// A difference must pass every rule: the exact test, the interval of the effect, agreement of both
// on the direction, and the noise floor.
#include "stats/verdict.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MORE_RUNS_MAX = 10000 };

static const double alpha = VERDICT_ALPHA_PERCENT / 100.0;

// How many more runs until the interval, narrowing with 1 / sqrt(n), excludes zero or fits into
// the margin, whichever comes first.
static unsigned more_runs(const struct comparison *c)
{
	double half = (c->ci_hi - c->ci_lo) / 2;
	double size = fabs(c->effect);
	double n = fmin(c->n_a, c->n_b);
	double need = fmax(size > c->noise ? size : 0, c->margin - size);
	double factor;
	double more;

	if (need <= 0 || !isfinite(half))
		return 0;
	factor = half / need;
	more = ceil(n * factor * factor) - n;
	more = fmax(more, (c->blocks ? VERDICT_MIN_BLOCKS : VERDICT_MIN) - n);
	more = fmax(more, 1);
	return more > MORE_RUNS_MAX ? 0 : (unsigned)more;
}

static bool directions_agree(const struct comparison *c)
{
	return (c->effect > 0 && c->ci_lo > 0 && c->cliff_delta > 0) ||
	       (c->effect < 0 && c->ci_hi < 0 && c->cliff_delta < 0);
}

const char *verdict_p(double p, char *out, unsigned size)
{
	if (p < 1e-15)
		snprintf(out, size, "p < 1e-15");
	else
		snprintf(out, size, "p = %.3g", p);
	return out;
}

// NULL if a difference is proven, else the sentence why not.
static const char *no_difference(const struct comparison *c, char *why, size_t size)
{
	char p[32];

	if (!(c->p_adjusted < alpha))
		snprintf(why, size, "%s: %s is not below %g", c->test,
			verdict_p(c->p_adjusted, p, sizeof(p)), alpha);
	else if (c->ci_lo <= 0 && c->ci_hi >= 0)
		snprintf(why, size,
			"the interval of the effect, %+.2f %% to %+.2f %%, contains zero",
			text_shown(c->ci_lo * 100, 2), text_shown(c->ci_hi * 100, 2));
	else if (!directions_agree(c))
		snprintf(why, size, "the rank test and the effect point in opposite directions");
	else if (!(fabs(c->effect) > c->noise))
		snprintf(why, size, "the effect, %+.2f %%, is within the noise floor of %.2f %%",
			text_shown(c->effect * 100, 2), c->noise * 100);
	else
		return NULL;
	return why;
}

void verdict_decide(struct comparison *c)
{
	char p[32];

	c->more_runs = 0;
	if (no_difference(c, c->why, sizeof(c->why)) == NULL) {
		c->verdict = (c->effect > 0) != c->smaller_is_better ? FASTER : SLOWER;
		snprintf(c->why, sizeof(c->why),
			"%s: %s, the interval of the effect excludes zero, "
			"and the effect exceeds the noise floor of %.2f %%",
			c->test, verdict_p(c->p_adjusted, p, sizeof(p)), c->noise * 100);
	} else if (c->ci_lo >= -c->margin && c->ci_hi <= c->margin) {
		c->verdict = EQUIVALENT;
		snprintf(c->why, sizeof(c->why),
			"the interval of the effect, %+.2f %% to %+.2f %%, lies within \xc2\xb1%g %%",
			text_shown(c->ci_lo * 100, 2), text_shown(c->ci_hi * 100, 2),
			c->margin * 100);
	} else {
		c->verdict = INCONCLUSIVE;
		c->more_runs = more_runs(c);
	}
}

const char *verdict_word(enum verdict v)
{
	static const char *const words[] = {
		"faster", "slower", "equivalent", "inconclusive", "invalid"};

	return words[v];
}

const char *verdict_text(const struct comparison *c, char *out, unsigned size)
{
	const char *word = verdict_word(c->verdict);

	if (c->verdict == EQUIVALENT)
		snprintf(out, size, "%s within %g%%", word, c->margin * 100);
	else if (c->verdict == INCONCLUSIVE && c->more_runs > 0)
		snprintf(out, size, "%s (need about %u more run%s)", word, c->more_runs,
			c->more_runs == 1 ? "" : "s");
	else
		snprintf(out, size, "%s", word);
	return out;
}

static int by_p(const void *x, const void *y)
{
	const struct comparison *a = *(struct comparison *const *)x;
	const struct comparison *b = *(struct comparison *const *)y;

	return (a->p_mw > b->p_mw) - (a->p_mw < b->p_mw);
}

// Holm 1979: the i-th smallest of n (from 0) counts n - i fold, and no less than those before it.
void comparison_adjust(struct comparison *c, unsigned n)
{
	struct comparison **order = calloc(n + (size_t)1, sizeof(struct comparison *));
	double least = 0;
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		// Without memory the cruder correction (Bonferroni's) still keeps the promise.
		c[i].p_adjusted = fmin(1, c[i].p_mw * n);
		if (order != NULL && c[i].verdict != INVALID)
			order[m++] = &c[i];
	}
	if (m > 0)
		qsort(order, m, sizeof(struct comparison *), by_p);
	for (unsigned i = 0; i < m; i++) {
		least = fmax(least, fmin(1, order[i]->p_mw * (m - i)));
		order[i]->p_adjusted = least;
	}
	for (unsigned i = 0; i < n; i++)
		if (c[i].verdict != INVALID)
			verdict_decide(&c[i]);
	free(order);
}

// SPDX-License-Identifier: BSD-2-Clause
// stats.h - samples, ministat, and tests of a difference.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// n values in the order they were taken; name is shown in legends.
struct sample {
	const char *name;
	const double *v;
	unsigned n;
};

// NaN for a sample without values (stddev: with fewer than two) or without memory.
double sample_median(const struct sample *s); // mean of the two middle ones of an even count
double sample_mean(const struct sample *s);
double sample_stddev(const struct sample *s); // n - 1, two passes
double sample_min(const struct sample *s);
double sample_max(const struct sample *s);
double sample_mad(const struct sample *s); // median absolute deviation from the median, unscaled
// p in 0..100; linear between the two values beside (n - 1) * p / 100.
double sample_percentile(const struct sample *s, double p);

// Kendall's tau of the values against the order they were taken, and its two-sided p: exact up to
// 50 distinct values, else by the normal approximation with tie correction.  p = 1 when nothing
// can be said (fewer than 3 values, no memory).
void sample_trend(const struct sample *s, double *tau, double *p);

// Series files, as ministat reads them: one value a line in the given column (1 = first), `#`
// starts a comment, a decimal comma is taken for a point, lines may end in CR.  name is quoted in
// errors and becomes the sample's; it must outlive the sample.  -EINVAL names the line of a bad
// value (not a number, NaN, infinite); -errno of a failed read.  *out is set only on success, and
// its values belong to the caller: series_free.
int series_read(int fd, const char *name, unsigned column, const char *delim, struct sample *out,
	struct err *err);
int series_parse(const char *text, size_t len, const char *name, unsigned column, const char *delim,
	struct sample *out, struct err *err);
void series_free(struct sample *s);

enum { MINISTAT_MIN = 3, MINISTAT_SETS = 7 };

// FreeBSD's ministat, to the byte.
struct ministat_opts {
	double confidence; // 80 90 95 98 99 99.5; 0 = 95
	int width;         // of the plot; 0 = 74
	bool no_plot;      // -A
	bool vitals_only;  // -n
	bool quiet;        // -q: neither names nor heading
	bool one_bar_line; // -s: one bar line for each set
	bool compat;       // keep the original's defects (ministat.c lists them)
};

// Writes legend, plot, vitals and the comparisons with the first of n (1..7) sets of at least 3
// finite values each.  -EINVAL or -ENOMEM before anything is written.
int ministat_print(FILE *out, const struct sample *s, unsigned n, const struct ministat_opts *o,
	struct err *err);

bool ministat_has_confidence(double confidence);

// The factor the test uses: Student's t, two-sided, rounded to 3 decimals; the normal quantile
// above 100 degrees of freedom.
double ministat_t(double confidence, unsigned df, bool compat);

enum verdict { FASTER, SLOWER, EQUIVALENT, INCONCLUSIVE, INVALID };

// B against A.  All relative figures are fractions (0.01 = 1 %).  A figure that cannot be had
// (an interval from too few values) is infinite.
struct comparison {
	enum verdict verdict;
	unsigned n_a, n_b;
	bool blocks;            // by compare_blocks
	bool smaller_is_better; // as given
	const char *test;       // that gave p_mw, e.g. "exact Mann-Whitney"
	double margin;          // the M of "equivalent within M%"
	double effect;          // median(b) / median(a) - 1; blocks: median of b/a, - 1
	double ci_lo, ci_hi;    // its bootstrap interval (percentile)
	double confidence;      // of all intervals here, 0.95
	double p_mw;            // two-sided, of the rank test; blocks: of the signed-rank test
	double p_adjusted;      // p_mw, or Holm's after comparison_adjust
	double p_welch;         // Welch's t test; blocks: paired t test
	double welch_diff, welch_lo, welch_hi; // difference of means, in the values' unit
	double hl_shift, hl_lo, hl_hi;         // Hodges-Lehmann, in the values' unit
	double cliff_delta;                    // P(b > a) - P(b < a); blocks: of the pairs
	double mde;                            // minimum detectable effect, 80 % power, 5 %
	double noise;                          // the noise floor that was given
	double trend_a, trend_b;               // p of sample_trend; a small one means drift
	unsigned more_runs; // INCONCLUSIVE: about so many more would decide; 0 = no number would
	uint64_t seed;      // of the bootstrap
	unsigned resamples; // of the bootstrap
	char why[200];      // one sentence: the rule that led to the verdict
};

struct compare_opts {
	double margin; // 0 = 0.02
	double noise;  // A/A noise floor; a smaller effect is never faster or slower
	uint64_t seed; // 0 = 1
	bool smaller_is_better;
};

enum { COMPARE_MIN = 4 }; // fewer values on a side: INVALID

// A proof needs a p below this.  At 5 % the two-sided test alone would call a difference in up to 5 % of
// A/A experiments; at 2 % all rules together stay below 2 % or so (compare_test.c).
enum { VERDICT_ALPHA_PERCENT = 2 };

// faster or slower: p_mw < 0.02 (so that A/A experiments stay well below 5 %), the interval of the effect excludes zero, all agree on the direction,
// and the effect exceeds the noise floor.  equivalent: else, if the interval lies within +-margin.
// invalid: fewer than COMPARE_MIN values, a negative or non-finite one, or a median of zero.
// -ENOMEM or -EINVAL (options) only.
int compare(const struct sample *a, const struct sample *b, const struct compare_opts *o,
	struct comparison *out, struct err *err);

// The same for values taken side by side: a[i] and b[i] belong to block i, and what slows the
// machine from block to block cancels.  The exact test cannot reach 2 % under 7 blocks (compare:
// under 5 values a side).
// INVALID if the counts differ.
int compare_blocks(const struct sample *a, const struct sample *b, const struct compare_opts *o,
	struct comparison *out, struct err *err);

// Holm's step-down correction over a family of n comparisons: sets p_adjusted and decides again.
void comparison_adjust(struct comparison *c, unsigned n);

// "p = 0.0079", or "p < 1e-15" where the digits mean nothing.  Returns out.
const char *verdict_p(double p, char *out, unsigned size);

// "faster", "slower", "equivalent", "inconclusive", "invalid".
const char *verdict_word(enum verdict v);

// "faster", "slower", "equivalent within 2%", "inconclusive (need about 5 more runs)", "invalid".
// Returns out.
const char *verdict_text(const struct comparison *c, char *out, unsigned size);

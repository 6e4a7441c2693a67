// SPDX-License-Identifier: BSD-2-Clause
// resample.h - bootstrap intervals of medians.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RESAMPLES = 10000 };

struct interval {
	double lo, hi;
};

// Percentile interval of median(b) / median(a) - 1; ascending samples, no negative value.  -ENOMEM.
int resample_ratio(const double *a, unsigned na, const double *b, unsigned nb, double confidence,
	uint64_t seed, struct interval *out);

// Percentile interval of median(v) - 1.
int resample_median(
	const double *v, unsigned n, double confidence, uint64_t seed, struct interval *out);

// Random numbers: splitmix64 (Steele, Lea, Flood 2014).
struct rng {
	uint64_t state; // the seed
	bool has_spare; // false at first
	double spare;   // of rng_normal, which makes two at a time
};
double rng_uniform(struct rng *r); // 0 < u < 1
double rng_normal(struct rng *r);

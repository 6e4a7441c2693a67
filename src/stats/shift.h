// SPDX-License-Identifier: BSD-2-Clause
// shift.h - Hodges-Lehmann estimates of a shift.
#pragma once

// The median of a set of elementary estimates, and the c-th smallest and c-th largest (c from
// rank_*_bound); lo and hi are infinite for c = 0.
struct shift {
	double median, lo, hi;
};

// Of the na * nb differences b - a of ascending samples.
void shift_two(
	const double *a, unsigned na, const double *b, unsigned nb, double c, struct shift *out);

// Of the n (n + 1) / 2 means of two (or one and the same) of the ascending differences d.
void shift_paired(const double *d, unsigned n, double c, struct shift *out);

// SPDX-License-Identifier: BSD-2-Clause
// dist.h - the normal and Student's t distributions.
#pragma once

// Regularised incomplete beta function I_x(a, b), 0 <= x <= 1, a and b > 0.
double dist_beta(double a, double b, double x);

double dist_normal_cdf(double z);

// P(|T| >= |t|) of Student's t; df > 0, INFINITY for the normal distribution.
double dist_t_two_sided(double t, double df);

// The t with P(T <= t) = p; 0 < p < 1.
double dist_t_quantile(double p, double df);

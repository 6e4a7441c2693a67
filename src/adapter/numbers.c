// SPDX-License-Identifier: BSD-2-Clause
// numbers.c - numbers as C writes them.  Not strtol(): newer C libraries also read binary ("0b1").
#include "adapter/words.h"

#include <ctype.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

const char *number_read(const char *text, int64_t *out)
{
	const char *p = text;
	bool negative, any = false, over = false;
	uint64_t v = 0;
	int base = 10;

	while (isspace((unsigned char)*p))
		p++;
	negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	if (*p == '0') {
		base = 8;
		if ((p[1] | 0x20) == 'x' && digit(p[2]) < 16) {
			base = 16;
			p += 2;
		}
	}
	for (; digit(*p) < base; p++) {
		any = true;
		v = v * (unsigned)base + (unsigned)digit(*p);
		over |= v > INT64_MAX / 16 - 16;
		if (over)
			v = 0; // the value is no longer of interest, only that it is too large
	}
	*out = over ? (negative ? INT64_MIN : INT64_MAX) : negative ? -(int64_t)v : (int64_t)v;
	return any ? p : text;
}

bool number_u32(const char *text, uint32_t *out)
{
	int64_t v;

	if (*number_read(text, &v) != '\0' || v < 0 || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

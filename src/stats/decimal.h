// SPDX-License-Identifier: BSD-2-Clause
// decimal.h - strtod for ordinary numbers, many times as fast.
#pragma once

// An ordinary number at text: its end, with *out as strtod gives it; NULL if only strtod can tell.
const char *decimal_plain(const char *text, double *out);

// As strtod in the C locale, with the same bits and the same end.
double decimal_strtod(const char *text, char **end);

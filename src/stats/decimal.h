// SPDX-License-Identifier: BSD-2-Clause
// decimal.h - strtod for ordinary numbers, many times as fast.
#pragma once

// As strtod in the C locale, with the same bits and the same end.
double decimal_strtod(const char *text, char **end);

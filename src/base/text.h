// SPDX-License-Identifier: BSD-2-Clause
// text.h - reading files, words and numbers.
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

// Decimal digits only (no sign, blank, or trailing text), at most max.
// -EINVAL or -ERANGE with a sentence that quotes the word; *out is then untouched.
int text_u64(const char *text, uint64_t max, uint64_t *out, struct err *err);

// v as so many decimals show it, but never a negative zero: +0.00 instead of -0.00.
double text_shown(double v, unsigned decimals);

// The whole file at path (or standard input for "-") as malloc'd, NUL-terminated text; *len (may
// be NULL) is the count without the NUL.  Refuses pipes by name (EINVAL), more than max bytes
// (EFBIG) and NUL bytes inside (EINVAL).  NULL with *err set; the sentence names the path.
char *text_read_file(const char *path, size_t max, size_t *len, struct err *err);

// Writes text to path as a whole or not at all: a temporary file beside it is renamed over it.
int text_write_file(const char *path, const void *data, size_t len, struct err *err);

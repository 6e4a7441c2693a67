// SPDX-License-Identifier: BSD-2-Clause
// err.h - an error as a code and one sentence a person reads.
#pragma once

#include <stdarg.h>

enum { ERR_MSG_MAX = 512 };

// Zero-initialise with `struct err err = {0};`.
struct err {
	int code;              // positive errno value, 0 = none
	char msg[ERR_MSG_MAX]; // one sentence, one line: control characters are '?'; cut if longer
};

// Fills *err (may be NULL) and returns -code, so that `return err_set(err, EINVAL, ...)` is the
// whole of an error path.  code is a positive errno value.
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// Puts "text: " in front of the sentence *err already holds; the code stays.  Returns -err->code.
int err_context(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

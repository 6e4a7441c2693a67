// SPDX-License-Identifier: BSD-2-Clause
// condition_hint.h - what else a folder may be that does not hold conditions as it should.
#pragma once

#include "base/err.h"

#include <stdbool.h>

// Whether a folder of conditions takes it for one: not hidden, not "base", a folder.
bool condition_named(const char *dir, const char *name);

// Puts a sentence in place of *err's if dir is a condition itself, or if the folders in it hold
// conditions: one too low or too high.  Returns -err->code.
int condition_hint(const char *dir, struct err *err);

// The names of the folders in dir that are taken for conditions: "a, b", cut if longer.  Returns out.
const char *condition_names(const char *dir, char *out, unsigned size);

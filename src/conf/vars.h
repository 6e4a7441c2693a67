// SPDX-License-Identifier: BSD-2-Clause
// vars.h - settings as a file gives them: names with values, in the order of first mention.
#pragma once

#include "conf/conf.h"

#include <stddef.h>

struct var {
	char *name, *value;
	char where[CONF_WHERE_MAX]; // of the assignment that counts
	bool used;                  // the interpreter has dealt with it
	bool referred;              // another value refers to it
};

// Zero-initialised: empty.
struct vars {
	struct var *v;
	unsigned n;
	unsigned room, *slot, n_slots; // hash index into v
};

// Sets or replaces.  -ENOMEM; v is then unchanged.
int vars_set(
	struct vars *v, const char *name, const char *value, const char *where, struct err *err);

// NULL if not set.  The pointer is valid until the next vars_set.
struct var *vars_find(const struct vars *v, const char *name);

// Sets everything of `from` in `to`.
int vars_add(struct vars *to, const struct vars *from, struct err *err);

void vars_free(struct vars *v);

// "file:line" for err and notes; a long file name loses its beginning, never the line.
void where_text(char *out, const char *file, unsigned line);

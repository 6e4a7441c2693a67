// SPDX-License-Identifier: BSD-2-Clause
// top_view.h - a frame of `weir top`: what happened between two looks at a running router.
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdint.h>

struct top_sample {
	json_t *stats; // objects of the request "stats"
	json_t *hits;  // objects of the request "hits"
};

// A look at the router.  A status as ctl_request() has it.
int top_look(const char *name, struct top_sample *out, struct err *err);
void top_forget(struct top_sample *s);

// The text of a frame, malloc'd; NULL: no memory.  rows = 0: as long as it takes, with ten rules.
char *top_frame(const char *name, const struct top_sample *before, const struct top_sample *now,
	unsigned rows, unsigned columns);

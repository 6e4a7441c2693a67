// SPDX-License-Identifier: BSD-2-Clause
// stat_modern.h - what `weir stat --modern` prints beside ministat's box.
#pragma once

#include "stats/stats.h"

// The sets 2..n against the first, corrected for their number.  blocks: value i of each set belongs
// to block i.  c has room for n - 1.
int stat_compare(const struct sample *s, unsigned n, bool blocks, const struct compare_opts *o,
	struct comparison *c, struct err *err);

void stat_print_text(const struct sample *s, unsigned n, const struct comparison *c);

// One JSON object; an infinite figure is null.  -ENOMEM.
int stat_print_json(const struct sample *s, unsigned n, const struct comparison *c);

// SPDX-License-Identifier: BSD-2-Clause
// progress.h - a bar with the time left, on one line of a terminal.
#pragma once

#include <stdio.h>

struct progress {
	FILE *out; // NULL = show nothing
	unsigned done, total;
	double elapsed_s, planned_s; // planned: for the whole, until the first run is done
	double limit_s;              // it ends by then; 0 = no limit
};

// Draws the line anew; label says what is going on.
void progress_show(const struct progress *p, const char *label);

// Clears the line.
void progress_end(const struct progress *p);

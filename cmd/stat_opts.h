// SPDX-License-Identifier: BSD-2-Clause
// stat_opts.h - the options of `weir stat`.
#pragma once

#include "stats/stats.h"

enum { STAT_EXIT_BAD = 2 }; // any refusal, as in the original

struct stat_opts {
	const char *self; // in front of messages
	struct ministat_opts box;
	bool box_option; // one of those that shape the box was given
	struct compare_opts compare;
	bool modern, json, blocks;
	const char *modern_only; // the option given that goes only with --modern
	unsigned column;
	const char *delim;
};

// Fills *o and leaves the files at argv + optind.  0, or the exit status with everything said;
// *done if only help was asked for and printed.
int stat_options(struct stat_opts *o, int argc, char **argv, bool *done);

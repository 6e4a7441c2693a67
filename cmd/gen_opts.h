// SPDX-License-Identifier: BSD-2-Clause
// gen_opts.h - reading pkt-gen's command line, in three steps: words, help, what fits together.
#pragma once

#include "gen_cmd.h"

#include <stdio.h>

// State of the reading that the options themselves do not keep.
struct gen_reading {
	struct gen_options *o;
	const char *smac, *dmac;
	unsigned n_len;
	uint64_t len[2];
	bool help;
	char given[128]; // by letter: was it on the command line?
};

enum { GEN_LETTERS_MAX = 128 };

// The options as getopt() wants them, and for people.
void gen_help_letters(char letters[GEN_LETTERS_MAX]);
void gen_help_print(FILE *out, const char *self);

// Refuses what does not fit together and fills in the profile.
int gen_modes_check(struct gen_reading *r, struct err *err);

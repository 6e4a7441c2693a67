// SPDX-License-Identifier: BSD-2-Clause
// router_save.h - the file that keeps a card's rules over a restart: the commands that rebuild them, a
// script for sh and for `weir router` itself.
#pragma once

#include "adapter/adapter.h"

#include <stdio.h>

struct router_save {
	const char *path; // NULL: nothing is kept
	char *last;       // what the file holds
};

// Writes the file, whole or not at all, if the rules are others than it holds.
int router_save_write(struct router_save *s, const struct adapter *card, struct err *err);
void router_save_free(struct router_save *s);

// The lines such a file begins with; by: the command that writes it.
void router_save_head(FILE *out, const char *by);

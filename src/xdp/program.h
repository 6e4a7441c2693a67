// SPDX-License-Identifier: BSD-2-Clause
// program.h - the card's program for one port; the maps are those of all its ports.
#pragma once

#include "base/err.h"

struct bpf_object;
struct card_bpf;
struct xdp_card;

// The second cannot change how long a frame is.
#define PROGRAM_NAME       "weir_card"
#define PROGRAM_NAME_FIXED "weir_card_fixed"

// Loads the program of a new card's port and pins it; that of port 0, the first, brings the maps along.
int program_load(struct xdp_card *c, unsigned port, struct err *err);

// A program once more, by its name, with the maps of a card that has them, and not loaded yet.  NULL.
struct card_bpf *program_open(
	const struct xdp_card *c, unsigned port, const char *name, struct err *err);
struct bpf_object *program_object(const struct card_bpf *p);
void program_close(struct card_bpf *p); // NULL is allowed

// SPDX-License-Identifier: BSD-2-Clause
// load.h - weir adapter load: all rules of a card at once, if wanted on trial.
#pragma once

#include "guard.h"

#include "base/err.h"

// argv[0] is "load".  An exit status.
int load_command(int argc, char **argv);

// --- for load.c and the kinds of card ---

struct load {
	const char *name, *path;
	unsigned seconds; // 0: for good
	const struct load_kind *kind;
	void *state; // of the kind
};

// Each returns 0 or -errno with a sentence.
struct load_kind {
	// Finds the card and carries the script out, apart from the rules in force.
	int (*fill)(struct load *l, struct err *err);
	// Puts the rules in the place of the card's, at once.
	int (*publish)(struct load *l, struct err *err);
	// The same on trial: from then on they are taken back by somebody else than this process if it ends, or when
	// the time is over.  *decided: a descriptor, readable once that is so or keep() is of no use any more.
	int (*try)(struct load *l, int *decided, struct err *err);
	// Each ends the trial, and tells how it has ended; GUARD_FAILED with a sentence.
	enum guard_outcome (*keep)(struct load *l, struct err *err);
	enum guard_outcome (*undo)(struct load *l, struct err *err);
	void (*end)(struct load *l); // also after an error of fill()
	const char *failed;          // what GUARD_FAILED means
};
extern const struct load_kind load_kernel, load_router;

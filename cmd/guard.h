// SPDX-License-Identifier: BSD-2-Clause
// guard.h - a change that is undone unless somebody says that it is good.
//
// A process of a session of its own watches over it, so that neither the end of the command nor that
// of the terminal is in the way.  It alone decides: whichever comes first, the word, the end of the time, or
// that of the command.
#pragma once

#include "base/err.h"

#include <sys/types.h>

struct guard {
	pid_t pid;
	int word;    // we write to it that the change is good; its end says that it is not
	int outcome; // readable when the guard has decided
};

enum guard_outcome {
	GUARD_KEPT,
	GUARD_UNDONE,
	GUARD_FAILED, // it is in force still
};

// Before the change.  In the guard's process, undo() carries it back; 0 or -errno with a sentence.
// begin() (may be NULL) is called there at once, to let go of what the guard must not hold.
struct guard_conf {
	unsigned seconds;
	void (*begin)(void *arg);
	int (*undo)(void *arg, struct err *err);
	void *arg;
};
int guard_start(struct guard *g, const struct guard_conf *conf, struct err *err);

// Each ends the guard, and waits for it; whatever is asked for, it says what came first.  GUARD_FAILED with
// *err set.
enum guard_outcome guard_keep(struct guard *g, struct err *err);
enum guard_outcome guard_undo(struct guard *g, struct err *err);

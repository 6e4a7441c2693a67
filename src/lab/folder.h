// SPDX-License-Identifier: BSD-2-Clause
// folder.h - the run folder, there as a whole or not at all: files are written into a hidden folder
// beside it, which is renamed when it is complete.  A hidden one whose process died is swept by the
// next experiment that writes there.
#pragma once

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct folder {
	char final[PATH_MAX];
	char partial[PATH_MAX]; // "" = not begun
	int lock;               // held on the hidden folder while it is written
	bool made_parent;
	size_t stem; // length of the final name that "-2", "-3", ... may follow; 0 = it is as wanted
};

// Chooses the place: `want`, or runs/<utc>-<name> for NULL, then with a number behind it where another
// experiment of that second has it already.  -EEXIST if it is taken, -EACCES, ... if it
// cannot be made: to be called before the work, so that it is not lost behind it.
int folder_choose(
	struct folder *f, const char *want, const char *utc, const char *name, struct err *err);

// Sweeps what died, and makes the hidden folder.
int folder_begin(struct folder *f, struct err *err);

// Writes a file; folders in rel ("conf/a/rc.conf") are made.
int folder_write(struct folder *f, const char *rel, const void *data, size_t len, struct err *err);

// Renames the hidden folder to the final name, which f->final tells afterwards too; on an error
// everything is removed.
int folder_commit(struct folder *f, struct err *err);

// Removes what was begun; nothing to do after a commit.
void folder_abort(struct folder *f);

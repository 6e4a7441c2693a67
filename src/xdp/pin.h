// SPDX-License-Identifier: BSD-2-Clause
// pin.h - where cards in the kernel have their names: weir/NAME/ in bpffs, whose files keep maps,
// programs and links when no process holds them.
//
// A card's folder is also its lock: flock() on it.  A card is made in new_NAME and renamed when it is whole.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { PIN_PATH_MAX = 256 };

// The folder of cards, on a bpffs that outlives this process.  make: bpffs is mounted and the folder made
// where they are missing; *mounted says whether bpffs was.  -ENOENT: it is not there.
int pin_root(bool make, char out[PIN_PATH_MAX], bool *mounted, struct err *err);

// DIR/FILE; the name of a card, map or program is short enough for any of these.
const char *pin_path(char out[PIN_PATH_MAX], const char *dir, const char *file);

// Opens a folder and takes its lock, waiting for whoever has it.  The descriptor; -ENOENT it is not
// there, or went while we waited; -EWOULDBLOCK if it is locked and wait is false.
int pin_lock(const char *dir, bool wait);

// Removes a folder and what is in it.  0 or -errno of the first that would not go.
int pin_remove(const char *dir);

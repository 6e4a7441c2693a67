// SPDX-License-Identifier: BSD-2-Clause
// privileges.h - what a router gives up once its ports and sockets are open.
#pragma once

#include "base/err.h"

#include <stdbool.h>

// Takes all capabilities from all threads of the process, for good, and lets no program it might
// start have any; with a user's name, the process becomes that user too.  What is needed to put
// interfaces back (net_admin) or to replace files in other people's folders (files) stays out of
// force, in the calling thread alone, until privileges_raise().  -EINVAL no such user, -EPERM.
struct privileges {
	const char *user; // or NULL
	bool net_admin, files;
};

int privileges_drop(const struct privileges *p, struct err *err);

// Puts in force what was kept, in the calling thread, and takes it back.
void privileges_raise(void);
void privileges_lower(void);

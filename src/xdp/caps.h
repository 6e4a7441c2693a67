// SPDX-License-Identifier: BSD-2-Clause
// caps.h - what a process may do with programs for the kernel.
#pragma once

#include <stdbool.h>

// The first capability of CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON that is missing; NULL: none is.  The last one
// is needed to load a card's programs, which compute with pointers.
const char *caps_missing(void);

// Whether programs of others may be looked at, which are known by their ids: CAP_SYS_ADMIN.
bool caps_see_programs(void);

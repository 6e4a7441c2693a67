// SPDX-License-Identifier: BSD-2-Clause
// netns_private.h - shared by the files of netns only.
#pragma once

#include "lab/netns.h"

struct netns {
	pid_t pid;          // of the keeper
	int life;           // the keeper lives as long as this pipe end is open
	int net, mnt, pids; // its namespaces
};

// SPDX-License-Identifier: BSD-2-Clause
// xdpprog.h - the small XDP program that hands a queue's frames to the AF_XDP socket bound to it.
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct xdpprog {
	int map, prog, link; // descriptors; the program leaves the interface with the last of them
	bool native;         // run by the driver; else by the kernel's generic hook
};

// Attaches to the interface.  Frames of queues without a socket go on to the kernel.  -EBUSY if
// another program is there, -EPERM.
int xdpprog_attach(
	struct xdpprog *x, const char *label, int ifindex, unsigned n_queues, struct err *err);

// The socket takes the frames of that queue from now on.
int xdpprog_add(const struct xdpprog *x, unsigned queue, int socket);

void xdpprog_detach(struct xdpprog *x);

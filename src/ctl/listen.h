// SPDX-License-Identifier: BSD-2-Clause
// listen.h - a server's socket in the runtime folder.
#pragma once

#include "ctl/internal.h"

#include <sys/types.h>

struct listen {
	int fd, folder;
	dev_t dev; // of the socket's file: only our own is taken away
	ino_t ino;
	char path[CTL_PATH_MAX];
};

// As ctl_server_new().
int listen_open(struct listen *l, const char *name, struct err *err);
void listen_close(struct listen *l);

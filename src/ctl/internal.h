// SPDX-License-Identifier: BSD-2-Clause
// internal.h - what the files of ctl share.
#pragma once

#include "ctl/ctl.h"

#include <sys/un.h>

enum { CTL_PATH_MAX = 4096 };

// Makes the folder if it is not there, and opens it.  -EPERM if others could get in.
int ctl_folder_open(char *folder, size_t size, struct err *err);

// The address of the socket at path.  -ENAMETOOLONG.
int ctl_address(const char *path, struct sockaddr_un *out, struct err *err);

// A descriptor connected to the program's socket; its path goes to `path`.  -ENOENT: nobody listens.
// -EPERM: neither we nor root do.
int ctl_connect(const char *name, char *path, size_t size, struct err *err);

// A reply while it is made: lines of JSON.
struct ctl_reply {
	char *text;
	size_t len, room;
	size_t max; // of len
	bool over;  // more than max was said, or there was no memory
	int code;   // of ctl_fail
	char msg[ERR_MSG_MAX];
	void (*each)(void *arg, json_t *object); // not NULL: gets objects, and no text is made
	void *each_arg;
	struct ctl_client *client; // whose request it answers
};

// Puts the last object behind the others, or in their place where they were too many.
void ctl_reply_end(struct ctl_reply *reply, int status);

// SPDX-License-Identifier: BSD-2-Clause
// ctl.h - the control socket of a running program: weir-NAME.sock in the runtime folder, its owner's
// alone.  A request is one line of words; the reply is JSON objects, one a line, the last of them with
// "ok" and "status".
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The runtime folder: WEIR_RUNTIME_DIR if set, else /run/weir for root, else
// XDG_RUNTIME_DIR/weir, else /tmp/weir-UID.
int ctl_folder(char *out, size_t size, struct err *err);

// --- server ---

struct ctl_server;
struct ctl_reply;

// Carries out one request; argv is argc words and a NULL.  Returns the exit status of the reply.
typedef int ctl_run(void *arg, int argc, char **argv, struct ctl_reply *reply);

// Puts one object into the reply; takes over the reference.
void ctl_reply(struct ctl_reply *reply, json_t *object);

// Makes the folder (0700) and the socket (0600).  A socket nobody listens on is replaced; -EADDRINUSE
// if a running program has the name.
struct ctl_server *ctl_server_new(const char *name, ctl_run *run, void *arg, struct err *err);
void ctl_server_free(struct ctl_server *s); // takes the socket away

// Waits at most timeout_ms for requests and serves those that are there.  Slow or silent clients hold
// up neither the caller nor each other.
void ctl_server_poll(struct ctl_server *s, int timeout_ms);

// --- client ---

// Sends the words to the program NAME and hands each object of the reply to `each`, which does not keep
// it.  Returns the reply's status, or -errno with a sentence: -ENOENT no such program, -EACCES not ours.
int ctl_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);

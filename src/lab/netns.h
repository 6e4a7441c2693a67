// SPDX-License-Identifier: BSD-2-Clause
// netns.h - a network namespace of this process, and commands that run in it.
// It has no name and no mount anywhere: a child process keeps it (with process and mount
// namespaces of its own, so that /sys and /proc show it and daemons of set-up scripts end with
// it).  When this process ends, for any reason, the child and everything in its namespaces end
// too, and the kernel takes the interfaces away.  All calls of one namespace from one thread.
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct netns;

// A namespace with nothing but a loopback interface that is down.  NULL with *err set: -EPERM
// without the rights, or the error of the step that failed.
struct netns *netns_new(struct err *err);

// Kills every process in it.  Its interfaces vanish shortly after, when the last descriptor that
// was opened inside is closed.  NULL is allowed.
void netns_free(struct netns *ns);

// The process that keeps it, as `ip link ... netns PID` takes it.
pid_t netns_pid(const struct netns *ns);

// Calls fn(arg) with the calling thread's network namespace changed to ns, for sockets and
// ioctls; what is opened inside stays there.  /proc and /sys stay the caller's: netns_path().
// Returns what fn returned, or an error of entering or leaving.
int netns_call(struct netns *ns, int (*fn)(void *arg), void *arg, struct err *err);

// Where the namespace's own view of an absolute path is found from outside: "/sys/class/net" or
// "/proc/net/dev".  Files below /proc/sys/net are those of the thread that opens them
// (netns_call), whatever the path.
const char *netns_path(const struct netns *ns, const char *path, char *out, size_t size);

// Writes text to a file as the namespace sees it, /proc/sys/net included.
int netns_write(struct netns *ns, const char *path, const char *text, struct err *err);

struct netns_command {
	const char *name;        // what errors call it; NULL = argv[0]
	const char *dir;         // absolute, where it runs; NULL = "/"
	const char *const *argv; // argv[0] is searched for in PATH, /usr/sbin and /sbin
	const char *const *env;  // "NAME=value", beside the caller's; NULL = none
	const char *input;       // its standard input; NULL = empty
	unsigned timeout_s;      // then it is killed; 0 = 60
};

// Runs a command to its end inside ns, or where the caller is if ns is NULL.  Standard output
// goes nowhere; of standard error the last part goes to `said` (may be NULL).  If the command
// cannot be run or does not end with 0: the error is "NAME: ..." with the last line of its standard error that speaks of an error, or the last.
int netns_run(struct netns *ns, const struct netns_command *c, char *said, size_t said_size,
	struct err *err);

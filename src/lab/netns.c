// SPDX-License-Identifier: BSD-2-Clause
// netns.c - the process that keeps a namespace.
//
// It is the first process of its process namespace: the kernel kills all others there when it
// ends, and it ends when the read on its standard input does - the other end of that pipe is held
// by the process that made it, and by nobody else.
#include "lab/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/netns_private.h"

// What a keeper that failed tells through its pipe.
struct failure {
	int code;
	char step[60];
};

static void fail(int fd, const char *step)
{
	struct failure f = {.code = errno};

	strncpy(f.step, step, sizeof(f.step) - 1);
	_exit(write(fd, &f, sizeof(f)) == sizeof(f) ? 1 : 2);
}

// After the fork of a process with threads only plain system calls are allowed here.
static void keeper(int life, int ready)
{
	static char *const argv[] = {(char *)"sh", (char *)"-c", (char *)"read -r forever", NULL};
	static char *const envp[] = {NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_IGN); // children of dead parents need no wait; survives the exec
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		fail(ready, "making its mounts private");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL) != 0)
		fail(ready, "mounting its /proc");
	if (mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL) != 0)
		fail(ready, "mounting its /sys");
	// For scripts that pin programs or maps; not every kernel has it, and few scripts need it.
	(void)!mount("bpf", "/sys/fs/bpf", "bpf", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL);
	if (dup2(life, 0) != 0)
		fail(ready, "keeping its pipe");
	// The shell replaces this process's copy of the parent's memory, which would make the
	// parent pay a page fault for each page it writes.
	execve("/bin/sh", argv, envp);
	fail(ready, "/bin/sh");
}

static int open_ns(pid_t pid, const char *kind, struct err *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : err_set(err, errno, "%s: %s", path, strerror(errno));
}

// Waits until the keeper is a shell, or tells what failed.
static int await(int ready, struct err *err)
{
	struct failure f;
	ssize_t n;

	do
		n = read(ready, &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	if (n != sizeof(f))
		return err_set(err, EIO, "a network namespace could not be made");
	return err_set(err, f.code, "a network namespace could not be made: %s: %s", f.step,
		strerror(f.code));
}

static int start(struct netns *ns, struct err *err)
{
	int life[2] = {-1, -1}, ready[2] = {-1, -1}, rc;
	long pid;

	if (pipe2(life, O_CLOEXEC) != 0 || pipe2(ready, O_CLOEXEC) != 0) {
		rc = err_set(err, errno, "pipe: %s", strerror(errno));
		goto out;
	}
	pid = syscall(SYS_clone, CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, NULL, NULL,
		NULL, NULL);
	if (pid == 0)
		keeper(life[0], ready[1]);
	if (pid < 0) {
		rc = err_set(err, errno, "a network namespace could not be made: %s%s",
			strerror(errno), errno == EPERM ? " (it needs CAP_SYS_ADMIN)" : "");
		goto out;
	}
	ns->pid = (pid_t)pid;
	ns->life = life[1];
	life[1] = -1;
	close(ready[1]);
	ready[1] = -1;
	rc = await(ready[0], err);
out:
	for (int i = 0; i < 2; i++) {
		if (life[i] >= 0)
			close(life[i]);
		if (ready[i] >= 0)
			close(ready[i]);
	}
	return rc;
}

struct netns *netns_new(struct err *err)
{
	struct netns *ns = calloc(1, sizeof(*ns));

	if (ns == NULL) {
		err_set(err, ENOMEM, "no memory for a network namespace");
		return NULL;
	}
	ns->pid = -1;
	ns->life = ns->net = ns->mnt = ns->pids = -1;
	if (start(ns, err) != 0 || (ns->net = open_ns(ns->pid, "net", err)) < 0 ||
		(ns->mnt = open_ns(ns->pid, "mnt", err)) < 0 ||
		(ns->pids = open_ns(ns->pid, "pid", err)) < 0) {
		netns_free(ns);
		return NULL;
	}
	return ns;
}

void netns_free(struct netns *ns)
{
	if (ns == NULL)
		return;
	if (ns->pid > 0) {
		kill(ns->pid, SIGKILL);
		while (waitpid(ns->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (int i = 0; i < 4; i++) {
		int fd = (int[]){ns->life, ns->net, ns->mnt, ns->pids}[i];

		if (fd >= 0)
			close(fd);
	}
	free(ns);
}

pid_t netns_pid(const struct netns *ns)
{
	return ns->pid;
}

int netns_call(struct netns *ns, int (*fn)(void *arg), void *arg, struct err *err)
{
	int own = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), rc;

	if (own < 0)
		return err_set(err, errno, "/proc/thread-self/ns/net: %s", strerror(errno));
	if (setns(ns->net, CLONE_NEWNET) != 0) {
		rc = err_set(err, errno, "entering a network namespace: %s", strerror(errno));
	} else {
		rc = fn(arg);
		if (setns(own, CLONE_NEWNET) != 0)
			rc = err_set(
				err, errno, "leaving a network namespace: %s", strerror(errno));
	}
	close(own);
	return rc;
}

const char *netns_path(const struct netns *ns, const char *path, char *out, size_t size)
{
	// Through the keeper's /proc one would have to be in its process namespace.
	if (strncmp(path, "/proc/net/", 10) == 0)
		snprintf(out, size, "/proc/%d/net/%s", (int)ns->pid, path + 10);
	else
		snprintf(out, size, "/proc/%d/root%s", (int)ns->pid, path);
	return out;
}

struct writing {
	const char *path, *text;
	char full[320];
	struct err *err;
};

static int write_text(void *arg)
{
	struct writing *w = arg;
	size_t n = strlen(w->text);
	int fd = open(w->full, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || write(fd, w->text, n) != (ssize_t)n)
		rc = err_set(w->err, errno, "%s: '%s': %s", w->path, w->text, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

int netns_write(struct netns *ns, const char *path, const char *text, struct err *err)
{
	struct writing w = {.path = path, .text = text, .err = err};

	netns_path(ns, path, w.full, sizeof(w.full));
	return netns_call(ns, write_text, &w, err);
}

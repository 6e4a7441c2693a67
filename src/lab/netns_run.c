// SPDX-License-Identifier: BSD-2-Clause
// netns_run.c - a command in a namespace.
//
// A process joins a process namespace only by its children, so there are two forks: the middle
// process joins, the inner one runs the command, and the middle one passes its end on.
#include "lab/netns_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { TIMEOUT_S = 60, NOT_JOINED = 126, NOT_RUN = 127 };

// What the child needs, made before the fork.
struct job {
	char path[512];
	const char *const *argv;
	char **envp;
	const char *dir;
	int in, null, said;
	const struct netns *ns;
};

static int find(const char *name, char *out, size_t size, struct err *err)
{
	const char *path = getenv("PATH");
	char dirs[4096], *next = dirs, *dir;

	if (strchr(name, '/') != NULL) {
		snprintf(out, size, "%s", name);
		return 0;
	}
	snprintf(dirs, sizeof(dirs), "%s:/usr/sbin:/usr/bin:/sbin:/bin", path != NULL ? path : "");
	while ((dir = strsep(&next, ":")) != NULL) {
		snprintf(out, size, "%s/%s", dir, name);
		if (dir[0] == '/' && access(out, X_OK) == 0)
			return 0;
	}
	return err_set(
		err, ENOENT, "%s: there is no such command in PATH, /usr/sbin or /sbin", name);
}

// The environment with `more` in it; the strings stay the caller's.
static char **environment(const char *const *more)
{
	size_t n = 0, n_more = 0;
	char **out;

	while (environ != NULL && environ[n] != NULL)
		n++;
	while (more != NULL && more[n_more] != NULL)
		n_more++;
	out = calloc(n + n_more + 1, sizeof(*out));
	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < n_more; i++)
		out[i] = (char *)more[i];
	for (size_t i = 0, k = n_more; i < n; i++) {
		bool replaced = false;

		for (size_t j = 0; j < n_more && !replaced; j++)
			replaced = strncmp(environ[i], more[j], strcspn(more[j], "=") + 1) == 0;
		if (!replaced)
			out[k++] = environ[i];
	}
	return out;
}

static void inner(const struct job *j)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG,
		SIGKILL); // a command that is stopped is stopped by its parent's end
	if (chdir(j->dir) != 0) {
		dprintf(j->said, "%s: %s\n", j->dir, strerror(errno));
		_exit(NOT_RUN);
	}
	if (dup2(j->in, 0) != 0 || dup2(j->null, 1) != 1 || dup2(j->said, 2) != 2)
		_exit(NOT_RUN);
	execve(j->path, (char *const *)j->argv, j->envp);
	dprintf(2, "%s\n", strerror(errno));
	_exit(NOT_RUN);
}

// The child: joins, runs, and ends as the command did.
static void middle(const struct job *j)
{
	int status;
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (j->ns != NULL &&
		(setns(j->ns->net, CLONE_NEWNET) != 0 || setns(j->ns->pids, CLONE_NEWPID) != 0 ||
			setns(j->ns->mnt, CLONE_NEWNS) != 0)) {
		dprintf(j->said, "joining the namespace: %s\n", strerror(errno));
		_exit(NOT_JOINED);
	}
	pid = fork();
	if (pid == 0)
		inner(j);
	if (pid < 0) {
		dprintf(j->said, "fork: %s\n", strerror(errno));
		_exit(NOT_JOINED);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		kill(getpid(), WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

// Waits for its end; kills it after the time, or when a signal comes that the caller has a handler
// for.  The status, -ETIMEDOUT or -EINTR.
static int await(pid_t pid, unsigned timeout_s)
{
	struct pollfd p = {.fd = pidfd_open(pid, 0), .events = POLLIN};
	int status = 0, n = 1;

	if (p.fd >= 0) {
		n = poll(&p, 1, (int)timeout_s * 1000);
		close(p.fd);
	}
	if (n <= 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n < 0)
		return -EINTR;
	return n == 0 ? -ETIMEDOUT : status;
}

// The end of what was said, and the line of it that tells most: the last that speaks of an error,
// or else the last that is more than nft's underlining.
static void read_said(int fd, char *said, size_t size, char *best, size_t best_size)
{
	char text[4096], *next = text, *line;
	off_t len = lseek(fd, 0, SEEK_END);
	off_t from = len > (off_t)sizeof(text) - 1 ? len - (off_t)sizeof(text) + 1 : 0;
	ssize_t n = pread(fd, text, sizeof(text) - 1, from);
	bool error = false;

	text[n > 0 ? n : 0] = '\0';
	if (said != NULL)
		snprintf(said, size, "%s", text);
	best[0] = '\0';
	while ((line = strsep(&next, "\n")) != NULL) {
		bool tells = strstr(line, "rror") != NULL;

		if (strpbrk(line, LETTERS) == NULL || (error && !tells))
			continue;
		error = error || tells;
		snprintf(best, best_size, "%s", line);
	}
}

static int verdict(
	const char *name, int status, unsigned timeout_s, const char *last, struct err *err)
{
	if (status == 0)
		return 0;
	if (status == -EINTR)
		return err_set(err, EINTR, "%s: interrupted", name);
	if (status == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "%s: stopped after %u s", name, timeout_s);
	if (WIFSIGNALED(status))
		return err_set(err, EINTR, "%s: ended by signal %d (%s)", name, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (last[0] != '\0')
		return err_set(err, EINVAL, "%s: %s", name, last);
	return err_set(err, EINVAL, "%s: ended with status %d and said nothing", name,
		WEXITSTATUS(status));
}

static int open_files(struct job *j, const char *input)
{
	j->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	j->said = memfd_create("said", MFD_CLOEXEC);
	j->in = input != NULL ? memfd_create("input", MFD_CLOEXEC) : j->null;
	if (j->null < 0 || j->said < 0 || j->in < 0)
		return -errno;
	if (input != NULL) {
		size_t n = strlen(input), at = 0;

		while (at < n) {
			ssize_t k = write(j->in, input + at, n - at);

			if (k < 0)
				return -errno;
			at += (size_t)k;
		}
		if (lseek(j->in, 0, SEEK_SET) != 0)
			return -errno;
	}
	return 0;
}

static void close_files(struct job *j)
{
	if (j->in >= 0 && j->in != j->null)
		close(j->in);
	if (j->null >= 0)
		close(j->null);
	if (j->said >= 0)
		close(j->said);
}

int netns_run(struct netns *ns, const struct netns_command *c, char *said, size_t said_size,
	struct err *err)
{
	struct job j = {.argv = c->argv,
		.dir = c->dir != NULL ? c->dir : "/",
		.ns = ns,
		.in = -1,
		.null = -1,
		.said = -1};
	unsigned timeout_s = c->timeout_s > 0 ? c->timeout_s : TIMEOUT_S;
	const char *name = c->name != NULL ? c->name : c->argv[0];
	char last[400];
	pid_t pid;
	int rc = find(c->argv[0], j.path, sizeof(j.path), err);

	if (rc != 0)
		return rc;
	j.envp = environment(c->env);
	if (j.envp == NULL)
		return err_set(err, ENOMEM, "%s: no memory", name);
	rc = open_files(&j, c->input);
	if (rc != 0) {
		err_set(err, -rc, "%s: %s", name, strerror(-rc));
		goto out;
	}
	pid = fork();
	if (pid == 0)
		middle(&j);
	if (pid < 0) {
		rc = err_set(err, errno, "%s: fork: %s", name, strerror(errno));
		goto out;
	}
	rc = await(pid, timeout_s);
	read_said(j.said, said, said_size, last, sizeof(last));
	rc = verdict(name, rc, timeout_s, last, err);
out:
	close_files(&j);
	free(j.envp);
	return rc;
}

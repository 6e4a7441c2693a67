// SPDX-License-Identifier: BSD-2-Clause
#include "guard.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t MS = 1000000; // nanoseconds

static bool word_came(int fd)
{
	char c;
	ssize_t n;

	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

// Whether the word that the change is good comes before the end.
static bool is_kept(int fd, unsigned seconds)
{
	uint64_t end = clock_ns() + seconds * 1000 * MS, now;

	while ((now = clock_ns()) < end) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, (int)((end - now) / MS) + 1) > 0)
			return word_came(fd);
	}
	return false;
}

// What the terminal and its shell send to all of their processes is not for the guard.
static void leave_terminal(void)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGPIPE};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

// The guard's whole life.  Its last words are why it failed.
static void watch(int word, int outcome, const struct guard_conf *c)
{
	struct err err = {0};

	leave_terminal();
	if (c->begin != NULL)
		c->begin(c->arg);
	if (is_kept(word, c->seconds))
		_exit(GUARD_KEPT);
	if (c->undo(c->arg, &err) == 0)
		_exit(GUARD_UNDONE);
	if (write(outcome, err.msg, strlen(err.msg)) < 0)
		_exit(GUARD_FAILED); // nobody is left to hear it
	_exit(GUARD_FAILED);
}

int guard_start(struct guard *g, const struct guard_conf *conf, struct err *err)
{
	int word[2], outcome[2];

	if (pipe2(word, O_CLOEXEC) != 0)
		return err_set(err, errno, "a pipe: %s", strerror(errno));
	if (pipe2(outcome, O_CLOEXEC) != 0) {
		err_set(err, errno, "a pipe: %s", strerror(errno));
		goto no_outcome;
	}
	g->pid = fork();
	if (g->pid < 0) {
		err_set(err, errno, "a process that takes the change back: %s", strerror(errno));
		goto no_process;
	}
	if (g->pid == 0) {
		close(word[1]);
		close(outcome[0]);
		watch(word[0], outcome[1], conf);
	}
	close(word[0]);
	close(outcome[1]);
	g->word = word[1];
	g->outcome = outcome[0];
	return 0;
no_process:
	close(outcome[0]);
	close(outcome[1]);
no_outcome:
	close(word[0]);
	close(word[1]);
	return -err->code;
}

static enum guard_outcome wait_for(struct guard *g, struct err *err)
{
	char why[ERR_MSG_MAX];
	ssize_t n = read(g->outcome, why, sizeof(why) - 1);
	int status = 0;

	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(g->outcome);
	if (g->word >= 0)
		close(g->word);
	if (WIFEXITED(status) && WEXITSTATUS(status) < GUARD_FAILED)
		return (enum guard_outcome)WEXITSTATUS(status);
	why[n > 0 ? n : 0] = '\0';
	err_set(err, ECHILD, "%s",
		why[0] != '\0' ? why : "the process that was to take the change back was killed");
	return GUARD_FAILED;
}

enum guard_outcome guard_keep(struct guard *g, struct err *err)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);

	// If it fails, the guard was faster, and says so.
	if (write(g->word, "k", 1) < 0 && errno != EPIPE)
		err_set(err, errno, "%s", strerror(errno));
	signal(SIGPIPE, old);
	return wait_for(g, err);
}

enum guard_outcome guard_undo(struct guard *g, struct err *err)
{
	close(g->word);
	g->word = -1;
	return wait_for(g, err);
}

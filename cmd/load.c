// SPDX-License-Identifier: BSD-2-Clause
// weir adapter load: a script's rules in the place of all that a card has.
//
// On trial, somebody else than this process puts the rules back that were in force, whatever becomes of the
// command, its terminal and the connection that the new rules may have cut.
#include "load.h"

#include "client.h"
#include "command.h"

#include "base/clock.h"
#include "base/text.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

static const char program[] = "weir adapter";

enum { TRY_MAX = 86400, ANSWER_MAX = 256 };
static const uint64_t MS_A_SECOND = 1000, NS_A_MS = 1000000;

static int misused(const char *word, const char *text)
{
	fprintf(stderr, "%s: load: %s%s; `%s --help` tells how it is used\n", program, word, text,
		program);
	return 2;
}

static int read_seconds(const char *word, unsigned *out)
{
	struct err err = {0};
	uint64_t n;

	if (text_u64(word, TRY_MAX, &n, &err) == 0 && n > 0) {
		*out = (unsigned)n;
		return 0;
	}
	fprintf(stderr, "%s: load: --try: %s\n", program,
		err.code != 0 ? err.msg : "in 0 seconds nobody can confirm");
	return 2;
}

static int parse(struct load *l, int argc, char **argv)
{
	*l = (struct load){0};
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--try") == 0 && i + 1 == argc)
			return misused("--try", ": a number of seconds is missing");
		if (strcmp(argv[i], "--try") == 0) {
			if (read_seconds(argv[++i], &l->seconds) != 0)
				return 2;
		} else if (argv[i][0] == '-') {
			return misused(argv[i], " is not an option of load");
		} else if (l->name == NULL) {
			l->name = argv[i];
		} else if (l->path == NULL) {
			l->path = argv[i];
		} else {
			return misused(argv[i], " is one word too many");
		}
	}
	return l->path != NULL ? 0 : misused("", "the name of a card and a script are needed");
}

// Whether somebody types y or yes and Enter before it is decided otherwise, a signal comes, or the time is over;
// of that whoever takes the rules back keeps account as well.
static bool is_confirmed(const struct load *l, int decided, int signals)
{
	struct pollfd p[] = {{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = decided, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	uint64_t end = clock_ns() + (l->seconds * MS_A_SECOND + 500) * NS_A_MS, now;
	char answer[ANSWER_MAX];
	size_t n = 0;

	while ((now = clock_ns()) < end) {
		ssize_t got;

		if (poll(p, 3, (int)((end - now) / NS_A_MS) + 1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents != 0 || p[2].revents != 0)
			return false;
		if (p[0].revents == 0)
			continue;
		got = read(STDIN_FILENO, answer + n, sizeof(answer) - n);
		if (got <= 0)
			return false;
		n += (size_t)got;
		if (memchr(answer, '\n', n) != NULL || n == sizeof(answer))
			break;
	}
	return (n == 2 && memcmp(answer, "y\n", 2) == 0) ||
	       (n == 4 && memcmp(answer, "yes\n", 4) == 0);
}

static int report(const struct load *l, enum guard_outcome outcome, const struct err *err)
{
	switch (outcome) {
	case GUARD_KEPT:
		fprintf(stderr, "%s: %s: the rules stay\n", program, l->name);
		return 0;
	case GUARD_UNDONE:
		fprintf(stderr, "%s: %s: not confirmed: the rules are what they were\n", program,
			l->name);
		return 1;
	default:
		fprintf(stderr, "%s: %s: %s: %s\n", program, l->name, l->kind->failed, err->msg);
		return 1;
	}
}

static int complain(const struct load *l, int rc, const struct err *err)
{
	if (rc == -ENOENT && l->state == NULL)
		client_complain(program, l->name, rc, err); // there is no such card
	else
		fprintf(stderr, "%s: %s\n", program, err->msg);
	return 1;
}

static int on_trial(struct load *l)
{
	struct err err = {0};
	sigset_t ends;
	int signals, decided, rc;

	ending_signals(&ends);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);
	rc = signals >= 0 ? l->kind->try(l, &decided, &err)
			  : err_set(&err, errno, "signals: %s", strerror(errno));
	if (rc != 0)
		return complain(l, rc, &err);
	tcflush(STDIN_FILENO, TCIFLUSH); // what was typed before the question is no answer
	fprintf(stderr,
		"%s: %s: the rules of %s are in force, on trial for %u s.\n"
		"Type y and Enter to keep them: ",
		program, l->name, l->path, l->seconds);
	return report(l,
		is_confirmed(l, decided, signals) ? l->kind->keep(l, &err) : l->kind->undo(l, &err),
		&err);
}

int load_command(int argc, char **argv)
{
	struct err err = {0};
	struct load l;
	int status = parse(&l, argc, argv), rc;

	if (status != 0)
		return status;
	l.kind = xdp_card_exists(l.name) ? &load_kernel : &load_router;
	rc = l.kind->fill(&l, &err);
	if (rc == 0 && l.seconds == 0)
		rc = l.kind->publish(&l, &err);
	status = rc != 0 ? complain(&l, rc, &err) : l.seconds != 0 ? on_trial(&l) : 0;
	l.kind->end(&l);
	return status;
}

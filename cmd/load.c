// SPDX-License-Identifier: BSD-2-Clause
// weir adapter load: a script's rules in the place of all that a card in the kernel has.
//
// On trial, a guard holds the rules that were in force and puts them back, whatever becomes of this
// command, its terminal and the connection that the new rules may have cut.
#include "load.h"

#include "command.h"
#include "guard.h"
#include "kernel.h"

#include "base/text.h"
#include "ctl/ctl.h"
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

struct load {
	const char *name, *path;
	uint64_t seconds; // 0: for good
	struct xdp_card *card;
	int old; // the rules that were in force
};

static int misused(const char *word, const char *text)
{
	fprintf(stderr, "%s: load: %s%s; `%s --help` tells how it is used\n", program, word, text,
		program);
	return 2;
}

static int read_seconds(const char *word, uint64_t *out)
{
	struct err err = {0};

	if (text_u64(word, TRY_MAX, out, &err) == 0 && *out > 0)
		return 0;
	fprintf(stderr, "%s: load: --try: %s\n", program,
		err.code != 0 ? err.msg : "in 0 seconds nobody can confirm");
	return 2;
}

static int parse(struct load *l, int argc, char **argv)
{
	*l = (struct load){.old = -1};
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

static bool is_routers(const char *name)
{
	char *info[] = {(char *)"info"};

	return ctl_request(name, 1, info, NULL, NULL, NULL) == 0;
}

static struct xdp_card *open_card(const char *name, struct err *err)
{
	struct xdp_card *c = xdp_card_open(name, err);

	if (c == NULL && err->code == ENOENT && is_routers(name))
		err_set(err, ENOTSUP,
			"%s is the card of a running router, whose rules cannot change all at once: "
			"load is for cards in the kernel; run the script with sh",
			name);
	return c;
}

static void tell(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s: %s\n", program, text);
}

static int publish(struct load *l, struct err *err)
{
	int rc = xdp_card_publish(l->card, err);

	if (rc == 0)
		xdp_card_warn(l->card, tell, NULL);
	return rc;
}

// In the guard's process.  The lock is the command's.
static void let_go(void *arg)
{
	struct load *l = arg;

	xdp_card_close(l->card);
}

static int put_back(void *arg, struct err *err)
{
	struct load *l = arg;
	struct xdp_card *c = xdp_card_open(l->name, err);
	int rc = c != NULL ? xdp_card_put_back(c, l->old, err) : -err->code;

	xdp_card_close(c);
	return rc;
}

// Whether somebody types y or yes and Enter before the guard has decided, or a signal comes.
static bool is_confirmed(const struct guard *g, int signals)
{
	struct pollfd p[] = {{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = g->outcome, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	char answer[ANSWER_MAX];
	size_t n = 0;

	for (;;) {
		ssize_t got;

		if (poll(p, 3, -1) < 0 && errno != EINTR)
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
		fprintf(stderr, "%s: %s: the rules on trial are STILL IN FORCE: %s\n", program,
			l->name, err->msg);
		return 1;
	}
}

static int on_trial(struct load *l)
{
	const struct guard_conf conf = {
		.seconds = (unsigned)l->seconds, .begin = let_go, .undo = put_back, .arg = l};
	struct err err = {0};
	struct guard g;
	enum guard_outcome outcome;
	sigset_t ends;
	bool confirmed;
	int signals;

	ending_signals(&ends);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signals = signalfd(-1, &ends, SFD_CLOEXEC);
	l->old = signals >= 0 ? xdp_card_hold(l->card, &err)
			      : err_set(&err, errno, "signals: %s", strerror(errno));
	if (l->old < 0 || guard_start(&g, &conf, &err) != 0) {
		fprintf(stderr, "%s: %s: %s\n", program, l->name, err.msg);
		return 1;
	}
	if (publish(l, &err) != 0) {
		fprintf(stderr, "%s: %s\n", program, err.msg);
		guard_keep(&g, &err); // of what never changed
		return 1;
	}
	xdp_card_close(l->card);
	l->card = NULL;
	tcflush(STDIN_FILENO, TCIFLUSH); // what was typed before the question is no answer
	fprintf(stderr,
		"%s: %s: the rules of %s are in force, on trial for %llu s.\n"
		"Type y and Enter to keep them: ",
		program, l->name, l->path, (unsigned long long)l->seconds);
	confirmed = is_confirmed(&g, signals);
	outcome = confirmed ? guard_keep(&g, &err) : guard_undo(&g, &err);
	if (outcome == GUARD_FAILED && confirmed)
		outcome = GUARD_KEPT;
	else if (outcome == GUARD_FAILED && put_back(l, &err) == 0) // if somebody killed it
		outcome = GUARD_UNDONE;
	return report(l, outcome, &err);
}

static int for_good(struct load *l)
{
	struct err err = {0};

	if (publish(l, &err) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", program, err.msg);
	return 1;
}

int load_command(int argc, char **argv)
{
	struct err err = {0};
	struct load l;
	int status = parse(&l, argc, argv);

	if (status != 0)
		return status;
	l.card = open_card(l.name, &err);
	if (l.card == NULL || xdp_card_clear(l.card, &err) != 0 ||
		kernel_script(l.card, l.path, &err) != 0) {
		fprintf(stderr, "%s: %s\n", program, err.msg);
		status = 1;
	} else {
		status = l.seconds != 0 ? on_trial(&l) : for_good(&l);
	}
	if (l.old >= 0)
		close(l.old);
	xdp_card_close(l.card);
	return status;
}

// SPDX-License-Identifier: BSD-2-Clause
// The card of a running router.  The router itself takes rules on trial back, when their time is over or the
// connection ends that they came by.
#include "load.h"

#include "card.h"

#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = CTL_LINE_MAX / 2 };

static void pass_on(void *arg, json_t *object)
{
	const struct adapter_out *to = arg;
	char *out = ctl_text_get(object, "out"), *err = ctl_text_get(object, "err");

	if (out != NULL)
		to->line(to->arg, false, out);
	if (err != NULL)
		to->line(to->arg, true, err);
	free(out);
	free(err);
}

// A command of the script.
static int rule(void *arg, int argc, char *const *argv, const struct adapter_out *out)
{
	char *words[WORDS_MAX] = {(char *)"load", (char *)"rule"};
	struct err err = {0};
	int status;

	if (argc + 2 > WORDS_MAX) {
		out->line(out->arg, true, "too many words");
		return E2BIG;
	}
	memcpy(&words[2], argv, (size_t)argc * sizeof(*argv));
	status = ctl_session_ask(arg, argc + 2, words, pass_on, (void *)(uintptr_t)out, &err);
	if (err.code != 0)
		out->line(out->arg, true, err.msg);
	return status < 0 ? -status : status;
}

static int ask(struct load *l, const char *word, const char *more, struct err *err)
{
	char *words[] = {(char *)"load", (char *)(uintptr_t)word, (char *)(uintptr_t)more};
	int status = ctl_session_ask(l->state, more != NULL ? 3 : 2, words, NULL, NULL, err);

	return status > 0 ? -status : status;
}

static int fill(struct load *l, struct err *err)
{
	struct card_far card = {.name = l->name, .run = rule};
	int rc;

	l->state = ctl_session_open(l->name, err);
	if (l->state == NULL)
		return -err->code;
	card.arg = l->state;
	rc = ask(l, "begin", NULL, err);
	return rc != 0 ? rc : card_script(&card, "weir adapter", l->path, err);
}

static int publish(struct load *l, struct err *err)
{
	return ask(l, "commit", NULL, err);
}

static int on_trial(struct load *l, int *decided, struct err *err)
{
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%u", l->seconds);
	*decided = ctl_session_fd(l->state); // readable if the router ends
	return ask(l, "commit", seconds, err);
}

static enum guard_outcome outcome(int rc, enum guard_outcome asked)
{
	// Nothing is on trial any more: the router was faster.
	return rc == 0 ? asked : rc == -ENOENT ? GUARD_UNDONE : GUARD_FAILED;
}

static enum guard_outcome keep(struct load *l, struct err *err)
{
	return outcome(ask(l, "keep", NULL, err), GUARD_KEPT);
}

static enum guard_outcome undo(struct load *l, struct err *err)
{
	return outcome(ask(l, "back", NULL, err), GUARD_UNDONE);
}

static void end(struct load *l)
{
	ctl_session_close(l->state);
}

const struct load_kind load_router = {.fill = fill,
	.publish = publish,
	.try = on_trial,
	.keep = keep,
	.undo = undo,
	.end = end,
	.failed = "no word from the router, which takes rules on trial back if it runs"};

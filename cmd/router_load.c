// SPDX-License-Identifier: BSD-2-Clause
#include "router_load.h"

#include "card_answers.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint64_t SECOND = 1000000000, MS = 1000000; // nanoseconds

// Whatever there was to do is done.
static void finish(struct router_load *l)
{
	box_card_free(l->next);
	box_card_free(l->old);
	l->next = l->old = NULL;
	if (l->client != NULL)
		ctl_client_watch(l->client, NULL, NULL);
	l->client = NULL;
}

static void take_back(struct router_load *l)
{
	// It was in its place before, so there is nothing that could fail.
	if (l->old != NULL)
		box_card_swap(l->box, &l->old, NULL);
	finish(l);
}

static void not_confirmed(struct router_load *l)
{
	char text[128];

	if (l->old != NULL) {
		snprintf(text, sizeof(text),
			"%s: rules on trial were not confirmed: the rules are what they were",
			adapter_name(box_card_adapter(l->old)));
		l->note(NULL, text);
	}
	take_back(l);
}

static void gone(void *arg)
{
	struct router_load *l = arg;

	l->client = NULL; // nobody to look after any more
	not_confirmed(l);
}

static int begin(struct router_load *l, struct ctl_reply *reply)
{
	struct err err = {0};

	if (l->old != NULL)
		return ctl_fail(reply, EBUSY, "rules that another command loaded are on trial");
	finish(l); // who had begun and not come to an end learns of it with the next request
	l->next = box_card_new(l->box, &err);
	if (l->next == NULL)
		return ctl_fail(reply, err.code, "%s", err.msg);
	l->client = ctl_client(reply);
	ctl_client_watch(l->client, gone, l);
	return 0;
}

static int commit(struct router_load *l, const char *seconds, struct ctl_reply *reply)
{
	struct err err = {0};
	uint64_t n = 0;

	if (seconds != NULL && text_u64(seconds, LOAD_TRY_MAX, &n, &err) != 0)
		return ctl_fail(reply, err.code, "load: %s", err.msg);
	if (seconds != NULL && n == 0)
		return ctl_fail(reply, EINVAL, "load: in 0 seconds nobody can confirm");
	if (box_card_swap(l->box, &l->next, &err) != 0)
		return ctl_fail(reply, err.code, "%s; the rules are what they were", err.msg);
	if (seconds == NULL) {
		finish(l);
		return 0;
	}
	l->old = l->next;
	l->next = NULL;
	l->end_ns = clock_ns() + n * SECOND;
	return 0;
}

int router_load_answer(struct router_load *l, int argc, char **argv, struct ctl_reply *reply)
{
	const struct adapter_out out = card_answer_lines(reply);
	const char *w = argc > 1 ? argv[1] : "";
	bool rule = strcmp(w, "rule") == 0 && argc > 2, mine;
	bool commits = strcmp(w, "commit") == 0 && argc <= 3;
	bool keep = strcmp(w, "keep") == 0 && argc == 2, back = strcmp(w, "back") == 0 && argc == 2;

	router_load_tick(l, 0);
	mine = l->client != NULL && l->client == ctl_client(reply);
	if (strcmp(w, "begin") == 0 && argc == 2)
		return begin(l, reply);
	if (!rule && !commits && !keep && !back)
		return ctl_fail(reply, EINVAL,
			"load: begin, rule WORD ..., commit [SECONDS], keep or back");
	if ((rule || commits) && (!mine || l->next == NULL))
		return ctl_fail(reply, EBUSY,
			"load: nothing was begun, or another command began to load meanwhile");
	if ((keep || back) && (!mine || l->old == NULL))
		return ctl_fail(reply, ENOENT, "load: nothing of this connection is on trial");
	if (rule)
		return adapter_command(box_card_adapter(l->next), argc - 2, argv + 2, &out);
	if (commits)
		return commit(l, argc == 3 ? argv[2] : NULL, reply);
	if (keep)
		finish(l);
	else
		take_back(l);
	return 0;
}

int router_load_tick(struct router_load *l, int timeout_ms)
{
	uint64_t now = clock_ns();

	if (l->old == NULL)
		return timeout_ms;
	if (now >= l->end_ns) {
		not_confirmed(l);
		return timeout_ms;
	}
	return (l->end_ns - now) / MS + 1 < (uint64_t)timeout_ms ? (int)((l->end_ns - now) / MS + 1)
								 : timeout_ms;
}

void router_load_end(struct router_load *l)
{
	take_back(l);
}

const struct adapter *router_load_kept(const struct router_load *l)
{
	return l->old != NULL ? box_card_adapter(l->old) : box_adapter(l->box);
}

// SPDX-License-Identifier: BSD-2-Clause
// A card in the kernel.  On trial, a guard holds the rules that were in force and puts them back.
#include "load.h"

#include "kernel.h"

#include "xdp/xdp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char program[] = "weir adapter";

struct held {
	const char *name;
	struct xdp_card *card; // NULL: let go of
	int old;               // the rules that were in force, or -1
	struct guard guard;
};

static int fill(struct load *l, struct err *err)
{
	struct held *h = l->state = calloc(1, sizeof(*h));

	if (h == NULL)
		return err_set(err, ENOMEM, "no memory");
	h->name = l->name;
	h->old = -1;
	h->card = xdp_card_open(l->name, err);
	if (h->card == NULL || xdp_card_clear(h->card, err) != 0)
		return -err->code;
	return kernel_script(h->card, l->path, err);
}

static void tell(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "%s: %s\n", program, text);
}

static int publish(struct load *l, struct err *err)
{
	struct held *h = l->state;
	int rc = xdp_card_publish(h->card, err);

	if (rc == 0)
		xdp_card_warn(h->card, tell, NULL);
	return rc;
}

// In the guard's process.  The lock is the command's.
static void let_go(void *arg)
{
	struct held *h = arg;

	xdp_card_close(h->card);
}

static int put_back(void *arg, struct err *err)
{
	struct held *h = arg;
	struct xdp_card *c = xdp_card_open(h->name, err);
	int rc = c != NULL ? xdp_card_put_back(c, h->old, err) : -err->code;

	xdp_card_close(c);
	return rc;
}

static int on_trial(struct load *l, int *decided, struct err *err)
{
	struct held *h = l->state;
	const struct guard_conf conf = {
		.seconds = l->seconds, .begin = let_go, .undo = put_back, .arg = h};
	struct err unused = {0};
	int rc;

	h->old = xdp_card_hold(h->card, err);
	if (h->old < 0)
		return h->old;
	rc = guard_start(&h->guard, &conf, err);
	if (rc != 0)
		return rc;
	rc = publish(l, err);
	if (rc != 0) {
		guard_keep(&h->guard, &unused); // of what never changed
		return rc;
	}
	xdp_card_close(h->card);
	h->card = NULL;
	*decided = h->guard.outcome;
	return 0;
}

static enum guard_outcome keep(struct load *l, struct err *err)
{
	struct held *h = l->state;
	enum guard_outcome outcome = guard_keep(&h->guard, err);

	// Whoever killed the guard, nobody takes them back any more.
	return outcome == GUARD_FAILED ? GUARD_KEPT : outcome;
}

static enum guard_outcome undo(struct load *l, struct err *err)
{
	struct held *h = l->state;
	enum guard_outcome outcome = guard_undo(&h->guard, err);

	if (outcome == GUARD_FAILED && put_back(h, err) == 0) // if somebody killed it
		outcome = GUARD_UNDONE;
	return outcome;
}

static void end(struct load *l)
{
	struct held *h = l->state;

	if (h == NULL)
		return;
	if (h->old >= 0)
		close(h->old);
	xdp_card_close(h->card);
	free(h);
}

const struct load_kind load_kernel = {.fill = fill,
	.publish = publish,
	.try = on_trial,
	.keep = keep,
	.undo = undo,
	.end = end,
	.failed = "the rules on trial are STILL IN FORCE"};

// SPDX-License-Identifier: BSD-2-Clause
// router_load.h - all rules of a running router's card changed at once, by requests of one connection:
//
//	load begin              a card without rules is made aside
//	load rule WORD ...      a command of cxgbetool, carried out by it
//	load commit [SECONDS]   it takes the place of the router's card: for good, or on trial for so long
//	load keep               ends the trial: it stays
//	load back               ends the trial: the card that was there is back, with its hits
//
// A trial also ends with the time and with the connection, and then the card that was there is back as well.
#pragma once

#include "box.h"

#include "ctl/ctl.h"

#include <stdint.h>

enum { LOAD_TRY_MAX = 86400 }; // seconds

// Zero-initialised but for these two.
struct router_load {
	struct box *box;
	void (*note)(void *arg, const char *text); // of a trial that ended without a request

	struct ctl_client *client; // whose load it is, or NULL
	struct box_card *next;     // not in its place yet, or NULL
	struct box_card *old;      // while the other one is on trial, or NULL
	uint64_t end_ns;           // of the trial
};

// An exit status; argv[0] is "load".  EBUSY: rules are on trial, or another command loads some.
int router_load_answer(struct router_load *l, int argc, char **argv, struct ctl_reply *reply);

// Ends a trial whose time is over.  Returns how long to wait for that at most, of timeout_ms.
int router_load_tick(struct router_load *l, int timeout_ms);

// Ends what is under way: the rules are what they were.
void router_load_end(struct router_load *l);

// The card whose rules are to be kept over a restart: never one on trial.
const struct adapter *router_load_kept(const struct router_load *l);

// SPDX-License-Identifier: BSD-2-Clause
// router_ctl.h - a running router's control socket: what it answers, and the main thread's waiting.
#pragma once

#include "box.h"

#include <signal.h>
#include <stdbool.h>

struct router_ctl;

// Takes the name: opens the control socket, whose clients wait for router_ctl_serve().  The signals are
// blocked ones; they end a router_ctl_poll().  -EADDRINUSE: the name is in use.
struct router_ctl *router_ctl_new(const char *name, const sigset_t *signals, struct err *err);

// Takes the socket away.
void router_ctl_free(struct router_ctl *c);

struct router_ctl_conf {
	struct box *box; // with a card
	const struct box_port *ports;
	unsigned n_ports;
	const char *save; // the file that the card's rules are kept in, or NULL
};

// What there is to ask about; what conf points to must outlive c.
void router_ctl_serve(struct router_ctl *c, const struct router_ctl_conf *conf);

// Serves requests, for at most timeout_ms.  Keeps the file up to date, and says on standard error if it
// cannot.  true: one of the signals came.
bool router_ctl_poll(struct router_ctl *c, int timeout_ms);

// Ends what is not to outlive the router: rules on trial are taken back.
void router_ctl_end(struct router_ctl *c);

// Writes the card's rules to the file, if there is one and they are others than it holds; never those on trial.
int router_ctl_save(struct router_ctl *c, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// client.h - what the commands that talk to a card share: of a running router, or in the kernel.
#pragma once

#include "base/err.h"

#include <jansson.h>

// Asks the card of that name: in the kernel, else in a running router as ctl_request() does.
int client_ask(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);

// client_ask(); what is wrong goes to standard error behind "PROGRAM: ", with how to start a router
// where none runs.  Returns an exit status: the reply's, or an errno number.
int client_request(const char *program, const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg);

// The same for a status and sentence of client_ask() that the caller has at hand.
int client_complain(const char *program, const char *name, int status, const struct err *err);

// Says on standard error that no router runs, or that there is no card at all.
void client_nobody(const char *program);
void client_no_card(const char *program);

// For client_request, and ctl_request(): puts the object into the array arg.
void client_keep(void *arg, json_t *object);

// For client_request: prints "out" and "err" of a reply, each a line, in their order.
void client_print_line(void *arg, json_t *object);

// For client_request: prints the object as a line of JSON.
void client_print_json(void *arg, json_t *object);

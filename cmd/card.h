// SPDX-License-Identifier: BSD-2-Clause
// card.h - a start script's commands, carried out by a card.
#pragma once

#include "adapter/adapter.h"
#include "conf/conf.h"

// Carries out one command of the script that errors call `file`.  said gets what the card says of it,
// joined by "; ", but not what goes to standard output (the index a hashfilter gets): nobody asked.
// -ENODEV if it is for another card, or what the card answers, with "file:line: ...".
int card_command(struct adapter *a, const char *file, const struct conf_command *c,
	char said[ERR_MSG_MAX], struct err *err);

// The same for a card that is not at hand: run() is as adapter_command().
struct card_far {
	const char *name;
	int (*run)(void *arg, int argc, char *const *argv, const struct adapter_out *out);
	void *arg;
};
int card_far_command(const struct card_far *card, const char *file, const struct conf_command *c,
	char said[ERR_MSG_MAX], struct err *err);

// Carries out a whole script up to the first error, and tells what the card says of each command on standard
// error, behind "PROGRAM: file:line: ".
int card_script(
	const struct card_far *card, const char *program, const char *path, struct err *err);

// A card that is at hand, for that.
struct card_far card_near(struct adapter *a);

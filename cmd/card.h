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

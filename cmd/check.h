// SPDX-License-Identifier: BSD-2-Clause
// check.h - what a card says of frames: the word `check` of requests, and `weir adapter check`, which asks.
#pragma once

#include "adapter/adapter.h"
#include "ctl/ctl.h"

// What is replied for a frame.
json_t *check_object(const struct adapter_verdict *v);

// check PORT FRAME ...: an object for each frame, which is given as hex digits.
int check_answer(const struct adapter *card, int argc, char **argv, struct ctl_reply *reply);

// weir adapter check; argv[0] is "check".  An exit status.
int check_command(int argc, char **argv);

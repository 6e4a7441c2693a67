// SPDX-License-Identifier: BSD-2-Clause
// setup.h - a condition's setup.sh.
#pragma once

#include "lab/lab.h"
#include "lab/netns.h"

// Runs it by /bin/sh in its own folder, inside ns or (NULL) where the caller is, with
//	WEIR_IN		where the tester's frames enter the device
//	WEIR_OUT	where they leave it
//	WEIR_CONDITION	the condition's name
// 0 also where the condition has none; otherwise an error with the path and its last words.
int setup_run(struct netns *ns, const struct lab_condition *c, const char *in, const char *out,
	unsigned timeout_s, struct err *err);

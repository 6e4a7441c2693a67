// SPDX-License-Identifier: BSD-2-Clause
// lab_filter.h - the rules of a lab's conditions, read by the card's own words.
#pragma once

#include "lab_cmd.h"

// The card of a box in the lab.
#define LAB_CARD "t5nex0"

// Reads the filter scripts of all conditions into rules, and for the Linux device makes nftables' words
// of them.  -EINVAL with file and line where a script is wrong, -ENOTSUP if the device cannot carry it.
int lab_filter_load(const struct lab_cmd *cmd, struct lab_conditions *c, struct err *err);

// What errors call a condition's script.
const char *lab_filter_name(const struct lab_condition *c);

// SPDX-License-Identifier: BSD-2-Clause
// lab_filter.h - the rules of a lab's conditions, read by the card's own words.
#pragma once

#include "adapter/adapter.h"
#include "lab_cmd.h"

// The card of a box in the lab.
#define LAB_CARD "t5nex0"

// Reads the filter scripts of all conditions into rules, and for the Linux device makes nftables' words
// of them.  -EINVAL with file and line where a script is wrong, -ENOTSUP if the device cannot carry it.
int lab_filter_load(const struct lab_cmd *cmd, struct lab_conditions *c, struct err *err);

// What errors call a condition's script.
const char *lab_filter_name(const struct lab_condition *c);

// Calls back for each rule of the lab's card in the order in which packets are compared with them, which
// is that of the rules of struct lab_filter.
typedef void lab_filter_rule_fn(
	void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits);
void lab_filter_walk(const struct adapter *a, lab_filter_rule_fn *rule, void *arg);

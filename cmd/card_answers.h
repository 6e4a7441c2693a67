// SPDX-License-Identifier: BSD-2-Clause
// card_answers.h - requests about a card's rules, wherever the card is.
#pragma once

#include "adapter/adapter.h"
#include "ctl/ctl.h"

// rules [INDEX ...]: an object for each rule.
int card_answer_rules(const struct adapter *card, int argc, char **argv, struct ctl_reply *reply);
// hits: those of all rules that have any, in brief.
int card_answer_hits(const struct adapter *card, struct ctl_reply *reply);
// export KIND [IF ...]; ifaces name the ports' if none are given.
int card_answer_export(const struct adapter *card, char *const *ifaces, int argc, char **argv,
	struct ctl_reply *reply);

// Lines of the card's commands go into the reply, "out" and "err".
struct adapter_out card_answer_lines(struct ctl_reply *reply);

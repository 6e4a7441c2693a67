// SPDX-License-Identifier: BSD-2-Clause
// act.c - what a rule says, in the shape that the programs in the kernel read.
#include "xdp/xdp.h"

#include "xdp/shared.h"

#include <errno.h>

int card_act_make(
	const struct adapter_filter *f, uint32_t slot, struct card_act *out, struct err *err)
{
	*out = (struct card_act){.slot = slot};
	if (f->steer != STEER_RSS)
		return err_set(err, EOPNOTSUPP,
			"%s: a program in the kernel cannot choose a receive queue: the interface "
			"does",
			f->steer == STEER_QUEUE        ? "queue"
			: f->steer == STEER_RSS_REGION ? "tcbrss"
						       : "tcbhash");
	if (f->action == ADAPTER_SWITCH)
		return err_set(err, EOPNOTSUPP,
			"action switch: the programs in the kernel do not send frames on");
	if (f->action == ADAPTER_DROP)
		out->action = CARD_DROP;
	else
		out->action = CARD_PASS;
	if (f->value.family == 6)
		out->flags |= CARD_SIX;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// xdp.h - the card in the kernel: programs on Linux interfaces that hold the rules of adapter/adapter.h,
// and stay when the command that made them has ended.
#pragma once

#include "adapter/adapter.h"
#include "base/err.h"

#include <stdint.h>

struct card_act;

// What the programs are to do with a frame that the filter matches; slot: of its hit counter.
// With a sentence that names the word: -EOPNOTSUPP, a program in the kernel cannot do it; -EINVAL, an
// address of another family than the rule's.
int card_act_make(
	const struct adapter_filter *f, uint32_t slot, struct card_act *out, struct err *err);

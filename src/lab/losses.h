// SPDX-License-Identifier: BSD-2-Clause
// losses.h - where an arm's lost frames were lost, and how many came late.
#pragma once

#include "lab/results.h"

// Sums over the valid runs of an arm.
struct arm_losses {
	uint64_t offered, received;
	uint64_t lost; // neither came back nor were lost by the tester behind the device
	uint64_t
		unreached; // of the lost ones: the device never had them; 0 where it keeps no account
	uint64_t reordered; // of the received ones: behind a later frame of their flow (RFC 4737)
};

void arm_losses(const struct lab_results *r, unsigned arm, struct arm_losses *out);

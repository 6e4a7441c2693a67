// SPDX-License-Identifier: BSD-2-Clause
#include "lab/losses.h"

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

void arm_losses(const struct lab_results *r, unsigned arm, struct arm_losses *out)
{
	*out = (struct arm_losses){0};
	for (unsigned i = 0; i < r->n_runs; i++) {
		const struct lab_run *run = &r->run[i];
		uint64_t lost = above(run->offered, run->received + run->tester_missed);
		uint64_t unreached = run->dut_in > 0 ? above(run->offered, run->dut_in) : 0;

		if (run->arm != arm || !run->valid)
			continue;
		out->offered += run->offered;
		out->received += run->received;
		out->lost += lost;
		out->unreached += unreached < lost ? unreached : lost;
		out->reordered += run->reordered;
	}
}

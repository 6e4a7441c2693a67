// SPDX-License-Identifier: BSD-2-Clause
// experiment.h - an experiment on its way: the plan of its arms, and its runs block by block.
#pragma once

#include "lab/filter_run.h"
#include "lab/lab.h"
#include "lab/progress.h"

struct arm_plan {
	const struct lab_condition *condition;
	const struct lab_traffic *traffic;
	struct filter_run *filter; // NULL = the condition has none
};

struct experiment {
	struct dut *dut;
	const struct lab_conditions *conditions;
	struct lab_options o;
	struct lab_results *r;
	struct arm_plan *plan; // one an arm
	struct progress progress;
	uint64_t start_ns;
	unsigned n_void;
};

// Since the start of its first run.
double experiment_seconds(const struct experiment *e);

enum {
	RUN_ATTEMPTS = 3, // a run is made at most so often
	VOIDS_FREE = 6,   // so many void runs and a quarter of all planned: then it is given up
	// Fewer blocks cannot show a difference (exact signed-rank test at 2 %: 7), so the time limit
	// does not hold before, unless lab_options says otherwise.
	BLOCKS_MIN = 8,
};

// Makes all runs; `run` makes one, whose number, block, arm, attempt and start are set, and decides
// whether it is valid.  Void runs are made again at once.  0 also when it is given up because too
// many are void; otherwise the error of `run`.
int experiment_blocks(struct experiment *e,
	int (*run)(struct experiment *e, struct lab_run *run, struct err *err), struct err *err);

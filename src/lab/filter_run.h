// SPDX-License-Identifier: BSD-2-Clause
// filter_run.h - an arm's filter: probes and gates of each of its runs, and what is told of it.
#pragma once

#include "lab/lab.h"
#include "lab/probe.h"

struct filter_run {
	const struct lab_filter *filter;
	struct lab_flows flows;
	struct probe_set *probes;
	uint64_t *hits;  // of the last run, by rule
	uint64_t *sum;   // of the valid runs
	uint64_t frames; // of the valid runs' traffic
	bool has_hits;
};

// NULL with *err set: no memory, a traffic that does not cross the box, or one that the rules stop, unless
// the condition has a setup.sh, which may give the device others.
struct filter_run *filter_run_new(const struct lab_condition *c, const struct lab_traffic *t,
	const struct dut *d, struct err *err);
void filter_run_free(struct filter_run *r);

// Before a run's traffic: whether it may begin.  If not, *run is void, and says why.
bool filter_run_before(
	struct filter_run *r, struct dut *d, const struct lab_ends *ends, struct lab_run *run);

// After it, the device still running: may void the run.
void filter_run_after(
	struct filter_run *r, struct dut *d, const struct lab_ends *ends, struct lab_run *run);

// Adds what is told of the arm's filter to the results.  -ENOMEM.
int filter_run_tell(
	const struct filter_run *r, struct lab_results *to, unsigned arm, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// tester.h - the sender and the checker of a run, on the calling thread.
#pragma once

#include "lab/lab.h"
#include "lab/trial.h"

struct tester {
	struct dut *dut;
	struct lab_ends ends;
	struct sender *sender;
	struct checker *checker;
	uint64_t returned; // frames the device sent back to where the test's came from
	unsigned turns;
	uint64_t missed_before; // of the receiving port, when the run began
	// The device's: a kernel has sent frames of its own by then, and there were probes.
	struct dut_counters before;
};

// Plugs a sender and a checker into a started device; run tells this run's frames from others'.
// Frames that wait at the receiving port (a kernel's own, of before) are thrown away first.
int tester_new(struct tester *t, struct dut *dut, const struct lab_ends *ends,
	const struct lab_traffic *traffic, uint32_t run, struct err *err);
void tester_free(struct tester *t);
void tester_io(struct tester *t, struct trial_io *io);

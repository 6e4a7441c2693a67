// SPDX-License-Identifier: BSD-2-Clause
// trial.h - one run: warm-up, intervals, the wait for the last frames, and the gates it must pass.
#pragma once

#include "lab/lab.h"

// What tester and device have counted since the run's start.
struct trial_count {
	uint64_t offered, refused;   // the sender's
	struct checker_counters got; // the checker's
	uint64_t returned;           // sent back by the device to the port that sends: ICMP
	uint64_t missed;             // lost by the tester's receiving port
	struct dut_counters dut;
};

// The tester as the trial sees it; tests put a scripted one in its place.
struct trial_io {
	void *arg;
	uint64_t (*now_ns)(void *arg);
	// Sends what is due if `sending`, receives what is there; returns how many frames arrived.
	unsigned (*turn)(void *arg, bool sending);
	void (*read)(void *arg, struct trial_count *out);
	void (*device)(void *arg, struct dut_counters *out); // the device's part alone
};

struct trial_plan {
	double warm_s, window_s;
	double slice_s; // of a polling device, see trial.c
	unsigned n_windows;
	double settle_s; // so long nothing arrives, and the run is over
	double settle_max_s;
	uint64_t rate_pps;              // intended; 0 = as fast as it goes
	bool accounts, has_work, polls; // of the device
	const volatile sig_atomic_t *stop;
};

// Makes the run and fills *out, whose number, block, arm, attempt and start_s stay as they are.
// A run that fails a gate is void, with gate and why set: that is not an error.
// -EINTR when *stop was set, -ENOMEM; out->window is then NULL.
int trial_run(const struct trial_plan *p, const struct trial_io *io, struct lab_run *out,
	struct err *err);

// Frames the device has finished with: sent, ended, waiting, or dropped.
uint64_t trial_out(const struct dut_counters *d);

// Frames that left the device, or reached the tester's port, and were lost there.
uint64_t trial_tester_lost(const struct trial_plan *p, const struct trial_count *c);

// Voids a run for the gate it fails and the sentence why.  Of a void run the first reason stands.
void trial_void(struct lab_run *run, const char *gate, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// The gates (trial_gate.c), over the counters after the last frame; the first that fails voids.
void trial_gate(const struct trial_plan *p, const struct trial_count *end, struct lab_run *run);

enum {
	TRIAL_STEADY_MIN_PERCENT = 60, // of the intervals
	TRIAL_TURN_MIN = 48,           // frames a polling device must find in a turn on average
	// Of a device without exact accounts: so many of a million frames may get lost between it
	// and the tester; they are not counted as its loss.
	TRIAL_TESTER_LOSS_PPM = 1000,
};

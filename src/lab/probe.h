// SPDX-License-Identifier: BSD-2-Clause
// probe.h - single frames that show whether a device drops and passes what its rules say.
//
// For a rule a frame is made that it matches, from the rule itself and, where the rule leaves
// something open, from the traffic of the run.  What must happen to it is what the first rule in the
// list that matches it says.
#pragma once

#include "lab/filter.h"
#include "lab/lab.h"

enum {
	PROBES_MAX = 64, // rules that get one, spread over the list, the first and the last too
	PROBE_FRAME_MAX = 192, // bytes
};

struct probe {
	struct build b; // without MACs and payload; b.opt is in `opt`
	uint8_t opt[8];
	unsigned made_for, first; // indices of rules; the number of rules = none
	bool back;                // goes from the destinations' side to the sources'
	bool passes;              // must arrive; else must not
	bool has_station;
	struct mac station; // that it must reach
};

struct probe_set {
	struct probe probe[PROBES_MAX + 1]; // the last one matches no rule
	unsigned n;
	unsigned iport;   // the card's port by which the traffic comes in
	unsigned n_rules; // rules looked at
	unsigned
		n_silent; // of these without a probe: no frame that crosses the device matches them
	unsigned n_elsewhere; // ... or what they match is sent elsewhere or changed
};

// How frames get through the device.
struct probe_way {
	const struct conf *conf; // without interfaces: nothing is known of the box
	const struct lab_traffic *traffic;
	bool both_ways; // whether it can be crossed from the other side too
};

// -EINVAL if the traffic does not cross a box of these settings.
int probe_set_make(struct probe_set *out, const struct lab_filter *f, const struct probe_way *way,
	struct err *err);

// Writes the probe as it is sent, or, with `arrived`, as it must arrive; i is its number, run that of
// the run.  MACs of a frame that arrives are zero where they are not known.  Returns its length.
unsigned probe_frame(const struct probe *p, const struct lab_ends *ends, unsigned i, uint32_t run,
	bool arrived, uint8_t frame[PROBE_FRAME_MAX]);

// The number of the probe that a frame is, or -1; whether it is whole is another question.
int probe_number(const uint8_t *frame, unsigned len, uint32_t run);

// Sends all probes of a run that is valid so far through the started device and waits for what comes of
// it.  Whether all is as it must be; if not, the run is void: its gate and why are set.  when: "before
// the traffic".
bool probe_round(const struct probe_set *set, const struct lab_filter *f, struct dut *d,
	const struct lab_ends *ends, const char *when, struct lab_run *run);

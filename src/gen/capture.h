// SPDX-License-Identifier: BSD-2-Clause
// capture.h - frames of a capture file, for a sender.
#pragma once

#include "gen/gen.h"
#include "packet/pcap.h"

struct gen_capture {
	struct pcapfile file;
	uint64_t *at_ns; // of each frame, since the first; never going back
	unsigned longest;
};

// When frame i of the endless repetition is due, since the start.  One lap lasts as long as the
// capture plus one mean distance.
uint64_t capture_due_ns(const struct gen_capture *c, uint64_t i);

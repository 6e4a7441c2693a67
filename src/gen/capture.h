// SPDX-License-Identifier: BSD-2-Clause
// capture.h - frames of a capture file, for a sender.
#pragma once

#include "gen/gen.h"

struct capture_frame {
	uint64_t at_ns; // since the first frame, never going back
	uint32_t off;   // into bytes
	uint16_t len;
};

struct gen_capture {
	struct capture_frame *frame;
	uint64_t n, room;
	uint8_t *bytes;
	size_t n_bytes, bytes_room;
	unsigned longest;
};

// When frame i of the endless repetition is due, since the start.  One lap lasts as long as the
// capture plus one mean distance.
uint64_t capture_due_ns(const struct gen_capture *c, uint64_t i);

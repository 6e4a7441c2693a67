// SPDX-License-Identifier: BSD-2-Clause
// explain.h - what is wrong with a frame, byte by byte.
#pragma once

#include "gen/flows.h"
#include "gen/frame.h"

enum fault { FAULT_NONE, FAULT_TTL, FAULT_CHECKSUM, FAULT_CONTENT, FAULT_FOREIGN };

// What frames behind the device must look like.
struct expect {
	struct gen_conf conf; // with the MAC addresses behind the device
	struct frame_tmpl tmpl;
	struct flows flows;
	bool any_dmac, any_smac; // not checked
	uint8_t *scratch;        // room for one frame
};

// Whether a frame of len bytes, numbered seq by what it carries, is that frame.  FAULT_FOREIGN
// goes by the flow and the run alone, whatever seq.  64 bytes may be read at frame.
enum fault explain(const struct expect *x, const uint8_t *frame, unsigned len, uint64_t seq);

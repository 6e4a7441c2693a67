// SPDX-License-Identifier: BSD-2-Clause
// xdp_frames.h - frames that rules meet often, sound and broken ones, for the tests of a card's program.
#pragma once

#include "adapter/rig_test.h"
#include "classify/oracle_test.h"

enum { XDP_FRAME_MIN = 14 };

// A frame whose key is near to what the rule asks for, as far as a frame can have that.  Any length from
// 14 to some 1,500 bytes; with up to three tags, options, chains of extension headers; fragments;
// often damaged or cut somewhere.
void xdp_frame(uint64_t *random, const struct classify_rule *near, struct frame *f);

// SPDX-License-Identifier: BSD-2-Clause
// check.h - received frames against the profile they were sent with; knows nothing of ports.
#pragma once

#include "gen/gen.h"

struct check;

// Arguments as checker_new() takes them.
struct check *check_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct err *err);
void check_free(struct check *c);

// Which code does it: the fastest for this CPU; without vector instructions; or the slow path for
// every frame.  All must find the same.
enum check_how { CHECK_FASTEST, CHECK_PLAIN, CHECK_SLOW };
void check_use(struct check *c, enum check_how how);

// Checks n <= 64 frames of len[i] bytes in the order they came in.  At least 64 bytes may be read
// at frame[i] however short it is; their content does not matter.
void check_frames(struct check *c, const uint8_t *const *frame, const uint16_t *len, unsigned n);

struct checker_counters *check_counters(struct check *c);

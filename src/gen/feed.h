// SPDX-License-Identifier: BSD-2-Clause
// feed.h - the frames of a profile in their order, whatever they are: made, of a capture, or rubbish.
#pragma once

#include "gen/gen.h"

struct feed;

// The profile must have passed gen_conf_check().  -ENOMEM.
struct feed *feed_new(const struct gen_conf *conf, struct err *err);
void feed_free(struct feed *f);

// Writes the next n <= 64 frames to buf[i] (room for the longest frame, and FRAME_HEAD at least) and
// their lengths to len[i], and shows them to the profile's `look`.
void feed_fill(struct feed *f, uint8_t *const *buf, uint16_t *len, unsigned n);

// Frame i + feed_period() is the same as frame i, and nobody wants to see it again; 0: no such number.
uint64_t feed_period(const struct feed *f);

// Lengths of the shortest and the longest frame.
void feed_lengths(const struct feed *f, unsigned *least, unsigned *most);

// SPDX-License-Identifier: BSD-2-Clause
// source.h - the endless series of frames of a profile, written into memory given.
#pragma once

#include "gen/flows.h"
#include "gen/frame.h"

// A table of heads is used for profiles of up to this many flows: 2 MiB.
enum { SOURCE_TABLE_MAX = 1 << 15 };

struct source;
struct source *source_new(const struct gen_conf *conf, struct err *err);
void source_free(struct source *s);

// Writes the next n <= 64 frames to buf[i] (room for the longest frame, and FRAME_HEAD at least)
// and their lengths to len[i].
void source_fill(struct source *s, uint8_t *const *buf, uint16_t *len, unsigned n);

// Frame i + source_period() is the same as frame i; 0: no such number, or a large one.
uint64_t source_period(const struct source *s);

// Length of frame i of a profile.
static inline unsigned source_len(const struct gen_conf *conf, uint64_t i)
{
	if (conf->len_min == 0 || conf->len_min == conf->len)
		return conf->len;
	return conf->len_min +
	       (unsigned)(flows_mix(~conf->seed, i / 64) % (uint64_t)(conf->len - conf->len_min));
}

// The heads of a profile's flows 0..n-1, FRAME_HEAD bytes each.  NULL if there are too many, if
// addresses or lengths are random, or if memory is short: heads are then made one by one.
uint8_t *source_table(
	const struct gen_conf *conf, const struct frame_tmpl *t, const struct flows *f);

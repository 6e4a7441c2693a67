// SPDX-License-Identifier: BSD-2-Clause
// window.h - which of the last 2^18 sequence numbers came, and in what order.
#pragma once

#include "gen/gen.h"

#include <string.h>

enum { WINDOW_BITS = 1 << 18, WINDOW_WORDS = WINDOW_BITS / 64 };

// Bit i % WINDOW_BITS stands for number i.  Words are cleared when `next` enters them, so the word
// it is in holds only numbers of this lap.
struct window {
	uint64_t next; // one above the highest number seen
	uint64_t seen[WINDOW_WORDS];
};

static inline uint64_t *window_word(struct window *w, uint64_t seq)
{
	return &w->seen[seq / 64 % WINDOW_WORDS];
}

// Adds a number that is not below w->next.
static inline void window_advance(struct window *w, uint64_t seq)
{
	uint64_t enter = (w->next + 63) / 64, last = seq / 64;

	if (enter <= last) {
		if (last - enter >= WINDOW_WORDS)
			enter = last - WINDOW_WORDS + 1;
		for (; enter <= last; enter++)
			w->seen[enter % WINDOW_WORDS] = 0;
	}
	*window_word(w, seq) |= (uint64_t)1 << seq % 64;
	w->next = seq + 1;
}

// Adds a number below w->next.  False: it came before, or lies too far back to tell.  *late: a
// later number of the same flow (every `flows`-th) came already.
static inline bool window_add_late(struct window *w, uint64_t seq, uint64_t flows, bool *late)
{
	uint64_t bit = (uint64_t)1 << seq % 64;

	*late = false;
	if (w->next - seq > CHECKER_WINDOW || (*window_word(w, seq) & bit) != 0)
		return false;
	*window_word(w, seq) |= bit;
	for (uint64_t i = seq + flows; i > seq && i < w->next && !*late; i += flows)
		*late = (*window_word(w, i) >> i % 64 & 1) != 0;
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
// Rows of bits: moving the bits of some rules by one place in every row, and packing them.
#include "classify/bits.h"

#include <stdlib.h>
#include <string.h>

uint64_t *bits_rows_alloc(size_t n, unsigned words)
{
	size_t bytes = (n * words * sizeof(uint64_t) + 63) / 64 * 64;
	uint64_t *rows = aligned_alloc(64, bytes > 0 ? bytes : 64);

	if (rows != NULL)
		memset(rows, 0, bytes > 0 ? bytes : 64);
	return rows;
}

// The bits from..to of word w.
static uint64_t within(unsigned w, unsigned from, unsigned to)
{
	uint64_t mask = UINT64_MAX;

	if (from > w * 64)
		mask &= UINT64_MAX << (from - w * 64);
	if (to < w * 64 + 63)
		mask &= UINT64_MAX >> (63 - (to - w * 64));
	return mask;
}

// Bits from..to-1 move up by one; bit to was 0 in every row, and bit from is after it.
void bits_rows_up(uint64_t *rows, size_t n, unsigned words, unsigned from, unsigned to)
{
	for (unsigned w = to / 64 + 1; w-- > from / 64;) {
		uint64_t mask = within(w, from, to);
		bool below = w > from / 64;

		for (size_t i = 0; i < n; i++) {
			uint64_t *row = rows + i * words;
			uint64_t moved = row[w] << 1 | (below ? row[w - 1] >> 63 : 0);

			row[w] = (row[w] & ~mask) | (moved & mask);
		}
	}
	for (size_t i = 0; i < n; i++)
		rows[i * words + from / 64] &= ~(1ull << from % 64);
}

// Bits from+1..to move down by one; bit from was 0 in every row, and bit to is after it.
void bits_rows_down(uint64_t *rows, size_t n, unsigned words, unsigned from, unsigned to)
{
	for (unsigned w = from / 64; w <= to / 64; w++) {
		uint64_t mask = within(w, from, to);
		bool above = w < to / 64;

		for (size_t i = 0; i < n; i++) {
			uint64_t *row = rows + i * words;
			uint64_t moved = row[w] >> 1 | (above ? row[w + 1] << 63 : 0);

			row[w] = (row[w] & ~mask) | (moved & mask);
		}
	}
	for (size_t i = 0; i < n; i++)
		rows[i * words + to / 64] &= ~(1ull << to % 64);
}

// Leaves out the bits that are not used.  Goes through runs of used bits, as they mostly come in some.
void bits_rows_pack(const uint64_t *rows, size_t n, unsigned words, const uint64_t *used,
	uint64_t *out, unsigned out_words)
{
	unsigned at = 0;

	for (unsigned w = 0; w < words; w++) {
		uint64_t rest = used[w];

		while (rest != 0) {
			unsigned from = (unsigned)__builtin_ctzll(rest);
			uint64_t up = ~(rest >> from);
			unsigned len = up != 0 ? (unsigned)__builtin_ctzll(up) : 64;
			unsigned room = 64 - at % 64;

			if (len > 64 - from)
				len = 64 - from;
			if (len > room)
				len = room;
			for (size_t i = 0; i < n; i++)
				out[i * out_words + at / 64] |=
					(rows[i * words + w] >> from & UINT64_MAX >> (64 - len))
					<< at % 64;
			at += len;
			rest &= ~(UINT64_MAX >> (64 - len) << from);
		}
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// Runs of lines: each of a power of two lines, from a list of that size or from the end.
#include "classify/large.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, FIRST_LINES = HUGE_PAGE / sizeof(struct large_line) };
#define NONE UINT32_MAX

void large_arena_init(struct large_arena *a)
{
	memset(a->free, UINT8_MAX, sizeof(a->free));
}

unsigned large_run_size(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (unsigned)__builtin_clz(n - 1);
}

static int grow(struct large_arena *a, uint32_t need)
{
	size_t room = a->room == 0 ? FIRST_LINES : a->room, bytes;
	struct large_line *line;

	while (room < (size_t)a->n + need)
		room *= 2;
	if (room > 1u << LARGE_START_BITS)
		return -1;
	bytes = room * sizeof(*line);
	line = aligned_alloc(bytes >= HUGE_PAGE ? HUGE_PAGE : sizeof(*line), bytes);
	if (line == NULL)
		return -1;
	if (bytes >= HUGE_PAGE)
		madvise(line, bytes, MADV_HUGEPAGE); // only makes it faster
	if (a->n != 0)
		memcpy(line, a->line, a->n * sizeof(*line));
	free(a->line);
	a->line = line;
	a->room = (uint32_t)room;
	return 0;
}

uint32_t large_arena_take(struct large_arena *a, uint32_t n)
{
	unsigned c = large_run_size(n);
	uint32_t start = a->free[c];

	if (start != NONE) {
		a->free[c] = a->line[start].value[0];
		return start;
	}
	if (a->room - a->n < 1u << c && grow(a, 1u << c) != 0)
		return NONE;
	start = a->n;
	a->n += 1u << c;
	return start;
}

void large_arena_give(struct large_arena *a, uint32_t start, uint32_t n)
{
	unsigned c = large_run_size(n);

	a->line[start].value[0] = a->free[c];
	a->free[c] = start;
}

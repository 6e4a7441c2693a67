// SPDX-License-Identifier: BSD-2-Clause
#include "base/heap.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { HEAP_MOST = 16 << 20 };

void heap_touch(void *at, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);

	madvise((void *)from, (uintptr_t)at + bytes - from, MADV_POPULATE_WRITE);
}

// A block of that size is taken and given back: it then lies at the heap's end, which is not cut off.
void heap_ready(size_t bytes)
{
	void *p;

	if (bytes > HEAP_MOST)
		bytes = HEAP_MOST;
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, HEAP_MOST + 1);
	p = malloc(bytes);
	mallopt(M_MMAP_THRESHOLD, HEAP_LARGE);
	if (p == NULL)
		return;
	heap_touch(p, bytes);
	free(p);
}

void heap_renew(void *to, const void *from, size_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0, part; at < n; at += part) {
		char *here = (char *)to + at;

		part = page - ((uintptr_t)here & (page - 1));
		if (part > n - at)
			part = n - at;
		if (memcmp(here, (const char *)from + at, part) != 0)
			memcpy(here, (const char *)from + at, part);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
#include "stats/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, WORTH_IT = 64 * PAGE };

void pages_ready(void *p, size_t bytes)
{
	uintptr_t first = ((uintptr_t)p + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	uintptr_t end = ((uintptr_t)p + bytes) & ~(uintptr_t)(PAGE - 1);
	int saved = errno;

	if (bytes >= WORTH_IT)
		madvise((void *)first, end - first, MADV_POPULATE_WRITE);
	errno = saved;
}

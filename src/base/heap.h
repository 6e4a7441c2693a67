// SPDX-License-Identifier: BSD-2-Clause
// heap.h - memory that is about to be written: pages taken from the kernel at once, or left alone.
//
// A page that is touched first costs a fault, which on some virtual machines takes 10 us, where one among many
// asked for together takes half of one; the first write to a page that is there takes 5.  For commands that live for
// milliseconds.  Only hints: where the
// kernel (before Linux 5.14) or malloc does not know them, everything is as without.
#pragma once

#include <stddef.h>

// Has the pages of these bytes, which are the caller's and are zero as yet, there.
void heap_touch(void *at, size_t bytes);

// Has so many bytes ready for what will be asked of malloc next.  Behind them, malloc takes blocks of HEAP_LARGE
// and more from the kernel one by one, their pages when they are touched.  For the whole process, which keeps
// the memory.
enum { HEAP_LARGE = 512 << 10 };
void heap_ready(size_t bytes);

// Copies n bytes to where much of them may stand already: pages on which nothing differs are not written.
void heap_renew(void *to, const void *from, size_t n);

// SPDX-License-Identifier: BSD-2-Clause
#include "base/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define OTHER_MALLOC 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define OTHER_MALLOC 1
#endif

enum { PAGES = 300 };

// How many whole pages of these bytes are in memory.
static size_t there(const void *at, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	uintptr_t from = ((uintptr_t)at + page - 1) / page * page,
		  to = ((uintptr_t)at + bytes) / page * page;
	unsigned char in[2 * PAGES];

	assert_true((to - from) / page <= sizeof(in));
	assert_int_equal(mincore((void *)from, to - from, in), 0);
	for (size_t i = 0; i < (to - from) / page; i++)
		n += in[i] & 1;
	return n;
}

static bool kernel_knows_how(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool knows;

	assert_true(at != MAP_FAILED);
	knows = madvise(at, page, 23) == 0; // MADV_POPULATE_WRITE
	munmap(at, page);
	return knows;
}

static void touched_pages_are_there_and_stay_what_they_were(void **state)
{
	size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_int_equal(there(at, bytes), 0);
	at[100] = 'x';
	heap_touch(at + 100, bytes - 100);
	assert_int_equal(at[100], 'x');
	if (kernel_knows_how())
		assert_int_equal(there(at, bytes), PAGES);
	assert_int_equal(at[bytes - 1], 0);
	munmap(at, bytes);
}

static void malloc_gives_out_pages_that_are_there(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page;
	char *block;

	(void)state;
#ifdef OTHER_MALLOC
	skip();
#endif
	if (!kernel_knows_how())
		skip();
	heap_ready(bytes);
	block = malloc(bytes / 2);
	assert_non_null(block);
	assert_true(there(block, bytes / 2) >= PAGES / 2 - 1);
	free(block);
}

static void renewing_writes_no_page_that_is_the_same(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 3 * page;
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *from = malloc(bytes);

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_non_null(from);
	memset(at, 'o', bytes);
	memset(from, 'o', bytes);
	from[page - 1] = from[2 * page] = from[bytes - 1] = 'n';
	assert_int_equal(mprotect(at + page, page, PROT_READ), 0);
	heap_renew(at + 1, from + 1, bytes - 1);
	assert_memory_equal(at, from, bytes);
	free(from);
	munmap(at, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touched_pages_are_there_and_stay_what_they_were),
		cmocka_unit_test(malloc_gives_out_pages_that_are_there),
		cmocka_unit_test(renewing_writes_no_page_that_is_the_same),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}

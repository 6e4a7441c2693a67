// SPDX-License-Identifier: BSD-2-Clause
// A call that runs out of memory, wherever it does, changes nothing.
#include "classify/classify.h"
#include "classify/flat.h"
#include "classify/oracle_test.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The linker puts these in place of the C library's.
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

static unsigned left = UINT32_MAX; // allocations that succeed; then all fail

static bool granted(void)
{
	if (left == UINT32_MAX)
		return true;
	if (left == 0)
		return false;
	left--;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return granted() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return granted() ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
	return granted() ? __real_realloc(p, size) : NULL;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return granted() ? __real_aligned_alloc(align, size) : NULL;
}

static void assert_agrees(const struct classify *c, const struct oracle_set *s, uint64_t *rnd)
{
	struct classify_key k[CLASSIFY_BURST];
	uint32_t id[CLASSIFY_BURST];

	for (unsigned i = 0; i < CLASSIFY_BURST; i++)
		k[i] = oracle_key(rnd, s);
	classify_first(c, k, CLASSIFY_BURST, id);
	for (unsigned i = 0; i < CLASSIFY_BURST; i++)
		assert_int_equal(id[i], oracle_first(s, &k[i]));
	assert_int_equal(classify_count(c), s->n);
}

// One call with ever more memory, until it succeeds.  What it changes is in `after`.
struct trial {
	struct oracle_set before, after;
	struct classify_rule rule;
	enum { SET, ADD, DELETE } call;
};

static int call(struct classify *c, const struct trial *t, struct err *err)
{
	if (t->call == SET)
		return classify_set(c, t->after.rule, t->after.n, err);
	if (t->call == ADD)
		return classify_add(c, &t->rule, err);
	return classify_delete(c, t->rule.order, err);
}

static void starve(const struct trial *t, uint64_t *rnd)
{
	int rc = -ENOMEM;

	// A set of many fields takes a thousand allocations; another run leaves out others.
	for (unsigned n = 0; rc != 0; n += 1 + oracle_below(rnd, 1 + n / 32)) {
		struct classify *c = classify_new(NULL, NULL);
		struct err err = {0};

		assert_int_equal(classify_set(c, t->before.rule, t->before.n, NULL), 0);
		left = n;
		rc = call(c, t, &err);
		left = UINT32_MAX;
		assert_true(rc == 0 || (rc == -ENOMEM && err.code == ENOMEM));
		assert_agrees(c, rc == 0 ? &t->after : &t->before, rnd);
		// And the set still can be changed.
		if (rc != 0)
			assert_int_equal(call(c, t, NULL), 0);
		assert_agrees(c, &t->after, rnd);
		assert_int_equal(classify_set(c, t->before.rule, t->before.n, NULL), 0);
		assert_agrees(c, &t->before, rnd);
		classify_free(c);
	}
}

static void a_change_without_memory_changes_nothing(void **state)
{
	static const unsigned sizes[] = {0, 1, 15, 64, 128, 200};
	uint64_t rnd = oracle_seed();

	(void)state;
	for (unsigned i = 0; i < (ORACLE_SLOW ? 3 : 5); i++) {
		struct oracle_set more = oracle_set(&rnd, sizes[i] + 1);
		struct oracle_set less = {more.rule + 1, more.n - 1};
		struct trial add = {less, more, more.rule[0], ADD};
		struct trial delete = {more, less, more.rule[0], DELETE};
		struct trial set = {less, more, more.rule[0], SET};

		starve(&add, &rnd);
		starve(&delete, &rnd);
		starve(&set, &rnd);
		oracle_free(&more);
	}
}

// What is done for a large set beside adding the rule may fail, too.
static void a_large_set_grows_on_without_memory(void **state)
{
	enum { FIRST = 2100, LAST = 3000, EACH = ORACLE_SLOW ? 8 : 2 };
	uint64_t rnd = oracle_seed() + 2;
	struct oracle_set s = oracle_set(&rnd, LAST), now = {s.rule, FIRST};
	struct classify *c = classify_new(NULL, NULL);

	(void)state;
	assert_int_equal(classify_set(c, now.rule, now.n, NULL), 0);
	for (; now.n < s.n; now.n++) {
		struct err err = {0};
		int rc;

		left = now.n % EACH == 0 ? oracle_below(&rnd, 3) : UINT32_MAX;
		rc = classify_add(c, &s.rule[now.n], &err);
		left = UINT32_MAX;
		if (rc == 0)
			continue;
		assert_int_equal(err.code, ENOMEM);
		assert_int_equal(classify_count(c), now.n);
		assert_int_equal(classify_add(c, &s.rule[now.n], NULL), 0);
	}
	for (unsigned i = 0; i < 20; i++)
		assert_agrees(c, &s, &rnd);
	classify_free(c);
	oracle_free(&s);
}

static void a_release_without_memory_can_be_tried_again(void **state)
{
	uint64_t rnd = oracle_seed() + 1;
	struct oracle_set s = oracle_set(&rnd, 60);
	struct classify *c = classify_new(NULL, NULL);
	struct err err = {0};
	int rc = -ENOMEM;

	(void)state;
	classify_hold(c);
	for (size_t i = 0; i < s.n; i++)
		assert_int_equal(classify_add(c, &s.rule[i], NULL), 0);
	for (unsigned n = 0; rc != 0; n++) {
		left = n;
		rc = classify_release(c, &err);
		left = UINT32_MAX;
		assert_true(rc == 0 || (rc == -ENOMEM && err.code == ENOMEM));
	}
	assert_int_equal(err.code, ENOMEM); // at least once
	assert_agrees(c, &s, &rnd);
	classify_free(c);
	oracle_free(&s);
}

static void a_new_set_without_memory_is_refused(void **state)
{
	struct classify *c = NULL;

	(void)state;
	for (unsigned n = 0; c == NULL; n++) {
		struct err err = {0};

		left = n;
		c = classify_new(NULL, &err);
		left = UINT32_MAX;
		assert_true(c != NULL || err.code == ENOMEM);
	}
	classify_free(c);
}

static void a_cache_without_memory_is_refused(void **state)
{
	struct classify *c = classify_new(NULL, NULL);
	struct classify_cache *cache;
	struct err err = {0};

	(void)state;
	left = 0;
	cache = classify_cache_new(c, &err);
	left = UINT32_MAX;
	assert_null(cache);
	assert_int_equal(err.code, ENOMEM);
	classify_free(c);
}

static void tables_without_memory_match_nothing(void **state)
{
	struct classify_rule rules[2] = {
		{.mask.proto = UINT8_MAX, .mask.src[0] = UINT32_MAX, .sport_hi = 7, .dport_hi = 80},
		{.mask.tos = UINT8_MAX, .mask.dst[3] = 255, .sport_hi = 9, .dport_hi = UINT16_MAX}};
	struct flat_head *block = __real_aligned_alloc(64, FLAT_SIZE);
	struct err err = {0};
	unsigned most = 0;

	(void)state;
	assert_non_null(block);
	for (int rc = -ENOMEM; rc != 0; most++) {
		memset(block, 0x5a, sizeof(*block));
		left = most;
		rc = classify_flat(rules, 2, block, FLAT_SIZE, &err);
		left = UINT32_MAX;
		assert_true(rc == 0 || (rc == -ENOMEM && err.code == ENOMEM));
		assert_int_equal(block->n_rules, rc == 0 ? 2 : 0);
	}
	assert_true(most > 10);
	free(block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_without_memory_changes_nothing),
		cmocka_unit_test(a_large_set_grows_on_without_memory),
		cmocka_unit_test(a_release_without_memory_can_be_tried_again),
		cmocka_unit_test(a_new_set_without_memory_is_refused),
		cmocka_unit_test(a_cache_without_memory_is_refused),
		cmocka_unit_test(tables_without_memory_match_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

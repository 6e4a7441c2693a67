// SPDX-License-Identifier: BSD-2-Clause
// Lookups in one thread while another changes the set: every burst sees one set, and none sees a
// rule after the call that deleted it has returned.
#include "classify/classify.h"
#include "classify/oracle_test.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LAST = 1000000, FIRST_ID = 10, ALWAYS = 5, CHANGES = ORACLE_SLOW ? 200 : 2000 };

struct shared {
	struct classify *c;
	struct classify_cache *cache; // the reader's
	atomic_uint passes;           // quiet points of the reader
	atomic_uint dead; // ids below are of deleted rules; stored after the call that deleted them
	atomic_bool running, stop;
	unsigned torn, stale, seen; // the reader's
};

// Returns when the reader has passed two quiet points: the first of them may have begun before.
static void wait_quiet(void *arg)
{
	struct shared *s = arg;
	unsigned from = atomic_load(&s->passes);

	while (atomic_load(&s->running) && atomic_load(&s->passes) - from < 2)
		sched_yield();
}

static void *reader(void *arg)
{
	struct shared *s = arg;
	struct classify_key key[CLASSIFY_BURST];
	uint32_t id[CLASSIFY_BURST];
	uint64_t rnd = 7;
	unsigned turn = 0;

	for (unsigned i = 0; i < CLASSIFY_BURST; i++)
		for (unsigned b = 0; b < sizeof(key[i]); b++)
			((uint8_t *)&key[i])[b] = (uint8_t)oracle_random(&rnd);
	while (!atomic_load(&s->stop)) {
		unsigned dead = atomic_load(&s->dead);

		// From the tables and from what is kept in turns.
		if (turn++ % 2 == 0)
			classify_first(s->c, key, CLASSIFY_BURST, id);
		else
			classify_cache_first(s->cache, key, CLASSIFY_BURST, id);
		for (unsigned i = 0; i < CLASSIFY_BURST; i++)
			s->torn += id[i] != id[0];
		s->stale += id[0] != ALWAYS && id[0] < dead;
		s->seen += id[0] != ALWAYS;
		atomic_fetch_add(&s->passes, 1);
	}
	return NULL;
}

// Behind a rule for all keys, some rules come and go: they match, but never first.
static void churn(struct classify *c, unsigned round, uint64_t *rnd)
{
	for (unsigned i = 0; i < 8; i++) {
		struct classify_rule r = oracle_rule(rnd, UINT64_MAX);

		r.order = LAST + 1 + (round * 8 + i) % 200;
		r.id = 1;
		if (classify_add(c, &r, NULL) != 0)
			assert_int_equal(classify_delete(c, r.order, NULL), 0);
	}
}

static void a_burst_sees_one_set_and_no_deleted_rule(void **state)
{
	struct shared s = {0};
	const struct classify_readers readers = {wait_quiet, &s};
	struct classify_rule always = oracle_any(LAST, ALWAYS);
	uint64_t rnd = oracle_seed();
	pthread_t thread;

	(void)state;
	s.c = classify_new(&readers, NULL);
	assert_non_null(s.c);
	s.cache = classify_cache_new(s.c, NULL);
	assert_non_null(s.cache);
	assert_int_equal(classify_add(s.c, &always, NULL), 0);
	atomic_store(&s.running, true);
	assert_int_equal(pthread_create(&thread, NULL, reader, &s), 0);
	for (unsigned i = 0; i < CHANGES; i++) {
		struct classify_rule r = oracle_any(i % 7, FIRST_ID + i);

		assert_int_equal(classify_add(s.c, &r, NULL), 0);
		if (i % 16 == 0)
			churn(s.c, i, &rnd);
		if (i % 64 == 5)
			assert_int_equal(classify_set(s.c, &always, 1, NULL), 0);
		else
			assert_int_equal(classify_delete(s.c, r.order, NULL), 0);
		atomic_store(&s.dead, FIRST_ID + i + 1);
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(s.torn, 0);
	assert_int_equal(s.stale, 0);
	assert_true(s.seen > 0);
	classify_cache_free(s.cache);
	classify_free(s.c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_sees_one_set_and_no_deleted_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// Results that are kept: the right ones, and only for the set they are of.
#include "classify/cache.h"
#include "classify/oracle_test.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MARK = 0x3a3a3a3a, RULES = 300 };

struct rig {
	struct classify *c;
	struct classify_cache *cache;
};

// Rules of two addresses and a range of ports: tables of several groups.
static struct classify_rule pair_rule(uint32_t i)
{
	return (struct classify_rule){
		.value = {.src = {0x0a000000 + i * 7919}, .dst = {0xc0000000 + i * 104729}},
		.mask = {.src = {UINT32_MAX}, .dst = {UINT32_MAX}},
		.sport_hi = UINT16_MAX,
		.dport_lo = (uint16_t)(1 + i * 13),
		.dport_hi = (uint16_t)(20000 + i * 17),
		.order = i * 2,
		.id = i};
}

static struct classify_key pair_key(uint32_t i)
{
	return (struct classify_key){.family = 4,
		.proto = 6,
		.src = {0x0a000000 + i * 7919},
		.dst = {0xc0000000 + i * 104729},
		.sport = (uint16_t)(i * 31),
		.dport = (uint16_t)(1 + i * 13)};
}

static struct rig rig_new(uint32_t n)
{
	struct classify_rule *rules = calloc(n, sizeof(*rules));
	struct rig r = {.c = classify_new(NULL, NULL)};

	for (uint32_t i = 0; i < n; i++)
		rules[i] = pair_rule(i);
	assert_int_equal(classify_set(r.c, rules, n, NULL), 0);
	r.cache = classify_cache_new(r.c, NULL);
	assert_non_null(r.cache);
	free(rules);
	return r;
}

static void rig_free(struct rig *r)
{
	classify_cache_free(r->cache);
	classify_free(r->c);
}

// What is kept becomes a number that no rule has, so that it can be told from what the tables say.
static void mark(struct classify_cache *cache)
{
	for (unsigned i = 0; i < CACHE_SETS * CACHE_WAYS; i++)
		cache->entry[i].id = MARK;
}

static uint32_t one(struct rig *r, const struct classify_key *key)
{
	uint32_t id;

	classify_cache_first(r->cache, key, 1, &id);
	return id;
}

static bool next_isa(enum classify_isa *isa)
{
	while (*isa < CLASSIFY_AVX512)
		if (classify_use(++*isa))
			return true;
	return false;
}

static void results_are_kept_until_the_rules_change(void **state)
{
	struct classify_key key[CLASSIFY_BURST];
	uint32_t ids[CLASSIFY_BURST];

	(void)state;
	for (unsigned i = 0; i < CLASSIFY_BURST; i++)
		key[i] = pair_key(i * 4);
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(RULES);
		struct classify_rule rule = pair_rule(0);

		classify_cache_first(r.cache, key, CLASSIFY_BURST, ids);
		for (unsigned i = 0; i < CLASSIFY_BURST; i++)
			assert_int_equal(ids[i], i * 4);
		mark(r.cache);
		classify_cache_first(r.cache, key, CLASSIFY_BURST, ids);
		for (unsigned i = 0; i < CLASSIFY_BURST; i++)
			assert_int_equal(ids[i], MARK);

		assert_int_equal(classify_delete(r.c, 0, NULL), 0);
		assert_int_equal(one(&r, &key[0]), CLASSIFY_NONE);
		assert_int_equal(one(&r, &key[1]), 4);
		mark(r.cache);
		assert_int_equal(one(&r, &key[0]), MARK);
		assert_int_equal(classify_add(r.c, &rule, NULL), 0);
		assert_int_equal(one(&r, &key[0]), 0);
		mark(r.cache);
		assert_int_equal(classify_set(r.c, &rule, 1, NULL), 0);
		assert_int_equal(one(&r, &key[1]), CLASSIFY_NONE);
		rig_free(&r);
	}
}

// As a start script sets rules: all held, then in force together.
static void rules_that_were_held_are_kept_like_others(void **state)
{
	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = {.c = classify_new(NULL, NULL)};
		struct classify_key key = pair_key(5), more = pair_key(RULES);
		struct classify_rule rule;

		r.cache = classify_cache_new(r.c, NULL);
		assert_non_null(r.cache);
		classify_hold(r.c);
		for (uint32_t i = 0; i < RULES; i++) {
			rule = pair_rule(i);
			assert_int_equal(classify_add(r.c, &rule, NULL), 0);
		}
		assert_int_equal(classify_release(r.c, NULL), 0);
		assert_int_equal(one(&r, &key), 5);
		assert_int_equal(one(&r, &more), CLASSIFY_NONE);
		mark(r.cache);
		assert_int_equal(one(&r, &key), MARK);

		classify_hold(r.c);
		rule = pair_rule(RULES);
		assert_int_equal(classify_add(r.c, &rule, NULL), 0);
		assert_int_equal(classify_delete(r.c, 10, NULL), 0);
		assert_int_equal(classify_release(r.c, NULL), 0);
		assert_int_equal(one(&r, &key), CLASSIFY_NONE);
		assert_int_equal(one(&r, &more), RULES);
		rig_free(&r);
	}
}

static void a_change_that_fails_or_matches_nothing_keeps_them(void **state)
{
	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(RULES);
		struct classify_rule twice = pair_rule(5), never = pair_rule(RULES);
		struct classify_key key = pair_key(5);

		never.value.tos = 1;
		assert_int_equal(one(&r, &key), 5);
		mark(r.cache);
		assert_int_equal(classify_add(r.c, &twice, NULL), -EEXIST);
		assert_int_equal(classify_delete(r.c, 1, NULL), -ENOENT);
		assert_int_equal(classify_add(r.c, &never, NULL), 0);
		assert_int_equal(classify_delete(r.c, never.order, NULL), 0);
		assert_int_equal(one(&r, &key), MARK);
		rig_free(&r);
	}
}

// A byte of a key counts if and only if some rule looks at it.
static void only_what_rules_look_at_counts(void **state)
{
	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(RULES);
		struct classify_rule flags = pair_rule(0);

		for (unsigned b = 0; b < sizeof(struct classify_key); b++) {
			bool counts = (b >= offsetof(struct classify_key, dport) &&
					      b < offsetof(struct classify_key, src[1])) ||
				      (b >= offsetof(struct classify_key, dst[0]) &&
					      b < offsetof(struct classify_key, dst[1]));
			struct classify_key key = pair_key(9);

			assert_int_not_equal(one(&r, &key), CLASSIFY_NONE);
			mark(r.cache);
			((uint8_t *)&key)[b] ^= 0xff;
			assert_int_equal(one(&r, &key) == MARK, !counts);
		}
		// A rule brings a field in, and takes it out, again and again.
		flags.mask.tcp_flags = flags.value.tcp_flags = 2;
		flags.order = 1;
		for (unsigned round = 0; round < 6; round++) {
			struct classify_key key = pair_key(9);
			bool has = round % 2 == 1;

			if (has)
				assert_int_equal(classify_add(r.c, &flags, NULL), 0);
			one(&r, &key);
			mark(r.cache);
			key.tcp_flags = 2;
			assert_int_equal(one(&r, &key) == MARK, !has);
			if (!has)
				continue;
			assert_int_equal(classify_delete(r.c, 1, NULL), 0);
			// So that it is not the same copy of the tables each time.
			assert_int_equal(classify_delete(r.c, 200 + 2 * round, NULL), 0);
		}
		rig_free(&r);
	}
}

static void an_empty_cache_knows_no_key_of_zeros(void **state)
{
	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(RULES);
		struct classify_key zeros = {0};
		uint32_t id = 7;

		assert_int_equal(one(&r, &zeros), CLASSIFY_NONE);
		classify_cache_first(r.cache, &zeros, 0, &id);
		assert_int_equal(id, 7);
		rig_free(&r);
	}
}

static uint32_t hash_of(const struct rig *r, enum classify_isa isa, const struct classify_key *key)
{
	const struct classify_key *mask = &classify_live(r->c)->mask;
	uint32_t hash[CLASSIFY_BURST], ids[CLASSIFY_BURST], missed[CLASSIFY_BURST];
	const struct cache_found f = {ids, hash, missed};

	if (isa == CLASSIFY_AVX512)
		cache_find_avx512(r->cache, mask, key, 1, &f);
	else
		cache_find_avx2(r->cache, mask, key, 1, &f);
	return hash[0];
}

static void assert_as_tables(struct rig *r, const struct classify_key *key)
{
	uint32_t want;

	classify_first(r->c, key, 1, &want);
	assert_int_equal(one(r, key), want);
}

// Of 20,000 keys some have the set and the signature of others.
static void keys_with_equal_hashes_are_told_apart(void **state)
{
	enum { KEYS = 20000, PLACES = CACHE_SETS << 16 };
	uint16_t *seen = calloc(PLACES, sizeof(*seen));

	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(2500); // of the structure for many rules
		unsigned pairs = 0;

		memset(seen, 0, PLACES * sizeof(*seen));
		for (uint32_t i = 0; i < KEYS; i++) {
			struct classify_key key = pair_key(i), other;
			uint32_t hash = hash_of(&r, isa, &key);
			uint32_t at = cache_set(hash) << 16 | cache_sig(hash);

			if (seen[at] == 0) {
				seen[at] = (uint16_t)(i + 1);
				continue;
			}
			other = pair_key(seen[at] - 1);
			for (unsigned n = 0; n < 2; n++) {
				assert_as_tables(&r, &key);
				assert_as_tables(&r, &other);
			}
			pairs++;
		}
		assert_true(pairs > 0);
		rig_free(&r);
	}
	free(seen);
}

// Ever new keys make the tables be looked up alone, and few keys the cache again.
static void it_is_passed_by_while_keys_do_not_come_again(void **state)
{
	(void)state;
	for (enum classify_isa isa = CLASSIFY_SCALAR; next_isa(&isa);) {
		struct rig r = rig_new(RULES);
		struct classify_key key = pair_key(3);
		unsigned n = 0;

		for (uint32_t i = 0; i < 8 * CACHE_SETS * CACHE_WAYS; i++) {
			struct classify_key k = pair_key(i);

			assert_int_equal(one(&r, &k), i < RULES ? i : CLASSIFY_NONE);
		}
		assert_int_not_equal(r.cache->n_past, 0);
		mark(r.cache);
		while (one(&r, &key) == 3)
			assert_true(n++ < 100000);
		assert_int_equal(r.cache->n_past, 0);
		rig_free(&r);
	}
}

static void no_set_has_a_signature_twice(const struct classify_cache *c)
{
	for (unsigned s = 0; s < CACHE_SETS; s++)
		for (unsigned i = 0; i < CACHE_WAYS; i++)
			for (unsigned k = 0; k < i && c->sig[s][i] != 0; k++)
				assert_int_not_equal(c->sig[s][i], c->sig[s][k]);
}

// Random sets that change, and bursts of few keys, so that most are found; the instructions change
// within one cache.
static void every_lookup_agrees_with_a_linear_scan(void **state)
{
	enum { POOL = 150 };
	uint64_t rnd = oracle_seed() + 7;

	(void)state;
	for (unsigned round = 0; round < (ORACLE_SLOW ? 10 : 200); round++) {
		struct oracle_set s = oracle_set(&rnd, 1 + oracle_below(&rnd, 200));
		struct rig r = {.c = classify_new(NULL, NULL)};
		struct classify_key pool[POOL], key[CLASSIFY_BURST];
		uint32_t ids[CLASSIFY_BURST + 1];
		bool whole = true; // the last rule is in the set

		assert_int_equal(classify_set(r.c, s.rule, s.n, NULL), 0);
		r.cache = classify_cache_new(r.c, NULL);
		for (unsigned i = 0; i < POOL; i++)
			pool[i] = oracle_key(&rnd, &s);
		for (unsigned burst = 0; burst < 100; burst++) {
			unsigned n = oracle_below(&rnd, CLASSIFY_BURST + 1);
			const struct classify_rule *last = &s.rule[s.n - whole];

			if (!classify_use(oracle_below(&rnd, 3)))
				continue;
			for (unsigned i = 0; i < n; i++)
				key[i] = pool[oracle_below(&rnd, POOL)];
			ids[n] = MARK;
			classify_cache_first(r.cache, key, n, ids);
			assert_int_equal(ids[n], MARK);
			for (unsigned i = 0; i < n; i++)
				if (ids[i] != oracle_first(&s, &key[i]))
					fail_msg("WEIR_SEED=%" PRIu64
						 ": round %u, burst %u, key %u",
						oracle_seed(), round, burst, i);
			if (burst % 16 != 15)
				continue;
			if (whole)
				assert_int_equal(classify_delete(r.c, last->order, NULL), 0);
			else
				assert_int_equal(classify_add(r.c, last, NULL), 0);
			s.n = whole ? s.n - 1 : s.n + 1;
			whole = !whole;
		}
		no_set_has_a_signature_twice(r.cache);
		rig_free(&r);
		oracle_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_kept_until_the_rules_change),
		cmocka_unit_test(rules_that_were_held_are_kept_like_others),
		cmocka_unit_test(a_change_that_fails_or_matches_nothing_keeps_them),
		cmocka_unit_test(only_what_rules_look_at_counts),
		cmocka_unit_test(an_empty_cache_knows_no_key_of_zeros),
		cmocka_unit_test(keys_with_equal_hashes_are_told_apart),
		cmocka_unit_test(it_is_passed_by_while_keys_do_not_come_again),
		cmocka_unit_test(every_lookup_agrees_with_a_linear_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

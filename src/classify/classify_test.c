// SPDX-License-Identifier: BSD-2-Clause
#include "classify/classify.h"
#include "classify/oracle_test.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Lookups of all sets together.
static unsigned pairs(void)
{
	return ORACLE_SLOW ? 60000 : 1000000;
}

static struct classify *made(const struct classify_rule *rules, size_t n)
{
	struct err err = {0};
	struct classify *c = classify_new(NULL, &err);

	assert_non_null(c);
	if (classify_set(c, rules, n, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

static void assert_same(const char *what, size_t i, uint32_t got, uint32_t want)
{
	if (got != want)
		fail_msg("WEIR_SEED=%" PRIu64 ": %s: key %zu: %" PRIx32 " instead of %" PRIx32,
			oracle_seed(), what, i, got, want);
}

// One burst of keys near the set's rules, with first and all, in all instruction sets.
static void check_burst(
	const struct classify *c, const struct oracle_set *s, unsigned n, uint64_t *rnd)
{
	struct classify_key key[CLASSIFY_BURST];
	uint32_t *want = malloc((s->n + 1) * sizeof(*want)),
		 *got = malloc((s->n + 1) * sizeof(*got));
	uint32_t first[CLASSIFY_BURST + 1];

	for (unsigned i = 0; i < n; i++)
		key[i] = oracle_key(rnd, s);
	for (enum classify_isa isa = CLASSIFY_SCALAR; isa <= CLASSIFY_AVX512; isa++) {
		if (!classify_use(isa))
			continue;
		first[n] = 0x5eed;
		classify_first(c, key, n, first);
		assert_same("behind the burst", n, first[n], 0x5eed);
		for (unsigned i = 0; i < n; i++)
			assert_same(classify_isa_name(isa), i, first[i], oracle_first(s, &key[i]));
	}
	for (unsigned i = 0; i < n; i++) {
		size_t m = oracle_all(s, &key[i], want),
		       max = oracle_below(rnd, (unsigned)s->n + 1);

		assert_same("all", i, (uint32_t)classify_all(c, &key[i], got, max), (uint32_t)m);
		for (size_t k = 0; k < m && k < max; k++)
			assert_same("all", i, got[k], want[k]);
	}
	free(want);
	free(got);
}

// Mostly small sets, as they are made fast; some of a hundred rules and a thousand.
static size_t set_size(uint64_t *rnd)
{
	unsigned kind = oracle_below(rnd, 200);

	if (kind == 0)
		return 500 + oracle_below(rnd, ORACLE_SLOW ? 100 : 800);
	if (kind < 6)
		return 100 + oracle_below(rnd, 200);
	return oracle_below(rnd, kind < 100 ? 80 : 16);
}

static void every_lookup_agrees_with_a_linear_scan(void **state)
{
	uint64_t rnd = oracle_seed();

	(void)state;
	for (unsigned done = 0; done < pairs();) {
		struct oracle_set s = oracle_set(&rnd, set_size(&rnd));
		struct classify *c = made(s.rule, s.n);

		assert_int_equal(classify_count(c), s.n);
		for (unsigned i = 0; i < 8; i++) {
			unsigned n = i == 0 ? oracle_below(&rnd, CLASSIFY_BURST) : CLASSIFY_BURST;

			check_burst(c, &s, n, &rnd);
			done += n;
		}
		classify_free(c);
		oracle_free(&s);
	}
}

static void insert(struct oracle_set *s, size_t at, const struct classify_rule *r)
{
	memmove(&s->rule[at + 1], &s->rule[at], (s->n - at) * sizeof(*s->rule));
	s->rule[at] = *r;
	s->n++;
}

static void take_out(struct oracle_set *s, size_t at)
{
	s->n--;
	memmove(&s->rule[at], &s->rule[at + 1], (s->n - at) * sizeof(*s->rule));
}

// A rule of an order between those of its neighbours, if there is one left.
static void add_somewhere(struct classify *c, struct oracle_set *s, uint64_t fields, uint64_t *rnd)
{
	struct err err = {0};
	struct classify_rule r = oracle_rule(rnd, fields);
	size_t at;

	r.order = oracle_below(rnd, 2000);
	r.id = oracle_below(rnd, 1000000);
	for (at = 0; at < s->n && s->rule[at].order < r.order; at++)
		;
	if (at < s->n && s->rule[at].order == r.order) {
		assert_int_equal(classify_add(c, &r, &err), -EEXIST);
		return;
	}
	assert_int_equal(classify_add(c, &r, &err), 0);
	insert(s, at, &r);
}

static void delete_one(struct classify *c, struct oracle_set *s, uint64_t *rnd)
{
	struct err err = {0};
	size_t at = oracle_below(rnd, (unsigned)s->n);

	assert_int_equal(classify_delete(c, s->rule[at].order, &err), 0);
	assert_int_equal(classify_delete(c, s->rule[at].order, &err), -ENOENT);
	take_out(s, at);
}

// Sets grow and shrink again, past the widths of rows and down to nothing.
static void changes_one_by_one_agree_with_a_linear_scan(void **state)
{
	enum { MAX = 700 };
	uint64_t rnd = oracle_seed() + 1;

	(void)state;
	for (unsigned round = 0; round < (ORACLE_SLOW ? 4 : 16); round++) {
		struct oracle_set s = {malloc((MAX + 1) * sizeof(*s.rule)), 0};
		struct classify *c = made(NULL, 0);
		uint64_t fields = oracle_fields(&rnd);
		size_t top = round % 4 == 0 ? MAX : 20 + oracle_below(&rnd, 100);
		bool grows = true;

		for (unsigned i = 0; i < 4 * top && (grows || s.n > 0); i++) {
			unsigned more = grows ? 4 : 1;

			if (s.n == 0 || (s.n < top && oracle_below(&rnd, 5) < more))
				add_somewhere(c, &s, fields, &rnd);
			else
				delete_one(c, &s, &rnd);
			grows = grows && s.n < top;
			assert_int_equal(classify_count(c), s.n);
			check_burst(c, &s, 1 + oracle_below(&rnd, top == MAX ? 4 : 16), &rnd);
		}
		classify_free(c);
		oracle_free(&s);
	}
}

static uint32_t first(const struct classify *c, const struct classify_key *k)
{
	uint32_t id = 0;

	classify_first(c, k, 1, &id);
	return id;
}

static void an_empty_set_matches_nothing(void **state)
{
	struct classify *c = made(NULL, 0);
	struct classify_key k = {0};
	uint32_t id = 7;

	(void)state;
	assert_int_equal(first(c, &k), CLASSIFY_NONE);
	assert_int_equal(classify_all(c, &k, &id, 1), 0);
	classify_first(c, &k, 0, &id);
	assert_int_equal(id, 7);
	classify_free(c);
}

static void rules_are_matched_by_order_however_they_were_added(void **state)
{
	static const uint32_t orders[][5] = {
		{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {3, 1, 5, 2, 4}, {0, UINT32_MAX, 7, 6, 8}};
	struct classify_key k = {.proto = 6};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct classify *c = made(NULL, 0);
		uint32_t ids[5], last = 0;

		for (unsigned j = 0; j < 5; j++) {
			struct classify_rule r = oracle_any(orders[i][j], orders[i][j] / 2);

			assert_int_equal(classify_add(c, &r, NULL), 0);
		}
		assert_int_equal(classify_all(c, &k, ids, 5), 5);
		for (unsigned j = 0; j < 5; j++) {
			assert_true(j == 0 || ids[j] >= last);
			last = ids[j];
		}
		assert_int_equal(first(c, &k), ids[0]);
		classify_free(c);
	}
}

static void a_value_outside_its_mask_matches_nothing(void **state)
{
	struct classify_rule r[2] = {oracle_any(1, 10), oracle_any(2, 20)};
	struct classify *c;

	(void)state;
	r[0].value.tos = 3;
	r[0].mask.tos = 1;
	c = made(r, 2);
	for (unsigned tos = 0; tos < 256; tos++) {
		struct classify_key k = {.tos = (uint8_t)tos};

		assert_int_equal(first(c, &k), 20);
	}
	assert_int_equal(classify_delete(c, 1, NULL), 0);
	assert_int_equal(classify_count(c), 1);
	classify_free(c);
}

static void wrong_rules_are_refused_and_change_nothing(void **state)
{
	struct classify_rule good[2] = {oracle_any(5, 50), oracle_any(9, 90)},
			     bad[2] = {oracle_any(6, 60), oracle_any(6, 61)};
	struct classify_key k = {0};
	struct classify *c = made(good, 2);
	struct err err = {0};

	(void)state;
	assert_int_equal(classify_set(c, bad, 2, &err), -EEXIST);
	assert_string_equal(err.msg, "rule 6: there is one already");
	assert_int_equal(classify_add(c, &good[0], &err), -EEXIST);
	bad[0].order = 1;
	bad[0].sport_lo = 2;
	bad[0].sport_hi = 1;
	assert_int_equal(classify_add(c, &bad[0], &err), -EINVAL);
	assert_string_equal(err.msg, "rule 1: source ports 2-1 end before they begin");
	bad[0] = oracle_any(1, CLASSIFY_NONE);
	assert_int_equal(classify_add(c, &bad[0], &err), -EINVAL);
	assert_int_equal(classify_set(c, bad, 2, &err), -EINVAL);
	assert_int_equal(classify_delete(c, 6, &err), -ENOENT);
	assert_string_equal(err.msg, "rule 6: there is none");
	assert_int_equal(classify_count(c), 2);
	assert_int_equal(first(c, &k), 50);
	classify_free(c);
}

static void a_mask_and_a_range_of_one_port_both_count(void **state)
{
	struct classify_rule r = oracle_any(0, 1);
	struct classify *c;

	(void)state;
	r.mask.dport = 0x8001;
	r.value.dport = 0x8000;
	r.dport_lo = 0x8003;
	r.dport_hi = 0x8006;
	c = made(&r, 1);
	for (unsigned p = 0; p < 65536; p++) {
		struct classify_key k = {.dport = (uint16_t)p};

		assert_int_equal(first(c, &k), p == 0x8004 || p == 0x8006 ? 1 : CLASSIFY_NONE);
	}
	classify_free(c);
}

static void held_changes_come_together_at_the_release(void **state)
{
	static const size_t sizes[] = {0, 1, 40, 300, ORACLE_SLOW ? 300 : 2500};
	uint64_t rnd = oracle_seed() + 3;

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct oracle_set s = oracle_set(&rnd, sizes[i] + 1);
		size_t before = oracle_below(&rnd, 2) * s.n / 3, gone = oracle_below(&rnd, s.n);
		struct classify *c = made(s.rule, before);
		struct classify_rule back = s.rule[gone];

		classify_hold(c);
		for (size_t k = before; k < s.n; k++)
			assert_int_equal(classify_add(c, &s.rule[k], NULL), 0);
		assert_int_equal(classify_add(c, &s.rule[gone], NULL), -EEXIST);
		assert_int_equal(classify_delete(c, back.order, NULL), 0);
		assert_int_equal(classify_delete(c, back.order, NULL), -ENOENT);
		assert_int_equal(classify_release(c, NULL), 0);
		take_out(&s, gone);
		assert_int_equal(classify_count(c), s.n);
		check_burst(c, &s, CLASSIFY_BURST, &rnd);
		// And from here on one by one, in both copies.
		insert(&s, gone, &back);
		assert_int_equal(classify_add(c, &back, NULL), 0);
		check_burst(c, &s, CLASSIFY_BURST, &rnd);
		take_out(&s, gone);
		assert_int_equal(classify_delete(c, back.order, NULL), 0);
		check_burst(c, &s, CLASSIFY_BURST, &rnd);
		classify_free(c);
		oracle_free(&s);
	}
}

// What deleted rules leave behind is bounded.
static void memory_does_not_grow_with_the_number_of_changes(void **state)
{
	enum { LIVE = 60 };
	uint64_t rnd = oracle_seed() + 2, fields = UINT64_MAX;
	struct classify *c = made(NULL, 0);
	unsigned n = ORACLE_SLOW ? 2000 : 20000;
	size_t early = 0;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		struct classify_rule r = oracle_rule(&rnd, fields);

		r.order = i;
		assert_int_equal(classify_add(c, &r, NULL), 0);
		if (i >= LIVE)
			assert_int_equal(classify_delete(c, i - LIVE, NULL), 0);
		if (i == n / 4)
			early = classify_bytes(c);
	}
	assert_int_equal(classify_count(c), LIVE);
	assert_true(classify_bytes(c) < 4 * early);
	classify_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lookup_agrees_with_a_linear_scan),
		cmocka_unit_test(changes_one_by_one_agree_with_a_linear_scan),
		cmocka_unit_test(an_empty_set_matches_nothing),
		cmocka_unit_test(rules_are_matched_by_order_however_they_were_added),
		cmocka_unit_test(a_value_outside_its_mask_matches_nothing),
		cmocka_unit_test(wrong_rules_are_refused_and_change_nothing),
		cmocka_unit_test(a_mask_and_a_range_of_one_port_both_count),
		cmocka_unit_test(held_changes_come_together_at_the_release),
		cmocka_unit_test(memory_does_not_grow_with_the_number_of_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "classify/large_plan.h"
#include "classify/oracle_test.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOW = ORACLE_SLOW ? 8 : 1 }; // a part of the rules

// Tables and the rules that should be in them.
struct rig {
	uint64_t rnd;
	void *tables;
	struct oracle_set in;
	size_t room;
};

static bool can_match(const struct classify_rule *r)
{
	const uint8_t *value = (const uint8_t *)&r->value, *mask = (const uint8_t *)&r->mask;

	for (size_t i = 0; i < sizeof(r->value); i++)
		if ((value[i] & ~mask[i]) != 0)
			return false;
	return true;
}

// Any fields, any masks.
static struct classify_rule strange_rule(uint64_t *rnd)
{
	struct classify_rule r;

	do
		r = oracle_rule(rnd, oracle_fields(rnd));
	while (!can_match(&r));
	return r;
}

static void prefix(uint64_t *rnd, bool v6, uint32_t *value, uint32_t *mask)
{
	static const uint8_t len4[] = {0, 8, 16, 23, 24, 24, 30, 32, 32, 32};
	static const uint8_t len6[] = {0, 32, 48, 48, 56, 64, 64, 127, 128, 128};
	unsigned len = v6 ? len6[oracle_below(rnd, 10)] : len4[oracle_below(rnd, 10)];

	for (unsigned w = 0; w < (v6 ? 4 : 1); w++) {
		unsigned here = len > 32 * w ? len - 32 * w : 0;

		mask[w] = here == 0 ? 0 : (here >= 32 ? UINT32_MAX : UINT32_MAX << (32 - here));
		value[w] = (0x0a000000u + (oracle_below(rnd, 40) << 24) +
				   oracle_below(rnd, 300) * 257) &
			   mask[w];
	}
}

// As in a firewall: prefixes of both families, services, ranges of ports.
static struct classify_rule usual_rule(uint64_t *rnd)
{
	struct classify_rule r = oracle_any(0, 0);
	bool v6 = oracle_below(rnd, 4) == 0;

	r.mask.family = UINT8_MAX;
	r.value.family = v6 ? 6 : 4;
	prefix(rnd, v6, r.value.src, r.mask.src);
	prefix(rnd, v6, r.value.dst, r.mask.dst);
	if (oracle_below(rnd, 4) != 0) {
		r.mask.proto = UINT8_MAX;
		r.value.proto = oracle_below(rnd, 2) ? 6 : 17;
	}
	if (oracle_below(rnd, 3) == 0) {
		r.mask.dport = UINT16_MAX;
		r.value.dport = (uint16_t)oracle_below(rnd, 2000);
	} else if (oracle_below(rnd, 2) == 0) {
		r.dport_lo = (uint16_t)oracle_below(rnd, 40000);
		r.dport_hi = (uint16_t)(r.dport_lo + oracle_below(rnd, 20000));
	}
	if (oracle_below(rnd, 16) == 0) {
		r.mask.ivlan = 0xfff;
		r.value.ivlan = (uint16_t)oracle_below(rnd, 20);
	}
	return r;
}

static size_t place_of(const struct oracle_set *s, uint32_t order)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->rule[mid].order < order)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

// Among the rules that should be there, in its place; not in the tables.
static struct classify_rule *rig_insert(struct rig *g, struct classify_rule r)
{
	size_t at;

	do {
		r.order = (uint32_t)oracle_random(&g->rnd);
		at = place_of(&g->in, r.order);
	} while (at < g->in.n && g->in.rule[at].order == r.order);
	r.id = (uint32_t)oracle_random(&g->rnd) >> 1;
	if (g->in.n == g->room) {
		g->room = g->room * 2 + 64;
		g->in.rule = realloc(g->in.rule, g->room * sizeof(r));
		assert_non_null(g->in.rule);
	}
	memmove(&g->in.rule[at + 1], &g->in.rule[at], (g->in.n - at) * sizeof(r));
	g->in.rule[at] = r;
	g->in.n++;
	return &g->in.rule[at];
}

static void rig_build(struct rig *g)
{
	const struct classify_rule **list = calloc(g->in.n + 1, sizeof(*list));

	assert_non_null(list);
	for (size_t i = 0; i < g->in.n; i++)
		list[i] = &g->in.rule[i];
	g->tables = classify_large.new(list, g->in.n);
	assert_non_null(g->tables);
	free(list);
}

static void rig_add(struct rig *g, struct classify_rule r)
{
	assert_int_equal(classify_large.add(g->tables, rig_insert(g, r)), 0);
}

static void rig_delete_one(struct rig *g)
{
	size_t at = oracle_below(&g->rnd, (unsigned)g->in.n);
	struct classify_rule r = g->in.rule[at];

	assert_int_equal(classify_large.delete(g->tables, &r), 0);
	g->in.n--;
	memmove(&g->in.rule[at], &g->in.rule[at + 1], (g->in.n - at) * sizeof(r));
}

static void rig_free(struct rig *g)
{
	classify_large.free(g->tables);
	oracle_free(&g->in);
}

static void assert_id(const struct rig *g, const char *what, uint32_t got, uint32_t want)
{
	if (got != want)
		fail_msg("WEIR_SEED=%" PRIu64 ", %zu rules: %s: %" PRIx32 " instead of %" PRIx32,
			oracle_seed(), g->in.n, what, got, want);
}

static void check_all(struct rig *g, const struct classify_key *key)
{
	uint32_t *want = calloc(g->in.n + 1, sizeof(*want)),
		 *got = calloc(g->in.n + 1, sizeof(*got));
	size_t n = oracle_all(&g->in, key, want), max = oracle_below(&g->rnd, (unsigned)n + 2);

	assert_id(g, "all", (uint32_t)classify_large.all(g->tables, key, got, max), (uint32_t)n);
	for (size_t i = 0; i < n && i < max; i++)
		assert_id(g, "all", got[i], want[i]);
	assert_id(g, "behind all", got[max < n ? max : n], 0);
	free(want);
	free(got);
}

// Bursts of all sizes with keys at the edges of rules.
static void check(struct rig *g, unsigned bursts)
{
	struct classify_key key[CLASSIFY_BURST];
	uint32_t want[CLASSIFY_BURST], got[CLASSIFY_BURST + 1];

	for (unsigned b = 0; b < bursts; b++) {
		unsigned n = oracle_below(&g->rnd, CLASSIFY_BURST + 1);

		for (unsigned i = 0; i < n; i++) {
			key[i] = oracle_key(&g->rnd, &g->in);
			want[i] = oracle_first(&g->in, &key[i]);
		}
		for (enum classify_isa isa = CLASSIFY_SCALAR; isa <= CLASSIFY_AVX512; isa++) {
			if (!classify_use(isa))
				continue;
			got[n] = 0x5eed;
			classify_large.first(g->tables, key, n, got);
			for (unsigned i = 0; i < n; i++)
				assert_id(g, classify_isa_name(isa), got[i], want[i]);
			assert_id(g, "behind the burst", got[n], 0x5eed);
		}
		if (n > 0)
			check_all(g, &key[0]);
	}
}

static void change(struct rig *g, struct classify_rule (*rule)(uint64_t *), unsigned changes)
{
	for (unsigned i = 0; i < changes; i++) {
		if (g->in.n > 0 && oracle_below(&g->rnd, 2))
			rig_delete_one(g);
		else
			rig_add(g, rule(&g->rnd));
	}
}

static void built_and_changed(struct classify_rule (*rule)(uint64_t *), size_t n)
{
	struct rig g = {.rnd = oracle_seed()};

	for (size_t i = 0; i < n / SLOW; i++)
		rig_insert(&g, rule(&g.rnd));
	rig_build(&g);
	check(&g, 20);
	for (unsigned round = 0; round < 10; round++) {
		change(&g, rule, 300);
		check(&g, 4);
	}
	while (g.in.n > n / SLOW / 2)
		rig_delete_one(&g);
	check(&g, 10);
	rig_free(&g);
}

static void rules_of_a_firewall_are_found(void **state)
{
	(void)state;
	built_and_changed(usual_rule, 2000);
	built_and_changed(usual_rule, 20000);
}

static void rules_of_any_fields_and_masks_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		built_and_changed(strange_rule, 2500);
}

static void tables_grow_from_nothing_and_shrink_to_nothing(void **state)
{
	struct rig g = {.rnd = oracle_seed() + 1};

	(void)state;
	rig_build(&g);
	check(&g, 4);
	for (unsigned i = 0; i < 8000 / SLOW; i++) {
		rig_add(&g, usual_rule(&g.rnd));
		if (i % 1000 == 0)
			check(&g, 4);
	}
	check(&g, 20);
	while (g.in.n > 0) {
		rig_delete_one(&g);
		if (g.in.n % 1000 == 0)
			check(&g, 4);
	}
	rig_free(&g);
}

// What a lookup that comes to a rule's bucket looks at, at most, as a mean over the rules in groups.
static double mean_bucket(const struct large *t)
{
	double rules = 0, looks = 0;

	for (unsigned i = 0; i < t->n_groups; i++)
		for (uint32_t k = 0; k < UINT32_C(1) << (32 - t->group[i].shift); k++) {
			uint32_t slot = t->group[i].slot[k];
			double n = slot == 0 ? 0 : t->arena.line[large_start(slot)].more + 1;

			rules += n;
			looks += n * n;
		}
	return looks / rules;
}

// Each rule that is added does its part of what makes it so.
static void a_set_that_grew_is_like_one_made_at_once(void **state)
{
	struct rig grown = {.rnd = oracle_seed() + 3}, once = {.rnd = 1};
	const struct large *a, *b;
	unsigned most = 0;

	(void)state;
	for (unsigned i = 0; i < 2000 / SLOW; i++)
		rig_insert(&grown, usual_rule(&grown.rnd));
	rig_build(&grown);
	a = grown.tables;
	for (unsigned i = 2000; i < 10000; i++) {
		rig_add(&grown, usual_rule(&grown.rnd));
		if (a->few.n > most)
			most = a->few.n;
	}
	check(&grown, 10);
	for (size_t i = 0; i < grown.in.n; i++)
		rig_insert(&once, grown.in.rule[i]);
	rig_build(&once);
	b = once.tables;
	if (most > 768 || a->few.n > LARGE_LEFT + 128 || a->n_groups > b->n_groups + 4 ||
		mean_bucket(a) > mean_bucket(b) + 1)
		fail_msg("WEIR_SEED=%" PRIu64
			 ": %u of the few at most, %u at the end, %u groups with "
			 "buckets of %.1f; at once %u, %u, %.1f",
			oracle_seed(), most, a->few.n, a->n_groups, mean_bucket(a), b->few.n,
			b->n_groups, mean_bucket(b));
	rig_free(&grown);
	rig_free(&once);
}

// Equal but for their order, so all of them come to one bucket.
static void equal_rules_are_told_apart_by_their_order(void **state)
{
	struct rig g = {.rnd = oracle_seed() + 2};
	struct classify_rule r[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		r[i] = usual_rule(&g.rnd);
	for (unsigned i = 0; i < 3000; i++)
		rig_insert(&g, r[i % 3]);
	rig_build(&g);
	check(&g, 10);
	for (unsigned i = 0; i < 2500; i++)
		rig_delete_one(&g);
	check(&g, 10);
	for (unsigned i = 0; i < 2500; i++)
		rig_add(&g, r[i % 3]);
	check(&g, 10);
	rig_free(&g);
}

static void first_and_last_order_are_orders(void **state)
{
	struct classify_rule r[2] = {oracle_any(0, 7), oracle_any(UINT32_MAX, 9)};
	const struct classify_rule *list[] = {&r[0], &r[1]};
	struct classify_key key = {.family = 4};
	void *tables = classify_large.new(list, 2);
	uint32_t id;

	(void)state;
	assert_non_null(tables);
	classify_large.first(tables, &key, 1, &id);
	assert_int_equal(id, 7);
	assert_int_equal(classify_large.delete(tables, &r[0]), 0);
	classify_large.first(tables, &key, 1, &id);
	assert_int_equal(id, 9);
	assert_int_equal(classify_large.delete(tables, &r[1]), 0);
	classify_large.first(tables, &key, 1, &id);
	assert_int_equal(id, CLASSIFY_NONE);
	classify_large.free(tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_a_firewall_are_found),
		cmocka_unit_test(rules_of_any_fields_and_masks_are_found),
		cmocka_unit_test(tables_grow_from_nothing_and_shrink_to_nothing),
		cmocka_unit_test(a_set_that_grew_is_like_one_made_at_once),
		cmocka_unit_test(equal_rules_are_told_apart_by_their_order),
		cmocka_unit_test(first_and_last_order_are_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

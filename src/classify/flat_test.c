// SPDX-License-Identifier: BSD-2-Clause
#include "classify/classify.h"
#include "classify/flat.h"
#include "classify/oracle_test.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void *block;

static void build(const struct classify_rule *rules, size_t n)
{
	struct err err = {0};

	memset(block, 0x5a, FLAT_SIZE); // what a block held before must not count
	if (classify_flat(rules, n, block, FLAT_SIZE, &err) != 0)
		fail_msg("%s", err.msg);
}

// What the oracle's id is as a number of the array.
static uint32_t expected(const struct oracle_set *s, const struct classify_key *k)
{
	for (size_t i = 0; i < s->n; i++)
		if (oracle_matches(&s->rule[i], k))
			return (uint32_t)i;
	return FLAT_NONE;
}

// A plain packet that has of the key what such a one may have.
static struct flat_plain_key plain_of(const struct classify_key *from, struct classify_key *whole)
{
	static const uint8_t proto[FLAT_KINDS] = {6, 17, 1};
	unsigned kind = from->proto % FLAT_KINDS, port = from->iport % FLAT_PORTS;
	bool icmp = kind == FLAT_ICMP;

	*whole = (struct classify_key){.family = 4,
		.proto = proto[kind],
		.iport = (uint8_t)port,
		.tos = from->tos,
		.tcp_flags = kind == FLAT_TCP ? from->tcp_flags : 0,
		.icmp_type = icmp ? from->icmp_type : 0,
		.icmp_code = icmp ? from->icmp_code : 0,
		.sport = icmp ? 0 : from->sport,
		.dport = icmp ? 0 : from->dport,
		.src = {from->src[0]},
		.dst = {from->dst[0]},
		.ethertype = 0x0800,
		.vlan_valid = icmp ? 0 : CLASSIFY_HAS_PORTS};
	return (struct flat_plain_key){.kind = kind * FLAT_PORTS + port,
		.src = whole->src[0],
		.dst = whole->dst[0],
		.sport = whole->sport,
		.dport = whole->dport};
}

// Whether it could be looked up as a plain packet.
static bool plain_packets_agree(const struct oracle_set *s, const struct classify_key *from)
{
	const struct flat_head *t = block;
	struct classify_key whole;
	struct flat_plain_key plain = plain_of(from, &whole);
	uint32_t want = expected(s, &whole), looks = flat_plain_looks(t, &plain);

	assert_int_equal(flat_first(t, &whole), want);
	if (looks & FLAT_MORE)
		return false;
	assert_int_equal(flat_plain_first(t, &plain, looks), want);
	return true;
}

static void the_oracle_agrees_on_random_sets_and_keys(void **state)
{
	uint64_t seed = oracle_seed();
	unsigned sets = ORACLE_SLOW ? 60 : 1000, keys = ORACLE_SLOW ? 100 : 1000, too_large = 0,
		 plain[2][2] = {{0}}; // sets of more than a word; as such

	(void)state;
	for (unsigned i = 0; i < sets; i++) {
		size_t n = 1 + oracle_below(&seed, i % 10 == 0 ? 1500 : 1 + i % 80);
		struct oracle_set s = oracle_set(&seed, n);
		struct err err = {0};

		// What the block held before, tables and other bytes, must not count.
		if (i % 4 == 0)
			memset(block, (int)(i / 4), FLAT_SIZE);
		for (size_t at = 0; i % 16 == 1 && at < FLAT_SIZE / 16; at++)
			((uint64_t *)block)[at] = oracle_random(&seed);
		// Some sets with masks of every kind on every field are more than a block holds.
		if (classify_flat(s.rule, s.n, block, FLAT_SIZE, &err) != 0) {
			assert_int_equal(err.code, E2BIG);
			assert_true(++too_large <= sets / 8);
			oracle_free(&s);
			continue;
		}
		for (unsigned k = 0; k < keys; k++) {
			struct classify_key key = oracle_key(&seed, &s);

			assert_int_equal(flat_first(block, &key), expected(&s, &key));
			plain[n > 64][plain_packets_agree(&s, &key)]++;
		}
		oracle_free(&s);
	}
	for (unsigned more = 0; more < 2; more++) {
		print_message("%u of %u packets were plain\n", plain[more][1],
			plain[more][0] + plain[more][1]);
		// Of a set's packets mostly all are or none is, and slow builds try few sets of more than a word.
		assert_true((more && ORACLE_SLOW) || (plain[more][0] != 0 && plain[more][1] != 0));
	}
}

static void no_rules_match_nothing(void **state)
{
	struct classify_key key = {.family = 4};

	(void)state;
	build(NULL, 0);
	assert_int_equal(flat_first(block, &key), FLAT_NONE);
}

// Rules of exact hosts in a row, each with a port: every one is found, the last of all too.
static void every_rule_of_a_full_table_is_found(void **state)
{
	static struct classify_rule rules[FLAT_RULES];

	(void)state;
	memset(rules, 0, sizeof(rules));
	for (uint32_t i = 0; i < FLAT_RULES; i++) {
		struct classify_rule *r = &rules[i];

		r->value.src[0] = 0x0a000000 + i;
		r->mask.src[0] = UINT32_MAX;
		r->value.dport = 80;
		r->mask.dport = UINT16_MAX;
		r->sport_hi = r->dport_hi = UINT16_MAX;
	}
	build(rules, FLAT_RULES);
	for (uint32_t i = 0; i < FLAT_RULES; i++) {
		struct classify_key key = {.src = {0x0a000000 + i}, .dport = 80};

		assert_int_equal(flat_first(block, &key), i);
		key.dport = 81;
		assert_int_equal(flat_first(block, &key), FLAT_NONE);
	}
}

static void one_rule_too_many_is_refused(void **state)
{
	static struct classify_rule rules[FLAT_RULES + 1];
	struct err err = {0};

	(void)state;
	assert_int_equal(classify_flat(rules, FLAT_RULES + 1, block, FLAT_SIZE, &err), -E2BIG);
	assert_string_equal(err.msg, "4097 rules, more than the 4096 that fit");
	assert_int_equal(((struct flat_head *)block)->n_rules, 0);
}

// The tables of hosts and ports take some bytes; with one fewer, and with many fewer, they are refused, and
// what plain packets need is left out before.
static void a_block_is_never_left(void **state)
{
	static struct classify_rule rules[200];
	struct classify_key key = {.family = 4,
		.proto = 6,
		.src = {0x0a000063},
		.dport = 99,
		.ethertype = 0x0800,
		.vlan_valid = CLASSIFY_HAS_PORTS};
	struct flat_head *t = block;
	size_t whole, n_plain = 0;
	struct err err = {0};

	(void)state;
	memset(rules, 0, sizeof(rules));
	for (uint32_t i = 0; i < 200; i++) {
		rules[i].value.src[0] = 0x0a000000 + i;
		rules[i].mask.src[0] = UINT32_MAX;
		rules[i].value.dport = (uint16_t)i;
		rules[i].mask.dport = UINT16_MAX;
		rules[i].sport_hi = rules[i].dport_hi = UINT16_MAX;
	}
	build(rules, 200);
	whole = t->bytes;
	assert_int_not_equal(t->plain.rows, 0);
	for (size_t bytes = whole + 8; bytes > sizeof(*t);
		bytes -= bytes > whole - 2000 ? 8 : 9000) {
		memset(block, 0x5a, FLAT_SIZE);
		if (classify_flat(rules, 200, block, bytes, &err) == 0) {
			assert_true(t->bytes <= bytes);
			assert_int_equal(flat_first(block, &key), 99);
			n_plain += t->plain.rows != 0;
		} else {
			assert_int_equal(err.code, E2BIG);
			assert_int_equal(t->n_rules, 0);
		}
		for (size_t i = bytes; i < bytes + 4096; i++)
			assert_int_equal(((uint8_t *)block)[i], 0x5a);
		if (bytes < 9000)
			break;
	}
	assert_int_equal(n_plain, 2);
}

static size_t pages_that_differ(const void *a, const void *b, size_t bytes)
{
	size_t n = 0;

	for (size_t at = 0; at + 4096 <= bytes; at += 4096)
		n += memcmp((const char *)a + at, (const char *)b + at, 4096) != 0;
	return n;
}

// As whoever builds over tables that were there writes only pages that change.
static void one_rule_more_changes_few_pages(void **state)
{
	enum { RULES = 1000, MORE = 20 };
	static struct classify_rule rules[RULES + MORE];
	uint64_t seed = oracle_seed();
	size_t changed = 0, all = 0;
	void *before = malloc(FLAT_SIZE);

	(void)state;
	assert_non_null(before);
	memset(rules, 0, sizeof(rules));
	for (unsigned i = 0; i < RULES + MORE; i++) {
		rules[i].value.src[0] = 0x0a000000 + oracle_below(&seed, 1 << 24);
		rules[i].mask.src[0] = UINT32_MAX;
		rules[i].value.dport = (uint16_t)oracle_below(&seed, 65536);
		rules[i].mask.dport = UINT16_MAX;
		rules[i].sport_hi = rules[i].dport_hi = UINT16_MAX;
	}
	build(rules, RULES);
	for (unsigned i = 1; i < 2 * MORE; i++) {
		memcpy(before, block, FLAT_SIZE);
		classify_flat(rules, RULES + (i < MORE ? i : 2 * MORE - i), block, FLAT_SIZE, NULL);
		changed += pages_that_differ(before, block, ((struct flat_head *)block)->bytes);
		all += ((struct flat_head *)block)->bytes / 4096;
	}
	free(before);
	print_message("%zu of %zu pages changed\n", changed, all);
	assert_in_range(changed, 1, all / 8);
}

// Any bytes in the place of tables give some answer and no read outside.
static void a_block_of_noise_is_walked_inside_its_bounds(void **state)
{
	uint64_t seed = oracle_seed();
	struct flat_head *h = block;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		for (size_t i = 0; i < (1 << 16) / 8; i++)
			((uint64_t *)block)[i] = oracle_random(&seed);
		h->n_rules |= 1;
		for (unsigned i = 0; i < FLAT_LOW; i++)
			h->word[i].n %= 8192;
		for (unsigned k = 0; k < 100; k++) {
			uint64_t noise[sizeof(struct classify_key) / 8];
			struct flat_plain_key plain;
			struct classify_key key;

			for (size_t i = 0; i < sizeof(noise) / 8; i++)
				noise[i] = oracle_random(&seed);
			memcpy(&key, noise, sizeof(key));
			flat_first(block, &key);
			memcpy(&plain, noise, sizeof(plain));
			flat_plain_first(block, &plain, plain.sport);
		}
	}
}

static int open_block(void **state)
{
	(void)state;
	block = aligned_alloc(64, (FLAT_SIZE + FLAT_SLACK + 63) / 64 * 64);
	return block == NULL;
}

static int close_block(void **state)
{
	(void)state;
	free(block);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_rules_match_nothing),
		cmocka_unit_test(every_rule_of_a_full_table_is_found),
		cmocka_unit_test(one_rule_too_many_is_refused),
		cmocka_unit_test(the_oracle_agrees_on_random_sets_and_keys),
		cmocka_unit_test(a_block_is_never_left),
		cmocka_unit_test(one_rule_more_changes_few_pages),
		cmocka_unit_test(a_block_of_noise_is_walked_inside_its_bounds),
	};

	return cmocka_run_group_tests_name("flat", tests, open_block, close_block);
}

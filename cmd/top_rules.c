// SPDX-License-Identifier: BSD-2-Clause
#include "top_rules.h"

#include "client.h"
#include "ctl_tables.h"
#include "table.h"

#include "ctl/ctl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 60 };

struct busy {
	uint64_t idx, hits, grown;
	bool hash, prio; // with the index, they name the rule
	char *words;     // malloc'd, or NULL
};

struct busiest {
	struct busy rule[RULES_MAX];
	unsigned n, max;
};

static void put(struct busiest *b, struct busy r)
{
	unsigned at;

	if (b->n == b->max && (b->max == 0 || r.grown <= b->rule[b->n - 1].grown))
		return;
	if (b->n < b->max)
		b->n++;
	for (at = b->n - 1; at > 0 && b->rule[at - 1].grown < r.grown; at--)
		b->rule[at] = b->rule[at - 1];
	b->rule[at] = r;
}

static bool is_of(const json_t *o, bool hash, bool prio)
{
	return json_is_true(json_object_get(o, "hash")) == hash &&
	       json_is_true(json_object_get(o, "prio")) == prio;
}

static const json_t *pairs_of(const json_t *all, bool hash, bool prio)
{
	const json_t *o;
	size_t i;

	json_array_foreach(all, i, o) if (is_of(o, hash, prio)) return json_object_get(o, "hits");
	return NULL;
}

static uint64_t at(const json_t *pairs, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(pairs, i));
}

// Both lists are in the order of their indices.
static void compare(
	struct busiest *b, const json_t *all_before, const json_t *all_now, bool hash, bool prio)
{
	const json_t *before = pairs_of(all_before, hash, prio),
		     *now = pairs_of(all_now, hash, prio);
	size_t k = 0, n = json_array_size(before);

	for (size_t i = 0; i + 1 < json_array_size(now); i += 2) {
		struct busy r = {
			.idx = at(now, i), .hits = at(now, i + 1), .hash = hash, .prio = prio};
		uint64_t was = 0;

		while (k + 1 < n && at(before, k) < r.idx)
			k += 2;
		if (k + 1 < n && at(before, k) == r.idx)
			was = at(before, k + 1);
		// Fewer than before: the rule is another one.
		r.grown = r.hits >= was ? r.hits - was : r.hits;
		put(b, r);
	}
}

static void take_words(void *arg, json_t *object)
{
	struct busiest *b = arg;

	for (unsigned i = 0; i < b->n; i++)
		if (b->rule[i].idx == ctl_number(object, "idx") &&
			is_of(object, b->rule[i].hash, b->rule[i].prio))
			b->rule[i].words = strdup(ctl_string(object, "words"));
}

static void ask_words(const char *name, struct busiest *b)
{
	char text[RULES_MAX][24], *argv[RULES_MAX + 1] = {(char *)"rules"};

	for (unsigned i = 0; i < b->n; i++) {
		snprintf(text[i], sizeof(text[i]), "%" PRIu64, b->rule[i].idx);
		argv[i + 1] = text[i];
	}
	// A rule that has just been deleted stays without words.
	if (b->n > 0)
		client_ask(name, (int)b->n + 1, argv, take_words, b, NULL);
}

void top_rules(const char *name, const json_t *before, const json_t *now, double seconds,
	unsigned n, FILE *out, unsigned columns)
{
	struct busiest b = {.max = n < RULES_MAX ? n : RULES_MAX};
	struct table t;

	for (int kind = 0; kind < 4; kind++)
		compare(&b, before, now, (kind & 1) != 0, (kind & 2) != 0);
	if (b.n == 0)
		return;
	ask_words(name, &b);
	table_begin(&t, "rrrl", (const char *[]){"rule", "hits/s", "hits", ""});
	for (unsigned i = 0; i < b.n; i++) {
		const struct busy *r = &b.rule[i];

		table_printf(&t, "%s%" PRIu64, r->hash ? "hash " : "", r->idx);
		table_printf(&t, "%.0f", seconds > 0 ? (double)r->grown / seconds : 0);
		table_number(&t, r->hits);
		table_text(&t, r->words != NULL ? r->words : "");
		free(r->words);
	}
	putc('\n', out);
	table_end(&t, out, columns);
}

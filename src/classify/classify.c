// SPDX-License-Identifier: BSD-2-Clause
// classify.c - the set of rules: keeps them, chooses the structure, and changes it under readers.
//
// Left-right (Ramalhete and Correia, 2013): there are two copies of the tables, and readers use the
// one that `live` points to.  A change is made in the other copy, which no reader sees; then the
// pointer is switched, the readers are waited for, and the same change is made in the first copy.  So
// a change in place costs twice what it costs, a reader takes one pointer for each burst, and what it
// sees through it does not change before its next quiet point.
//
// If memory runs out in the copy that is changed first, that copy is thrown away, the call fails and
// nothing has happened.  If it runs out in the second, the call has succeeded already: the copy is
// thrown away, and the next change makes a new one from the rules.  So it does after a change of structure.
//
// The structure changes with the number of rules, with some way between up and down so that a set at
// the border is not built over and over.
#include "classify/classify.h"

#include "classify/engine.h"
#include "classify/rules.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct classify {
	_Atomic(struct classify_side *)
		live; // stored with release by publish(), loaded by acquire in classify_live()
	struct classify_side side[2];
	uint64_t generation; // of the live side
	struct rules rules;
	struct classify_readers readers;
	bool held; // the tables are not those of the rules, and no reader looks
};

enum { LARGE_FROM = 2000, LARGE_TO = 1000 }; // up and down again

static const struct classify_engine *engine_for(const struct classify_side *now, size_t n)
{
	bool large = n >= (now->engine == &classify_large ? LARGE_TO : LARGE_FROM);

	return large ? &classify_large : &classify_bits;
}

static void drop(struct classify_side *s)
{
	if (s->tables != NULL)
		s->engine->free(s->tables);
	s->tables = NULL;
}

static int build(
	struct classify_side *s, const struct classify_engine *engine, const struct rules *rules)
{
	size_t n;
	const struct classify_rule **list = rules_list(rules, &n);

	drop(s);
	s->engine = engine;
	s->tables = list != NULL ? engine->new (list, n) : NULL;
	free(list);
	return s->tables != NULL ? 0 : -ENOMEM;
}

struct classify *classify_new(const struct classify_readers *readers, struct err *err)
{
	struct classify *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_set(err, ENOMEM, "classify: no memory");
		return NULL;
	}
	if (readers != NULL)
		c->readers = *readers;
	for (unsigned i = 0; i < 2; i++) {
		if (build(&c->side[i], engine_for(&c->side[i], 0), &c->rules) == 0)
			continue;
		err_set(err, ENOMEM, "classify: no memory");
		classify_free(c);
		return NULL;
	}
	atomic_init(&c->live, &c->side[0]);
	return c;
}

void classify_free(struct classify *c)
{
	if (c == NULL)
		return;
	drop(&c->side[0]);
	drop(&c->side[1]);
	rules_free(&c->rules);
	free(c);
}

static struct classify_side *standby(struct classify *c)
{
	struct classify_side *live = atomic_load_explicit(
		&c->live, memory_order_relaxed); // own store

	return &c->side[live == &c->side[0]];
}

// The standby copy, made of these rules, goes live.  After the return no reader is in the other one.
static void publish(struct classify *c, const struct rules *rules)
{
	struct classify_side *s = standby(c);

	s->generation = ++c->generation;
	s->dear = s->engine->dear(s->tables);
	rules_mask(rules, &s->mask);
	atomic_store_explicit(&c->live, s, memory_order_release);
	if (c->readers.quiet != NULL)
		c->readers.quiet(c->readers.arg);
}

// The rules have been changed by one; makes the same change in a copy, or makes the copy anew.
static int change(struct classify_side *s, const struct rules *rules,
	const struct classify_rule *rule, bool add)
{
	const struct classify_engine *engine = engine_for(s, rules->n);
	int rc;

	if (s->tables == NULL || s->engine != engine)
		return build(s, engine, rules);
	rc = add ? engine->add(s->tables, rule) : engine->delete (s->tables, rule);
	if (rc != 0)
		drop(s);
	return rc;
}

// Makes the change that was published in the other copy too.  Where the structure is another one now, the
// next change makes this copy: two of them in one would be twice the wait.
static void follow(struct classify *c, const struct classify_rule *rule, bool add)
{
	struct classify_side *s = standby(c);
	const struct classify_engine *engine = engine_for(s, c->rules.n);

	if (s->engine == engine) {
		change(s, &c->rules, rule, add);
		return;
	}
	drop(s);
	s->engine = engine;
}

static int check(const struct classify_rule *r, struct err *err)
{
	if (r->id == CLASSIFY_NONE)
		return err_set(err, EINVAL, "rule %u: its id means no rule", r->order);
	if (r->sport_lo > r->sport_hi)
		return err_set(err, EINVAL, "rule %u: source ports %u-%u end before they begin",
			r->order, r->sport_lo, r->sport_hi);
	if (r->dport_lo > r->dport_hi)
		return err_set(err, EINVAL,
			"rule %u: destination ports %u-%u end before they begin", r->order,
			r->dport_lo, r->dport_hi);
	return 0;
}

static int put(struct rules *rules, const struct classify_rule *rule, struct err *err)
{
	int rc = check(rule, err);

	if (rc == 0)
		rc = rules_put(rules, rule);
	if (rc == -EEXIST)
		err_set(err, EEXIST, "rule %u: there is one already", rule->order);
	if (rc == -ENOMEM)
		err_set(err, ENOMEM, "rule %u: no memory", rule->order);
	return rc;
}

int classify_set(struct classify *c, const struct classify_rule *rules, size_t n, struct err *err)
{
	const struct classify_engine *engine = engine_for(standby(c), n);
	struct classify_side next[2] = {{.engine = engine}, {.engine = engine}};
	struct rules copy = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = put(&copy, &rules[i], err);
	for (unsigned i = 0; rc == 0 && i < 2; i++)
		if (build(&next[i], engine, &copy) != 0)
			rc = err_set(err, ENOMEM, "%zu rules: no memory", n);
	if (rc != 0) {
		drop(&next[0]);
		drop(&next[1]);
		rules_free(&copy);
		return rc;
	}
	for (unsigned i = 0; i < 2; i++) {
		drop(standby(c));
		*standby(c) = next[i];
		if (i == 0)
			publish(c, &copy);
	}
	rules_free(&c->rules);
	c->rules = copy;
	return 0;
}

int classify_add(struct classify *c, const struct classify_rule *rule, struct err *err)
{
	int rc = put(&c->rules, rule, err);

	if (rc != 0 || c->held || !rules_can_match(rule))
		return rc;
	if (change(standby(c), &c->rules, rule, true) != 0) {
		rules_remove(&c->rules, rule->order);
		return err_set(err, ENOMEM, "rule %u: no memory", rule->order);
	}
	publish(c, &c->rules);
	follow(c, rule, true);
	return 0;
}

int classify_delete(struct classify *c, uint32_t order, struct err *err)
{
	const struct classify_rule *found = rules_find(&c->rules, order);
	struct classify_rule rule;

	if (found == NULL)
		return err_set(err, ENOENT, "rule %u: there is none", order);
	rule = *found;
	rules_remove(&c->rules, order);
	if (c->held || !rules_can_match(&rule))
		return 0;
	if (change(standby(c), &c->rules, &rule, false) != 0) {
		rules_put(&c->rules, &rule); // into the room it has just left
		return err_set(err, ENOMEM, "rule %u: no memory", order);
	}
	publish(c, &c->rules);
	follow(c, &rule, false);
	return 0;
}

void classify_hold(struct classify *c)
{
	c->held = true;
}

int classify_release(struct classify *c, struct err *err)
{
	const struct classify_engine *engine = engine_for(standby(c), c->rules.n);

	for (unsigned i = 0; i < 2; i++)
		if (build(&c->side[i], engine, &c->rules) != 0)
			return err_set(err, ENOMEM, "%zu rules: no memory", c->rules.n);
	c->held = false;
	publish(c, &c->rules);
	return 0;
}

size_t classify_count(const struct classify *c)
{
	return c->rules.n;
}

size_t classify_bytes(const struct classify *c)
{
	size_t n = sizeof(*c) + rules_bytes(&c->rules);

	for (unsigned i = 0; i < 2; i++)
		if (c->side[i].tables != NULL)
			n += c->side[i].engine->bytes(c->side[i].tables);
	return n;
}

const struct classify_side *classify_live(const struct classify *c)
{
	return atomic_load_explicit(&c->live, memory_order_acquire);
}

void classify_first(
	const struct classify *c, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	const struct classify_side *s = classify_live(c);

	s->engine->first(s->tables, keys, n, ids);
}

size_t classify_all(
	const struct classify *c, const struct classify_key *key, uint32_t *ids, size_t max)
{
	const struct classify_side *s = classify_live(c);

	return s->engine->all(s->tables, key, ids, max);
}

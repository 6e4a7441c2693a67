// SPDX-License-Identifier: BSD-2-Clause
#include "lab_filter.h"

#include "lab/builtin.h"
#include "lab/probe.h"
#include "lab/topo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct lab_cmd command(void)
{
	struct lab_cmd c = {.device = DEVICE_WEIR};

	lab_traffic_default(4, &c.traffic[0]);
	c.o.n_traffic = 1;
	return c;
}

// A condition with the script, loaded; the error's sentence for NULL.
static int load(struct lab_conditions *c, const char *script, struct err *err)
{
	struct lab_cmd cmd = command();

	c->n = 1;
	c->list = calloc(1, sizeof(*c->list));
	assert_non_null(c->list);
	conf_init(&c->list[0].conf);
	strcpy(c->list[0].name, "mine");
	c->list[0].filter.script = strdup(script);
	return lab_filter_load(&cmd, c, err);
}

static void a_scripts_rules_come_in_the_order_they_are_asked(void **state)
{
	struct lab_conditions c;
	struct err err = {0};
	const struct lab_rule *r;

	(void)state;
	if (load(&c,
		    "#!/bin/sh\nset -eu\n"
		    "cxgbetool t5nex0 filter 30 iport 1 proto 6 action drop\n"
		    "cxgbetool t5nex0 filter 7 dport 53 proto 17 hitcnts 0\n"
		    "cxgbetool t5nex0 filter 9 proto 1 action drop\n"
		    "cxgbetool t5nex0 filter 9 delete\n"
		    "cxgbetool t5nex0 filter 40 action switch eport 1\n",
		    &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(c.list[0].filter.n, 3);
	r = c.list[0].filter.rule;
	assert_int_equal(r[0].idx, 7);
	assert_int_equal(r[0].action, LAB_RULE_PASS);
	assert_false(r[0].counted);
	assert_int_equal(r[0].match.value.dport, 53);
	assert_int_equal(r[1].idx, 30);
	assert_int_equal(r[1].action, LAB_RULE_DROP);
	assert_true(r[1].counted);
	assert_int_equal(r[2].action, LAB_RULE_OTHER);
	assert_non_null(strstr(r[1].words, "drop"));
	lab_conditions_free(&c);
}

static void a_wrong_line_is_named(void **state)
{
	static const struct {
		const char *script, *says;
	} cases[] = {
		{"cxgbetool t5nex0 filter 1 proto 6\ncxgbetool t5nex0 filter 2 sip 1.2.3\n",
			"mine:2: "},
		{"cxgbetool t5nex0 filter 1 iport 2 action drop\n", "mine:1: "},
		{"cxgbetool t5nex0 filter 1 proto 6\n\ncxgbetool t5nex0 filter 1 proto 17\n",
			"mine:3: "},
		{"cxgbetool t6nex0 filter 1 proto 6\n", "mine:1: there is no t6nex0"},
		{"echo hello\n", "mine:1: "},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab_conditions c;
		struct err err = {0};

		assert_true(load(&c, cases[i].script, &err) < 0);
		if (strncmp(err.msg, cases[i].says, strlen(cases[i].says)) != 0)
			fail_msg("'%s' does not begin with '%s'", err.msg, cases[i].says);
		lab_conditions_free(&c);
	}
}

static void a_box_on_the_wire_gets_no_rules_from_files(void **state)
{
	struct lab_cmd cmd = command();
	struct lab_conditions c = {calloc(1, sizeof(*c.list)), 1};
	struct err err = {0};

	(void)state;
	assert_non_null(c.list);
	conf_init(&c.list[0].conf);
	cmd.device = DEVICE_WIRE;
	strcpy(c.list[0].filter.path, "mine/cxgbetool.sh");
	assert_int_equal(lab_filter_load(&cmd, &c, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "mine/cxgbetool.sh: "));
	lab_conditions_free(&c);
}

// Every built-in filter has its number of rules, the traffic meets the one it is named after and no
// other, and nearly every rule that is probed has a frame that meets it first.
static void the_built_in_filters_are_what_their_names_say(void **state)
{
	struct lab_cmd cmd = command();
	struct lab_conditions c;
	struct err err = {0};

	(void)state;
	if (lab_conditions_builtin(NULL, NULL, &cmd.traffic[0], &c, &err) != 0 ||
		lab_filter_load(&cmd, &c, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(c.n, 10);
	assert_string_equal(c.list[0].name, "forwarding");
	assert_true(c.list[0].baseline);
	assert_null(c.list[0].filter.script);
	for (unsigned i = 1; i < c.n; i++) {
		const struct lab_condition *k = &c.list[i];
		const struct lab_filter *f = &k->filter;
		const struct probe_way way = {&k->conf, &cmd.traffic[0], true};
		unsigned n = 0, own = 0, at;
		struct probe_set *set = calloc(1, sizeof(*set));
		struct lab_flows flows;
		char where[16];

		assert_non_null(set);
		assert_int_equal(sscanf(k->name, "%u-%15s", &n, where), 2);
		assert_int_equal(f->n, n);
		at = strcmp(where, "first") == 0 ? 0 : strcmp(where, "last") == 0 ? n - 1 : n;
		assert_int_equal(lab_flows_make(&flows, f, &cmd.traffic[0].gen, 0, &err), 0);
		assert_int_equal(flows.rule[at], 2000);
		assert_int_equal(probe_set_make(set, f, &way, &err), 0);
		for (unsigned j = 0; j < set->n; j++)
			own += set->probe[j].first == set->probe[j].made_for;
		assert_int_equal(set->n_silent, 0);
		if (own * 10 < set->n * 9)
			fail_msg("%s: %u of %u probes meet their own rule", k->name, own, set->n);
		lab_flows_free(&flows);
		free(set);
	}
	lab_conditions_free(&c);
}

// The same set for the same traffic, around another one too.
static void the_built_in_filters_are_made_around_the_traffic(void **state)
{
	struct lab_traffic t;
	char *a, *b;

	(void)state;
	lab_traffic_default(4, &t);
	a = builtin_script(1000, MATCH_LAST, &t.gen, NULL);
	b = builtin_script(1000, MATCH_LAST, &t.gen, NULL);
	assert_string_equal(a, b);
	free(a);
	free(b);
	assert_int_equal(gen_range_parse("198.18.64.1:53-198.18.95.250", 4, &t.gen.src, NULL), 0);
	assert_int_equal(gen_range_parse("198.19.0.1:53-198.19.127.1", 4, &t.gen.dst, NULL), 0);
	for (unsigned n = 15; n <= 1000; n += 985) {
		struct lab_conditions c;
		struct lab_flows flows;
		struct err err = {0};

		a = builtin_script(n, MATCH_LAST, &t.gen, NULL);
		assert_non_null(a);
		if (load(&c, a, &err) != 0)
			fail_msg("%s", err.msg);
		assert_int_equal(lab_flows_make(&flows, &c.list[0].filter, &t.gen, 0, &err), 0);
		assert_int_equal(flows.rule[n - 1], flows.n);
		lab_flows_free(&flows);
		lab_conditions_free(&c);
		free(a);
	}
}

// However much of the addresses the traffic takes, a filter is made around it, or refused in words.
static void the_built_in_filters_find_room_or_say_so(void **state)
{
	static const char *const dst[] = {"198.19.255.1:2000-198.20.0.100",
		"198.0.0.1:53-198.255.255.1", "10.0.0.1:53-10.255.255.1", "1.0.0.1:53-126.0.0.1"};
	struct lab_traffic t;
	struct err err = {0};

	(void)state;
	lab_traffic_default(4, &t);
	for (unsigned i = 0; i < sizeof(dst) / sizeof(dst[0]); i++) {
		char *a;

		assert_int_equal(gen_range_parse(dst[i], 4, &t.gen.dst, NULL), 0);
		a = builtin_script(1000, MATCH_NEVER, &t.gen, &err);
		if (a == NULL)
			fail_msg("%s: %s", dst[i], err.msg);
		free(a);
	}
	assert_int_equal(gen_range_parse("1.0.0.1:53-223.0.0.1", 4, &t.gen.dst, NULL), 0);
	assert_null(builtin_script(1000, MATCH_NEVER, &t.gen, &err));
	assert_int_equal(err.code, EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scripts_rules_come_in_the_order_they_are_asked),
		cmocka_unit_test(a_wrong_line_is_named),
		cmocka_unit_test(a_box_on_the_wire_gets_no_rules_from_files),
		cmocka_unit_test(the_built_in_filters_are_what_their_names_say),
		cmocka_unit_test(the_built_in_filters_are_made_around_the_traffic),
		cmocka_unit_test(the_built_in_filters_find_room_or_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

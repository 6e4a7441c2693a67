// SPDX-License-Identifier: BSD-2-Clause
#include "lab/filter.h"

#include "lab/probe.h"
#include "lab/topo.h"

#include "packet/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ip ip(const char *text)
{
	struct ip out;

	assert_int_equal(ip_parse(text, &out, NULL), 0);
	return out;
}

// An IPv4 rule that asks for nothing more.
static struct lab_rule any4(uint32_t idx, enum lab_rule_action action)
{
	struct lab_rule r = {.idx = idx, .action = action, .counted = true};

	r.match.value.family = 4;
	r.match.mask.family = 0xff;
	r.match.sport_hi = r.match.dport_hi = UINT16_MAX;
	snprintf(r.words, sizeof(r.words), "rule for test %u", idx);
	return r;
}

static struct lab_rule udp_to(uint32_t idx, enum lab_rule_action action, uint16_t dport)
{
	struct lab_rule r = any4(idx, action);

	r.match.value.proto = 17;
	r.match.mask.proto = 0xff;
	r.match.value.dport = dport;
	r.match.mask.dport = 0xffff;
	r.match.value.vlan_valid = r.match.mask.vlan_valid = CLASSIFY_HAS_PORTS;
	return r;
}

static struct lab_rule from(
	uint32_t idx, enum lab_rule_action action, const char *net, unsigned len)
{
	struct lab_rule r = any4(idx, action);

	r.match.mask.src[0] = (uint32_t)(~UINT64_C(0) << (32 - len));
	r.match.value.src[0] = ip(net).v4;
	return r;
}

static void a_rule_matches_when_every_field_does(void **state)
{
	struct lab_rule r = udp_to(0, LAB_RULE_PASS, 53);
	struct build b = {
		.src = ip("198.18.0.1"), .dst = ip("198.19.0.1"), .proto = 17, .dport = 53};
	struct classify_key k;

	(void)state;
	lab_key(&b, 0, &k);
	assert_true(lab_rule_matches(&r, &k));
	b.dport = 54;
	lab_key(&b, 0, &k);
	assert_false(lab_rule_matches(&r, &k));
	b.dport = 53;
	b.proto = 132; // has no ports for a card
	lab_key(&b, 0, &k);
	assert_false(lab_rule_matches(&r, &k));
	b.proto = 17;
	b.ip_off = 185; // a later fragment neither
	lab_key(&b, 0, &k);
	assert_int_equal(k.frag, 1);
	assert_false(lab_rule_matches(&r, &k));
	r = any4(0, LAB_RULE_PASS);
	r.match.dport_lo = 50;
	r.match.dport_hi = 60;
	b.ip_off = 0;
	for (unsigned port = 49; port <= 61; port++) {
		b.dport = (uint16_t)port;
		lab_key(&b, 0, &k);
		assert_int_equal(lab_rule_matches(&r, &k), port >= 50 && port <= 60);
	}
	r = any4(0, LAB_RULE_PASS);
	r.match.value.iport = 1;
	r.match.mask.iport = 7;
	assert_false(lab_rule_matches(&r, &k));
	lab_key(&b, 1, &k);
	assert_true(lab_rule_matches(&r, &k));
	b.src = ip("2001:2::1");
	b.dst = ip("2001:2::2");
	lab_key(&b, 1, &k);
	assert_false(lab_rule_matches(&r, &k));
}

static void flows_are_counted_by_the_first_rule_they_meet(void **state)
{
	// 100 sources x 20 destinations; 198.18.10.64/27 holds .64 to .95, 198.18.10.0/25 .1 to .100.
	struct lab_rule rules[] = {from(3, LAB_RULE_DROP, "198.18.10.64", 27),
		udp_to(4, LAB_RULE_PASS, 53), from(9, LAB_RULE_PASS, "198.18.10.64", 26)};
	struct lab_filter f = {.rule = rules, .n = 3};
	struct lab_traffic t;
	struct lab_flows flows;
	uint64_t least, most;

	(void)state;
	lab_traffic_default(4, &t);
	assert_int_equal(lab_flows_make(&flows, &f, &t.gen, 0, NULL), 0);
	assert_true(flows.all);
	assert_int_equal(flows.n, 2000);
	assert_int_equal(flows.rule[0], 32 * 20);
	assert_int_equal(flows.rule[1], 0);
	assert_int_equal(flows.rule[2], 5 * 20); // .96 to .100
	assert_int_equal(flows.rule[3], 63 * 20);
	lab_flows_hits(&flows, 0, 2000 * 7, &least, &most);
	assert_int_equal(least, 7 * 640);
	assert_int_equal(most, 7 * 640);
	// 700 more of the 2000: none of the 640 may be among them, or all.
	lab_flows_hits(&flows, 0, 2000 * 7 + 700, &least, &most);
	assert_int_equal(least, 7 * 640);
	assert_int_equal(most, 8 * 640);
	// 1900 more leave out 100 at most.
	lab_flows_hits(&flows, 0, 1900, &least, &most);
	assert_int_equal(least, 540);
	assert_int_equal(most, 640);
	lab_flows_hits(&flows, 1, 12345, &least, &most);
	assert_int_equal(most, 0);
	lab_flows_free(&flows);
}

// pkt-gen's IPv4 frames have TOS 0x10, its IPv6 frames traffic class 0.
static void flows_have_the_fields_of_the_frames_that_are_sent(void **state)
{
	struct lab_rule rules[2];
	struct lab_filter f = {.rule = rules, .n = 2};
	struct lab_traffic t;
	struct lab_flows flows;

	(void)state;
	for (int family = 4; family <= 6; family += 2) {
		for (unsigned i = 0; i < 2; i++) {
			rules[i] = any4(i, LAB_RULE_PASS);
			rules[i].match.value.family = (uint8_t)family;
			rules[i].match.mask.tos = 0xff;
			rules[i].match.value.tos = i == 0 ? 0x10 : 0;
			rules[i].match.value.proto = 17;
			rules[i].match.mask.proto = 0xff;
			rules[i].match.mask.frag = 1;
			rules[i].match.mask.ethertype = 0xffff;
			rules[i].match.value.ethertype = family == 4 ? 0x0800 : 0x86dd;
			rules[i].match.mask.vlan_valid = 0xff;
			rules[i].match.value.vlan_valid = CLASSIFY_HAS_PORTS;
		}
		lab_traffic_default(family, &t);
		assert_int_equal(lab_flows_make(&flows, &f, &t.gen, 0, NULL), 0);
		assert_int_equal(flows.rule[family == 4 ? 0 : 1], 2000);
		lab_flows_free(&flows);
	}
}

static void a_long_rule_is_told_in_whole_words(void **state)
{
	struct lab_rule rules[] = {any4(7, LAB_RULE_PASS), any4(8, LAB_RULE_PASS)};
	struct lab_filter f = {.rule = rules, .n = 2};
	char text[LAB_RULE_TEXT];

	(void)state;
	snprintf(rules[1].words, sizeof(rules[1].words), "%s",
		"iport 0 tos 16 proto 17 ethtype 2048 sport 1024 dport 2000 sip 198.18.10.0/24 dip "
		"198.19.10.100/32 action pass hitcnts 0");
	assert_string_equal(lab_rule_text(&f, 0, text), "rule 7 (rule for test 7)");
	assert_string_equal(lab_rule_text(&f, 1, text),
		"rule 8 (iport 0 tos 16 proto 17 ethtype 2048 sport 1024 dport 2000 sip "
		"198.18.10.0/24 dip ...)");
	assert_string_equal(lab_rule_text(&f, 2, text), "no rule");
}

static void a_traffic_that_one_rule_meets_is_counted_to_the_frame(void **state)
{
	struct lab_rule rules[] = {any4(1, LAB_RULE_PASS)};
	struct lab_filter f = {.rule = rules, .n = 1};
	struct lab_traffic t;
	struct lab_flows flows;
	uint64_t least, most;

	(void)state;
	lab_traffic_default(4, &t);
	assert_int_equal(lab_flows_make(&flows, &f, &t.gen, 0, NULL), 0);
	lab_flows_hits(&flows, 0, 123457, &least, &most);
	assert_int_equal(least, 123457);
	assert_int_equal(most, 123457);
	lab_flows_free(&flows);
	// More flows than are looked at: nothing is certain.
	assert_int_equal(gen_range_parse("198.18.0.1:1-198.18.0.1:60000", 4, &t.gen.src, NULL), 0);
	assert_int_equal(lab_flows_make(&flows, &f, &t.gen, 0, NULL), 0);
	assert_false(flows.all);
	lab_flows_hits(&flows, 0, 99, &least, &most);
	assert_int_equal(least, 0);
	assert_int_equal(most, 99);
	lab_flows_free(&flows);
}

// --- probes --------------------------------------------------------------------------------------

struct world {
	struct lab_conditions c;
	struct lab_traffic t;
	struct probe_way way;
	struct probe_set set;
};

static void make(struct world *w, const struct lab_filter *f, bool both_ways)
{
	struct err err = {0};

	if (lab_conditions_builtin("forwarding", NULL, NULL, &w->c, &err) != 0)
		fail_msg("%s", err.msg);
	lab_traffic_default(4, &w->t);
	w->way = (struct probe_way){&w->c.list[0].conf, &w->t, both_ways};
	if (probe_set_make(&w->set, f, &w->way, &err) != 0)
		fail_msg("%s", err.msg);
	lab_conditions_free(&w->c);
}

static const struct lab_ends ends = {.smac = {{2, 0, 0, 0, 0, 1}},
	.dmac = {{2, 0, 0, 0, 0, 2}},
	.out_smac = {{2, 0, 0, 0, 0, 3}},
	.out_dmac = {{2, 0, 0, 0, 0, 4}},
	.check_smac = true,
	.check_dmac = true};

static void each_rule_gets_a_frame_that_meets_it_first(void **state)
{
	struct lab_rule rules[] = {from(0, LAB_RULE_DROP, "1.2.3.4", 32),
		udp_to(1, LAB_RULE_PASS, 53), udp_to(2, LAB_RULE_DROP, 2000),
		any4(3, LAB_RULE_PASS), any4(4, LAB_RULE_DROP)};
	struct lab_filter f = {.rule = rules, .n = 5};
	struct world w;

	(void)state;
	make(&w, &f, true);
	assert_int_equal(w.set.n_rules, 5);
	// Rule 4 has a frame too, which meets an earlier one first; no frame meets none.
	assert_int_equal(w.set.n, 5);
	assert_int_equal(w.set.n_silent, 0);
	for (unsigned i = 0; i < 5; i++) {
		const struct probe *p = &w.set.probe[i];

		assert_int_equal(p->made_for, i);
		assert_true(i == 4 ? p->first < 4 : p->first == i);
		assert_int_equal(p->passes, rules[p->first].action == LAB_RULE_PASS);
	}
	assert_int_equal(w.set.probe[0].b.src.v4, 0x01020304);
	assert_int_equal(w.set.probe[1].b.dport, 53);
}

static void what_cannot_cross_the_device_has_no_probe(void **state)
{
	struct lab_rule rules[] = {any4(0, LAB_RULE_DROP), any4(1, LAB_RULE_DROP),
		any4(2, LAB_RULE_DROP), any4(3, LAB_RULE_OTHER),
		from(4, LAB_RULE_DROP, "224.0.0.1", 32),
		from(5, LAB_RULE_DROP, "198.18.0.209", 32)};
	struct lab_filter f = {.rule = rules, .n = 6};
	struct world w;

	(void)state;
	rules[0].match.value.dst[0] = ip("10.0.0.1").v4; // no route
	rules[0].match.mask.dst[0] = 0xffffffff;
	rules[1].match.value.ivlan = 5; // no tagged frame is routed here
	rules[1].match.mask.ivlan = 0xffff;
	rules[1].match.value.vlan_valid = rules[1].match.mask.vlan_valid = CLASSIFY_HAS_IVLAN;
	rules[2].match.value.tos = 1; // a value outside its mask matches nothing
	rules[3].match.value.proto = 89;
	rules[3].match.mask.proto = 0xff;
	make(&w, &f, true);
	assert_int_equal(w.set.n_silent, 5);
	assert_int_equal(w.set.n_elsewhere, 1);
	assert_int_equal(w.set.n, 1);
	assert_int_equal(w.set.probe[0].made_for, f.n); // the one that meets none
	assert_true(w.set.probe[0].passes);
}

static void a_rule_of_the_other_port_is_probed_from_behind(void **state)
{
	struct lab_rule rules[] = {any4(0, LAB_RULE_DROP)};
	struct lab_filter f = {.rule = rules, .n = 1};
	struct world w;
	uint8_t sent[PROBE_FRAME_MAX], back[PROBE_FRAME_MAX];

	(void)state;
	rules[0].match.value.iport = 1;
	rules[0].match.mask.iport = 7;
	make(&w, &f, false);
	assert_int_equal(w.set.n_silent, 1);
	make(&w, &f, true);
	assert_int_equal(w.set.n_silent, 0);
	assert_true(w.set.probe[0].back);
	assert_false(w.set.probe[0].passes);
	probe_frame(&w.set.probe[0], &ends, 0, 7, false, sent);
	probe_frame(&w.set.probe[0], &ends, 0, 7, true, back);
	assert_memory_equal(sent, ends.out_smac.b, 6);
	assert_memory_equal(sent + 6, ends.out_dmac.b, 6);
	assert_memory_equal(back, "\x00\x1b\x21\xc4\x95\x7a", 6); // the sources' static ARP entry
	assert_memory_equal(back + 6, ends.dmac.b, 6);
}

// The first and the last of many, and no more than there is room for.
static void of_many_rules_some_over_the_whole_list_are_probed(void **state)
{
	enum { N = 10000 };
	struct lab_rule *rules = calloc(N, sizeof(*rules));
	struct lab_filter f = {.rule = rules, .n = N};
	struct world w;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		rules[i] = udp_to(
			i, i % 2 == 0 ? LAB_RULE_PASS : LAB_RULE_DROP, (uint16_t)(10000 + i));
	make(&w, &f, true);
	assert_int_equal(w.set.n_rules, PROBES_MAX);
	assert_int_equal(w.set.n, PROBES_MAX + 1);
	assert_int_equal(w.set.probe[0].first, 0);
	assert_int_equal(w.set.probe[PROBES_MAX - 1].first, N - 1);
	for (unsigned i = 1; i < PROBES_MAX; i++)
		assert_true(w.set.probe[i].first > w.set.probe[i - 1].first);
	assert_int_equal(w.set.probe[PROBES_MAX].first, N);
	free(rules);
}

// What the parser says of a frame is what the rules are asked about.
static void a_probe_is_the_frame_its_key_describes(void **state)
{
	struct lab_rule rules[4] = {any4(0, LAB_RULE_PASS), any4(1, LAB_RULE_PASS),
		any4(2, LAB_RULE_PASS), any4(3, LAB_RULE_PASS)};
	struct lab_filter f = {.rule = rules, .n = 4};
	struct world w;

	(void)state;
	rules[0].match.value.frag = rules[0].match.mask.frag = 1;
	rules[1].match.value.proto = 6;
	rules[1].match.mask.proto = 0xff;
	rules[1].match.value.tos = 0xb8;
	rules[1].match.mask.tos = 0xff;
	rules[2].match.value.family = 6;
	rules[2].match.value.frag = rules[2].match.mask.frag = 1;
	rules[3].match.value.family = 6;
	rules[3].match.value.proto = 58;
	rules[3].match.mask.proto = 0xff;
	make(&w, &f, true);
	assert_int_equal(w.set.n, 5);
	for (unsigned i = 0; i < w.set.n; i++) {
		uint8_t frame[PROBE_FRAME_MAX], back[PROBE_FRAME_MAX];
		const struct probe *p = &w.set.probe[i];
		unsigned len = probe_frame(p, &ends, i, 9, false, frame);
		struct build b = p->b;
		struct classify_key k;
		struct hdrs h;

		assert_in_range(len, 60, PROBE_FRAME_MAX);
		assert_int_equal(packet_parse(frame, len, &h), DROP_NONE);
		b.opt = p->opt;
		lab_key(&b, 0, &k);
		assert_int_equal(h.family, k.family);
		assert_int_equal(h.proto, k.proto);
		assert_int_equal(h.frag != FRAG_NONE, k.frag);
		assert_int_equal(h.sport, k.sport);
		assert_int_equal(h.dport, k.dport);
		assert_int_equal(probe_number(frame, len, 9), i);
		assert_int_equal(probe_number(frame, len, 8), -1);
		assert_int_equal(probe_frame(p, &ends, i, 9, true, back), len);
		assert_memory_equal(back + 6, ends.out_smac.b, 6);
		assert_int_equal(back[k.family == 4 ? 22 : 21], frame[k.family == 4 ? 22 : 21] - 1);
	}
	assert_int_equal(w.set.probe[0].first, 0);
	assert_int_equal(w.set.probe[2].first, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_matches_when_every_field_does),
		cmocka_unit_test(flows_are_counted_by_the_first_rule_they_meet),
		cmocka_unit_test(flows_have_the_fields_of_the_frames_that_are_sent),
		cmocka_unit_test(a_long_rule_is_told_in_whole_words),
		cmocka_unit_test(a_traffic_that_one_rule_meets_is_counted_to_the_frame),
		cmocka_unit_test(each_rule_gets_a_frame_that_meets_it_first),
		cmocka_unit_test(what_cannot_cross_the_device_has_no_probe),
		cmocka_unit_test(a_rule_of_the_other_port_is_probed_from_behind),
		cmocka_unit_test(of_many_rules_some_over_the_whole_list_are_probed),
		cmocka_unit_test(a_probe_is_the_frame_its_key_describes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

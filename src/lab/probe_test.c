// SPDX-License-Identifier: BSD-2-Clause
// Probes through a device that does as it is told, rightly or wrongly, between ports in memory.
#include "lab/probe.h"

#include "lab/filter_run.h"

#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum fault { RIGHT, PASSES_ALL, DROPS_ALL, DROPS_SOURCES, KEEPS_TTL, TWICE, WRONG_SIDE, MISCOUNTS };

static struct rte_mempool *pool;
static struct port *tester[2], *box[2]; // 0: the sources' side
static struct lab_rule rules[3];
static struct lab_filter filter = {.rule = rules, .n = 3};
static struct lab_conditions conditions;
static struct lab_traffic traffic;
static struct filter_run *run_of;
static struct dut dut;
static struct lab_ends ends;
static enum fault fault;
static struct dut_counters counters;
static uint64_t counted[3];
static uint32_t run_number;

static void forward(unsigned side, struct rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	int i = probe_number(frame, m->data_len, run_number);
	const struct probe *p;
	bool passes;
	unsigned out = fault == WRONG_SIDE ? side : 1 - side;

	assert_true(i >= 0);
	p = &run_of->probes->probe[i];
	if (p->first < filter.n)
		counted[p->first]++;
	passes = fault == PASSES_ALL ? true : fault == DROPS_ALL ? false : p->passes;
	if (fault == DROPS_SOURCES && p->first == 1)
		passes = false;
	counters.in++;
	if (!passes) {
		counters.drop[0].n++;
		counters.n_drops = 1;
		rte_pktmbuf_free(m);
		return;
	}
	probe_frame(p, &ends, (unsigned)i, run_number, true, frame);
	if (fault == KEEPS_TTL)
		frame[22]++;
	if (fault == TWICE) {
		struct rte_mbuf *copy = rte_pktmbuf_copy(m, pool, 0, UINT32_MAX);

		assert_int_equal(port_tx(box[out], 0, &copy, 1), 1);
		counters.made++;
		counters.sent++;
	}
	assert_int_equal(port_tx(box[out], 0, &m, 1), 1);
	counters.sent++;
}

// The device works whenever it is looked at.
static void read_counters(struct dut *d, struct dut_counters *out)
{
	(void)d;
	for (unsigned side = 0; side < 2; side++) {
		struct rte_mbuf *m[64];
		unsigned n = port_rx(box[side], 0, m, 64);

		for (unsigned i = 0; i < n; i++)
			forward(side, m[i]);
	}
	*out = counters;
}

static void hits(struct dut *d, uint64_t *out, unsigned n)
{
	(void)d;
	for (unsigned i = 0; i < n; i++)
		out[i] = counted[i] + (fault == MISCOUNTS && i == 1);
}

static struct port *open_end(const char *name)
{
	const struct port_conf conf = {.n_rxd = 512, .n_txd = 512, .pool = pool};
	struct err err = {0};
	struct port *p = port_open(name, &conf, &err);

	if (p == NULL)
		fail_msg("%s", err.msg);
	return p;
}

static struct lab_rule udp(
	uint32_t idx, enum lab_rule_action action, unsigned iport, uint16_t dport)
{
	struct lab_rule r = {.idx = idx, .action = action, .counted = true};

	r.match.value = (struct classify_key){.family = 4,
		.proto = 17,
		.iport = (uint8_t)iport,
		.dport = dport,
		.vlan_valid = CLASSIFY_HAS_PORTS};
	r.match.mask = (struct classify_key){.family = 0xff,
		.proto = 0xff,
		.iport = 7,
		.dport = dport == 0 ? 0 : 0xffff,
		.vlan_valid = CLASSIFY_HAS_PORTS};
	r.match.sport_hi = r.match.dport_hi = UINT16_MAX;
	snprintf(r.words, sizeof(r.words), "to port %u", dport);
	return r;
}

static int start(void **state)
{
	const struct port_env env = {.pages = PAGES_SMALL, .first_cpu = -1, .memory_mb = 64};
	struct err err = {0};

	(void)state;
	if (port_init(&env, &err) != 0)
		fail_msg("%s", err.msg);
	pool = port_pool("probes", 2047, 2048, &err);
	tester[0] = open_end("mem:a");
	box[0] = open_end("mem:a");
	tester[1] = open_end("mem:b");
	box[1] = open_end("mem:b");
	rules[0] = udp(10, LAB_RULE_DROP, 0, 53);
	rules[1] = udp(20, LAB_RULE_PASS, 0, 0);
	rules[2] = udp(30, LAB_RULE_DROP, 1, 0);
	lab_traffic_default(4, &traffic);
	if (lab_conditions_builtin("forwarding", NULL, NULL, &conditions, &err) != 0)
		fail_msg("%s", err.msg);
	conditions.list[0].filter = filter;
	dut = (struct dut){.accounts = true,
		.both_ways = true,
		.settle_s = 0.001,
		.read = read_counters,
		.hits = hits};
	run_of = filter_run_new(&conditions.list[0], &traffic, &dut, &err);
	if (run_of == NULL)
		fail_msg("%s", err.msg);
	ends = (struct lab_ends){.out = tester[0],
		.in = tester[1],
		.pool = pool,
		.smac = {{2, 0, 0, 0, 0, 1}},
		.dmac = {{2, 0, 0, 0, 0, 2}},
		.out_smac = {{2, 0, 0, 0, 0, 3}},
		.out_dmac = {{2, 0, 0, 0, 0, 4}},
		.check_smac = true,
		.check_dmac = true};
	return 0;
}

static int end(void **state)
{
	(void)state;
	filter_run_free(run_of);
	conditions.list[0].filter = (struct lab_filter){0};
	lab_conditions_free(&conditions);
	port_fini();
	return 0;
}

// Both rounds of a run without traffic.
static struct lab_run rounds(enum fault f)
{
	struct lab_run run = {.number = ++run_number};

	fault = f;
	memset(&counters, 0, sizeof(counters));
	memset(counted, 0, sizeof(counted));
	if (filter_run_before(run_of, &dut, &ends, &run)) {
		run.valid = true;
		filter_run_after(run_of, &dut, &ends, &run);
	}
	return run;
}

static void a_right_device_passes(void **state)
{
	struct lab_run run = rounds(RIGHT);

	(void)state;
	if (!run.valid)
		fail_msg("%s: %s", run.gate, run.why);
	// One for each rule, one of them from behind, and one that meets none.
	assert_int_equal(run_of->probes->n, 4);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(run_of->sum[i], 2);
	assert_true(run_of->has_hits);
}

static void a_wrong_device_makes_the_run_void(void **state)
{
	static const struct {
		enum fault fault;
		const char *gate, *why;
	} cases[] = {
		{PASSES_ALL, "probe",
			"before the traffic: a frame that rule 10 (to port 53) must drop came through"},
		{DROPS_ALL, "probe",
			"a frame that matches rule 20 (to port 0) did not come through"},
		{DROPS_SOURCES, "probe",
			"a frame that matches rule 20 (to port 0) did not come through"},
		{KEEPS_TTL, "probe", "a frame that matches rule 20 (to port 0) came back wrong"},
		{TWICE, "probe", "a frame that matches rule 20 (to port 0) came 2 times"},
		{WRONG_SIDE, "probe", "a frame that matches rule 20 (to port 0) came back wrong"},
		{MISCOUNTS, "hits", "rule 20 (to port 0) counts 3 frames, not 2"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab_run run = rounds(cases[i].fault);

		assert_false(run.valid);
		assert_string_equal(run.gate, cases[i].gate);
		if (strstr(run.why, cases[i].why) == NULL)
			fail_msg("'%s' does not say '%s'", run.why, cases[i].why);
	}
}

static void a_rule_without_hits_is_not_compared(void **state)
{
	struct lab_results told = {0};
	struct err err = {0};
	struct lab_run run;

	(void)state;
	rules[1].counted = false;
	run = rounds(MISCOUNTS);
	assert_int_equal(filter_run_tell(run_of, &told, 0, &err), 0);
	rules[1].counted = true;
	if (!run.valid)
		fail_msg("%s: %s", run.gate, run.why);
	assert_int_equal(run_of->hits[1], 0);
	assert_int_equal(run_of->hits[0], 2);
	// Nor are there hits of it in the results: 0 would say that it met nothing.
	assert_true(told.rule[1].hits == LAB_NOT_COUNTED);
	assert_true(told.rule[0].hits == run_of->sum[0] && told.rule[0].hits > 0);
	free(told.rule);
	free(told.filter);
	assert_false(rounds(MISCOUNTS).valid);
}

// It would measure how fast a filter stops frames.
static void traffic_that_the_rules_stop_is_refused(void **state)
{
	struct lab_traffic other = traffic;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		gen_range_parse("198.19.10.1:52-198.19.10.20:53", 4, &other.gen.dst, &err), 0);
	assert_null(filter_run_new(&conditions.list[0], &other, &dut, &err));
	assert_int_equal(err.code, EINVAL);
	assert_string_equal(err.msg,
		"condition forwarding: rule 10 (to port 53) drops 2000 of the traffic's 4000 flows, "
		"so nothing can be measured; give --src and --dst addresses and ports that the "
		"rules pass");
	rules[0].action = LAB_RULE_OTHER;
	assert_null(filter_run_new(&conditions.list[0], &other, &dut, &err));
	rules[0].action = LAB_RULE_DROP;
	assert_non_null(strstr(err.msg, "rule 10 (to port 53) sends elsewhere or changes 2000 of"));
}

// With a setup.sh nothing is sent, run by run.
static void traffic_that_the_rules_stop_makes_the_run_void(void **state)
{
	struct lab_run run;
	struct filter_run *right = run_of;
	struct lab_traffic other = traffic;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		gen_range_parse("198.19.10.1:52-198.19.10.20:53", 4, &other.gen.dst, &err), 0);
	strcpy(conditions.list[0].setup, "setup.sh");
	run_of = filter_run_new(&conditions.list[0], &other, &dut, &err);
	conditions.list[0].setup[0] = '\0';
	assert_non_null(run_of);
	run = rounds(RIGHT);
	assert_false(run.valid);
	assert_string_equal(run.gate, "filter");
	assert_string_equal(run.why, "rule 10 (to port 53) drops 2000 of the traffic's 4000 flows");
	assert_int_equal(counters.in, 0);
	filter_run_free(run_of);
	run_of = right;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_device_passes),
		cmocka_unit_test(a_wrong_device_makes_the_run_void),
		cmocka_unit_test(a_rule_without_hits_is_not_compared),
		cmocka_unit_test(traffic_that_the_rules_stop_is_refused),
		cmocka_unit_test(traffic_that_the_rules_stop_makes_the_run_void),
	};

	return cmocka_run_group_tests(tests, start, end);
}

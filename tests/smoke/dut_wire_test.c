// SPDX-License-Identifier: BSD-2-Clause
// The wire device: two ports, a script, and whatever comes back.  The box is this test, at the far
// ends of memory ports; no root needed.
#include "lab/lab.h"

#include "port/port.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct mac box = {{0x02, 0, 0, 0, 0, 0xb0}};
static struct rte_mempool *pool;

static void traffic(struct lab_traffic *t, uint16_t len)
{
	memset(t, 0, sizeof(*t));
	t->family = 4;
	t->gen = (struct gen_conf){.family = 4, .len = len, .burst = 64, .count = 10};
	assert_int_equal(gen_range_parse("198.18.10.1:2000", 4, &t->gen.src, NULL), 0);
	assert_int_equal(gen_range_parse("198.19.10.1:2000", 4, &t->gen.dst, NULL), 0);
}

static struct dut wire(const char *out, const char *in)
{
	const struct dut_wire_conf conf = {.out = out, .in = in, .dmac = box};
	struct err err = {0};
	struct dut d;

	if (dut_wire(&d, &conf, &err) != 0)
		fail_msg("%s", err.msg);
	return d;
}

static struct port *far_end(const char *name)
{
	const struct port_conf conf = {.pool = pool, .mtu = 9000};
	struct err err = {0};
	struct port *p = port_open(name, &conf, &err);

	if (p == NULL)
		fail_msg("%s", err.msg);
	return p;
}

static void frames_go_out_by_one_port_and_come_back_by_the_other(void **state)
{
	struct port *left = far_end("mem:left"), *right = far_end("mem:right");
	struct dut d = wire("mem:left", "mem:right");
	struct lab_condition c = {.name = "box"};
	struct dut_counters counters;
	struct rte_mbuf *m[64];
	struct lab_traffic t;
	struct err err = {0};

	(void)state;
	traffic(&t, 60);
	// Two runs, the second with longer frames than there were buffers for.
	for (unsigned run = 1; run <= 2; run++) {
		struct lab_ends ends = {0};
		struct sender *s;
		unsigned n = 0;

		if (run == 2)
			traffic(&t, 4000);
		if (d.start(&d, &c, &t, &ends, &err) != 0)
			fail_msg("%s", err.msg);
		assert_memory_equal(ends.dmac.b, box.b, MAC_LEN);
		assert_false(ends.check_smac || ends.check_dmac);
		t.gen.smac = ends.smac;
		t.gen.dmac = ends.dmac;
		s = sender_new(&t.gen, ends.out, 0, ends.pool, &err);
		if (s == NULL)
			fail_msg("%s", err.msg);
		for (unsigned i = 0; i < 1000 && !sender_done(s); i++)
			sender_step(s, 0);
		n = port_rx(left, 0, m, 64);
		assert_int_equal(n, 10);
		assert_int_equal(port_tx(right, 0, m, n), n);
		assert_int_equal(port_rx(ends.in, 0, m, 64), 10);
		port_free(m, 10);
		d.read(&d, &counters);
		assert_int_equal(counters.in + counters.sent + counters.n_drops, 0);
		sender_free(s);
		d.stop(&d);
	}
	dut_wire_free(&d);
	port_close(left);
	port_close(right);
}

static void the_script_is_told_ports_and_condition(void **state)
{
	struct port *left = far_end("mem:left"), *right = far_end("mem:right");
	struct dut d = wire("mem:left", "mem:right");
	struct lab_condition c = {.name = "fast path"};
	struct lab_ends ends = {0};
	struct lab_traffic t;
	struct err err = {0};
	FILE *f;

	(void)state;
	traffic(&t, 60);
	snprintf(c.setup, sizeof(c.setup), "/tmp/weir-test-%d.sh", (int)getpid());
	f = fopen(c.setup, "we");
	assert_non_null(f);
	fputs("echo \"$WEIR_IN, $WEIR_OUT, $WEIR_CONDITION\" >&2; exit 1\n", f);
	fclose(f);
	assert_true(d.start(&d, &c, &t, &ends, &err) < 0);
	unlink(c.setup);
	assert_non_null(strstr(err.msg, ".sh: mem:left, mem:right, fast path"));
	d.stop(&d);
	dut_wire_free(&d);
	port_close(left);
	port_close(right);
}

static void a_port_that_is_not_there_is_named(void **state)
{
	struct dut d = wire("null", "afpacket:weir-none");
	struct lab_condition c = {.name = "box"};
	struct lab_ends ends = {0};
	struct lab_traffic t;
	struct err err = {0};

	(void)state;
	traffic(&t, 60);
	assert_true(d.start(&d, &c, &t, &ends, &err) < 0);
	assert_non_null(strstr(err.msg, "weir-none"));
	d.stop(&d);
	dut_wire_free(&d);
}

static void one_port_is_not_enough(void **state)
{
	const struct dut_wire_conf conf = {.out = "null", .in = "null", .dmac = box};
	struct err err = {0};
	struct dut d;

	(void)state;
	assert_int_equal(dut_wire(&d, &conf, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "between two ports"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_go_out_by_one_port_and_come_back_by_the_other),
		cmocka_unit_test(the_script_is_told_ports_and_condition),
		cmocka_unit_test(a_port_that_is_not_there_is_named),
		cmocka_unit_test(one_port_is_not_enough),
	};
	const struct port_env env = {.pages = PAGES_SMALL, .memory_mb = 384, .first_cpu = -1};
	struct err err = {0};
	int rc;

	if (port_init(&env, &err) != 0 || (pool = port_pool("test", 1024, 9600, &err)) == NULL) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	port_pool_free(pool);
	port_fini();
	return rc;
}

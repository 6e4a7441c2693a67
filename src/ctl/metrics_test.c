// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/ctl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// As the OpenMetrics 1.0 text format has it: TYPE and HELP, counters end in _total, \ " and newline
// escaped in label values, # EOF last.
static void families_samples_and_an_end(void **state)
{
	struct ctl_metrics *m = ctl_metrics_new();

	(void)state;
	ctl_metrics_family(m, "weir_drops", "counter", "Packets\ndropped.");
	ctl_metrics_sample(m, (const char *[]){"reason", "ip4-ttl", NULL}, 18446744073709551615u);
	ctl_metrics_sample(m, (const char *[]){"a", "x\"y\\z\n", "b", "", NULL}, 0);
	ctl_metrics_family(m, "weir_queued", "gauge", "Packets inside.");
	ctl_metrics_sample(m, (const char *[]){NULL}, 7);
	assert_string_equal(ctl_metrics_text(m),
		"# TYPE weir_drops counter\n"
		"# HELP weir_drops Packets\\ndropped.\n"
		"weir_drops_total{reason=\"ip4-ttl\"} 18446744073709551615\n"
		"weir_drops_total{a=\"x\\\"y\\\\z\\n\",b=\"\"} 0\n"
		"# TYPE weir_queued gauge\n"
		"# HELP weir_queued Packets inside.\n"
		"weir_queued 7\n"
		"# EOF\n");
	ctl_metrics_free(m);
}

static void freed_before_its_end(void **state)
{
	struct ctl_metrics *m = ctl_metrics_new();

	(void)state;
	ctl_metrics_family(m, "weir_drops", "counter", "Packets dropped.");
	ctl_metrics_free(m);
	ctl_metrics_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_samples_and_an_end),
		cmocka_unit_test(freed_before_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

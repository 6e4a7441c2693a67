// SPDX-License-Identifier: BSD-2-Clause
// Folders of conditions, and how the tester must be plugged into what they describe.
#include "lab/lab.h"
#include "lab/settings.h"

#include "lab/topo.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char place[64];

static int rm(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int make_place(void **state)
{
	(void)state;
	strcpy(place, "/tmp/condition_test.XXXXXX");
	return mkdtemp(place) == NULL || chdir(place) != 0 ? -1 : 0;
}

static int drop_place(void **state)
{
	(void)state;
	return chdir("/") != 0 ? -1 : nftw(place, rm, 16, FTW_DEPTH | FTW_PHYS);
}

// Writes a file below the place, with its folders.
static void put(const char *path, const char *text)
{
	char copy[256];
	FILE *f;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = copy; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static const char router[] = "gateway_enable=YES\n"
			     "ifconfig_em0=\"inet 192.0.2.1/24\"\n"
			     "ifconfig_em1=\"inet 198.19.0.1/24\"\n"
			     "static_routes=\"a\"\n"
			     "route_a=\"-net 198.18.0.0/16 192.0.2.2\"\n";

static void a_conditions_settings_lie_over_the_bases(void **state)
{
	struct lab_conditions c;
	struct err err = {0};

	(void)state;
	put("d/base/etc/rc.conf", router);
	put("d/base/setup.sh", "");
	put("d/x/sysctl.conf", "net.inet.ip.ttl=7\n");
	put("d/y/boot/loader.conf", "");
	put("d/y/setup.sh", "");
	put("d/README", "");
	put("d/.hidden/rc.conf", "");
	if (lab_conditions_read("d", NULL, NULL, &c, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(c.n, 2);
	assert_string_equal(c.list[0].name, "x");
	assert_int_equal(c.list[0].conf.ttl, 7);
	assert_int_equal(c.list[1].conf.ttl, 64);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(c.list[i].conf.n_ifaces, 2);
		assert_true(c.list[i].conf.forward4);
	}
	assert_string_equal(c.list[0].setup, "d/base/setup.sh");
	assert_string_equal(c.list[1].setup, "d/y/setup.sh");
	lab_conditions_free(&c);
}

static void baseline_of(const char *only, const char *baseline, const char *expected)
{
	struct lab_conditions c;
	struct err err = {0};

	if (lab_conditions_read("d", only, baseline, &c, &err) != 0)
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < c.n; i++)
		assert_int_equal(c.list[i].baseline, strcmp(c.list[i].name, expected) == 0);
	lab_conditions_free(&c);
}

static void the_baseline_is_the_one_named_or_the_default_or_the_first(void **state)
{
	(void)state;
	put("d/a/rc.conf", router);
	put("d/b-default/rc.conf", router);
	put("d/c/rc.conf", router);
	put("d/default/rc.conf", router);
	baseline_of(NULL, NULL, "b-default");
	baseline_of(NULL, "c", "c");
	baseline_of("a,c", NULL, "a");
	baseline_of("c,default", NULL, "c");
	baseline_of("a", NULL, "a");
}

static void refuse(const char *only, const char *baseline, int code, const char *says)
{
	struct lab_conditions c = {0};
	struct err err = {0};

	assert_int_equal(lab_conditions_read("d", only, baseline, &c, &err), -code);
	if (strstr(err.msg, says) == NULL)
		fail_msg("'%s' does not say '%s'", err.msg, says);
	assert_null(c.list);
}

static void what_is_no_experiment_is_refused_in_words(void **state)
{
	(void)state;
	refuse(NULL, NULL, ENOENT, "d: ");
	put("d/README", "");
	put("d/base/rc.conf", router);
	refuse(NULL, NULL, ENOENT, "no folder in it is a condition");
	put("d/a/rc.conf", "ttl=");
	put("d/b/rc.conf", router);
	refuse("a,z", NULL, EINVAL, "'z'");
	refuse("a", "b", EINVAL, "'b'");
	put("d/e\x1b[1m/rc.conf", router);
	refuse(NULL, NULL, EINVAL, "d/e?[1m: a control character in its name");
	remove("d/e\x1b[1m/rc.conf");
	rmdir("d/e\x1b[1m");
	put("d/a/rc.conf", "hostname=\"a\n");
	refuse(NULL, NULL, EINVAL, "rc.conf:1");
	remove("d/base/rc.conf");
	rmdir("d/base");
	put("d/a/rc.conf", "hostname=a\n");
	refuse(NULL, NULL, EINVAL, "d/a: the settings name no interface");
}

// One folder too high or too low is said, with the ones that would do.
static void the_folder_that_was_meant_is_named(void **state)
{
	struct lab_conditions c = {0};
	struct err err = {0};

	(void)state;
	put("labs/README", "");
	put("labs/one/base/rc.conf", router);
	put("labs/one/a/etc/sysctl.conf", "");
	put("labs/two/x/setup.sh", "");
	put("labs/notes/old/text", "");
	assert_int_equal(lab_conditions_read("labs", NULL, NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "give one of them: labs/one, labs/two"));
	assert_int_equal(lab_conditions_read("labs/one/a", NULL, NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "labs/one/a: is the folder of one condition"));
	put("filters/rules/cxgbetool.sh", "");
	assert_int_equal(lab_conditions_read("filters/rules", NULL, NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "filters/rules: is the folder of one condition"));
	assert_int_equal(lab_conditions_read("labs/notes", NULL, NULL, &c, &err), -ENOENT);
	assert_int_equal(lab_conditions_read("labs/one", "b", NULL, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no condition 'b'; there is a"));
	assert_int_equal(lab_conditions_read("labs/one", NULL, "b", &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'b' is none of the conditions a"));
	put("labs/one/stray/text", "");
	assert_int_equal(lab_conditions_read("labs/two", "x", NULL, &c, &err), 0);
	lab_conditions_free(&c);
}

static void follow(
	const char *rc, const char *src, const char *dst, struct lab_topo *topo, struct err *err)
{
	struct lab_traffic t;
	struct conf c;

	lab_traffic_default(4, &t);
	assert_int_equal(gen_range_parse(src, 4, &t.gen.src, err), 0);
	assert_int_equal(gen_range_parse(dst, 4, &t.gen.dst, err), 0);
	conf_init(&c);
	if (conf_rc(&c, "rc.conf", rc, err) != 0)
		fail_msg("%s", err->msg);
	(void)!lab_topo(&c, &t, topo, err);
	conf_free(&c);
}

static void the_traffic_tells_which_interfaces_are_used(void **state)
{
	static const char rc[] = "ifconfig_a=\"inet 10.0.0.1/24\"\n"
				 "ifconfig_b=\"inet 10.1.0.1/24\"\n"
				 "ifconfig_c=\"inet 10.2.0.1/24\"\n"
				 "static_routes=\"x y z\"\n"
				 "route_x=\"-net 198.19.0.0/16 10.1.0.9\"\n"
				 "route_y=\"-net 198.19.10.0/24 10.2.0.9\"\n"
				 "route_z=\"-net 198.18.0.0/15 10.0.0.9\"\n"
				 "static_arp_pairs=\"y\"\n"
				 "static_arp_y=\"10.2.0.9 02:00:00:00:00:99\"\n";
	struct lab_topo topo;
	struct err err = {0};

	(void)state;
	follow(rc, "198.18.1.1", "198.19.10.1", &topo, &err);
	assert_int_equal(err.code, 0);
	assert_int_equal(topo.in, 0);
	assert_int_equal(topo.out, 2);
	assert_false(topo.has_in_mac);
	assert_true(topo.has_out_mac);
	assert_int_equal(topo.out_mac.b[5], 0x99);

	follow(rc, "198.18.1.1", "198.19.11.1", &topo, &err);
	assert_int_equal(topo.out, 1);
	assert_false(topo.has_out_mac);

	follow(rc, "10.1.0.7", "10.2.0.9", &topo, &err);
	assert_int_equal(topo.in, 1);
	assert_int_equal(topo.out, 2);
	assert_true(topo.has_out_mac);
	assert_int_equal(err.code, 0);
}

static void a_way_that_is_none_is_told(void **state)
{
	static const char rc[] = "ifconfig_a=\"inet 10.0.0.1/24\"\n"
				 "ifconfig_b=\"inet 10.1.0.1/24\"\n"
				 "static_routes=\"x\"\n"
				 "route_x=\"-net 198.19.0.0/16 10.1.0.9\"\n";
	static const struct {
		const char *src, *dst, *says;
	} cases[] = {
		{"198.18.1.1", "198.19.1.1", "no route to 198.18.1.1"},
		{"10.0.0.2", "198.20.1.1", "no route to 198.20.1.1"},
		{"10.1.0.2", "198.19.1.1", "both behind b"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab_topo topo;
		struct err err = {0};

		follow(rc, cases[i].src, cases[i].dst, &topo, &err);
		assert_int_equal(err.code, EINVAL);
		if (strstr(err.msg, cases[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", err.msg, cases[i].says);
	}
}

static void the_built_in_router_carries_2000_flows_of_both_families(void **state)
{
	struct lab_conditions c;
	struct err err = {0};

	(void)state;
	if (lab_conditions_builtin(NULL, NULL, NULL, &c, &err) != 0)
		fail_msg("%s", err.msg);
	assert_int_equal(c.n, 1);
	assert_true(c.list[0].baseline);
	for (int family = 4; family <= 6; family += 2) {
		struct lab_traffic t;
		struct lab_topo topo;

		lab_traffic_default(family, &t);
		assert_int_equal(t.gen.len, family == 4 ? 60 : 62);
		assert_int_equal(lab_traffic_flows(&t), 2000);
		assert_true(lab_traffic_isolated(&t));
		if (lab_topo(&c.list[0].conf, &t, &topo, &err) != 0)
			fail_msg("%s", err.msg);
		assert_true(topo.has_in_mac && topo.has_out_mac);
		assert_string_equal(c.list[0].conf.ifaces[topo.in].name, "igb2");
		assert_string_equal(c.list[0].conf.ifaces[topo.out].name, "igb3");
	}
	lab_conditions_free(&c);
}

// RFC 2544 C.2.2 (with its erratum), RFC 5180 8.
static void addresses_outside_the_benchmark_nets_are_noticed(void **state)
{
	static const struct {
		int family;
		const char *src, *dst;
		bool isolated;
	} cases[] = {
		{4, "198.18.0.0", "198.19.255.255", true},
		{4, "198.17.255.255", "198.19.0.1", false},
		{4, "198.18.0.1", "198.19.255.0-198.20.0.1", false},
		{6, "2001:2::1", "2001:2:0:ffff::1", true},
		{6, "2001:2:1::1", "2001:2::1", false},
		{6, "2001:2::1", "2001:1:ffff::1", false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lab_traffic t;
		struct err err = {0};

		lab_traffic_default(cases[i].family, &t);
		assert_int_equal(
			gen_range_parse(cases[i].src, cases[i].family, &t.gen.src, &err), 0);
		assert_int_equal(
			gen_range_parse(cases[i].dst, cases[i].family, &t.gen.dst, &err), 0);
		assert_int_equal(lab_traffic_isolated(&t), cases[i].isolated);
	}
}

// Results keep the beginning of a long script: whole lines of it.
static void a_long_script_is_cut_behind_a_line(void **state)
{
	struct lab_conditions c;
	struct lab_results r = {0};
	struct lab_traffic t;
	struct err err = {0};
	unsigned n = 0;

	(void)state;
	lab_traffic_default(4, &t);
	assert_int_equal(
		lab_conditions_builtin("forwarding,15-first,1000-last", NULL, &t, &c, &err), 0);
	assert_int_equal(lab_settings(&r, &c, &err), 0);
	for (unsigned i = 0; i < r.n_settings; i++) {
		const char *v = r.setting[i].value;
		size_t len = strlen(v);

		if (strcmp(r.setting[i].file, CONF_SCRIPT) != 0)
			continue;
		n++;
		assert_in_range(len, 400, sizeof(r.setting[i].value) - 1);
		assert_string_equal(v + len - 4, "\n...");
		for (const struct lab_condition *k = c.list; k < c.list + c.n; k++)
			if (strcmp(k->name, r.setting[i].condition) == 0)
				assert_memory_equal(v, k->filter.script, len - 3);
	}
	assert_int_equal(n, 2);
	free(r.setting);
	lab_conditions_free(&c);
}

int main(void)
{
#define IN_PLACE(t) cmocka_unit_test_setup_teardown(t, make_place, drop_place)
	const struct CMUnitTest tests[] = {
		IN_PLACE(a_conditions_settings_lie_over_the_bases),
		IN_PLACE(the_baseline_is_the_one_named_or_the_default_or_the_first),
		IN_PLACE(what_is_no_experiment_is_refused_in_words),
		IN_PLACE(the_folder_that_was_meant_is_named),
		cmocka_unit_test(the_traffic_tells_which_interfaces_are_used),
		cmocka_unit_test(a_way_that_is_none_is_told),
		cmocka_unit_test(the_built_in_router_carries_2000_flows_of_both_families),
		cmocka_unit_test(addresses_outside_the_benchmark_nets_are_noticed),
		cmocka_unit_test(a_long_script_is_cut_behind_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

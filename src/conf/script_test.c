// SPDX-License-Identifier: BSD-2-Clause
// The reference is /bin/sh: each script is run by it with a cxgbetool that prints its words.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "conf/conf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char chelsio[] =
	"#!/bin/sh\n"
	"set -euf\n"
	"\n"
	"#\n"
	"# a comment\n"
	"#\n"
	"cxgbetool t5nex0 filter 0  frag 1 action drop\n"
	"#xgbetool t5nex0 filter 11 action pass dport 16384:0xc000\n"
	"\tcxgbetool t5nex0 filter 50 iport 0 action pass sip 1.2.3.4 dport 22 proto 6\n"
	"\n"
	"## EOF ##\n";

static const char *const scripts[] = {
	"",
	"\n\n",
	"# nothing\n",
	chelsio,
	"cxgbetool t5nex0 filter 1 proto 6",
	"set -e -u\nset +x\ncxgbetool t5nex0 filter 1 proto 6\n",
	"cxgbetool t5nex0 filter 1 proto 6 # trailing\n",
	"cxgbetool t5nex0 filter 1 'proto' \"6\"\n",
	"cxgbetool t5nex0 filter 1 \\\n  proto 6 \\\n  action drop\ncxgbetool t5nex0 filter 2 delete\n",
	"cxgbetool t5nex0 policy '/etc/a # b'\n",
	"cxgbetool t5nex0 policy \"it's # 'one'\"  # isn't\ncxgbetool t5nex0 policy none\n",
	"cxgbetool t5nex0 policy a#b c\\#d \\\"e\n",
	"cxgbetool t5nex0 policy 'two\nlines' x\ncxgbetool t5nex0 policy none\n",
	"cxgbetool t5nex0 policy \"\" ''\n",
	"cxgbetool t5nex0 filter 1 proto 6 \\\n# behind a continued line\n"
	"cxgbetool t5nex0 policy a\\\n#b \\\n \\\n#c\ncxgbetool t5nex0 policy none\n",
	"# continued? \\\ncxgbetool t5nex0 filter 1 proto 6\n",
	"cxgbetool t5nex0 filter 1 proto 6:0xff dport 32768:0x8000 sip 10.0.0.0/8\n",
};

// What sh makes of it: a line for each command, each word in brackets.
static void by_sh(const char *script, char *out, size_t size)
{
	char path[] = "/tmp/weir-script-XXXXXX", command[64];
	int fd = mkstemp(path);
	FILE *f, *p;
	size_t n;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs("set -f\ncxgbetool() { printf '[%s]' \"$@\"; echo; }\n", f);
	fputs(script, f);
	fclose(f);
	snprintf(command, sizeof(command), "sh %s", path);
	p = popen(command, "r");
	assert_non_null(p);
	n = fread(out, 1, size - 1, p);
	out[n] = '\0';
	assert_int_equal(pclose(p), 0);
	unlink(path);
}

static void by_us(const char *script, char *out, size_t size)
{
	struct conf_script s;
	struct err err = {0};
	size_t n = 0;

	if (conf_script_text("s", script, &s, &err) != 0)
		fail_msg("%s: %s", script, err.msg);
	out[0] = '\0';
	for (unsigned i = 0; i < s.n; i++) {
		for (int k = 0; k < s.commands[i].argc; k++)
			n += (size_t)snprintf(out + n, size - n, "[%s]", s.commands[i].argv[k]);
		assert_null(s.commands[i].argv[s.commands[i].argc]);
		n += (size_t)snprintf(out + n, size - n, "\n");
	}
	conf_script_free(&s);
}

static void words_are_those_of_sh(void **state)
{
	static char sh[4096], us[4096];

	(void)state;
	for (unsigned i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		by_sh(scripts[i], sh, sizeof(sh));
		by_us(scripts[i], us, sizeof(us));
		assert_string_equal(us, sh);
	}
}

static void lines_are_those_where_commands_begin(void **state)
{
	struct conf_script s;

	(void)state;
	assert_int_equal(conf_script_text("s", chelsio, &s, NULL), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.commands[0].line, 7);
	assert_int_equal(s.commands[1].line, 9);
	conf_script_free(&s);
	assert_int_equal(
		conf_script_text("s",
			"cxgbetool t5nex0 a \\\n b 'c\nd' \\\n e\n\ncxgbetool t5nex0 f", &s, NULL),
		0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.commands[0].line, 1);
	assert_int_equal(s.commands[1].line, 6);
	conf_script_free(&s);
}

static void a_path_names_the_tool_too(void **state)
{
	struct conf_script s;

	(void)state;
	assert_int_equal(
		conf_script_text("s", "/usr/sbin/cxgbetool t5nex0 filter 1 delete\n", &s, NULL), 0);
	assert_int_equal(s.n, 1);
	assert_string_equal(s.commands[0].argv[0], "t5nex0");
	conf_script_free(&s);
}

#define INSTEAD "; run the script with sh against the running router instead"

static void the_rest_of_the_shell_is_refused(void **state)
{
	static const struct {
		const char *script, *msg;
	} bad[] = {
		{"\nkldload t5fw_cfg\n",
			"s:2: 'kldload' is not cxgbetool, and nothing else is run" INSTEAD},
		{"for i in 1 2\n", "s:1: 'for': no program of the shell is run here" INSTEAD},
		{"\n  while true; do\n",
			"s:2: 'while': no program of the shell is run here" INSTEAD},
		{"if test -e x; then\n", "s:1: 'if': no program of the shell is run here" INSTEAD},
		{"done; true\n", "s:1: 'done': no program of the shell is run here" INSTEAD},
		{"iffy\n", "s:1: 'iffy' is not cxgbetool, and nothing else is run" INSTEAD},
		{"x=5\n", "s:1: 'x=5' is not cxgbetool, and nothing else is run" INSTEAD},
		{"set -- a\n", "s:1: 'set' is not cxgbetool, and nothing else is run" INSTEAD},
		{"set\n", "s:1: 'set' is not cxgbetool, and nothing else is run" INSTEAD},
		{"\ncxgbetool t5nex0 filter list\n",
			"s:2: 'filter list' prints, and a start script prints nothing; ask the "
			"running router"},
		{"cxgbetool t5nex0 hashfilter list all\n",
			"s:1: 'hashfilter list' prints, and a start script prints nothing; ask the "
			"running router"},
		{"cxgbetool t5nex0 hashfilter mode\n",
			"s:1: 'hashfilter mode' prints, and a start script prints nothing; ask the "
			"running router"},
		{"cxgbetool t5nex0\n", "s:1: cxgbetool needs a nexus and a command"},
		{"#\ncxgbetool t5nex0 filter $i proto 6\n",
			"s:2: a `$` inside of a value's words is not read" INSTEAD},
		{"cxgbetool t5nex0 filter 1 proto 6; true\n",
			"s:1: a bare # or ; ends the words early; quote it" INSTEAD},
		{"cxgbetool t5nex0 filter 1 proto 6 || true\n",
			"s:1: '|' has a meaning to sh that is not read; quote it" INSTEAD},
		{"cxgbetool t5nex0 filter `cat x` proto 6\n",
			"s:1: a command substitution is not read" INSTEAD},
		{"\ncxgbetool t5nex0 policy 'x\n\n\n", "s:2: a ' is never closed" INSTEAD},
		{"cxgbetool t5nex0 filter 1 delete\r\n",
			"s:1: a carriage return: the file has DOS line ends" INSTEAD},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct conf_script s = {.n = 77};
		struct err err = {0};

		assert_int_equal(conf_script_text("s", bad[i].script, &s, &err), -EINVAL);
		assert_string_equal(err.msg, bad[i].msg);
		assert_int_equal(s.n, 77);
	}
}

static void a_full_table_of_long_rules_is_read(void **state)
{
	static const char rule[] =
		"cxgbetool t5nex0 filter 100000 frag 0 dport 12345 proto 6 sip 192.168.111.111 dip "
		"192.168.222.222 action switch eport 1 vlan +100 nat all nat_dip 203.0.113.113 nat_sip "
		"203.0.113.114 nat_dport 12345 nat_sport 54321\n";
	char path[] = "/tmp/weir-script-XXXXXX";
	int fd = mkstemp(path);
	struct conf_script s;
	struct err err = {0};
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	for (unsigned i = 0; i < 131072; i++)
		fputs(rule, f);
	fclose(f);
	if (conf_script_read(path, &s, &err) != 0)
		fail_msg("%s", err.msg);
	unlink(path);
	assert_int_equal(s.n, 131072);
	conf_script_free(&s);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct conf_script s;
	struct err err = {0};

	(void)state;
	assert_int_equal(conf_script_read("/nonexistent/cxgbetool.sh", &s, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/cxgbetool.sh"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_sh),
		cmocka_unit_test(lines_are_those_where_commands_begin),
		cmocka_unit_test(a_path_names_the_tool_too),
		cmocka_unit_test(the_rest_of_the_shell_is_refused),
		cmocka_unit_test(a_full_table_of_long_rules_is_read),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
	};

	return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "conf/settings.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct line {
	const char *text, *name, *value; // name NULL: an error that says `value`
};

static void check(
	int (*read)(struct vars *, const char *, const char *, struct err *), const struct line *l)
{
	struct vars v = {0};
	struct err err = {0};
	int rc = read(&v, "f", l->text, &err);

	if (l->name == NULL) {
		if (rc != -EINVAL || strstr(err.msg, l->value) == NULL ||
			strncmp(err.msg, "f:", 2) != 0)
			fail_msg("%s\n-> %d %s", l->text, rc, err.msg);
	} else if (rc != 0 || vars_find(&v, l->name) == NULL ||
		   strcmp(vars_find(&v, l->name)->value, l->value) != 0) {
		fail_msg("%s\n-> %d %s", l->text, rc, err.msg);
	}
	vars_free(&v);
}

static void sysctl_lines(void **state)
{
	static const struct line lines[] = {
		{"net.inet.ip.redirect=0", "net.inet.ip.redirect", "0"},
		{"  a.b=1  \n", "a.b", "1"},
		{"a.b= 1", "a.b", "1"},
		{"# c\n\na.b=1 # why\n", "a.b", "1"},
		{"a.b=\"1\"", "a.b", "1"},
		{"a.b='two words'", "a.b", "two words"},
		{"a.b=two words", "a.b", "two words"},
		{"a.b=x\\#y # c", "a.b", "x#y"},
		{"a.b=", "a.b", ""},
		{"a.b=1\na.b=2\n", "a.b", "2"},
		{"dev.igb.2.fc=0", "dev.igb.2.fc", "0"},
		{"a.b =1", NULL, "blank before"},
		{"a.b", NULL, "NAME=VALUE"},
		{"\n\n=1", NULL, "f:3: "},
		{"echo net.inet.ip.redirect=0 >> /etc/sysctl.conf", NULL, "f:1: echo"},
		{"sysctl a.b=1", NULL, "NAME=VALUE"},
		{"a.b=\"1", NULL, "never closed"},
		{"a.b=\"", NULL, "never closed"},
		{"a.b=1\r\n", NULL, "carriage return"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(sysctl_read, &lines[i]);
}

static void loader_lines(void **state)
{
	static const struct line lines[] = {
		{"hw.cxgbe.nrxq=32", "hw.cxgbe.nrxq", "32"},
		{"hw.cxgbe.nrxq=\"32\"", "hw.cxgbe.nrxq", "32"},
		{" a = \"b c\" # why", "a", "b c"},
		{"if_x-y_load=\"YES\"", "if_x-y_load", "YES"},
		{"a=\"say \\\"x\\\" \\\\ # no\"", "a", "say \"x\" \\ # no"},
		{"a=\"\"", "a", ""},
		{"a=", "a", ""},
		{"a=b#c", "a", "b"},
		{"a=1\na=2", "a", "2"},
		{"a=\"$b\"", NULL, "references"},
		{"a=b c", NULL, "more than one word"},
		{"a='b'", NULL, "more than one word"},
		{"a=\"b", NULL, "never closed"},
		{"a=\"b\\", NULL, "never closed"},
		{"a=\"b\" c", NULL, "behind"},
		{"a", NULL, "NAME=VALUE"},
		{"\necho a=1 >> /boot/loader.conf", NULL, "f:2: echo"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(loader_read, &lines[i]);
}

static void overlong_lines_are_refused(void **state)
{
	char text[5001];
	struct vars v = {0};
	struct err err = {0};

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(sysctl_read(&v, "f", text, &err), -EINVAL);
	assert_string_equal(err.msg, "f:1: longer than 4095 bytes");
	vars_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysctl_lines),
		cmocka_unit_test(loader_lines),
		cmocka_unit_test(overlong_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// The reference is /bin/sh itself: each snippet is sourced by it and read here, and the value of X
// must be the same to the byte.
#include "conf/shell.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const snippets[] = {
	"X=plain",
	"X=",
	"X=\"\"",
	"X=''",
	"X=\"two words\"",
	"X='two words'",
	"X=one\"two\"'three'four",
	"X='a'\"'\"'b'",
	"X=a'b c'd\"e f\"g",
	"X='\\n $y `z` \"'",
	"X=\"\\\\ \\\" \\$ \\` \\a \\' \\n\"",
	"X=\\a\\ b\\\"c\\'d\\\\e\\$f",
	"X=a\\;b\\#c\\&d",
	"X=\"line one\nline two\n\"",
	"X='line one\nline two'",
	"X=\"joined \\\nline\"",
	"X=join\\\ned",
	"X='kept \\\nline'",
	"X=a#b",
	"X=#c",
	"X= #c",
	"X=a #c",
	"X=a\t# c\nY=2",
	"X=\"a # b\"",
	"# X=no\nX=yes",
	"# continued? \\\nX=yes",
	"   X=indented",
	"\tX=tab",
	"\n\n\nX=lines",
	"X=1 Y=2",
	"Y=2 X=$Y$Y",
	"X=1;Y=2",
	"X=1;",
	"X=1 ; X=2",
	"X=1; # c",
	"X=1\nX=2",
	"X=old\nX=\"${X} new\"",
	"A=b\nX=$A.c",
	"A=b\nX=${A}c",
	"A=b\nX=\"$A-${A}_$A\"",
	"A='two  blanks'\nX=$A",
	"A='two  blanks'\nX=\"<$A>\"",
	"A='$B'\nB=no\nX=$A",
	"A=1\nX='$A'",
	"A=1\nX=\"\\$A\"",
	"A=1\nX=\\$A",
	"X=$unset_in_the_test.",
	"X=\"${unset_in_the_test}\"",
	"X=a$",
	"X=$",
	"X=\"$\"",
	"X=\"a$ b\"",
	"X=\"$.5\"",
	"X=$.5",
	"X=\"$'\"",
	"X=*",
	"X='*'?[a]",
	"X={a,b}",
	"X=a=b=c",
	"X=a~b",
	"X=\"~\"",
	"X='~':x",
	"X=a:b",
	"X=!a",
	"X=-a",
	"X=%^+@,./",
	"X_1=a\nX=${X_1}$X_1",
	"_=a\n_y=b\nX=$_y",
	"X\\\n=split",
	"A\\\nB=q\nX=$A\\\nB",
	"A=1\nX=${A\\\n}",
	"A=1\nX=\"$\\\nA\"",
	"X=\"a\\\\\nb\"",
	"X=a\\\\\nY=1",
	"X='caf\xc3\xa9'",
	"X=caf\xc3\xa9",
	"X=\"tab\there\"",
	"X=no_newline_at_end",
	"X=\"\"\"\"'' Y=",
	"if=1 X=2",
};

enum { N_SNIPPETS = sizeof(snippets) / sizeof(snippets[0]) };

// What /bin/sh makes of the snippet, up to size - 1 bytes.
static void by_sh(const char *snippet, char *out, size_t size)
{
	char path[] = "/tmp/weir-shell-XXXXXX", command[128];
	int fd = mkstemp(path);
	size_t n;
	FILE *f;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, snippet, strlen(snippet)), (long)strlen(snippet));
	close(fd);
	snprintf(command, sizeof(command), "env -i /bin/sh -c '. %s; printf %%s \"$X\"'", path);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(out, 1, size - 1, f);
	out[n] = '\0';
	assert_int_equal(pclose(f), 0);
	unlink(path);
}

static void values_are_those_of_sh(void **state)
{
	(void)state;
	for (unsigned i = 0; i < N_SNIPPETS; i++) {
		struct vars v = {0}, unset = {0};
		struct err err = {0};
		char want[512];

		by_sh(snippets[i], want, sizeof(want));
		if (shell_read(&v, &unset, "x", snippets[i], &err) != 0)
			fail_msg("%s\n-> %s", snippets[i], err.msg);
		assert_non_null(vars_find(&v, "X"));
		if (strcmp(vars_find(&v, "X")->value, want) != 0)
			fail_msg("%s\n-> '%s', sh says '%s'", snippets[i],
				vars_find(&v, "X")->value, want);
		vars_free(&v);
		vars_free(&unset);
	}
}

static void the_rest_of_the_shell_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"A=1\nB+=\"2\"\n", "x:2: "},
		{"echo \"A=1\" >> /etc/rc.conf\n", "x:1: 'echo'"},
		{"A=1\n\nif [ -f x ]; then A=2; fi", "x:3: 'if'"},
		{". /etc/rc.conf.misc", "x:1: '.'"},
		{"export A=1", "'export'"},
		{"A = 1", "'A'"},
		{"A=1 B", "'B'"},
		{"ifconfig_igb0.2=up", "'ifconfig_igb0.2'"},
		{"1A=1", "'1A'"},
		{"=1", "'='"},
		{"A=$(date)", "$NAME"},
		{"A=\"$(date)\"", "$NAME"},
		{"A=$((1+1))", "$NAME"},
		{"A=`date`", "substitution"},
		{"A=\"`date`\"", "substitution"},
		{"A=${B:-c}", "${NAME}"},
		{"A=${#B}", "$NAME"},
		{"A=${B", "${NAME}"},
		{"A=$1", "$NAME"},
		{"A=$$", "$NAME"},
		{"A=\"$@\"", "$NAME"},
		{"A=~/x", "~"},
		{"A=b:~/x", "~"},
		{"A=$'x'", "quotes"},
		{"A=\nB=\"1\n2", "x:2: a \" is never closed"},
		{"A='1", "a ' is never closed"},
		{"A=1\\", "backslash"},
		{"A=1&", "'&'"},
		{"A=a|b", "'|'"},
		{"A=a>b", "'>'"},
		{"A=(b)", "'('"},
		{";", "nothing before"},
		{"A=1;;", "nothing before"},
		{"A=1\r\nB=2\r\n", "x:1: a carriage return"},
		{"A=\"1\n2\r\n\"", "x:2: a carriage return"},
		{"\x1b[2J", "'?[2J'"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vars v = {0}, unset = {0};
		struct err err = {0};

		if (shell_read(&v, &unset, "x", bad[i].text, &err) != -EINVAL)
			fail_msg("taken: %s", bad[i].text);
		if (strstr(err.msg, bad[i].says) == NULL || strncmp(err.msg, "x:", 2) != 0)
			fail_msg("%s\n-> %s", bad[i].text, err.msg);
		vars_free(&v);
		vars_free(&unset);
	}
}

static void places_are_those_of_the_assignment_that_counts(void **state)
{
	struct vars v = {0}, unset = {0};

	(void)state;
	assert_int_equal(shell_read(&v, &unset, "rc.conf",
				 "# one\nA=\"1\n2\"\nB=$A\\\n$none C=3\n\nA=4\n", NULL),
		0);
	assert_string_equal(vars_find(&v, "A")->where, "rc.conf:7");
	assert_string_equal(vars_find(&v, "A")->value, "4");
	assert_string_equal(vars_find(&v, "B")->where, "rc.conf:4");
	assert_string_equal(vars_find(&v, "B")->value, "1\n2");
	assert_string_equal(vars_find(&v, "C")->where, "rc.conf:5");
	assert_true(vars_find(&v, "A")->referred);
	assert_int_equal(unset.n, 1);
	assert_string_equal(unset.v[0].name, "none");
	assert_string_equal(unset.v[0].where, "rc.conf:5");
	vars_free(&v);
	vars_free(&unset);
}

static void values_cannot_grow_without_bound(void **state)
{
	char text[40 * 16 + 8] = "A=0123456789abcdef\n";
	struct vars v = {0}, unset = {0};
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		strcat(text, "A=\"$A$A\"\n");
	assert_int_equal(shell_read(&v, &unset, "x", text, &err), -EINVAL);
	assert_string_equal(err.msg, "x:14: the value is longer than 65536 bytes");
	vars_free(&v);
	vars_free(&unset);
}

static void thousands_of_names_keep_their_values(void **state)
{
	enum { N = 5000 };
	struct vars v = {0};
	char name[32], value[32];

	(void)state;
	assert_null(vars_find(&v, "n0"));
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < N; i++) {
			snprintf(name, sizeof(name), "n%u", i);
			snprintf(value, sizeof(value), "%u", i * 7 + round);
			assert_int_equal(vars_set(&v, name, value, "x:1", NULL), 0);
		}
	}
	assert_int_equal(v.n, N);
	for (unsigned i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		snprintf(value, sizeof(value), "%u", i * 7 + 1);
		assert_string_equal(vars_find(&v, name)->value, value);
		assert_string_equal(v.v[i].name, name);
	}
	assert_null(vars_find(&v, "n5000"));
	vars_free(&v);
}

static void words_split_as_eval_does(void **state)
{
	char **w;
	unsigned n;
	struct err err = {0};

	(void)state;
	assert_int_equal(
		shell_words(" inet  1.2.3.4/24\n\tdescription 'my \"port\"' \"\" a\\ b''c ",
			"rc.conf:3", &w, &n, &err),
		0);
	assert_int_equal(n, 6);
	assert_string_equal(w[0], "inet");
	assert_string_equal(w[1], "1.2.3.4/24");
	assert_string_equal(w[3], "my \"port\"");
	assert_string_equal(w[4], "");
	assert_string_equal(w[5], "a bc");
	free(w);
	assert_int_equal(shell_words("", "x", &w, &n, &err), 0);
	assert_int_equal(n, 0);
	free(w);
	assert_int_equal(shell_words("up # x", "rc.conf:3", &w, &n, &err), -EINVAL);
	assert_int_equal(strncmp(err.msg, "rc.conf:3: ", 11), 0);
	assert_int_equal(shell_words("up; down", "x", &w, &n, NULL), -EINVAL);
	assert_int_equal(shell_words("$IP", "x", &w, &n, NULL), -EINVAL);
	assert_int_equal(shell_words("'open", "x", &w, &n, NULL), -EINVAL);
}

static void plain_words_know_no_quotes(void **state)
{
	char **w;
	unsigned n;

	(void)state;
	assert_int_equal(plain_words("\t-net '10/8'\n 1.2.3.4", &w, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_string_equal(w[1], "'10/8'");
	assert_string_equal(w[2], "1.2.3.4");
	free(w);
	assert_int_equal(plain_words(" ", &w, &n, NULL), 0);
	assert_int_equal(n, 0);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_of_sh),
		cmocka_unit_test(the_rest_of_the_shell_is_refused_with_its_line),
		cmocka_unit_test(places_are_those_of_the_assignment_that_counts),
		cmocka_unit_test(values_cannot_grow_without_bound),
		cmocka_unit_test(thousands_of_names_keep_their_values),
		cmocka_unit_test(words_split_as_eval_does),
		cmocka_unit_test(plain_words_know_no_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

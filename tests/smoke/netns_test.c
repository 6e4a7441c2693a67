// SPDX-License-Identifier: BSD-2-Clause
// Network namespaces that leave no trace, and the commands that run in them.
#include "lab/netns.h"

#include <errno.h>
#include <net/if.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int sh(struct netns *ns, const char *script, const char *input, struct err *err)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	const char *const env[] = {"WEIR_TEST=two words", NULL};
	struct netns_command c = {
		.name = "script", .argv = argv, .env = env, .input = input, .timeout_s = 2};

	return netns_run(ns, &c, NULL, 0, err);
}

static struct netns *new_ns(void)
{
	struct err err = {0};
	struct netns *ns = netns_new(&err);

	if (ns == NULL)
		fail_msg("%s", err.msg);
	return ns;
}

static int index_of_cable(void *arg)
{
	*(unsigned *)arg = if_nametoindex("cable0");
	return 0;
}

static void interfaces_made_inside_are_seen_inside_only(void **state)
{
	struct netns *ns = new_ns();
	unsigned inside = 0;

	(void)state;
	assert_int_equal(sh(ns, "ip link add cable0 type veth peer name cable1", NULL, NULL), 0);
	assert_int_equal(sh(ns, "test -d /sys/class/net/cable0", NULL, NULL), 0);
	assert_int_equal(netns_call(ns, index_of_cable, &inside, NULL), 0);
	assert_true(inside > 0);
	assert_int_equal(if_nametoindex("cable0"), 0);
	assert_int_not_equal(access("/sys/class/net/cable0", F_OK), 0);
	netns_free(ns);
}

static void a_sysctl_is_written_inside_only(void **state)
{
	static const char path[] = "/proc/sys/net/ipv4/ip_default_ttl";
	struct netns *ns = new_ns();

	(void)state;
	assert_int_equal(netns_write(ns, path, "99", NULL), 0);
	assert_int_equal(
		sh(ns, "test $(cat /proc/sys/net/ipv4/ip_default_ttl) = 99", NULL, NULL), 0);
	assert_int_not_equal(
		sh(NULL, "test $(cat /proc/sys/net/ipv4/ip_default_ttl) = 99", NULL, NULL), 0);
	netns_free(ns);
}

static void a_file_that_is_not_there_is_named(void **state)
{
	struct netns *ns = new_ns();
	struct err err = {0};

	(void)state;
	assert_int_equal(netns_write(ns, "/proc/sys/net/ipv4/none", "1", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/proc/sys/net/ipv4/none: '1': "));
	netns_free(ns);
}

static void input_and_environment_reach_the_command(void **state)
{
	(void)state;
	assert_int_equal(
		sh(NULL, "read -r a && test \"$a $WEIR_TEST\" = 'x two words'", "x\n", NULL), 0);
	assert_int_equal(sh(NULL, "! read -r a", NULL, NULL), 0);
}

static void what_a_failing_command_said_is_the_error(void **state)
{
	struct netns *ns = new_ns();
	struct err err = {0};

	(void)state;
	assert_true(sh(ns, "echo one >&2; echo two >&2; echo >&2; exit 4", NULL, &err) < 0);
	assert_string_equal(err.msg, "script: two");
	assert_true(sh(ns, "echo 'Error: three' >&2; echo '  ^^^' >&2; exit 1", NULL, &err) < 0);
	assert_string_equal(err.msg, "script: Error: three");
	assert_true(sh(ns, "exit 7", NULL, &err) < 0);
	assert_string_equal(err.msg, "script: ended with status 7 and said nothing");
	assert_int_equal(sh(ns, "kill -9 $$", NULL, &err), -EINTR);
	netns_free(ns);
}

static void a_command_that_does_not_end_is_stopped(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(sh(NULL, "exec sleep 30", NULL, &err), -ETIMEDOUT);
	assert_string_equal(err.msg, "script: stopped after 2 s");
}

static void a_command_that_is_not_there_is_an_error(void **state)
{
	const char *const argv[] = {"weir-no-such-command", NULL};
	struct netns_command c = {.argv = argv};
	struct err err = {0};

	(void)state;
	assert_int_equal(netns_run(NULL, &c, NULL, 0, &err), -ENOENT);
}

// Whether a process with this argument is there.
static bool runs(const char *argument)
{
	char command[128];

	// The brackets keep the pattern from finding the command that holds it.
	snprintf(command, sizeof(command),
		"cat /proc/[0-9]*/cmdline 2>/dev/null | grep -aq '[%c]%s'", argument[0],
		argument + 1);
	return system(command) == 0;
}

static void daemons_outlive_their_script_and_end_with_the_namespace(void **state)
{
	struct netns *ns = new_ns();

	(void)state;
	assert_int_equal(sh(ns, "sleep 7531 & exit 0", NULL, NULL), 0);
	assert_true(runs("7531"));
	netns_free(ns);
	assert_false(runs("7531"));
}

static void a_killed_owner_takes_its_namespaces_along(void **state)
{
	int ready[2];
	pid_t pid, keeper;
	char path[64];

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct netns *ns = netns_new(NULL);

		if (ns != NULL && sh(ns, "sleep 7532 &", NULL, NULL) == 0) {
			keeper = netns_pid(ns);
			(void)!write(ready[1], &keeper, sizeof(keeper));
		}
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &keeper, sizeof(keeper)), sizeof(keeper));
	close(ready[0]);
	assert_true(runs("7532"));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)keeper);
	for (int i = 0; i < 100 && (access(path, F_OK) == 0 || runs("7532")); i++)
		usleep(50000);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_false(runs("7532"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interfaces_made_inside_are_seen_inside_only),
		cmocka_unit_test(a_sysctl_is_written_inside_only),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(input_and_environment_reach_the_command),
		cmocka_unit_test(what_a_failing_command_said_is_the_error),
		cmocka_unit_test(a_command_that_does_not_end_is_stopped),
		cmocka_unit_test(a_command_that_is_not_there_is_an_error),
		cmocka_unit_test(daemons_outlive_their_script_and_end_with_the_namespace),
		cmocka_unit_test(a_killed_owner_takes_its_namespaces_along),
	};
	struct err err = {0};
	struct netns *ns = netns_new(&err);

	if (ns == NULL && err.code == EPERM) {
		printf("skipped: %s\n", err.msg);
		return 77;
	}
	netns_free(ns);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

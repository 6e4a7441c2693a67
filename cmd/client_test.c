// SPDX-License-Identifier: BSD-2-Clause
// Whom a card's name leads to.  What is asked in the kernel and by the socket is in the test, and notes the name.
#include "client.h"

#include "kernel.h"

#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char asked[128];

bool xdp_card_exists(const char *name)
{
	return strcmp(name, "t5nex1") == 0;
}

static int answer(const char *who, const char *name, int argc, char *const *argv, struct err *err)
{
	snprintf(asked, sizeof(asked), "%s %s %d %s", who, name, argc, argv[0]);
	if (strcmp(argv[0], "fail") == 0)
		return -err_set(err, EBUSY, "%s is busy", name);
	return strcmp(argv[0], "large") == 0 ? 300 : 0;
}

int kernel_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	(void)each, (void)arg;
	return answer("kernel", name, argc, argv, err);
}

int ctl_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	(void)each, (void)arg;
	if (strcmp(name, "t5nex2") != 0)
		return err_set(err, ENOENT, "nobody listens");
	return answer("router", name, argc, argv, err);
}

static int ask(const char *name, const char *word)
{
	char *argv[] = {(char *)(uintptr_t)word};

	asked[0] = '\0';
	return client_request("test", name, 1, argv, NULL, NULL);
}

static void a_name_is_looked_for_in_the_kernel_first(void **state)
{
	(void)state;
	assert_int_equal(ask("t5nex1", "info"), 0);
	assert_string_equal(asked, "kernel t5nex1 1 info");
	assert_int_equal(ask("t5nex2", "info"), 0);
	assert_string_equal(asked, "router t5nex2 1 info");
}

static void a_name_that_leads_nowhere_says_how_to_make_a_card(void **state)
{
	char said[1024];
	int to[2], err = dup(STDERR_FILENO);
	ssize_t n;

	(void)state;
	assert_int_equal(pipe(to), 0);
	fflush(stderr);
	dup2(to[1], STDERR_FILENO);
	assert_int_equal(ask("t5nex3", "info"), ENOENT);
	fflush(stderr);
	dup2(err, STDERR_FILENO);
	close(err);
	close(to[1]);
	n = read(to[0], said, sizeof(said) - 1);
	close(to[0]);
	assert_true(n > 0);
	said[n] = '\0';
	assert_string_equal(asked, "");
	assert_non_null(
		strstr(said, "test: there is no card 't5nex3': none in the kernel, and no router"));
	assert_non_null(
		strstr(said, "weir adapter create t5nex3 IF, or weir router --name t5nex3"));
}

static void what_was_wrong_is_the_exit_status(void **state)
{
	(void)state;
	assert_int_equal(ask("t5nex1", "fail"), EBUSY);
	assert_int_equal(ask("t5nex2", "fail"), EBUSY);
	assert_int_equal(ask("t5nex1", "large"), 255); // as much as there is of one
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_looked_for_in_the_kernel_first),
		cmocka_unit_test(a_name_that_leads_nowhere_says_how_to_make_a_card),
		cmocka_unit_test(what_was_wrong_is_the_exit_status),
	};

	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}

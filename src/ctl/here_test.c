// SPDX-License-Identifier: BSD-2-Clause
// ctl_here(): a reply that goes to the caller itself, without a socket.
#include "ctl/ctl.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct answers {
	int argc;
	const struct ctl_client *client;
};

// Says each word back; "fail" fails behind them, "status" only has a status.
static int run(void *arg, int argc, char **argv, struct ctl_reply *reply)
{
	struct answers *a = arg;

	a->argc = argc;
	a->client = ctl_client(reply);
	for (int i = 0; i < argc; i++) {
		json_t *o = json_object();

		ctl_text_set(o, "word", argv[i]);
		ctl_reply(reply, o);
	}
	if (strcmp(argv[0], "fail") == 0)
		return ctl_fail(reply, EBUSY, "%s is busy", argv[1]);
	return strcmp(argv[0], "status") == 0 ? 7 : 0;
}

static void hear(void *arg, json_t *object)
{
	char *words = arg, *word = ctl_text_get(object, "word");

	assert_null(json_object_get(object, "ok")); // the last object of a reply by socket
	snprintf(words + strlen(words), 64 - strlen(words), "[%s]", word);
	free(word);
}

static int here(char *said, struct err *err, char *one, char *two)
{
	char *argv[] = {one, two, NULL};
	struct answers a = {0};
	int status;

	*err = (struct err){0};
	if (said != NULL)
		*said = '\0';
	status = ctl_here(
		&(struct ctl_local){run, &a}, 2, argv, said != NULL ? hear : NULL, said, err);
	assert_int_equal(a.argc, 2);
	assert_null(a.client); // no connection that could end
	return status;
}

static void each_object_goes_to_the_caller(void **state)
{
	char said[64], a[] = "a b", b[] = "\xff\"";
	struct err err;

	(void)state;
	assert_int_equal(here(said, &err, a, b), 0);
	assert_string_equal(said, "[a b][\xff\"]");
	assert_int_equal(err.code, 0);
}

static void status_and_sentence_are_those_of_the_answer(void **state)
{
	char said[64], fail[] = "fail", status[] = "status", x[] = "x";
	struct err err;

	(void)state;
	assert_int_equal(here(said, &err, fail, x), EBUSY);
	assert_string_equal(said, "[fail][x]");
	assert_int_equal(err.code, EBUSY);
	assert_string_equal(err.msg, "x is busy");
	assert_int_equal(here(said, &err, status, x), 7);
	assert_int_equal(err.code, 0);
}

static void nobody_need_listen(void **state)
{
	char fail[] = "fail", x[] = "x";
	struct err err;

	(void)state;
	assert_int_equal(here(NULL, &err, x, x), 0);
	assert_int_equal(here(NULL, &err, fail, x), EBUSY);
	assert_string_equal(err.msg, "x is busy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_object_goes_to_the_caller),
		cmocka_unit_test(status_and_sentence_are_those_of_the_answer),
		cmocka_unit_test(nobody_need_listen),
	};

	return cmocka_run_group_tests_name("here", tests, NULL, NULL);
}

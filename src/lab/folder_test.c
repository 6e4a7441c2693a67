// SPDX-License-Identifier: BSD-2-Clause
#include "lab/folder.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char place[] = "/tmp/folder_test.XXXXXX";

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
	return mkdtemp(place) == NULL || chdir(place) != 0 ? -1 : 0;
}

static int drop_place(void **state)
{
	(void)state;
	return chdir("/") != 0 ? -1 : nftw(place, rm, 16, FTW_DEPTH | FTW_PHYS);
}

static unsigned count_entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	if (d == NULL)
		return 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static bool there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void a_folder_is_seen_only_when_it_is_complete(void **state)
{
	struct folder f;
	struct err err = {0};
	char *text;

	(void)state;
	assert_int_equal(folder_choose(&f, NULL, "20260301T120000Z", "a b/c", &err), 0);
	assert_int_equal(folder_begin(&f, &err), 0);
	assert_int_equal(folder_write(&f, "conf/x/rc.conf", "a=1\n", 4, &err), 0);
	assert_false(there("runs/20260301T120000Z-a-b-c"));
	assert_int_equal(folder_commit(&f, &err), 0);
	assert_true(there("runs/20260301T120000Z-a-b-c"));
	text = text_read_file("runs/20260301T120000Z-a-b-c/conf/x/rc.conf", 100, NULL, &err);
	assert_non_null(text);
	assert_string_equal(text, "a=1\n");
	free(text);
	assert_int_equal(count_entries("runs"), 1);
}

static void nothing_is_left_of_an_aborted_one(void **state)
{
	struct folder f;
	struct err err = {0};

	(void)state;
	assert_int_equal(folder_choose(&f, "fresh/out/", "t", "n", &err), 0);
	assert_int_equal(folder_begin(&f, &err), 0);
	assert_int_equal(folder_write(&f, "a/b/c", "x", 1, &err), 0);
	folder_abort(&f);
	folder_abort(&f);
	assert_false(there("fresh"));
}

static void results_never_replace_others(void **state)
{
	struct folder f;
	struct err err = {0};

	(void)state;
	assert_int_equal(mkdir("taken", 0755), 0);
	assert_int_equal(folder_choose(&f, "taken", "t", "n", &err), -EEXIST);
	assert_non_null(strstr(err.msg, "taken"));

	// Also when it appears while the experiment runs.
	assert_int_equal(folder_choose(&f, "late", "t", "n", &err), 0);
	assert_int_equal(folder_begin(&f, &err), 0);
	assert_int_equal(mkdir("late", 0755), 0);
	assert_int_equal(folder_commit(&f, &err), -EEXIST);
	assert_int_equal(count_entries("late"), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rmdir(i == 0 ? "late" : "taken"), 0);
}

// Two experiments of the same second and name, and one more.
static void names_that_nobody_wanted_get_a_number(void **state)
{
	struct folder f[3];
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(folder_choose(&f[i], NULL, "t", "n", &err), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(folder_begin(&f[i], &err), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(folder_commit(&f[i], &err), 0);
	assert_int_equal(folder_choose(&f[2], NULL, "t", "n", &err), 0);
	assert_string_equal(f[0].final, "runs/t-n");
	assert_string_equal(f[1].final, "runs/t-n-2");
	assert_string_equal(f[2].final, "runs/t-n-3");
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(rmdir(f[i].final), 0);
}

static void a_place_that_cannot_be_written_is_refused_before_the_work(void **state)
{
	struct folder f;
	struct err err = {0};

	(void)state;
	assert_true(folder_choose(&f, "no/such/place", "t", "n", &err) < 0);
	assert_non_null(strstr(err.msg, "no/such/place"));
	assert_true(folder_choose(&f, "", "t", "n", &err) < 0);
}

static void what_a_killed_process_left_is_swept_and_what_a_live_one_writes_is_not(void **state)
{
	struct folder mine, f;
	struct err err = {0};
	int ready[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(folder_choose(&mine, "runs/mine", "t", "n", &err), 0);
	assert_int_equal(folder_begin(&mine, &err), 0);
	assert_int_equal(folder_write(&mine, "a", "1", 1, &err), 0);

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (folder_choose(&f, "runs/dead", "t", "n", &err) != 0 ||
			folder_begin(&f, &err) != 0 || folder_write(&f, "b/c", "2", 1, &err) != 0)
			_exit(1);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(count_entries("runs"), 3); // the first test's, mine, the dead one's

	assert_int_equal(folder_choose(&f, "runs/next", "t", "n", &err), 0);
	assert_int_equal(folder_begin(&f, &err), 0);
	assert_int_equal(folder_commit(&f, &err), 0);
	assert_int_equal(folder_commit(&mine, &err), 0);
	assert_true(there("runs/mine/a"));
	assert_int_equal(count_entries("runs"), 3); // the first test's, mine, next
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_is_seen_only_when_it_is_complete),
		cmocka_unit_test(nothing_is_left_of_an_aborted_one),
		cmocka_unit_test(results_never_replace_others),
		cmocka_unit_test(names_that_nobody_wanted_get_a_number),
		cmocka_unit_test(a_place_that_cannot_be_written_is_refused_before_the_work),
		cmocka_unit_test(
			what_a_killed_process_left_is_swept_and_what_a_live_one_writes_is_not),
	};

	return cmocka_run_group_tests(tests, make_place, drop_place);
}

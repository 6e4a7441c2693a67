// SPDX-License-Identifier: BSD-2-Clause
// A server in a thread of its own, clients in the test.  The program served is "echo": it says each
// word back; "big N" says N lines, "fail" fails, "watch" looks after its client and "leave" no longer does.
#include "ctl/ctl.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct rig {
	struct ctl_server *server;
	pthread_t thread;
	_Atomic bool stop;
	char folder[64];
};

// Clients that were watched and are gone.
static _Atomic unsigned n_gone;

static void went(void *arg)
{
	assert_ptr_equal(arg, &n_gone);
	atomic_fetch_add(&n_gone, 1);
}

static bool wait_for_gone(unsigned n)
{
	uint64_t end = clock_ns() + 20000000000u;

	while (atomic_load(&n_gone) != n && clock_ns() < end)
		poll(NULL, 0, 1);
	return atomic_load(&n_gone) == n;
}

static int echo(void *arg, int argc, char **argv, struct ctl_reply *reply)
{
	int n = argc == 2 && strcmp(argv[0], "big") == 0 ? atoi(argv[1]) : 0;

	(void)arg;
	if (strcmp(argv[0], "fail") == 0)
		return ctl_fail(reply, EBUSY, "it is %s", "busy");
	if (strcmp(argv[0], "watch") == 0)
		ctl_client_watch(ctl_client(reply), went, &n_gone);
	if (strcmp(argv[0], "leave") == 0)
		ctl_client_watch(ctl_client(reply), NULL, NULL);
	for (int i = 0; i < argc; i++) {
		json_t *o = json_object();

		ctl_text_set(o, "word", argv[i]);
		ctl_reply(reply, o);
	}
	for (int i = 0; i < n; i++)
		ctl_reply(
			reply, json_pack("{s:i,s:s}", "line", i, "text",
				       "a line of a listing, about as long as those of rules are: "
				       "iport 0 action pass sip 192.0.2.1/32 dport 443 proto 6"));
	return argc == 3 ? 3 : 0;
}

static void *serve(void *arg)
{
	struct rig *r = arg;

	while (!atomic_load(&r->stop))
		ctl_server_poll(r->server, 10);
	return NULL;
}

static int set_up(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct err err = {0};

	strcpy(r->folder, "/tmp/weir-ctl-test.XXXXXX");
	if (mkdtemp(r->folder) == NULL)
		return -1;
	setenv("WEIR_RUNTIME_DIR", r->folder, 1);
	r->server = ctl_server_new("card", echo, NULL, &err);
	if (r->server == NULL || pthread_create(&r->thread, NULL, serve, r) != 0) {
		print_message("%s\n", err.msg);
		return -1;
	}
	*state = r;
	return 0;
}

static int tear_down(void **state)
{
	struct rig *r = *state;

	atomic_store(&r->stop, true);
	pthread_join(r->thread, NULL);
	ctl_server_free(r->server);
	rmdir(r->folder); // nothing is left in it
	if (access(r->folder, F_OK) == 0)
		return -1;
	free(r);
	return 0;
}

struct heard {
	unsigned n;
	char words[1024];
};

static void hear(void *arg, json_t *object)
{
	struct heard *h = arg;
	char *word = ctl_text_get(object, "word");

	h->n++;
	if (word != NULL)
		snprintf(h->words + strlen(h->words), sizeof(h->words) - strlen(h->words), "[%s]",
			word);
	free(word);
}

static int ask(struct heard *h, struct err *err, int argc, ...)
{
	char *argv[8];
	va_list ap;

	va_start(ap, argc);
	for (int i = 0; i < argc; i++)
		argv[i] = va_arg(ap, char *);
	va_end(ap);
	*h = (struct heard){0};
	*err = (struct err){0};
	return ctl_request("card", argc, argv, hear, h, err);
}

static int raw(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct timeval t = {.tv_sec = 20};

	assert_int_equal(ctl_path("card", to.sun_path, sizeof(to.sun_path), NULL), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void put(int fd, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

		if (n < 0)
			return; // the server has had enough of it
		text += n;
		len -= (size_t)n;
	}
}

// What comes back until the connection ends, or `lines` lines are there.
static char *get(int fd, unsigned lines)
{
	static char text[1 << 16];
	size_t len = 0;

	while (len < sizeof(text) - 1 && lines > 0) {
		ssize_t n = recv(fd, text + len, 1, 0);

		if (n <= 0)
			break;
		lines -= text[len++] == '\n';
	}
	text[len] = '\0';
	return text;
}

static void words_come_back_whatever_they_hold(void **state)
{
	struct heard h;
	struct err err;

	(void)state;
	assert_int_equal(ask(&h, &err, 4, "a b", "", "\n\"\\'", "\xff"), 0);
	assert_string_equal(h.words, "[a b][][\n\"\\'][\xff]");
	assert_int_equal(err.code, 0);
	assert_int_equal(ask(&h, &err, 3, "a", "b", "c"), 3);
	assert_int_equal(h.n, 3);
	assert_int_equal(ask(&h, &err, 1, "fail"), EBUSY);
	assert_string_equal(err.msg, "it is busy");
	assert_int_equal(err.code, EBUSY);
}

static int ask_in(struct ctl_session *s, const char *word)
{
	char *argv[] = {(char *)(uintptr_t)word};
	struct err err = {0};

	return ctl_session_ask(s, 1, argv, NULL, NULL, &err);
}

static void a_session_is_one_client_until_it_ends(void **state)
{
	struct err err = {0};
	struct ctl_session *one = ctl_session_open("card", &err),
			   *two = ctl_session_open("card", &err);
	struct pollfd p;

	(void)state;
	assert_non_null(one);
	assert_non_null(two);
	atomic_store(&n_gone, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ask_in(one, "watch"), 0);
	assert_int_equal(ask_in(two, "a"), 0);
	assert_int_equal(ask_in(one, "fail"), EBUSY);
	assert_int_equal(ask_in(one, "a"), 0);
	p = (struct pollfd){.fd = ctl_session_fd(one), .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 0);
	ctl_session_close(two);
	assert_int_equal(ask_in(one, "a"), 0);
	assert_int_equal(atomic_load(&n_gone), 0); // two was nobody's business
	ctl_session_close(one);
	assert_true(wait_for_gone(1));
	one = ctl_session_open("card", &err);
	assert_int_equal(ask_in(one, "watch"), 0);
	assert_int_equal(ask_in(one, "leave"), 0);
	ctl_session_close(one);
	assert_int_equal(
		ask_in(two = ctl_session_open("card", &err), "a"), 0); // after the end of one
	ctl_session_close(two);
	assert_int_equal(atomic_load(&n_gone), 1);
	assert_null(ctl_session_open("other", &err));
	assert_int_equal(err.code, ENOENT);
}

static void a_client_that_is_killed_is_gone(void **state)
{
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	atomic_store(&n_gone, 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct ctl_session *s = ctl_session_open("card", NULL);

		if (s != NULL && ask_in(s, "watch") == 0 && write(ready[1], "r", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(atomic_load(&n_gone), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(wait_for_gone(1));
	close(ready[0]);
	close(ready[1]);
}

static void the_end_of_the_server_is_that_of_its_clients(void **state)
{
	struct err err = {0};
	struct ctl_server *server = ctl_server_new("brief", echo, NULL, &err);
	struct pollfd p;
	int fd;
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	(void)state;
	assert_non_null(server);
	atomic_store(&n_gone, 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(ctl_path("brief", to.sun_path, sizeof(to.sun_path), NULL), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	put(fd, "watch\n", 6);
	for (int i = 0; i < 3; i++)
		ctl_server_poll(server, 10);
	assert_non_null(strstr(get(fd, 2), "ok"));
	assert_int_equal(atomic_load(&n_gone), 0);
	ctl_server_free(server);
	assert_int_equal(atomic_load(&n_gone), 1);
	p = (struct pollfd){.fd = fd, .events = POLLIN};
	assert_int_equal(poll(&p, 1, 0), 1);
	close(fd);
}

static void people_can_type_it(void **state)
{
	int fd = raw();

	(void)state;
	put(fd, "one 'two three'\nfail\n\n\"\n", 24);
	assert_string_equal(get(fd, 6),
		"{\"word\":\"one\"}\n{\"word\":\"two three\"}\n{\"ok\":true,\"status\":0}\n"
		"{\"ok\":false,\"status\":16,\"errno\":\"EBUSY\",\"msg\":\"it is busy\"}\n"
		"{\"ok\":false,\"status\":22,\"errno\":\"EINVAL\",\"msg\":\"the request has no "
		"words\"}\n"
		"{\"ok\":false,\"status\":22,\"errno\":\"EINVAL\",\"msg\":\"the line ends inside "
		"\\\"\"}\n");
	close(fd);
}

static void a_request_in_pieces_is_one(void **state)
{
	int fd = raw();
	struct heard h;
	struct err err;

	(void)state;
	put(fd, "on", 2);
	assert_int_equal(ask(&h, &err, 1, "meanwhile"), 0);
	put(fd, "e\n", 2);
	assert_string_equal(get(fd, 2), "{\"word\":\"one\"}\n{\"ok\":true,\"status\":0}\n");
	close(fd);
}

static void a_request_cut_short_is_not_carried_out(void **state)
{
	int fd = raw();

	(void)state;
	put(fd, "one", 3);
	shutdown(fd, SHUT_WR);
	assert_non_null(strstr(get(fd, 9), "\"msg\":\"the request ends without a newline\""));
	close(fd);
}

static void too_long_a_request_is_refused(void **state)
{
	char *line = malloc(CTL_LINE_MAX + 2), *arg[] = {line};
	struct err err = {0};
	int fd = raw();

	(void)state;
	memset(line, 'x', CTL_LINE_MAX + 2);
	put(fd, line, CTL_LINE_MAX + 2);
	assert_non_null(strstr(get(fd, 9), "longer than 65536 bytes"));
	close(fd);
	line[CTL_LINE_MAX + 1] = '\0';
	assert_int_equal(ctl_request("card", 1, arg, NULL, NULL, &err), -EMSGSIZE);
	line[CTL_LINE_MAX] = '\0'; // the longest one
	assert_int_equal(ctl_request("card", 1, arg, NULL, NULL, &err), 0);
	free(line);
}

static void a_long_listing_arrives_whole(void **state)
{
	struct heard h;
	struct err err;

	(void)state;
	assert_int_equal(ask(&h, &err, 2, "big", "100000"), 0);
	assert_int_equal(h.n, 100002);
}

static void an_endless_reply_becomes_an_error(void **state)
{
	struct heard h;
	struct err err;

	(void)state;
	assert_int_equal(ask(&h, &err, 2, "big", "600000"), EMSGSIZE);
	assert_int_equal(h.n, 0);
	assert_non_null(strstr(err.msg, "longer than 67108864 bytes"));
}

// A client that asks for a long listing and reads nothing of it, and silent ones, are no hindrance.
static void slow_and_silent_clients_hold_up_nobody(void **state)
{
	struct heard h;
	struct err err;
	int fd[20];

	(void)state;
	for (int i = 0; i < 20; i++) {
		fd[i] = raw();
		assert_true(fd[i] >= 0);
		if (i < 4)
			put(fd[i], "big 100000\n", 11);
		else if (i < 10)
			put(fd[i], "big", 3);
	}
	for (int i = 0; i < 50; i++)
		assert_int_equal(ask(&h, &err, 2, "a", "b"), 0);
	for (int i = 0; i < 20; i++)
		close(fd[i]);
	assert_int_equal(ask(&h, &err, 2, "a", "b"), 0);
}

static void a_newcomer_takes_the_place_of_who_is_silent_for_long(void **state)
{
	struct timespec wait = {.tv_sec = 1, .tv_nsec = 200000000};
	struct heard h;
	struct err err;
	int fd[CTL_CLIENTS_MAX];

	(void)state;
	for (int i = 0; i < CTL_CLIENTS_MAX; i++) {
		fd[i] = raw();
		put(fd[i], i == 0 ? "watch\n" : "a\n", i == 0 ? 6 : 2);
		get(fd[i], 2);
	}
	assert_int_equal(ask(&h, &err, 1, "a"), EAGAIN);
	assert_non_null(strstr(err.msg, "too many clients"));
	nanosleep(&wait, NULL);
	assert_int_equal(ask(&h, &err, 1, "a"), 0);
	// The one that was silent for the longest time, but whose end means something.
	assert_string_equal(get(fd[1], 1), "");
	put(fd[0], "a\n", 2);
	assert_string_equal(get(fd[0], 2), "{\"word\":\"a\"}\n{\"ok\":true,\"status\":0}\n");
	for (int i = 0; i < CTL_CLIENTS_MAX; i++)
		close(fd[i]);
}

static void clients_that_go_away_do_no_harm(void **state)
{
	struct heard h;
	struct err err;

	(void)state;
	for (int i = 0; i < 60; i++) {
		int fd = raw();

		put(fd, "big 20000\nbig 20000\nbig", (size_t)(i % 24));
		if (i % 2 == 0)
			get(fd, i % 24 >= 10 ? 1 : 0);
		close(fd);
	}
	assert_int_equal(ask(&h, &err, 1, "a"), 0);
}

static void a_name_in_use_is_refused(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(ctl_server_new("card", echo, NULL, &err));
	assert_int_equal(err.code, EADDRINUSE);
	assert_non_null(strstr(err.msg, "'card'"));
}

static void names_that_are_paths_are_refused(void **state)
{
	const char *bad[] = {"", "a/b", "..", ".x", "a-name-of-more-than-thirty-two-bytes"};
	char path[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ctl_path(bad[i], path, sizeof(path), NULL), -EINVAL);
}

static void nobody_there_is_said_with_the_path(void **state)
{
	char *argv[] = {(char *)"a"};
	struct err err = {0};

	(void)state;
	assert_int_equal(ctl_request("t5nex9", 1, argv, NULL, NULL, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/weir-t5nex9.sock"));
}

static void note_name(void *arg, const char *name)
{
	strcat(arg, name);
	strcat(arg, " ");
}

// What a killed program leaves behind.
static void leave_dead(const char *name)
{
	if (fork() == 0)
		_exit(ctl_server_new(name, echo, NULL, NULL) == NULL);
	wait(NULL);
}

static void a_dead_socket_is_replaced_and_not_listed(void **state)
{
	char path[4096], names[256] = "";
	struct ctl_server *s;
	struct err err = {0};

	(void)state;
	leave_dead("b");
	leave_dead("a");
	ctl_path("b", path, sizeof(path), NULL);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(ctl_each_name(note_name, names, NULL), 0);
	assert_string_equal(names, "card ");
	s = ctl_server_new("b", echo, NULL, &err);
	assert_non_null(s);
	names[0] = '\0';
	ctl_each_name(note_name, names, NULL);
	assert_string_equal(names, "b card ");
	ctl_server_free(s);
	assert_int_not_equal(access(path, F_OK), 0);
	ctl_path("a", path, sizeof(path), NULL);
	unlink(path);
}

static void socket_and_folder_are_the_owners_alone(void **state)
{
	struct rig *r = *state;
	char path[4096];
	struct stat st;
	struct err err = {0};

	ctl_path("card", path, sizeof(path), NULL);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(r->folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	chmod(r->folder, 0755);
	assert_null(ctl_server_new("other", echo, NULL, &err));
	assert_int_equal(err.code, EPERM);
	assert_non_null(strstr(err.msg, "mode 0755"));
	chmod(r->folder, 0700);
}

// Whoever gets at the socket by a folder that lets him in is asked who he is.
static void another_user_is_refused(void **state)
{
	struct rig *r = *state;
	char text[512] = "", path[4096];
	int pipes[2];

	if (geteuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	ctl_path("card", path, sizeof(path), NULL);
	chmod(r->folder, 0755);
	chmod(path, 0666);
	assert_int_equal(pipe(pipes), 0);
	if (fork() == 0) {
		int fd;

		if (setuid(65534) != 0)
			_exit(1);
		fd = raw();
		put(fd, "a\n", 2);
		dprintf(pipes[1], "%s", get(fd, 9));
		_exit(0);
	}
	wait(NULL);
	close(pipes[1]);
	assert_true(read(pipes[0], text, sizeof(text) - 1) > 0);
	close(pipes[0]);
	chmod(r->folder, 0700);
	assert_string_equal(text, "{\"ok\":false,\"status\":13,\"errno\":\"EACCES\",\"msg\":\"this "
				  "program obeys its owner and root only\"}\n");
}

// A user who finds the socket of another one where his own program's would be does not talk to it.
static void another_users_program_is_not_trusted(void **state)
{
	char folder[] = "/tmp/weir-ctl-test.XXXXXX", path[4096],
	     word[] = "a", *const words[] = {word};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct rig *r = *state;
	int status, fd;

	if (geteuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	assert_non_null(mkdtemp(folder));
	setenv("WEIR_RUNTIME_DIR", folder, 1);
	assert_int_equal(ctl_path("card", to.sun_path, sizeof(to.sun_path), NULL), 0);
	strcpy(path, to.sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	chmod(folder, 0755);
	chmod(path, 0666);
	assert_int_equal(seteuid(65533), 0); // whose the socket is, as its credentials say
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(seteuid(0), 0);
	if (fork() == 0) {
		struct err err = {0};

		if (setuid(65534) != 0)
			_exit(1);
		_exit(ctl_request("card", 1, words, NULL, NULL, &err) == -EPERM ? 0 : 2);
	}
	wait(&status);
	close(fd);
	unlink(path);
	rmdir(folder);
	setenv("WEIR_RUNTIME_DIR", r->folder, 1);
	assert_int_equal(status, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words_come_back_whatever_they_hold),
		TEST(a_session_is_one_client_until_it_ends),
		TEST(a_client_that_is_killed_is_gone),
		TEST(the_end_of_the_server_is_that_of_its_clients),
		TEST(people_can_type_it),
		TEST(a_request_in_pieces_is_one),
		TEST(a_request_cut_short_is_not_carried_out),
		TEST(too_long_a_request_is_refused),
		TEST(a_long_listing_arrives_whole),
		TEST(an_endless_reply_becomes_an_error),
		TEST(slow_and_silent_clients_hold_up_nobody),
		TEST(a_newcomer_takes_the_place_of_who_is_silent_for_long),
		TEST(clients_that_go_away_do_no_harm),
		TEST(a_name_in_use_is_refused),
		TEST(names_that_are_paths_are_refused),
		TEST(nobody_there_is_said_with_the_path),
		TEST(a_dead_socket_is_replaced_and_not_listed),
		TEST(socket_and_folder_are_the_owners_alone),
		TEST(another_user_is_refused),
		TEST(another_users_program_is_not_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// server.c - serves many clients from one thread without waiting for any of them.
//
// A client owns at most one reply.  All replies together stay below REPLIES_MAX, and there are at most
// CTL_CLIENTS_MAX clients: where a newcomer finds no place, or a reply no memory, the client that moved
// no byte for the longest time goes, if that is more than PATIENCE_NS.
#include "ctl/conn.h"
#include "ctl/listen.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 16 };
static const size_t REPLIES_MAX = (size_t)4 * CTL_REPLY_MAX;
static const uint64_t PATIENCE_NS = 1000000000;

struct ctl_server {
	struct listen at;
	int epoll;
	uid_t owner;
	ctl_run *run;
	void *arg;
	unsigned n;
	struct conn *conn[CTL_CLIENTS_MAX];
	bool more; // requests wait that no event will tell of
};

static int watch(struct ctl_server *s, int op, int fd, uint32_t events, void *ptr)
{
	struct epoll_event e = {.events = events, .data.ptr = ptr};

	return epoll_ctl(s->epoll, op, fd, &e);
}

struct ctl_server *ctl_server_new(const char *name, ctl_run *run, void *arg, struct err *err)
{
	struct ctl_server *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		err_set(err, ENOMEM, "no memory for a control socket");
		return NULL;
	}
	if (listen_open(&s->at, name, err) != 0) {
		free(s);
		return NULL;
	}
	s->owner = geteuid();
	s->run = run;
	s->arg = arg;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll >= 0 && watch(s, EPOLL_CTL_ADD, s->at.fd, EPOLLIN, s) == 0)
		return s;
	err_set(err, errno, "%s: %s", s->at.path, strerror(errno));
	ctl_server_free(s);
	return NULL;
}

void ctl_server_free(struct ctl_server *s)
{
	if (s == NULL)
		return;
	for (unsigned i = 0; i < s->n; i++)
		conn_free(s->conn[i]);
	if (s->epoll >= 0)
		close(s->epoll);
	listen_close(&s->at);
	free(s);
}

int ctl_server_watch(struct ctl_server *s, int fd, struct err *err)
{
	if (watch(s, EPOLL_CTL_ADD, fd, EPOLLIN, NULL) != 0)
		return err_set(err, errno, "%s: %s", s->at.path, strerror(errno));
	return 0;
}

static void drop(struct ctl_server *s, struct conn *c)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->conn[i] == c)
			s->conn[i] = s->conn[--s->n];
	conn_free(c);
}

// The client that has not moved for the longest time, if PATIENCE_NS have passed.
static struct conn *slowest(const struct ctl_server *s, const struct conn *but, bool with_reply)
{
	uint64_t oldest = clock_ns() - PATIENCE_NS;
	struct conn *found = NULL;

	for (unsigned i = 0; i < s->n; i++) {
		struct conn *c = s->conn[i];

		if (c == but || c->client.gone != NULL || (with_reply && !conn_is_full(c)) ||
			c->moved_ns >= oldest)
			continue;
		oldest = c->moved_ns;
		found = c;
	}
	return found;
}

// Memory for the next reply.
static size_t room(struct ctl_server *s, const struct conn *but)
{
	for (;;) {
		size_t used = 0;
		struct conn *c;

		for (unsigned i = 0; i < s->n; i++)
			used += s->conn[i]->out.room;
		if (used + CTL_REPLY_MAX <= REPLIES_MAX)
			return CTL_REPLY_MAX;
		c = slowest(s, but, true);
		if (c == NULL)
			return used < REPLIES_MAX ? REPLIES_MAX - used : 0;
		drop(s, c);
	}
}

static const char *stranger(const struct ctl_server *s, int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
		return "who you are cannot be told";
	return who.uid == 0 || who.uid == s->owner ? NULL
						   : "this program obeys its owner and root only";
}

static void ask(struct ctl_server *s, struct conn *c)
{
	uint32_t events = conn_is_full(c) ? EPOLLOUT : EPOLLIN;

	if (events != c->events && watch(s, EPOLL_CTL_MOD, c->fd, events, c) == 0)
		c->events = events;
}

static void accept_one(struct ctl_server *s, int fd)
{
	const char *no = stranger(s, fd);
	struct conn *c = conn_new(fd, clock_ns()), *slow;

	if (c == NULL) {
		close(fd);
		return;
	}
	if (no == NULL && s->n == CTL_CLIENTS_MAX && (slow = slowest(s, NULL, false)) != NULL)
		drop(s, slow);
	if (no != NULL || s->n == CTL_CLIENTS_MAX) {
		conn_refuse(c, no != NULL ? EACCES : EAGAIN,
			no != NULL ? no : "too many clients are being served");
		conn_write(c, c->moved_ns);
		conn_free(c);
		return;
	}
	c->events = EPOLLIN;
	if (watch(s, EPOLL_CTL_ADD, fd, EPOLLIN, c) != 0) {
		conn_free(c);
		return;
	}
	s->conn[s->n++] = c;
}

static void accept_all(struct ctl_server *s)
{
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		int fd = accept4(s->at.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0)
			accept_one(s, fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

// Moves bytes of one client and serves at most one request.
static void turn(struct ctl_server *s, struct conn *c)
{
	uint64_t now = clock_ns();
	size_t len;

	if (conn_is_full(c) ? !conn_write(c, now) : !conn_read(c, now))
		goto gone;
	if (conn_line(c, &len)) {
		conn_serve(c, len, s->run, s->arg, room(s, c));
		if (!conn_write(c, now))
			goto gone;
	}
	if (conn_is_stuck(c)) {
		conn_refuse(c, c->ended ? EINVAL : EMSGSIZE,
			c->ended ? "the request ends without a newline"
				 : "the request is longer than 65536 bytes");
		if (!conn_write(c, now))
			goto gone;
	}
	if (c->ended && c->in_len == 0 && !conn_is_full(c))
		goto gone;
	if (!conn_is_full(c) && c->in_len > c->looked)
		s->more = true;
	ask(s, c);
	return;
gone:
	drop(s, c);
}

void ctl_server_poll(struct ctl_server *s, int timeout_ms)
{
	struct epoll_event e[EVENTS];
	struct conn *list[CTL_CLIENTS_MAX];
	unsigned n = s->n;
	int got = epoll_wait(s->epoll, e, EVENTS, s->more ? 0 : timeout_ms);
	bool newcomers = false;

	s->more = false;
	for (int i = 0; i < got; i++)
		newcomers |= e[i].data.ptr == s;
	// Each client in turn, not those with an event alone: a drop frees others' events as well.
	memcpy(list, s->conn, n * sizeof(*list));
	for (unsigned i = 0; i < n && got >= 0; i++)
		for (unsigned j = 0; j < s->n; j++)
			if (s->conn[j] == list[i]) {
				turn(s, list[i]);
				break;
			}
	if (newcomers)
		accept_all(s);
}

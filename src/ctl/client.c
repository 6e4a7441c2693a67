// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CHUNK = 64 << 10, PATIENCE_S = 60 };

// A reply coming in: whole lines are handed on, the rest stays.
struct incoming {
	int fd;
	char *text;
	size_t len, room;
	bool ended; // the last object was there
	int status;
	void (*each)(void *arg, json_t *object);
	void *arg;
	const char *path;
	struct err *err;
};

static int send_line(int fd, const char *line, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, line, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		// A server that refuses has closed already; what it said can still be read.
		if (n < 0)
			return errno == EPIPE || errno == ECONNRESET ? 0 : -errno;
		line += n;
		len -= (size_t)n;
	}
	return 0;
}

static int damaged(struct incoming *in)
{
	return err_set(in->err, EPROTO, "%s: what came back is no reply", in->path);
}

static void finish(struct incoming *in, const json_t *last)
{
	char *msg = ctl_text_get(last, "msg");

	in->ended = true;
	in->status = (int)json_integer_value(json_object_get(last, "status"));
	if (in->status < 0)
		in->status = EPROTO;
	if (msg != NULL)
		err_set(in->err, in->status > 0 ? in->status : EINVAL, "%s", msg);
	free(msg);
}

static int one_line(struct incoming *in, const char *line, size_t len)
{
	json_t *object = json_loadb(line, len, 0, NULL);

	if (!json_is_object(object) || in->ended) {
		json_decref(object);
		return damaged(in);
	}
	if (json_object_get(object, "ok") != NULL)
		finish(in, object);
	else if (in->each != NULL)
		in->each(in->arg, object);
	json_decref(object);
	return 0;
}

static int whole_lines(struct incoming *in)
{
	size_t at = 0;
	int rc = 0;

	while (rc == 0) {
		const char *end = memchr(in->text + at, '\n', in->len - at);

		if (end == NULL)
			break;
		rc = one_line(in, in->text + at, (size_t)(end - in->text) - at);
		at = (size_t)(end - in->text) + 1;
	}
	in->len -= at;
	memmove(in->text, in->text + at, in->len);
	return rc;
}

static int read_some(struct incoming *in)
{
	ssize_t n;

	if (in->room - in->len < CHUNK) {
		char *more = realloc(in->text, in->room * 2 + CHUNK);

		if (more == NULL || in->room > CTL_REPLY_MAX) {
			free(more != NULL ? more : in->text);
			in->text = NULL;
			return err_set(in->err, ENOMEM, "%s: no memory for the reply", in->path);
		}
		in->text = more;
		in->room = in->room * 2 + CHUNK;
	}
	do
		n = recv(in->fd, in->text + in->len, in->room - in->len, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return err_set(in->err, ETIMEDOUT, "%s: no answer for %d s", in->path, PATIENCE_S);
	if (n < 0 && errno != ECONNRESET)
		return err_set(in->err, errno, "%s: %s", in->path, strerror(errno));
	if (n <= 0)
		return err_set(in->err, EPIPE, "%s: the program went away before it had answered",
			in->path);
	in->len += (size_t)n;
	return whole_lines(in);
}

struct ctl_session {
	int fd;
	char path[CTL_PATH_MAX];
};

struct ctl_session *ctl_session_open(const char *name, struct err *err)
{
	struct timeval patience = {.tv_sec = PATIENCE_S};
	struct ctl_session *s = malloc(sizeof(*s));

	if (s == NULL) {
		err_set(err, ENOMEM, "no memory for a request");
		return NULL;
	}
	s->fd = ctl_connect(name, s->path, sizeof(s->path), err);
	if (s->fd < 0) {
		free(s);
		return NULL;
	}
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return s;
}

void ctl_session_close(struct ctl_session *s)
{
	if (s == NULL)
		return;
	close(s->fd);
	free(s);
}

int ctl_session_fd(const struct ctl_session *s)
{
	return s->fd;
}

int ctl_session_ask(struct ctl_session *s, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	char *line = ctl_words_join(argc, argv);
	size_t len = line != NULL ? strlen(line) : 0;
	struct incoming in = {.fd = s->fd, .each = each, .arg = arg, .path = s->path, .err = err};
	int rc;

	if (line == NULL)
		return err_set(err, ENOMEM, "no memory for a request");
	if (len > CTL_LINE_MAX) {
		free(line);
		return err_set(err, EMSGSIZE, "the request is longer than %d bytes", CTL_LINE_MAX);
	}
	line[len] = '\n';
	rc = send_line(in.fd, line, len + 1);
	if (rc != 0)
		err_set(err, -rc, "%s: %s", s->path, strerror(-rc));
	while (rc == 0 && !in.ended)
		rc = read_some(&in);
	free(line);
	free(in.text);
	return rc != 0 ? rc : in.status;
}

int ctl_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	struct err why = {0};
	struct ctl_session *s = ctl_session_open(name, &why);
	int status;

	if (s == NULL)
		return err_set(err, why.code, "%s", why.msg);
	status = ctl_session_ask(s, argc, argv, each, arg, err);
	ctl_session_close(s);
	return status;
}

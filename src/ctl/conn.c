// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct conn *conn_new(int fd, uint64_t now_ns)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->in = malloc(CTL_LINE_MAX + 1);
	if (c->in == NULL) {
		free(c);
		return NULL;
	}
	c->fd = fd;
	c->moved_ns = now_ns;
	return c;
}

void conn_free(struct conn *c)
{
	if (c == NULL)
		return;
	close(c->fd);
	if (c->client.gone != NULL)
		c->client.gone(c->client.arg);
	free(c->in);
	free(c->out.text);
	free(c);
}

bool conn_is_full(const struct conn *c)
{
	return c->out.len > 0;
}

bool conn_read(struct conn *c, uint64_t now_ns)
{
	while (!c->ended && c->in_len < CTL_LINE_MAX + 1) {
		ssize_t n = recv(
			c->fd, c->in + c->in_len, CTL_LINE_MAX + 1 - c->in_len, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0)
			c->ended = true;
		c->in_len += (size_t)n;
		c->moved_ns = now_ns;
	}
	return true;
}

bool conn_write(struct conn *c, uint64_t now_ns)
{
	while (c->out_done < c->out.len) {
		ssize_t n = send(c->fd, c->out.text + c->out_done, c->out.len - c->out_done,
			MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		c->out_done += (size_t)n;
		c->moved_ns = now_ns;
	}
	free(c->out.text);
	c->out = (struct ctl_reply){0};
	c->out_done = 0;
	return !c->last;
}

bool conn_line(struct conn *c, size_t *len)
{
	const char *end;

	if (conn_is_full(c))
		return false;
	end = memchr(c->in + c->looked, '\n', c->in_len - c->looked);
	if (end == NULL) {
		c->looked = c->in_len;
		return false;
	}
	*len = (size_t)(end - c->in);
	return true;
}

struct ctl_client *ctl_client(const struct ctl_reply *reply)
{
	return reply->client;
}

void ctl_client_watch(struct ctl_client *client, void (*gone)(void *arg), void *arg)
{
	*client = (struct ctl_client){gone, arg};
}

void conn_serve(struct conn *c, size_t len, ctl_run *run, void *arg, size_t max)
{
	struct ctl_words w;
	struct err err = {0};
	int status;

	c->out = (struct ctl_reply){.max = max, .client = &c->client};
	if (ctl_words_split(c->in, len, &w, &err) != 0)
		status = ctl_fail(&c->out, err.code, "%s", err.msg);
	else if (w.argc == 0)
		status = ctl_fail(&c->out, EINVAL, "the request has no words");
	else
		status = run(arg, w.argc, w.argv, &c->out);
	ctl_words_free(&w);
	ctl_reply_end(&c->out, status);
	c->in_len -= len + 1;
	memmove(c->in, c->in + len + 1, c->in_len);
	c->looked = 0;
	// Not even memory for the last object: then the end of the connection is the answer.
	c->last |= c->out.over;
}

bool conn_is_stuck(const struct conn *c)
{
	return !conn_is_full(c) && !c->last && c->looked == c->in_len &&
	       (c->in_len == CTL_LINE_MAX + 1 || (c->ended && c->in_len > 0));
}

void conn_refuse(struct conn *c, int code, const char *text)
{
	c->out = (struct ctl_reply){0};
	ctl_reply_end(&c->out, ctl_fail(&c->out, code, "%s", text));
	c->in_len = c->looked = 0;
	c->last = true;
}

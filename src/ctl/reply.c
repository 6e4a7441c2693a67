// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 4096, END_MAX = 2048 };

// Room for n more bytes.
static bool reserve(struct ctl_reply *r, size_t n)
{
	size_t room = r->room != 0 ? r->room : ROOM_MIN;
	char *text;

	while (room - r->len < n)
		room *= 2;
	if (room == r->room)
		return true;
	text = realloc(r->text, room);
	if (text == NULL)
		return false;
	r->text = text;
	r->room = room;
	return true;
}

static int append(const char *data, size_t n, void *arg)
{
	struct ctl_reply *r = arg;

	if (r->over || n > r->max - r->len || !reserve(r, n)) {
		r->over = true;
		return -1;
	}
	memcpy(r->text + r->len, data, n);
	r->len += n;
	return 0;
}

void ctl_reply(struct ctl_reply *reply, json_t *object)
{
	if (reply->each != NULL && object != NULL) {
		reply->each(reply->each_arg, object);
		json_decref(object);
		return;
	}
	if (object == NULL || json_dump_callback(object, append, reply, JSON_COMPACT) != 0)
		reply->over = true;
	append("\n", 1, reply);
	json_decref(object);
}

int ctl_fail(struct ctl_reply *reply, int code, const char *fmt, ...)
{
	va_list ap;

	reply->code = code;
	va_start(ap, fmt);
	vsnprintf(reply->msg, sizeof(reply->msg), fmt, ap);
	va_end(ap);
	return code;
}

static void forget(void *arg, json_t *object)
{
	(void)arg, (void)object;
}

int ctl_here(const struct ctl_local *who, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err)
{
	struct ctl_reply reply = {
		.max = CTL_REPLY_MAX, .each = each != NULL ? each : forget, .each_arg = arg};
	int status = who->run(who->arg, argc, (char **)argv, &reply);

	if (reply.over)
		return err_set(err, ENOMEM, "no memory for the reply");
	if (reply.code != 0)
		err_set(err, reply.code, "%s", reply.msg);
	return status;
}

void ctl_reply_end(struct ctl_reply *reply, int status)
{
	json_t *last = json_object();
	const char *name;

	if (reply->over) {
		status = ctl_fail(
			reply, EMSGSIZE, "the reply would be longer than %zu bytes", reply->max);
		free(reply->text);
		reply->text = NULL;
		reply->len = reply->room = 0;
		reply->over = false;
	}
	json_object_set_new(last, "ok", json_boolean(status == 0));
	json_object_set_new(last, "status", json_integer(status));
	name = status != 0 ? strerrorname_np(reply->code != 0 ? reply->code : status) : NULL;
	if (name != NULL)
		json_object_set_new(last, "errno", json_string(name));
	if (reply->code != 0)
		ctl_text_set(last, "msg", reply->msg);
	reply->max = reply->len + END_MAX + 6 * sizeof(reply->msg);
	ctl_reply(reply, last);
}

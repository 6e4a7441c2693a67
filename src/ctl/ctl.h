// SPDX-License-Identifier: BSD-2-Clause
// ctl.h - the control socket of a running program: weir-NAME.sock in the runtime folder, its owner's
// alone.  A request is one line of words; the reply is JSON objects, one a line, the last of them with
// "ok" and "status", and "msg" where something is wrong.
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CTL_LINE_MAX = 64 << 10,  // bytes of a request, its newline not counted
	CTL_REPLY_MAX = 64 << 20, // bytes of a reply
	CTL_CLIENTS_MAX = 32,
	CTL_NAME_MAX = 32, // bytes of a program's name
};

// The runtime folder: WEIR_RUNTIME_DIR if set, else /run/weir for root, else
// XDG_RUNTIME_DIR/weir, else /tmp/weir-UID.  -ENAMETOOLONG.
int ctl_folder(char *out, size_t size, struct err *err);

// The path of a program's socket in it.  -EINVAL: NAME cannot be a program's.
int ctl_path(const char *name, char *out, size_t size, struct err *err);

// Calls back for each running program with a socket there, in alphabetical order.  No folder: none.
int ctl_each_name(void (*each)(void *arg, const char *name), void *arg, struct err *err);

// --- a request line ---
//
// Words are separated by blanks, tabs and carriage returns.  Inside '...' everything is itself; inside
// "..." a backslash makes \" \\ \n \r \t and \xHH.  So each word but those with a NUL can be said.

struct ctl_words {
	int argc;
	char **argv; // argc words and a NULL
	char *text;
};

// Splits len bytes without a newline.  -EINVAL with a sentence; *out is then empty.
int ctl_words_split(const char *line, size_t len, struct ctl_words *out, struct err *err);
void ctl_words_free(struct ctl_words *w);

// The line that splits into these words, without a newline, malloc'd.  NULL: no memory.
char *ctl_words_join(int argc, char *const *argv);

// --- text in JSON ---

// Sets a key to any text.  Text that is not UTF-8 is put down byte by byte, as if each were a
// character, and "bytes":true says so.
void ctl_text_set(json_t *object, const char *key, const char *text);

// The text as it was, malloc'd; NULL if the key is no text.
char *ctl_text_get(const json_t *object, const char *key);

// --- server ---

struct ctl_server;
struct ctl_reply;
struct ctl_client;

// Carries out one request; argv is argc words and a NULL, argc is at least 1.  Returns the exit status
// of the reply.
typedef int ctl_run(void *arg, int argc, char **argv, struct ctl_reply *reply);

// Puts one object into the reply; takes over the reference.  What goes beyond CTL_REPLY_MAX is lost,
// and the client gets an error instead of the reply.
void ctl_reply(struct ctl_reply *reply, json_t *object);

// Gives the reply's last object an errno name and a sentence.  Returns code, for the callback.
int ctl_fail(struct ctl_reply *reply, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// Whose request this is: the same, and nobody else's, for all requests of one connection while that lasts.
// NULL under ctl_here().
struct ctl_client *ctl_client(const struct ctl_reply *reply);

// Has gone(arg) called when that client's connection ends, also by the client's being killed or by the end of the
// server.  Until then it is not the one to go where others need its place.  gone NULL: no more.
void ctl_client_watch(struct ctl_client *client, void (*gone)(void *arg), void *arg);

// Makes the folder (0700) and the socket (0600).  A socket nobody listens on is replaced; -EADDRINUSE
// if a running program has the name; -EPERM if the folder is open to others or somebody else's.
struct ctl_server *ctl_server_new(const char *name, ctl_run *run, void *arg, struct err *err);
void ctl_server_free(struct ctl_server *s); // takes the socket away

// A further descriptor whose being readable ends a ctl_server_poll early.
int ctl_server_watch(struct ctl_server *s, int fd, struct err *err);

// Waits at most timeout_ms for requests and serves those that are there, at most one of each client.
// Slow or silent clients hold up neither the caller nor each other.
void ctl_server_poll(struct ctl_server *s, int timeout_ms);

// --- client ---

// Sends the words to the program NAME and hands each object of the reply but the last to `each` (may
// be NULL), which does not keep it.  Returns the reply's status, with its sentence in *err if it has
// one; or -errno with a sentence: -ENOENT no such program, -EACCES not ours, -EPIPE it went away,
// -ETIMEDOUT it is silent for a minute.
int ctl_request(const char *name, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);

// Several requests by one connection, one after the other; by its end the program knows that we are gone.
// NULL with *err set as above.
struct ctl_session;
struct ctl_session *ctl_session_open(const char *name, struct err *err);
void ctl_session_close(struct ctl_session *s); // NULL is allowed
int ctl_session_ask(struct ctl_session *s, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);
// Between requests it is readable when the program has gone away.
int ctl_session_fd(const struct ctl_session *s);

// ctl_request() where the calling program itself has the answers.
struct ctl_local {
	ctl_run *run;
	void *arg;
};
int ctl_here(const struct ctl_local *who, int argc, char *const *argv,
	void (*each)(void *arg, json_t *object), void *arg, struct err *err);

// --- counters as OpenMetrics text ---

struct ctl_metrics;

struct ctl_metrics *ctl_metrics_new(void); // NULL: no memory
void ctl_metrics_free(struct ctl_metrics *m);

// Begins a family: type is "counter" or "gauge".
void ctl_metrics_family(
	struct ctl_metrics *m, const char *name, const char *type, const char *help);

// A sample of the family begun last.  labels are names and values in turn, and a NULL.
void ctl_metrics_sample(struct ctl_metrics *m, const char *const *labels, uint64_t value);

// The text with its end mark; valid until ctl_metrics_free().  NULL: there was no memory.
const char *ctl_metrics_text(struct ctl_metrics *m);

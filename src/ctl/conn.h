// SPDX-License-Identifier: BSD-2-Clause
// conn.h - one client of a server: a descriptor that never blocks, the request that is coming in, the
// reply that is going out.  One reply at a time: the next request waits until it is gone.
#pragma once

#include "ctl/internal.h"

#include <stdint.h>

// Who is to hear of the connection's end.
struct ctl_client {
	void (*gone)(void *arg); // NULL: nobody
	void *arg;
};

struct conn {
	int fd;
	struct ctl_client client;
	uint32_t events;       // what epoll was asked for
	char *in;              // CTL_LINE_MAX + 1 bytes
	size_t in_len, looked; // looked: no newline in the bytes before
	struct ctl_reply out;
	size_t out_done;
	uint64_t moved_ns; // when bytes last moved
	bool ended;        // nothing more will come in
	bool last;         // goes away when the reply is out
};

struct conn *conn_new(int fd, uint64_t now_ns);
void conn_free(struct conn *c);

// Reads what is there.  false: the client is gone.
bool conn_read(struct conn *c, uint64_t now_ns);

// Sends what the socket takes.  false: the client is gone.
bool conn_write(struct conn *c, uint64_t now_ns);

// A reply waits.
bool conn_is_full(const struct conn *c);

// Whether a whole line is there and no reply waits: its length without the newline.
bool conn_line(struct conn *c, size_t *len);

// Carries out that line; max bounds the reply.
void conn_serve(struct conn *c, size_t len, ctl_run *run, void *arg, size_t max);

// What came in can never become a request: says so, and the client goes away afterwards.
bool conn_is_stuck(const struct conn *c);
void conn_refuse(struct conn *c, int code, const char *text);

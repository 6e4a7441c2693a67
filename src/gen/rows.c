// SPDX-License-Identifier: BSD-2-Clause
// rows.c - rows of memory for the frames of a feed.
//
// A feed that repeats itself soon has a row for each of its frames, written once: the port then goes
// round on its own.  Any other feed fills the rows, the port sends them, and it fills them again.
#include "gen/rows.h"

#include "gen/frame.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LOT = 64,             // that a feed makes at once
	BYTES_MAX = 16 << 20, // of all rows
	SHORTEST = FRAME_ETH, // frame that the kernel makes for a port
};

struct rows {
	struct feed *feed;
	struct port *port;
	uint16_t queue;
	struct port_rows mem;
	bool round;        // rows are never filled again
	unsigned at, left; // the next row; how many are filled from there on and were not tried
};

// Writes the next n frames into the rows from the first on.
static void fill(struct rows *r, unsigned n)
{
	uint8_t *buf[LOT];
	uint16_t len[LOT];

	for (unsigned done = 0; done < n;) {
		unsigned lot = n - done < LOT ? n - done : LOT;

		for (unsigned i = 0; i < lot; i++)
			buf[i] = r->mem.frames + (size_t)(done + i) * r->mem.stride;
		feed_fill(r->feed, buf, len, lot);
		for (unsigned i = 0; r->mem.lengths != NULL && i < lot; i++)
			r->mem.lengths[done + i] = len[i];
		done += lot;
	}
	r->at = 0;
	r->left = n;
}

struct rows *rows_new(struct feed *feed, struct port *port, uint16_t queue, struct err *err)
{
	struct rows *r = calloc(1, sizeof(*r));
	uint64_t period = feed_period(feed);
	unsigned least, most, fit;

	if (r == NULL) {
		err_set(err, ENOMEM, "no memory for a sender");
		return NULL;
	}
	*r = (struct rows){.feed = feed, .port = port, .queue = queue};
	feed_lengths(feed, &least, &most);
	if (least < SHORTEST) {
		err_set(err, EMSGSIZE, "port %s: a frame of %u bytes: live frames have at least %d",
			port_name(port), least, SHORTEST);
		free(r);
		return NULL;
	}
	fit = BYTES_MAX / (most + FRAME_HEAD);
	if (fit > PORT_ROWS_MAX)
		fit = PORT_ROWS_MAX;
	r->round = period != 0 && period <= fit;
	r->mem = (struct port_rows){
		.n = r->round ? (unsigned)period : fit, .frame_max = most, .varies = least != most};
	if (port_rows_make(port, queue, &r->mem, err) != 0) {
		free(r);
		return NULL;
	}
	if (r->round)
		fill(r, r->mem.n);
	return r;
}

void rows_free(struct rows *r)
{
	free(r);
}

void rows_send(struct rows *r, unsigned n, struct port_sent *sent)
{
	if (!r->round && r->left == 0)
		fill(r, n < r->mem.n ? n : r->mem.n);
	if (!r->round && n > r->left)
		n = r->left;
	port_rows_send(r->port, r->queue, r->at, n, sent);
	r->at = (r->at + sent->tried) % r->mem.n;
	if (!r->round)
		r->left -= sent->tried;
}

void rows_taken(const struct rows *r, uint64_t *frames, uint64_t *bytes)
{
	port_rows_taken(r->port, r->queue, frames, bytes);
}

// SPDX-License-Identifier: BSD-2-Clause
// rows.h - sending a feed's frames by a port that takes them from rows of memory.
#pragma once

#include "gen/feed.h"

#include "port/port.h"

struct rows;

// The feed belongs to the rows' user and outlives them.  -EMSGSIZE, -ENOMEM ... with a sentence.
struct rows *rows_new(struct feed *feed, struct port *port, uint16_t queue, struct err *err);
void rows_free(struct rows *r);

// Sends the next frames, at most n.
void rows_send(struct rows *r, unsigned n, struct port_sent *sent);

// What the device took so far; also while another thread is in rows_send().
void rows_taken(const struct rows *r, uint64_t *frames, uint64_t *bytes);

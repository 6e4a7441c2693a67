// SPDX-License-Identifier: BSD-2-Clause
// sender.c - the frames of a feed to a port, at a rate, counting what it took.
#include "gen/buffer.h"
#include "gen/capture.h"
#include "gen/feed.h"
#include "gen/gen.h"
#include "gen/pace.h"
#include "gen/rows.h"

#include "base/clock.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 u128; // products of times and rates

enum { LOT = 64, RETRY_MS = 10 };

struct sender {
	struct gen_conf conf;
	struct port *port;
	uint16_t queue;
	struct rte_mempool *pool;
	struct feed *feed;
	struct rows *rows;  // where the port has them; no buffers then
	struct pace pace;   // in use with a rate
	uint64_t hz, start; // of a capture's timing; start 0 = not begun
	uint64_t rearm;     // of every frame's buffer
	struct rte_mbuf *pending[LOT];
	uint16_t len[LOT]; // of the pending frames: a port may free what it takes at once
	unsigned first, n; // those not yet taken are pending[first..n-1]
	struct sender_counters counters;
};

static int check_port(const struct gen_conf *conf, struct port *port, struct err *err)
{
	unsigned most = port_mtu(port) + 14u;
	unsigned len = conf->capture != NULL ? gen_capture_longest(conf->capture) : conf->len;

	if (len > most)
		return err_set(err, EMSGSIZE,
			"port %s takes frames of up to %u bytes (MTU %u), not of %u",
			port_name(port), most, port_mtu(port), len);
	return 0;
}

struct sender *sender_new(const struct gen_conf *conf, struct port *port, uint16_t queue,
	struct rte_mempool *pool, struct err *err)
{
	struct sender *s;

	if (gen_conf_check(conf, err) != 0 || check_port(conf, port, err) != 0)
		return NULL;
	if (conf->capture_timing && conf->count != gen_capture_frames(conf->capture) &&
		capture_due_ns(conf->capture, gen_capture_frames(conf->capture)) == 0) {
		err_set(err, EINVAL, "the frames of the capture have no distance in time");
		return NULL;
	}
	if (conf->rate_pps > PACE_RATE_MAX) {
		err_set(err, EINVAL, "a rate above %u packets/s", PACE_RATE_MAX);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		err_set(err, ENOMEM, "no memory for a sender");
		return NULL;
	}
	s->conf = *conf;
	s->port = port;
	s->queue = queue;
	s->pool = pool;
	s->feed = feed_new(conf, err);
	if (s->feed != NULL && port_has_rows(port))
		s->rows = rows_new(s->feed, port, queue, err);
	if (s->feed == NULL || (port_has_rows(port) && s->rows == NULL)) {
		sender_free(s);
		return NULL;
	}
	s->hz = clock_cycles_hz();
	s->rearm = buffer_rearm();
	if (conf->rate_pps != 0)
		pace_start(&s->pace, conf->rate_pps, s->hz,
			conf->pace_group != 0 ? conf->pace_group : 1);
	return s;
}

void sender_free(struct sender *s)
{
	if (s == NULL)
		return;
	port_free(s->pending + s->first, s->n - s->first);
	rows_free(s->rows);
	feed_free(s->feed);
	free(s);
}

// The next n frames, all of them pending.
static bool build(struct sender *s, unsigned n)
{
	uint8_t *buf[LOT];

	if (rte_mempool_get_bulk(s->pool, (void **)s->pending, n) != 0) {
		s->counters.no_buffer++;
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		buf[i] = (uint8_t *)s->pending[i]->buf_addr + RTE_PKTMBUF_HEADROOM;
	feed_fill(s->feed, buf, s->len, n);
	for (unsigned i = 0; i < n; i++)
		buffer_prepare(s->pending[i], s->rearm, s->len[i]);
	s->first = 0;
	s->n = n;
	return true;
}

static void account(struct sender *s, unsigned took, uint64_t bytes)
{
	s->counters.packets += took;
	s->counters.bytes += bytes;
	if (s->conf.rate_pps != 0)
		pace_take(&s->pace, took);
}

static uint64_t due_by_capture(struct sender *s, uint64_t now, uint64_t most)
{
	uint64_t ns, n = 0;

	if (s->start == 0)
		s->start = now;
	ns = (uint64_t)((u128)(now - s->start) * 1000000000u / s->hz);
	while (n < most && capture_due_ns(s->conf.capture, s->counters.packets + n) <= ns)
		n++;
	return n;
}

// How many frames may go now.
static uint64_t allowance(struct sender *s, uint64_t now)
{
	uint64_t most = s->conf.burst, due;

	if (s->conf.count != 0 && s->conf.count - s->counters.packets < most)
		most = s->conf.count - s->counters.packets;
	if (s->conf.capture_timing)
		return due_by_capture(s, now, most);
	if (s->conf.rate_pps == 0)
		return most;
	// The last group may be a small one; it does not wait for frames that are not to be sent.
	if (s->conf.count != 0 && s->conf.count - s->counters.packets < s->pace.group)
		s->pace.group = s->conf.count - s->counters.packets;
	if (s->pace.group == 0)
		return 0;
	due = pace_due(&s->pace, now);
	return due < most ? due : most;
}

static unsigned step_buffers(struct sender *s, uint64_t left)
{
	unsigned moved = 0;

	while (left > 0) {
		uint64_t bytes = 0;
		unsigned n, took;

		if (s->first == s->n && !build(s, left < LOT ? (unsigned)left : LOT))
			break;
		n = s->n - s->first;
		if (n > left)
			n = (unsigned)left;
		took = port_tx(s->port, s->queue, s->pending + s->first, n);
		for (unsigned i = s->first; i < s->first + took; i++)
			bytes += s->len[i];
		s->first += took;
		account(s, took, bytes);
		moved += took;
		left -= took;
		if (took < n) {
			s->counters.refused++;
			break;
		}
	}
	return moved;
}

// What the port tried and did not take is lost, and made up for by the frames behind it.  A port that
// took none for an error is asked with few until it does.
static unsigned step_rows(struct sender *s, uint64_t left)
{
	unsigned moved = 0;

	while (left > 0) {
		struct port_sent sent;

		rows_send(s->rows, (unsigned)(s->counters.error != 0 && left > LOT ? LOT : left),
			&sent);
		account(s, sent.taken, sent.bytes);
		moved += sent.taken;
		left -= sent.taken;
		s->counters.refused += sent.taken < sent.tried || sent.error != 0;
		s->counters.error = sent.error;
		if (sent.taken == 0 || sent.taken < sent.tried)
			break;
	}
	return moved;
}

unsigned sender_step(struct sender *s, uint64_t now)
{
	uint64_t left = allowance(s, now);
	unsigned moved = s->rows != NULL ? step_rows(s, left) : step_buffers(s, left);

	if (moved != 0)
		s->counters.events++;
	return moved;
}

uint64_t sender_wait(const struct sender *s, uint64_t now)
{
	uint64_t due_ns, due;

	if (s->counters.error != 0)
		return s->hz / 1000 * RETRY_MS;
	if (s->conf.rate_pps != 0)
		return pace_wait(&s->pace, now);
	if (!s->conf.capture_timing || s->start == 0)
		return 0;
	due_ns = capture_due_ns(s->conf.capture, s->counters.packets);
	due = s->start + (uint64_t)((u128)due_ns * s->hz / 1000000000u);
	return due > now ? due - now : 0;
}

void sender_counters(const struct sender *s, struct sender_counters *out)
{
	*out = s->counters;
	// A visit of the port is long; a report in its midst shall not wait.
	if (s->rows != NULL)
		rows_taken(s->rows, &out->packets, &out->bytes);
}

bool sender_done(const struct sender *s)
{
	return s->conf.count != 0 && s->counters.packets >= s->conf.count;
}

// SPDX-License-Identifier: BSD-2-Clause
// checker.c - the checks of check.c on the frames of a port.
#include "gen/check.h"
#include "gen/gen.h"

#include "port/port.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>
#include <stdlib.h>

enum { LOT = 64 };

struct checker {
	struct check *check;
	struct port *port;
	uint16_t queue;
};

struct checker *checker_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct port *port, uint16_t queue, struct err *err)
{
	struct checker *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for a checker");
		return NULL;
	}
	c->check = check_new(conf, hops, out_smac, out_dmac, err);
	if (c->check == NULL) {
		free(c);
		return NULL;
	}
	c->port = port;
	c->queue = queue;
	return c;
}

void checker_free(struct checker *c)
{
	if (c == NULL)
		return;
	check_free(c->check);
	free(c);
}

unsigned checker_step(struct checker *c)
{
	const uint8_t *frame[LOT];
	struct rte_mbuf *m[LOT];
	uint16_t len[LOT];
	unsigned n = port_rx(c->port, c->queue, m, LOT);

	if (n == 0)
		return 0;
	// All frames are on their way from the other core's cache before the first is looked at.
	for (unsigned i = 0; i < n; i++) {
		frame[i] = rte_pktmbuf_mtod(m[i], const uint8_t *);
		rte_prefetch0(frame[i]);
	}
	for (unsigned i = 0; i < n; i++) {
		// Test frames are one segment; a chain shows as one that is too short.
		len[i] = m[i]->data_len;
	}
	check_frames(c->check, frame, len, n);
	check_counters(c->check)->events++;
	port_free(m, n);
	return n;
}

void checker_counters(const struct checker *c, struct checker_counters *out)
{
	*out = *check_counters(c->check);
}

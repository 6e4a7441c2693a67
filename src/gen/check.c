// SPDX-License-Identifier: BSD-2-Clause
// check.c - every frame compared with what it must be.
//
// A frame's sequence number says which flow it belongs to, and so all its bytes are known before
// it is looked at.  For profiles of few flows the expected heads lie in a table: one row is
// compared under a mask (which leaves out the number, the UDP checksum over it, and MAC addresses
// nobody asked about), then the UDP checksum, then what lies behind the head.  Only a frame that
// differs is taken apart to say how.
//
// Frames of one sender come nearly in order, so the number is kept as a distance from the next
// expected one: that rebuilds 64 bits from 32 (or from the flow label's 20), and the row follows
// without a division.  A bitmap of the last 2^18 numbers finds duplicates and frames that came
// after a later one of their flow.
#include "gen/check.h"

#include "gen/flows.h"
#include "gen/frame.h"
#include "gen/source.h"
#include "packet/cksum.h"

#include <errno.h>
#include <stdlib.h>

enum { WINDOW_BITS = 1 << 18, WINDOW_WORDS = WINDOW_BITS / 64 };

typedef uint64_t row __attribute__((vector_size(FRAME_HEAD)));

struct check {
	row mask; // of the head: bits that must be as expected
	struct gen_conf conf;
	struct frame_tmpl tmpl;
	struct flows flows;
	uint8_t *table;   // NULL: expected heads are made one by one
	uint64_t next;    // one above the highest number seen
	uint64_t next_at; // its row of the table
	unsigned ttl;
	struct checker_counters n;
	uint64_t seen[WINDOW_WORDS]; // bit i % WINDOW_BITS: number i came; valid for the last ones
};

struct check *check_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct err *err)
{
	struct gen_conf out = *conf;
	uint8_t mask[FRAME_HEAD];
	struct check *c;

	if (gen_conf_check(conf, err) != 0)
		return NULL;
	if (!conf->stamp || hops > 63) {
		err_set(err, EINVAL,
			hops > 63 ? "more than 63 hops" : "only stamped frames can be checked");
		return NULL;
	}
	c = aligned_alloc(FRAME_HEAD, (sizeof(*c) + FRAME_HEAD - 1) / FRAME_HEAD * FRAME_HEAD);
	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for a checker");
		return NULL;
	}
	memset(c, 0, sizeof(*c));
	memset(mask, 0xff, sizeof(mask));
	if (out_smac != NULL)
		out.smac = *out_smac;
	else
		memset(mask + MAC_LEN, 0, MAC_LEN);
	if (out_dmac != NULL)
		out.dmac = *out_dmac;
	else
		memset(mask, 0, MAC_LEN);
	c->conf = out;
	c->ttl = 64 - hops;
	flows_init(&c->flows, conf);
	if (frame_tmpl_init(&c->tmpl, &out, (uint8_t)c->ttl, err) != 0) {
		free(c);
		return NULL;
	}
	c->table = source_table(&out, &c->tmpl, &c->flows);
	for (unsigned i = conf->len_min != 0 ? conf->len_min : conf->len; i < FRAME_HEAD; i++)
		mask[i] = 0;
	if (c->tmpl.seq == SEQ_PAYLOAD) {
		memset(mask + c->tmpl.udp_cksum_off, 0, 2);
		for (unsigned i = c->tmpl.seq_off; i < c->tmpl.seq_off + 4 && i < FRAME_HEAD; i++)
			mask[i] = 0;
	} else {
		mask[FRAME_ETH + 1] &= 0xf0;
		mask[FRAME_ETH + 2] = 0;
		mask[FRAME_ETH + 3] = 0;
	}
	memcpy(&c->mask, mask, sizeof(mask));
	return c;
}

void check_free(struct check *c)
{
	if (c == NULL)
		return;
	free(c->table);
	frame_tmpl_fini(&c->tmpl);
	free(c);
}

struct checker_counters *check_counters(struct check *c)
{
	return &c->n;
}

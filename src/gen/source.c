// SPDX-License-Identifier: BSD-2-Clause
// source.c - frames by copying ready heads where the flows are few enough, else made one by one.
#include "gen/source.h"

#include <errno.h>
#include <stdlib.h>

struct source {
	struct gen_conf conf;
	struct frame_tmpl tmpl;
	struct flows flows;
	uint8_t *table;   // NULL: heads are made one by one
	uint64_t seq;     // of the next frame
	uint64_t at;      // its row of the table
	struct flow flow; // its flow, where there is no table
};

uint8_t *source_table(
	const struct gen_conf *conf, const struct frame_tmpl *t, const struct flows *f)
{
	struct flow flow;
	uint8_t *table;

	if (f->n > SOURCE_TABLE_MAX || conf->random_src || conf->random_dst ||
		(conf->len_min != 0 && conf->len_min != conf->len))
		return NULL;
	table = aligned_alloc(FRAME_HEAD, f->n * FRAME_HEAD);
	if (table == NULL)
		return NULL;
	flows_at(f, 0, &flow);
	for (uint64_t i = 0; i < f->n; flows_next(f, ++i, &flow))
		frame_head(t, &flow, conf->len, table + i * FRAME_HEAD);
	return table;
}

struct source *source_new(const struct gen_conf *conf, struct err *err)
{
	struct source *s;

	if (gen_conf_check(conf, err) != 0)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		err_set(err, ENOMEM, "no memory for a sender");
		return NULL;
	}
	s->conf = *conf;
	flows_init(&s->flows, conf);
	if (frame_tmpl_init(&s->tmpl, conf, 64, err) != 0) {
		free(s);
		return NULL;
	}
	s->table = source_table(conf, &s->tmpl, &s->flows);
	flows_at(&s->flows, 0, &s->flow);
	return s;
}

void source_free(struct source *s)
{
	if (s == NULL)
		return;
	free(s->table);
	frame_tmpl_fini(&s->tmpl);
	free(s);
}

uint64_t source_period(const struct source *s)
{
	return s->table != NULL && s->tmpl.seq == SEQ_NONE ? s->flows.n : 0;
}

// kind is a constant in each caller, so that the loop is built without the branches on it.
static inline __attribute__((always_inline)) void fill_from_table(
	struct source *s, uint8_t *const *buf, uint16_t *len, unsigned n, enum frame_seq kind)
{
	const uint8_t *table = s->table;
	uint64_t at = s->at, flows = s->flows.n, seq = s->seq;
	unsigned off = s->tmpl.seq_off, sum_off = s->tmpl.udp_cksum_off;
	uint16_t bytes = s->conf.len;

	for (unsigned i = 0; i < n; i++) {
		memcpy(buf[i], table + at * FRAME_HEAD, FRAME_HEAD);
		if (bytes > FRAME_HEAD)
			frame_tail(&s->tmpl, bytes, buf[i]);
		frame_number(buf[i], kind, off, sum_off, seq + i);
		len[i] = bytes;
		at = at + 1 == flows ? 0 : at + 1;
	}
	s->at = at;
	s->seq = seq + n;
}

static void fill_one_by_one(struct source *s, uint8_t *const *buf, uint16_t *len, unsigned n)
{
	for (unsigned i = 0; i < n; i++, s->seq++) {
		len[i] = (uint16_t)source_len(&s->conf, s->seq);
		frame_head(&s->tmpl, &s->flow, len[i], buf[i]);
		frame_tail(&s->tmpl, len[i], buf[i]);
		frame_number(buf[i], s->tmpl.seq, s->tmpl.seq_off, s->tmpl.udp_cksum_off, s->seq);
		flows_next(&s->flows, s->seq + 1, &s->flow);
	}
}

void source_fill(struct source *s, uint8_t *const *buf, uint16_t *len, unsigned n)
{
	if (s->table == NULL)
		fill_one_by_one(s, buf, len, n);
	else if (s->tmpl.seq == SEQ_NONE)
		fill_from_table(s, buf, len, n, SEQ_NONE);
	else if (s->tmpl.seq == SEQ_PAYLOAD)
		fill_from_table(s, buf, len, n, SEQ_PAYLOAD);
	else
		fill_from_table(s, buf, len, n, SEQ_LABEL);
}

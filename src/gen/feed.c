// SPDX-License-Identifier: BSD-2-Clause
#include "gen/feed.h"

#include "gen/capture.h"
#include "gen/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct feed {
	struct gen_conf conf;
	struct source *source; // NULL: a capture, or rubbish
	uint64_t n;            // frames so far
};

struct feed *feed_new(const struct gen_conf *conf, struct err *err)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_set(err, ENOMEM, "no memory for a sender");
		return NULL;
	}
	f->conf = *conf;
	if (conf->capture != NULL || conf->rubbish)
		return f;
	f->source = source_new(conf, err);
	if (f->source != NULL)
		return f;
	free(f);
	return NULL;
}

void feed_free(struct feed *f)
{
	if (f == NULL)
		return;
	source_free(f->source);
	free(f);
}

static void fill_from_capture(struct feed *f, uint8_t *const *buf, uint16_t *len, unsigned n)
{
	const struct gen_capture *c = f->conf.capture;

	for (unsigned i = 0; i < n; i++) {
		const struct pcapfile_frame *frame = &c->file.frames[(f->n + i) % c->file.n];

		memcpy(buf[i], frame->data, frame->len);
		len[i] = (uint16_t)frame->len;
	}
}

static void fill_with_rubbish(struct feed *f, uint16_t *len, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		len[i] = (uint16_t)source_len(&f->conf, f->n + i);
}

void feed_fill(struct feed *f, uint8_t *const *buf, uint16_t *len, unsigned n)
{
	if (f->source != NULL)
		source_fill(f->source, buf, len, n);
	else if (f->conf.capture != NULL)
		fill_from_capture(f, buf, len, n);
	else
		fill_with_rubbish(f, len, n);
	if (f->conf.look != NULL)
		for (unsigned i = 0; i < n; i++)
			f->conf.look(f->conf.look_arg, buf[i], len[i]);
	f->n += n;
}

uint64_t feed_period(const struct feed *f)
{
	if (f->conf.look != NULL)
		return 0;
	if (f->conf.capture != NULL)
		return f->conf.capture->file.n;
	return f->source != NULL ? source_period(f->source) : 0;
}

void feed_lengths(const struct feed *f, unsigned *least, unsigned *most)
{
	const struct gen_capture *c = f->conf.capture;

	*most = c != NULL ? c->longest : f->conf.len;
	*least = c != NULL || f->conf.len_min == 0 ? *most : f->conf.len_min;
	for (uint32_t i = 0; c != NULL && i < c->file.n; i++)
		if (c->file.frames[i].len < *least)
			*least = c->file.frames[i].len;
}

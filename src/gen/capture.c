// SPDX-License-Identifier: BSD-2-Clause
#include "gen/capture.h"

#include <errno.h>
#include <stdlib.h>

static int check_frames(struct gen_capture *c, const char *path, struct err *err)
{
	if (c->file.n == 0)
		return err_set(err, EINVAL, "%s: it holds no frames", path);
	for (uint32_t i = 0; i < c->file.n; i++) {
		uint32_t len = c->file.frames[i].len, wire_len = c->file.frames[i].wire_len;

		if (len == 0 || len > GEN_LEN_MAX)
			return err_set(err, EINVAL, "%s: frame %u has %u bytes, not 1 to %d", path,
				i + 1, len, GEN_LEN_MAX);
		if (len != wire_len)
			return err_set(err, EINVAL,
				"%s: frame %u: only %u of its %u bytes were captured (tcpdump -s 0 "
				"captures all)",
				path, i + 1, len, wire_len);
		if (len > c->longest)
			c->longest = len;
	}
	return 0;
}

// Merged captures hold frames out of order; such a frame goes without a wait.
static void take_times(struct gen_capture *c)
{
	uint64_t first = c->file.frames[0].t_ns, last = 0;

	for (uint32_t i = 0; i < c->file.n; i++) {
		uint64_t at = c->file.frames[i].t_ns - first;

		if ((int64_t)at > (int64_t)last)
			last = at;
		c->at_ns[i] = last;
	}
}

struct gen_capture *gen_capture_read(const char *path, struct err *err)
{
	struct gen_capture *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		err_set(err, ENOMEM, "%s: no memory", path);
		return NULL;
	}
	if (pcapfile_read(path, &c->file, err) != 0) {
		free(c);
		return NULL;
	}
	c->at_ns = calloc(c->file.n + 1u, sizeof(*c->at_ns));
	if (c->at_ns == NULL)
		err_set(err, ENOMEM, "%s: no memory", path);
	if (c->at_ns == NULL || check_frames(c, path, err) != 0) {
		gen_capture_free(c);
		return NULL;
	}
	take_times(c);
	return c;
}

void gen_capture_free(struct gen_capture *c)
{
	if (c == NULL)
		return;
	pcapfile_free(&c->file);
	free(c->at_ns);
	free(c);
}

uint64_t gen_capture_frames(const struct gen_capture *c)
{
	return c->file.n;
}

unsigned gen_capture_longest(const struct gen_capture *c)
{
	return c->longest;
}

uint64_t capture_due_ns(const struct gen_capture *c, uint64_t i)
{
	uint64_t n = c->file.n, length = c->at_ns[n - 1];
	uint64_t lap = n > 1 ? length + length / (n - 1) : 0;

	return i / n * lap + c->at_ns[i % n];
}

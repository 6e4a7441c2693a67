// SPDX-License-Identifier: BSD-2-Clause
#include "gen/capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

// Offsets are 32 bits; a capture beyond this would not fit the memory of a packet I/O process.
enum { CAPTURE_BYTES_MAX = 1 << 30 };

static int grow(void **p, size_t *room, size_t want, size_t size, struct err *err)
{
	size_t n = *room == 0 ? 1024 : *room;
	void *more;

	while (n < want)
		n *= 2;
	if (n == *room)
		return 0;
	more = realloc(*p, n * size);
	if (more == NULL)
		return err_set(err, ENOMEM, "no memory for its frames");
	*p = more;
	*room = n;
	return 0;
}

static int add(struct gen_capture *c, const struct pcap_pkthdr *h, const uint8_t *data,
	uint64_t first_ns, struct err *err)
{
	uint64_t at = (uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec - first_ns;
	uint64_t last = c->n == 0 ? 0 : c->frame[c->n - 1].at_ns;
	size_t room = c->room;

	if (h->caplen == 0 || h->caplen > GEN_LEN_MAX)
		return err_set(err, EINVAL, "frame %llu has %u bytes, not 1 to %d",
			(unsigned long long)c->n + 1, h->caplen, GEN_LEN_MAX);
	if (c->n_bytes + h->caplen > CAPTURE_BYTES_MAX)
		return err_set(err, EFBIG, "more than %d bytes of frames", CAPTURE_BYTES_MAX);
	if (grow((void **)&c->frame, &room, c->n + 1, sizeof(*c->frame), err) != 0 ||
		grow((void **)&c->bytes, &c->bytes_room, c->n_bytes + h->caplen, 1, err) != 0)
		return -ENOMEM;
	c->room = room;
	// Merged captures hold frames out of order; they are sent without a wait then.
	if ((int64_t)at < (int64_t)last)
		at = last;
	c->frame[c->n++] = (struct capture_frame){
		.at_ns = at, .off = (uint32_t)c->n_bytes, .len = (uint16_t)h->caplen};
	memcpy(c->bytes + c->n_bytes, data, h->caplen);
	c->n_bytes += h->caplen;
	if (h->caplen > c->longest)
		c->longest = h->caplen;
	return 0;
}

static int read_all(struct gen_capture *c, pcap_t *p, struct err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *data;
	uint64_t first_ns = 0;
	int rc;

	if (pcap_datalink(p) != DLT_EN10MB)
		return err_set(err, EINVAL, "its frames are not Ethernet (link type %d)",
			pcap_datalink(p));
	while ((rc = pcap_next_ex(p, &h, &data)) == 1) {
		if (c->n == 0)
			first_ns = (uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec;
		if (add(c, h, data, first_ns, err) != 0)
			return -EINVAL;
	}
	if (rc != PCAP_ERROR_BREAK)
		return err_set(err, EINVAL, "behind frame %llu: %s", (unsigned long long)c->n,
			pcap_geterr(p));
	if (c->n == 0)
		return err_set(err, EINVAL, "it holds no frames");
	return 0;
}

struct gen_capture *gen_capture_read(const char *path, struct err *err)
{
	char text[PCAP_ERRBUF_SIZE] = "";
	pcap_t *p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, text);
	struct gen_capture *c;

	if (p == NULL) {
		// libpcap names the file in some of its messages only.
		if (strstr(text, path) != NULL)
			err_set(err, EINVAL, "capture %s", text);
		else
			err_set(err, EINVAL, "capture %s: %s", path, text);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for the capture %s", path);
	} else if (read_all(c, p, err) != 0) {
		err_context(err, "capture %s", path);
		gen_capture_free(c);
		c = NULL;
	}
	pcap_close(p);
	return c;
}

void gen_capture_free(struct gen_capture *c)
{
	if (c == NULL)
		return;
	free(c->frame);
	free(c->bytes);
	free(c);
}

uint64_t gen_capture_frames(const struct gen_capture *c)
{
	return c->n;
}

unsigned gen_capture_longest(const struct gen_capture *c)
{
	return c->longest;
}

uint64_t capture_due_ns(const struct gen_capture *c, uint64_t i)
{
	uint64_t length = c->frame[c->n - 1].at_ns;
	uint64_t lap = c->n > 1 ? length + length / (c->n - 1) : 0;

	return i / c->n * lap + c->frame[i % c->n].at_ns;
}

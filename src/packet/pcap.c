// SPDX-License-Identifier: BSD-2-Clause
// libpcap knows the formats.  Frames are gathered in one growing block, so while it moves they are
// kept as offsets; the pointers are set when the last one is in.
#include "packet/pcap.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ull

enum { SNAPLEN = 262144 };

struct gather {
	struct pcapfile_frame *frames;
	uint8_t *bytes;
	size_t n, frames_max, used, bytes_max;
};

// Doubles *max until `need` items of `size` bytes fit.
static int grow(void *block, size_t *max, size_t need, size_t size)
{
	void **p = block, *bigger;
	size_t n = *max == 0 ? 1024 : *max;

	if (need <= *max)
		return 0;
	while (n < need)
		n *= 2;
	bigger = realloc(*p, n * size);
	if (bigger == NULL)
		return -ENOMEM;
	*p = bigger;
	*max = n;
	return 0;
}

static int gather_add(struct gather *g, const struct pcap_pkthdr *h, const uint8_t *data)
{
	if (grow(&g->frames, &g->frames_max, g->n + 1, sizeof(*g->frames)) < 0 ||
		grow(&g->bytes, &g->bytes_max, g->used + h->caplen + 1, 1) < 0)
		return -ENOMEM;
	// With nanosecond precision asked for, tv_usec holds nanoseconds.
	g->frames[g->n++] = (struct pcapfile_frame){
		.t_ns = (uint64_t)h->ts.tv_sec * NS + (uint64_t)h->ts.tv_usec,
		.len = h->caplen,
		.wire_len = h->len,
	};
	memcpy(g->bytes + g->used, data, h->caplen);
	g->used += h->caplen;
	return 0;
}

static int gather_all(pcap_t *in, const char *name, struct gather *g, struct err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *data;
	int got;

	while ((got = pcap_next_ex(in, &h, &data)) == 1) {
		if (h->caplen > h->len)
			return err_set(err, EINVAL,
				"%s: frame %zu: %u bytes captured of a frame of %u", name, g->n + 1,
				h->caplen, h->len);
		if (g->n == UINT32_MAX || gather_add(g, h, data) < 0)
			return err_set(err, ENOMEM, "%s: frame %zu: no memory for so many frames",
				name, g->n + 1);
	}
	if (got == PCAP_ERROR)
		return err_set(err, EINVAL, "%s: frame %zu: %s", name, g->n + 1, pcap_geterr(in));
	return 0;
}

static int read_capture(pcap_t *in, const char *name, struct pcapfile *out, struct err *err)
{
	struct gather g = {.frames = NULL};
	const char *link = pcap_datalink_val_to_name(pcap_datalink(in));
	size_t at = 0;
	int rc;

	if (pcap_datalink(in) != DLT_EN10MB)
		return err_set(err, EINVAL, "%s: link type is %s (%d), not Ethernet", name,
			link == NULL ? "unknown" : link, pcap_datalink(in));
	rc = gather_all(in, name, &g, err);
	if (rc < 0) {
		free(g.frames);
		free(g.bytes);
		return rc;
	}
	for (size_t i = 0; i < g.n; i++) {
		g.frames[i].data = g.bytes + at;
		at += g.frames[i].len;
	}
	*out = (struct pcapfile){.n = (uint32_t)g.n, .frames = g.frames, .bytes = g.bytes};
	return 0;
}

// Takes f over.
static int read_stream(FILE *f, const char *name, struct pcapfile *out, struct err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in;
	int rc;

	in = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);
	if (in == NULL) {
		fclose(f);
		return err_set(err, EINVAL, "%s: %s", name, why);
	}
	rc = read_capture(in, name, out, err);
	pcap_close(in);
	return rc;
}

int pcapfile_read(const char *path, struct pcapfile *out, struct err *err)
{
	FILE *f = fopen(path, "rbe");

	if (f == NULL)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	return read_stream(f, path, out, err);
}

int pcapfile_read_memory(const char *name, const void *data, unsigned long len,
	struct pcapfile *out, struct err *err)
{
	FILE *f;

	if (len == 0) // fmemopen may refuse it
		return err_set(err, EINVAL, "%s: empty, not a capture", name);
	f = fmemopen((void *)(uintptr_t)data, len, "rb");
	if (f == NULL)
		return err_set(err, errno, "%s: %s", name, strerror(errno));
	return read_stream(f, name, out, err);
}

void pcapfile_free(struct pcapfile *p)
{
	free(p->frames);
	free(p->bytes);
	*p = (struct pcapfile){.n = 0};
}

struct pcapfile_writer {
	pcap_t *dead;
	pcap_dumper_t *dump;
	char path[];
};

struct pcapfile_writer *pcapfile_create(const char *path, struct err *err)
{
	struct pcapfile_writer *w = malloc(sizeof(*w) + strlen(path) + 1);
	FILE *f;

	if (w == NULL) {
		err_set(err, ENOMEM, "%s: no memory", path);
		return NULL;
	}
	strcpy(w->path, path);
	w->dead = pcap_open_dead_with_tstamp_precision(
		DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	f = fopen(path, "wbe");
	if (w->dead == NULL || f == NULL) {
		err_set(err, errno, "%s: %s", path, strerror(errno));
		goto fail;
	}
	w->dump = pcap_dump_fopen(w->dead, f); // closes f if it fails
	if (w->dump == NULL) {
		err_set(err, EIO, "%s: %s", path, pcap_geterr(w->dead));
		f = NULL;
		goto fail;
	}
	return w;
fail:
	if (f != NULL)
		fclose(f);
	if (w->dead != NULL)
		pcap_close(w->dead);
	free(w);
	return NULL;
}

void pcapfile_put(struct pcapfile_writer *w, uint64_t t_ns, const void *frame, uint32_t len)
{
	struct pcap_pkthdr h = {.caplen = len, .len = len};

	h.ts.tv_sec = (time_t)(t_ns / NS);
	h.ts.tv_usec = (suseconds_t)(t_ns % NS);
	pcap_dump((uint8_t *)w->dump, &h, frame);
}

int pcapfile_close(struct pcapfile_writer *w, struct err *err)
{
	FILE *f = pcap_dump_file(w->dump);
	int rc = 0;

	errno = 0;
	if (fflush(f) != 0 || ferror(f) != 0)
		rc = err_set(err, errno == 0 ? EIO : errno, "%s: %s", w->path,
			errno == 0 ? "an earlier write failed" : strerror(errno));
	pcap_dump_close(w->dump);
	pcap_close(w->dead);
	free(w);
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// capture.c - ports that read and write capture files.
//
// The driver gets the files as /proc/self/fd/N: we open and check them first, so that errors are
// ours to word, and so that no character of a path can be taken for a driver's argument.  The file
// written has no name (or a temporary one where the file system cannot do that) until the port
// closes; then it takes the place of OUT as a whole.
#include "port/ethdev.h"
#include "port/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pcap/pcap.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Buffers that must be left beside those of the looped frames, for the frames under way.
enum { LOOP_SPARE = 512, FILE_HEADER_BYTES = 24, FRAME_HEADER_BYTES = 16 };

struct capture {
	int in, out;    // -1 = none
	bool direct;    // OUT is a device or a pipe, written as it is
	char tmp[4200]; // the temporary name, "" = OUT's file has none yet
	uint64_t n_frames;
	uint32_t longest;
};

static int count_frames(struct port *p, struct capture *c, pcap_t *pcap, struct err *err)
{
	struct pcap_pkthdr *h;
	const unsigned char *data;
	int r;

	if (pcap_datalink(pcap) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(pcap));

		return err_set(err, EINVAL, "%s: link type %s, not Ethernet", p->spec.in,
			name != NULL ? name : "unknown");
	}
	while ((r = pcap_next_ex(pcap, &h, &data)) == 1) {
		c->n_frames++;
		// Its end is not known, so it can neither be sent nor received as it was.
		if (h->caplen != h->len)
			return err_set(err, EINVAL,
				"%s: frame %llu: only %u of its %u bytes were captured (tcpdump -s 0 "
				"captures all)",
				p->spec.in, (unsigned long long)c->n_frames, h->caplen, h->len);
		if (h->caplen > c->longest)
			c->longest = h->caplen;
	}
	if (r == PCAP_ERROR)
		return err_set(err, EINVAL, "%s: frame %llu: %s", p->spec.in,
			(unsigned long long)c->n_frames + 1, pcap_geterr(pcap));
	return 0;
}

static int open_in(struct port *p, struct capture *c, struct err *err)
{
	char text[PCAP_ERRBUF_SIZE];
	struct stat st;
	FILE *f;
	pcap_t *pcap;
	int e;

	// O_NONBLOCK: a FIFO without a writer is refused below instead of waited for.
	c->in = open(p->spec.in, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (c->in < 0)
		return err_set(err, errno, "%s: %s", p->spec.in, strerror(errno));
	if (fstat(c->in, &st) != 0 || !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: not a regular file", p->spec.in);
	e = dup(c->in);
	f = e < 0 ? NULL : fdopen(e, "r");
	if (f == NULL) {
		if (e >= 0)
			close(e);
		return err_set(err, errno, "%s: %s", p->spec.in, strerror(errno));
	}
	pcap = pcap_fopen_offline(f, text);
	if (pcap == NULL) {
		fclose(f);
		return err_set(err, EINVAL, "%s: not a capture: %s", p->spec.in, text);
	}
	e = count_frames(p, c, pcap, err);
	pcap_close(pcap);
	return e;
}

static int open_out(struct port *p, struct capture *c, struct err *err)
{
	const char *out = p->spec.out;
	char dir[SPEC_PATH_MAX], base[SPEC_PATH_MAX];
	const char *d;
	struct stat st;

	if (stat(out, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, EISDIR, "%s: is a folder", out);
		if (access(out, W_OK) != 0)
			return err_set(err, errno, "%s: %s", out, strerror(errno));
		c->direct = !S_ISREG(st.st_mode);
	}
	if (c->direct) {
		c->out = open(out, O_WRONLY | O_CLOEXEC);
		return c->out >= 0 ? 0 : err_set(err, errno, "%s: %s", out, strerror(errno));
	}
	snprintf(dir, sizeof(dir), "%s", out);
	snprintf(base, sizeof(base), "%s", out);
	d = dirname(dir);
	c->out = open(d, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (c->out < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		snprintf(c->tmp, sizeof(c->tmp), "%s/.weir-XXXXXX", d);
		c->out = mkostemp(c->tmp, O_CLOEXEC);
		if (c->out < 0)
			c->tmp[0] = '\0';
	}
	return c->out >= 0 ? 0 : err_set(err, errno, "%s: %s", out, strerror(errno));
}

// The driver keeps all frames of a loop in buffers of the pool and copies each time.
static int check_loop(
	const struct port *p, const struct capture *c, struct rte_mempool *pool, struct err *err)
{
	unsigned room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;

	if (c->n_frames == 0)
		return err_set(err, EINVAL, "%s: holds no frame to repeat", p->spec.in);
	if (c->longest > room)
		return err_set(err, EINVAL,
			"%s: a frame of %u bytes: repeated frames have at most %u", p->spec.in,
			c->longest, room);
	if (rte_mempool_avail_count(pool) < c->n_frames + LOOP_SPARE)
		return err_set(err, ENOMEM,
			"%s: %llu frames to repeat need as many buffers and %d more; %u are free",
			p->spec.in, (unsigned long long)c->n_frames, LOOP_SPARE,
			rte_mempool_avail_count(pool));
	return 0;
}

static int check_queues(const struct port *p, const struct port_conf *conf, struct err *err)
{
	if (p->n_rxq > 1 || p->n_txq > 1)
		return err_set(err, EINVAL, "%s: a capture has one queue each way", p->name);
	if (conf->pcap_loop && p->spec.in[0] == '\0')
		return err_set(err, EINVAL, "%s: there is no capture to repeat", p->name);
	return 0;
}

static void describe(struct port *p, const struct capture *c, bool loop)
{
	int n = 0;
	size_t size = sizeof(p->describe);

	if (c->in >= 0)
		n = snprintf(p->describe, size, "capture %.90s (%llu frames%s)", p->spec.in,
			(unsigned long long)c->n_frames, loop ? ", repeated from memory" : "");
	if (c->out >= 0)
		snprintf(p->describe + n, size - (size_t)n, "%swritten to capture %.90s",
			n == 0 ? "" : ", ", p->spec.out);
	else
		snprintf(p->describe + n, size - (size_t)n, ", what is sent vanishes");
}

int capture_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct capture *c = calloc(1, sizeof(*c));
	char args[128];
	int e, n = 0;

	if (c == NULL)
		return err_set(err, ENOMEM, "%s: out of memory", p->name);
	p->capture = c;
	c->in = c->out = -1;
	e = check_queues(p, conf, err);
	if (e == 0 && p->spec.in[0] != '\0')
		e = open_in(p, c, err);
	if (e == 0 && conf->pcap_loop)
		e = check_loop(p, c, conf->pool, err);
	if (e == 0 && p->spec.out[0] != '\0')
		e = open_out(p, c, err);
	if (e < 0)
		return e;
	if (c->in >= 0)
		n = snprintf(args, sizeof(args), "rx_pcap=/proc/self/fd/%d%s", c->in,
			conf->pcap_loop ? ",infinite_rx=1" : "");
	if (c->out >= 0)
		snprintf(args + n, sizeof(args) - (size_t)n, "%stx_pcap=/proc/self/fd/%d",
			n == 0 ? "" : ",", c->out);
	describe(p, c, conf->pcap_loop);
	port_mac_from(p->name, 0, &p->mac);
	p->finite = c->in >= 0 && !conf->pcap_loop;
	atomic_store(&p->n_left, c->n_frames);
	return port_vdev(p, "net_pcap", args, err);
}

// The driver does not tell when a write failed; the size does.
static int check_size(const struct port *p, const struct capture *c, struct err *err)
{
	struct rte_eth_stats s;
	struct stat st;
	uint64_t want;

	if (rte_eth_stats_get(p->id, &s) != 0 || fstat(c->out, &st) != 0)
		return err_set(err, EIO, "%s: cannot be checked", p->spec.out);
	want = FILE_HEADER_BYTES + s.opackets * FRAME_HEADER_BYTES + s.obytes;
	if ((uint64_t)st.st_size != want)
		return err_set(err, ENOSPC, "%s: not written: %llu bytes of %llu found room",
			p->spec.out, (unsigned long long)st.st_size, (unsigned long long)want);
	return 0;
}

static int give_name(struct capture *c, const char *out)
{
	char fd[64], dir[SPEC_PATH_MAX];
	const char *d;
	mode_t mask;

	if (c->tmp[0] == '\0') {
		snprintf(dir, sizeof(dir), "%s", out);
		d = dirname(dir);
		snprintf(fd, sizeof(fd), "/proc/self/fd/%d", c->out);
		snprintf(c->tmp, sizeof(c->tmp), "%s/.weir-%d-%d", d, (int)getpid(), c->out);
		if (linkat(AT_FDCWD, fd, AT_FDCWD, c->tmp, AT_SYMLINK_FOLLOW) != 0) {
			c->tmp[0] = '\0';
			return -1;
		}
	} else {
		mask = umask(0);
		umask(mask);
		if (fchmod(c->out, 0666 & ~mask) != 0)
			return -1;
	}
	if (rename(c->tmp, out) != 0)
		return -1;
	c->tmp[0] = '\0';
	return 0;
}

int capture_finish(struct port *p, struct err *err)
{
	struct capture *c = p->capture;
	int e = 0;

	if (c == NULL || c->out < 0)
		return 0;
	if (!c->direct)
		e = check_size(p, c, err);
	if (e == 0 && !c->direct && give_name(c, p->spec.out) != 0)
		e = err_set(err, errno, "%s: %s", p->spec.out, strerror(errno));
	if (c->tmp[0] != '\0')
		unlink(c->tmp);
	close(c->out);
	c->out = -1;
	return e;
}

void capture_detach(struct port *p)
{
	struct capture *c = p->capture;

	if (c == NULL)
		return;
	if (c->tmp[0] != '\0')
		unlink(c->tmp);
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
		close(c->out);
	free(c);
	p->capture = NULL;
}

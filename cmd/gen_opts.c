// SPDX-License-Identifier: BSD-2-Clause
// gen_opts.c - pkt-gen's command line.
#include "gen_cmd.h"

#include "base/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_TIMING = 256, LONG_ONCE, LONG_HELP };

static const struct option_help {
	int letter;
	const char *name; // of a long option
	const char *arg;
	const char *text;
} table[] = {
	{'i', NULL, "port", "the port; required"},
	{'f', NULL, "function", "tx rx ping pong txseq rxseq (rx)"},
	{'n', NULL, "count", "packets to send or receive, 0 = without end (0)"},
	{'l', NULL, "bytes", "frame length without CRC (60; IPv6 62); a second -l: the least"},
	{'b', NULL, "packets", "most packets a visit of the port (512; ping and pong 1)"},
	{'4', NULL, NULL, "IPv4 (so by default)"},
	{'6', NULL, NULL, "IPv6"},
	{'s', NULL, "range", "source addresses and ports, A[:P][-B[:Q]] or [G@][A]:P-[G@][B]:Q"},
	{'d', NULL, "range", "destination addresses and ports"},
	{'S', NULL, "mac", "source MAC (the port's own)"},
	{'D', NULL, "mac", "destination MAC (ff:ff:ff:ff:ff:ff)"},
	{'p', NULL, "threads", "threads, each with a queue of its own (1)"},
	{'c', NULL, "cpus", "CPUs that -a counts over, 0 = all (all)"},
	{'a', NULL, "cpu", "bind thread i to CPU (a + i) mod c"},
	{'R', NULL, "rate", "packets a second and thread, 0 = as fast as possible (0)"},
	{'w', NULL, "seconds", "wait for the link (2; 0 on ports without one)"},
	{'W', NULL, NULL, "rx, rxseq: stop after a second without packets"},
	{'T', NULL, "ms", "report interval (1000)"},
	{'N', NULL, NULL, "plain numbers in reports"},
	{'B', NULL, NULL, "count CRC, preamble and gap in bit rates"},
	{'A', NULL, NULL, "average and deviation of the last 15 reports"},
	{'X', NULL, NULL, "dump every packet"},
	{'v', NULL, NULL, "more to read; may be repeated"},
	{'z', NULL, NULL, "random source address and port"},
	{'Z', NULL, NULL, "random destination address and port"},
	{'P', NULL, "file", "send the frames of a capture, again and again"},
	{0, "pcap-timing", NULL, "with -P: at the distances of the capture"},
	{0, "pcap-once", NULL, "with -P: each frame once"},
	{'r', NULL, NULL, "rubbish: send what the buffers hold"},
	{'C', NULL, "tx[,rx[,txr[,rxr]]]", "descriptors and rings of the port"},
	{'o', NULL, "bits", "1 prefetch, 2 access, 4 copy, 8 memcpy, 64 dump, ... ORed"},
	{'F', NULL, "1", "fragments of a packet; only 1"},
	{'M', NULL, "bytes", "refused: fragments are netmap's"},
	{'H', NULL, "0", "virtio-net header; only 0"},
	{'I', NULL, NULL, "refused: indirect buffers are VALE's"},
	{'U', NULL, NULL, "accepted: checksums are always right"},
	{'h', "help", NULL, "this text"},
};

enum { N_OPTIONS = sizeof(table) / sizeof(table[0]) };

static void usage(FILE *out, const char *self)
{
	char left[64];

	fprintf(out, "usage: %s -i port [options]\n\n", self);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const struct option_help *o = &table[i];
		int n = 0;

		if (o->letter != 0)
			n = snprintf(left, sizeof(left), "-%c%s", o->letter,
				o->name != NULL ? ", " : "");
		if (o->name != NULL)
			n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s", o->name);
		if (o->arg != NULL)
			snprintf(left + n, sizeof(left) - (size_t)n, " %s", o->arg);
		fprintf(out, "  %-24s %s\n", left, o->text);
	}
	fprintf(out,
		"\nPorts: an interface (eth0), xdp:IF, afpacket:IF, netmap:IF, tap:NAME, null, "
		"pcap:IN[,OUT],\nmem:NAME, memif:SOCKET, a PCI address.  pkt-gen(8) is the "
		"manual.\n");
}

// State of the reading that the options themselves do not keep.
struct reading {
	struct gen_options *o;
	const char *smac, *dmac;
	unsigned n_len;
	uint64_t len[2];
	bool help;
	char given[128]; // by letter: was it on the command line?
};

static int number(int letter, uint64_t min, uint64_t max, uint64_t *out, struct err *err)
{
	if (text_u64(optarg, max, out, err) != 0)
		return err_context(err, "-%c", letter);
	if (*out < min)
		return err_set(err, EINVAL, "-%c: %s is less than %llu", letter, optarg,
			(unsigned long long)min);
	return 0;
}

static int unsigned_option(int letter, unsigned min, unsigned max, unsigned *out, struct err *err)
{
	uint64_t v;

	if (number(letter, min, max, &v, err) != 0)
		return -EINVAL;
	*out = (unsigned)v;
	return 0;
}

static int function_option(struct gen_options *o, struct err *err)
{
	static const char *const names[] = {"tx", "rx", "ping", "pong", "txseq", "rxseq"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(optarg, names[i]) == 0) {
			o->function = (enum gen_function)i;
			return 0;
		}
	return err_set(err, EINVAL, "-f: '%s' is none of tx rx ping pong txseq rxseq", optarg);
}

// txslots[,rxslots[,txrings[,rxrings]]]: one number is for both, as is a third without a fourth.
static int rings_option(struct gen_options *o, struct err *err)
{
	uint16_t *to[4] = {&o->txslots, &o->rxslots, &o->txrings, &o->rxrings};
	char *copy = strdup(optarg), *rest = copy, *word;
	uint64_t v;
	unsigned n = 0;

	while ((word = strsep(&rest, ",")) != NULL) {
		if (n == 4 || text_u64(word, n < 2 ? 32768 : 1024, &v, err) != 0 || v == 0) {
			free(copy);
			return err_set(err, EINVAL,
				"-C: '%s' is not txslots[,rxslots[,txrings[,rxrings]]], counts from 1",
				optarg);
		}
		*to[n++] = (uint16_t)v;
	}
	free(copy);
	if (n == 1)
		o->rxslots = o->txslots;
	if (n == 3)
		o->rxrings = o->txrings;
	return 0;
}

static int bits_option(struct gen_options *o, struct err *err)
{
	static const struct {
		unsigned bit;
		const char *why;
	} refused[] = {
		{16, "time stamps were never written"},
		{32, "indirect buffers are VALE's"},
	};
	const unsigned known = O_PREFETCH | O_ACCESS | O_COPY | O_MEMCPY | 64 | 256 | 512 | 1024 |
			       2048 | 4096;
	uint64_t v;

	if (number('o', 0, 8191, &v, err) != 0)
		return -EINVAL;
	for (unsigned i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (v & refused[i].bit)
			return err_set(
				err, EINVAL, "-o: bit %u: %s", refused[i].bit, refused[i].why);
	if (v & ~(uint64_t)known)
		return err_set(err, EINVAL, "-o: bit %llu has no meaning",
			(unsigned long long)(v & ~(uint64_t)known));
	o->touch |= (unsigned)v & (O_PREFETCH | O_ACCESS | O_COPY | O_MEMCPY);
	o->dump |= (v & 64) != 0;
	o->conf.rubbish |= (v & 256) != 0;
	o->conf.random_src |= (v & 512) != 0;
	o->conf.random_dst |= (v & 1024) != 0;
	o->report_flags |= v & 2048 ? REPORT_SPREAD : 0;
	return 0;
}

static int length_option(struct reading *r, struct err *err)
{
	if (r->n_len == 2)
		return err_set(err, EINVAL, "-l: a third length");
	return number('l', 16, GEN_LEN_MAX, &r->len[r->n_len++], err);
}

static int only(int letter, const char *value, const char *why, struct err *err)
{
	if (strcmp(optarg, value) == 0)
		return 0;
	return err_set(err, EINVAL, "-%c %s: %s", letter, optarg, why);
}

// Options with an argument.
static int take_value(struct reading *r, int c, struct err *err)
{
	struct gen_options *o = r->o;
	unsigned v;

	switch (c) {
	case 'i':
		o->port = optarg;
		return 0;
	case 'f':
		return function_option(o, err);
	case 'n':
		return number(c, 0, UINT64_MAX, &o->conf.count, err);
	case 'l':
		return length_option(r, err);
	case 'b':
		o->burst_set = true;
		return unsigned_option(c, 1, GEN_BURST_MAX, &o->conf.burst, err);
	case 's':
		o->src_text = optarg;
		return 0;
	case 'd':
		o->dst_text = optarg;
		return 0;
	case 'S':
		r->smac = optarg;
		return 0;
	case 'D':
		r->dmac = optarg;
		return 0;
	case 'p':
		return unsigned_option(c, 1, 1024, &o->threads, err);
	case 'c':
		return unsigned_option(c, 0, 1024, &o->n_cpus, err);
	case 'a':
		if (unsigned_option(c, 0, 1023, &v, err) != 0)
			return -EINVAL;
		o->first_cpu = (int)v;
		return 0;
	case 'R':
		return number(c, 0, 4000000000u, &o->conf.rate_pps, err);
	case 'w':
		if (unsigned_option(c, 0, 86400, &v, err) != 0)
			return -EINVAL;
		o->wait_s = (int)v;
		return 0;
	case 'T':
		return unsigned_option(c, 1, 86400000, &o->report_ms, err);
	case 'P':
		o->capture = optarg;
		return 0;
	case 'C':
		return rings_option(o, err);
	case 'o':
		return bits_option(o, err);
	case 'F':
		return only(c, "1", "a packet is one buffer here; slots are netmap's", err);
	case 'M':
		return err_set(err, EINVAL, "-M: a packet is one buffer here; slots are netmap's");
	default:
		return only(
			c, "0", "ports here take no virtio-net header in front of a frame", err);
	}
}

// Options without.
static int take_switch(struct reading *r, int c, struct err *err)
{
	struct gen_options *o = r->o;

	switch (c) {
	case '4':
	case '6':
		o->conf.family = c - '0';
		break;
	case 'W':
		o->stop_idle = true;
		break;
	case 'N':
		o->report_flags |= REPORT_PLAIN;
		break;
	case 'B':
		o->report_flags |= REPORT_FRAMING;
		break;
	case 'A':
		o->report_flags |= REPORT_SPREAD;
		break;
	case 'X':
		o->dump = true;
		break;
	case 'v':
		o->verbose++;
		break;
	case 'z':
		o->conf.random_src = true;
		break;
	case 'Z':
		o->conf.random_dst = true;
		break;
	case 'r':
		o->conf.rubbish = true;
		break;
	case LONG_TIMING:
		o->conf.capture_timing = true;
		break;
	case LONG_ONCE:
		o->capture_once = true;
		break;
	case 'I':
		return err_set(
			err, EINVAL, "-I: indirect buffers belong to netmap's VALE switches");
	default: // -U: sums are always made in software
		break;
	}
	return 0;
}

static int read_words(int argc, char **argv, struct reading *r, struct err *err)
{
	static const struct option longs[] = {
		{"pcap-timing", no_argument, NULL, LONG_TIMING},
		{"pcap-once", no_argument, NULL, LONG_ONCE},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	char letters[2 * N_OPTIONS + 2] = ":";
	size_t n = 1;
	int c;

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (table[i].letter == 0)
			continue;
		letters[n++] = (char)table[i].letter;
		if (table[i].arg != NULL)
			letters[n++] = ':';
	}
	optind = 1;
	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		if (c == '?' || c == ':') {
			const char *why = c == ':' ? "its argument is missing" : "bad option";

			if (optopt > 0 && optopt < 256)
				return err_set(err, EINVAL, "-%c: %s", optopt, why);
			return err_set(err, EINVAL, "%s: %s", argv[optind - 1], why);
		}
		if (c == 'h') {
			r->help = true;
			return 0;
		}
		if (c < 128)
			r->given[c] = 1;
		if ((optarg != NULL ? take_value(r, c, err) : take_switch(r, c, err)) != 0)
			return -EINVAL;
	}
	if (optind < argc)
		return err_set(err, EINVAL, "'%s' belongs to no option", argv[optind]);
	return 0;
}

bool gen_sends(enum gen_function f)
{
	return f == GEN_TX || f == GEN_TXSEQ || f == GEN_PING;
}

bool gen_receives(enum gen_function f)
{
	return f == GEN_RX || f == GEN_RXSEQ;
}

// Options that would switch each other off, or that the function cannot serve.
static int check_modes(const struct reading *r, struct err *err)
{
	const struct gen_options *o = r->o;
	const char *with_made = "lsdSDzZr", *makes_tx = "zZ";

	if (o->port == NULL)
		return err_set(err, EINVAL, "-i: the port is missing");
	if (o->capture != NULL)
		for (const char *p = with_made; *p != '\0'; p++)
			if (r->given[(int)*p])
				return err_set(err, EINVAL,
					"-%c with -P: the frames of a capture are sent as they are",
					*p);
	if (o->conf.rubbish)
		for (const char *p = "sdSDzZ"; *p != '\0'; p++)
			if (r->given[(int)*p])
				return err_set(
					err, EINVAL, "-%c with -r: rubbish has no addresses", *p);
	if ((o->conf.capture_timing || o->capture_once) && o->capture == NULL)
		return err_set(err, EINVAL, "--pcap-%s is for -P",
			o->conf.capture_timing ? "timing" : "once");
	if (o->capture_once && r->given['n'])
		return err_set(err, EINVAL, "-n with --pcap-once: two counts");
	if ((o->capture != NULL || o->conf.rubbish) && o->function != GEN_TX)
		return err_set(err, EINVAL, "-%c is for -f tx", o->capture != NULL ? 'P' : 'r');
	for (const char *p = makes_tx; *p != '\0'; p++)
		if (r->given[(int)*p] && o->function != GEN_TX && o->function != GEN_TXSEQ)
			return err_set(err, EINVAL, "-%c is for -f tx and txseq", *p);
	if (o->conf.rate_pps != 0 && !gen_sends(o->function))
		return err_set(err, EINVAL, "-R paces a sender");
	if (o->stop_idle && !gen_receives(o->function))
		return err_set(err, EINVAL, "-W is for -f rx and rxseq");
	if (o->threads > 1 && o->function != GEN_TX && !gen_receives(o->function))
		return err_set(
			err, EINVAL, "-p %u: ping, pong and txseq have one thread", o->threads);
	if (o->conf.count != 0 && o->conf.count < o->threads)
		return err_set(err, EINVAL, "-n %llu is too few packets for %u threads",
			(unsigned long long)o->conf.count, o->threads);
	if ((o->txrings != 0 && o->txrings < o->threads && gen_sends(o->function)) ||
		(o->rxrings != 0 && o->rxrings < o->threads && gen_receives(o->function)))
		return err_set(
			err, EINVAL, "-C: fewer rings than the %u threads of -p", o->threads);
	return 0;
}

static int check_cpus(struct gen_options *o, struct err *err)
{
	unsigned have = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);

	if (o->n_cpus > have)
		return err_set(err, EINVAL, "-c %u: this machine has %u", o->n_cpus, have);
	if (o->n_cpus == 0)
		o->n_cpus = have;
	return 0;
}

static int read_lengths(const struct reading *r, struct gen_conf *c, struct err *err)
{
	c->len = r->n_len > 0 ? (uint16_t)r->len[0] : (c->family == 4 ? 60 : 62);
	c->len_min = r->n_len > 1 ? (uint16_t)r->len[1] : 0;
	if (c->len_min > c->len)
		return err_set(err, EINVAL,
			"-l: the second length, %u, is the least and may not be above the first, %u",
			c->len_min, c->len);
	return 0;
}

static int complete(const struct reading *r, struct err *err)
{
	struct gen_options *o = r->o;
	struct gen_conf *c = &o->conf;

	if (o->src_text == NULL)
		o->src_text = c->family == 4 ? "10.0.0.1" : "2001:2::1";
	if (o->dst_text == NULL)
		o->dst_text = c->family == 4 ? "10.1.0.1" : "2001:2:0:8000::1";
	if (gen_range_parse(o->src_text, c->family, &c->src, err) != 0)
		return err_context(err, "-s");
	if (gen_range_parse(o->dst_text, c->family, &c->dst, err) != 0)
		return err_context(err, "-d");
	if (mac_parse(r->dmac != NULL ? r->dmac : "ff:ff:ff:ff:ff:ff", &c->dmac, err) != 0)
		return err_context(err, "-D");
	o->own_smac = r->smac == NULL;
	if (r->smac != NULL && mac_parse(r->smac, &c->smac, err) != 0)
		return err_context(err, "-S");
	if (read_lengths(r, c, err) != 0)
		return -EINVAL;
	if (!o->burst_set)
		c->burst = o->function == GEN_PING || o->function == GEN_PONG ? 1 : 512;
	c->txseq = o->function == GEN_TXSEQ;
	if (o->capture != NULL) {
		o->frames = gen_capture_read(o->capture, err);
		if (o->frames == NULL)
			return -EINVAL;
		c->capture = o->frames;
		if (o->capture_once)
			c->count = gen_capture_frames(o->frames);
	}
	if (o->function == GEN_PING && gen_conf_flows(c) > 1)
		return err_set(err, EINVAL, "pings go from one address and port to one");
	return gen_sends(o->function) ? gen_conf_check(c, err) : 0;
}

int gen_options_read(int argc, char **argv, struct gen_options *o)
{
	struct reading r = {.o = o};
	struct err err = {0};

	*o = (struct gen_options){.function = GEN_RX,
		.threads = 1,
		.first_cpu = -1,
		.wait_s = -1,
		.report_ms = 1000,
		.conf = {.family = 4}};
	opterr = 0;
	if (read_words(argc, argv, &r, &err) != 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
		usage(stderr, argv[0]);
		return GEN_USAGE;
	}
	if (r.help) {
		usage(stdout, argv[0]);
		return -1;
	}
	if (check_modes(&r, &err) == 0 && check_cpus(o, &err) == 0 && complete(&r, &err) == 0)
		return GEN_OK;
	fprintf(stderr, "%s: %s\n", argv[0], err.msg);
	gen_options_free(o);
	return GEN_USAGE;
}

void gen_options_free(struct gen_options *o)
{
	gen_capture_free(o->frames);
	o->frames = NULL;
}

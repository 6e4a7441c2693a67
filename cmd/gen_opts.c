// SPDX-License-Identifier: BSD-2-Clause
// gen_opts.c - pkt-gen's command line.
#include "gen_opts.h"
#include "gen_cmd.h"

#include "base/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_TIMING = 256, LONG_ONCE };

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

static int length_option(struct gen_reading *r, struct err *err)
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
static int take_value(struct gen_reading *r, int c, struct err *err)
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
		if (optarg[0] == '\0')
			return err_set(err, EINVAL, "-P: the name of the capture is empty");
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
static int take_switch(struct gen_reading *r, int c, struct err *err)
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

static int read_words(int argc, char **argv, struct gen_reading *r, struct err *err)
{
	static const struct option longs[] = {
		{"pcap-timing", no_argument, NULL, LONG_TIMING},
		{"pcap-once", no_argument, NULL, LONG_ONCE},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	char letters[GEN_LETTERS_MAX];
	int c;

	gen_help_letters(letters);
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

int gen_options_read(int argc, char **argv, struct gen_options *o)
{
	struct gen_reading r = {.o = o};
	struct err err = {0};

	*o = (struct gen_options){.function = GEN_RX,
		.threads = 1,
		.first_cpu = -1,
		.wait_s = -1,
		.report_ms = 1000,
		.conf = {.family = 4}};
	opterr = 0;
	if (read_words(argc, argv, &r, &err) != 0) {
		fprintf(stderr, "%s: %s; `%s --help` lists the options\n", argv[0], err.msg,
			argv[0]);
		return GEN_USAGE;
	}
	if (r.help) {
		gen_help_print(stdout, argv[0]);
		return -1;
	}
	if (gen_modes_check(&r, &err) == 0)
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

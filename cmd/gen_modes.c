// SPDX-License-Identifier: BSD-2-Clause
// gen_modes.c - options that do not fit together are refused; none switches another off.
#include "gen_opts.h"

#include <errno.h>
#include <unistd.h>

bool gen_sends(enum gen_function f)
{
	return f == GEN_TX || f == GEN_TXSEQ || f == GEN_PING;
}

bool gen_receives(enum gen_function f)
{
	return f == GEN_RX || f == GEN_RXSEQ;
}

// Options that would switch each other off, or that the function cannot serve.
static int check_modes(const struct gen_reading *r, struct err *err)
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

static int read_lengths(const struct gen_reading *r, struct gen_conf *c, struct err *err)
{
	c->len = r->n_len > 0 ? (uint16_t)r->len[0] : (c->family == 4 ? 60 : 62);
	c->len_min = r->n_len > 1 ? (uint16_t)r->len[1] : 0;
	if (c->len_min > c->len)
		return err_set(err, EINVAL,
			"-l: the second length, %u, is the least and may not be above the first, %u",
			c->len_min, c->len);
	return 0;
}

static int complete(const struct gen_reading *r, struct err *err)
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

int gen_modes_check(struct gen_reading *r, struct err *err)
{
	if (check_modes(r, err) != 0 || check_cpus(r->o, err) != 0)
		return -EINVAL;
	return complete(r, err);
}

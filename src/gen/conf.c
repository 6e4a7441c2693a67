// SPDX-License-Identifier: BSD-2-Clause
// conf.c - does a profile make sense?
#include "gen/gen.h"

#include <errno.h>

static int check_lengths(const struct gen_conf *c, struct err *err)
{
	unsigned headers = gen_headers_len(c->family);
	unsigned least = c->len_min != 0 ? c->len_min : c->len;

	if (c->len > GEN_LEN_MAX)
		return err_set(
			err, EINVAL, "frame length %u: the longest is %d", c->len, GEN_LEN_MAX);
	if (c->len_min > c->len)
		return err_set(err, EINVAL, "the least frame length, %u, is above the greatest, %u",
			c->len_min, c->len);
	if (c->rubbish)
		return least != 0 ? 0 : err_set(err, EINVAL, "frame length 0");
	if (least < headers)
		return err_set(err, EINVAL,
			"frame length %u: Ethernet, IPv%d and UDP headers alone take %u bytes",
			least, c->family, headers);
	if (c->txseq && least < headers + 4)
		return err_set(err, EINVAL,
			"frame length %u: a sequence number needs at least %u bytes", least,
			headers + 4);
	if (c->stamp && c->family == 4 && least < headers + 8)
		return err_set(err, EINVAL,
			"frame length %u: stamped IPv4 frames need at least %u bytes", least,
			headers + 8);
	return 0;
}

int gen_conf_check(const struct gen_conf *c, struct err *err)
{
	if (c->family != 4 && c->family != 6)
		return err_set(err, EINVAL, "IP version %d is neither 4 nor 6", c->family);
	if (c->burst == 0 || c->burst > GEN_BURST_MAX)
		return err_set(err, EINVAL, "a burst of %u packets is not within 1 and %d",
			c->burst, GEN_BURST_MAX);
	if (c->capture_timing && c->capture == NULL)
		return err_set(err, EINVAL, "a capture's timing needs a capture");
	if (c->capture_timing && c->rate_pps != 0)
		return err_set(err, EINVAL, "frames keep either the capture's timing or a rate");
	if (c->capture != NULL)
		return c->stamp || c->txseq || c->rubbish
			       ? err_set(err, EINVAL, "frames of a capture are sent as they are")
			       : 0;
	if (c->src.lo.family != c->family || c->src.hi.family != c->family ||
		c->dst.lo.family != c->family || c->dst.hi.family != c->family)
		return err_set(err, EINVAL, "source and destination must both be IPv%d", c->family);
	if (c->stamp + c->txseq + c->rubbish > 1)
		return err_set(
			err, EINVAL, "a frame has one kind of payload: stamp, sequence or rubbish");
	return check_lengths(c, err);
}

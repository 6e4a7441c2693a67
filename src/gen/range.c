// SPDX-License-Identifier: BSD-2-Clause
// range.c - pkt-gen's address ranges as text.
#include "gen/gen.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_NONE = 0xff, GROUP_LAST = 7, HALF_MAX = 96 };

// One side of the '-'.
struct half {
	struct ip addr;
	uint8_t group; // GROUP_NONE: not given
	bool has_port;
	uint16_t port;
};

static int port_parse(const char *text, uint16_t *out, struct err *err)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (!isdigit((unsigned char)text[0]) || *end != '\0')
		return err_set(err, EINVAL, "'%s' is not a port number", text);
	if (errno != 0 || v > UINT16_MAX)
		return err_set(err, EINVAL, "port %s is above 65535", text);
	*out = (uint16_t)v;
	return 0;
}

static int half4_parse(char *text, struct half *h, struct err *err)
{
	char *colon = strchr(text, ':');

	h->addr.family = 4;
	if (colon != NULL) {
		*colon = '\0';
		h->has_port = true;
		if (port_parse(colon + 1, &h->port, err) != 0)
			return -EINVAL;
	}
	return ip4_parse(text, &h->addr.v4, err);
}

static int half6_parse(char *text, struct half *h, struct err *err)
{
	char *at = strchr(text, '@'), *close;

	h->addr.family = 6;
	if (at != NULL) {
		if (at != text + 1 || text[0] < '0' || text[0] > '7')
			return err_set(err, EINVAL,
				"'%.*s' does not name a 16-bit group of an IPv6 address (0 to 7)",
				(int)(at - text), text);
		h->group = (uint8_t)(text[0] - '0');
		text = at + 1;
	}
	if (*text != '[')
		return ip6_parse(text, &h->addr.v6, err);
	close = strchr(++text, ']');
	if (close == NULL)
		return err_set(err, EINVAL, "'[%s' has no closing bracket", text);
	*close++ = '\0';
	if (*close == ':') {
		h->has_port = true;
		if (port_parse(close + 1, &h->port, err) != 0)
			return -EINVAL;
	} else if (*close != '\0') {
		return err_set(err, EINVAL, "'%s' behind the bracket is not a :port", close);
	}
	return ip6_parse(text, &h->addr.v6, err);
}

static int half_parse(const char *text, size_t n, int family, struct half *h, struct err *err)
{
	char copy[HALF_MAX];

	if (n >= sizeof(copy))
		return err_set(err, EINVAL, "'%.80s...' is not an address", text);
	memcpy(copy, text, n);
	copy[n] = '\0';
	*h = (struct half){.group = GROUP_NONE};
	return family == 4 ? half4_parse(copy, h, err) : half6_parse(copy, h, err);
}

static void put_in_order(struct gen_range *r)
{
	if (r->lo.family == 4 && r->lo.v4 > r->hi.v4) {
		struct ip lo = r->hi;

		r->hi = r->lo;
		r->lo = lo;
	}
	if (r->port_lo > r->port_hi) {
		uint16_t lo = r->port_hi;

		r->port_hi = r->port_lo;
		r->port_lo = lo;
	}
}

int gen_range_parse(const char *text, int family, struct gen_range *out, struct err *err)
{
	const char *dash = strchr(text, '-');
	size_t n = dash != NULL ? (size_t)(dash - text) : strlen(text);
	struct half a, b;
	struct gen_range r;

	if (half_parse(text, n, family, &a, err) != 0)
		return err_context(err, "range '%.200s'", text);
	b = a;
	if (dash != NULL && half_parse(dash + 1, strlen(dash + 1), family, &b, err) != 0)
		return err_context(err, "range '%.200s'", text);
	if (a.group == GROUP_NONE)
		a.group = b.group == GROUP_NONE ? GROUP_LAST : b.group;
	if (b.group != GROUP_NONE && b.group != a.group)
		return err_set(err, EINVAL,
			"range '%.200s': its ends count in different groups, %u and %u", text,
			a.group, b.group);
	r = (struct gen_range){.lo = a.addr, .hi = b.addr, .group = family == 6 ? a.group : 0};
	r.port_lo = a.has_port ? a.port : GEN_PORT_DEFAULT;
	r.port_hi = b.has_port ? b.port : r.port_lo;
	put_in_order(&r);
	*out = r;
	return 0;
}

const char *gen_range_text(const struct gen_range *r, char *out)
{
	char lo[ADDR_TEXT_MAX], hi[ADDR_TEXT_MAX];

	ip_text(&r->lo, lo);
	ip_text(&r->hi, hi);
	if (r->lo.family == 4)
		snprintf(out, GEN_RANGE_TEXT_MAX, "%s:%u to %s:%u", lo, r->port_lo, hi, r->port_hi);
	else
		snprintf(out, GEN_RANGE_TEXT_MAX, "%u@[%s]:%u to %u@[%s]:%u", r->group, lo,
			r->port_lo, r->group, hi, r->port_hi);
	return out;
}

static unsigned group_value(const struct ip *ip, unsigned group)
{
	return (unsigned)ip->v6.b[group * 2] << 8 | ip->v6.b[group * 2 + 1];
}

uint64_t gen_range_addrs(const struct gen_range *r)
{
	unsigned lo, hi;

	if (r->lo.family == 4)
		return (uint64_t)r->hi.v4 - r->lo.v4 + 1;
	lo = group_value(&r->lo, r->group);
	hi = group_value(&r->hi, r->group);
	return hi < lo ? 1 : hi - lo + 1;
}

const char *gen_range_oddity(const struct gen_range *r)
{
	struct ip hi = r->hi;

	if (r->lo.family == 4)
		return NULL;
	if (group_value(&r->lo, r->group) > group_value(&r->hi, r->group))
		return "it starts above its end, so it stays at its start";
	memcpy(hi.v6.b + r->group * 2, r->lo.v6.b + r->group * 2, 2);
	if (!ip_equal(&hi, &r->lo))
		return "only one 16-bit group counts up; the other differences of its ends do nothing";
	return NULL;
}

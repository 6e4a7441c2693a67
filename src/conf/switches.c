// SPDX-License-Identifier: BSD-2-Clause
// switches.c - the settings that are one field each.
//
// Order as FreeBSD's start: rc.conf's gateway switches, then sysctl.conf, which rc loads once more
// at the very end (rc.d/sysctl lastload) and which therefore wins.
#include "conf/build.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct field {
	const char *name;
	size_t offset;
	unsigned size; // bytes of the field
	uint32_t lo, hi;
};

#define FIELD(name, member, lo, hi)                                                                \
	{                                                                                          \
		name, offsetof(struct conf, member), sizeof(((struct conf *)0)->member), lo, hi    \
	}

static const struct field fields[] = {
	FIELD("net.inet.ip.forwarding", forward4, 0, 1),
	FIELD("net.inet6.ip6.forwarding", forward6, 0, 1),
	FIELD("net.inet.ip.redirect", redirect4, 0, 1),
	FIELD("net.inet6.ip6.redirect", redirect6, 0, 1),
	FIELD("net.inet.ip.ttl", ttl, 1, 255),
	FIELD("net.inet6.ip6.hlim", hlim, 1, 255),
	FIELD("net.inet.ip.process_options", process_options, 0, 2),
	FIELD("net.inet.icmp.icmplim", icmp_limit_pps, 0, INT32_MAX),
	FIELD("net.inet.icmp.quotelen", icmp_quote_bytes, 8, UINT16_MAX),
	FIELD("net.inet.icmp.reply_from_interface", icmp_reply_from_interface, 0, 1),
};

static void store(struct conf *c, const struct field *f, uint32_t n)
{
	char *at = (char *)c + f->offset;

	if (f->size == sizeof(uint32_t))
		memcpy(at, &n, sizeof(n));
	else if (f->size == sizeof(uint16_t))
		memcpy(at, &(uint16_t){(uint16_t)n}, sizeof(uint16_t));
	else // a bool or a byte; both hold 0 and 1 alike
		*at = (char)n;
}

int conf_build_switches(struct build *b)
{
	int rc = conf_rc_yes(b, "gateway_enable", &b->c->forward4);

	if (rc == 0)
		rc = conf_rc_yes(b, "ipv6_gateway_enable", &b->c->forward6);
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]) && rc == 0; i++) {
		const struct field *f = &fields[i];
		struct var *v = vars_find(&b->in->sysctl, f->name);
		long long n;

		if (v == NULL)
			continue;
		v->used = true;
		rc = conf_number(b, v, v->value, f->lo, f->hi, &n);
		if (rc == 0)
			store(b->c, f, (uint32_t)n);
	}
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// Prefixes that are never forwarded to or from: RFC 1812 5.3.7, RFC 3927 2.7, RFC 4291 2.5, RFC 4007.
// As destinations they are entries of the routing table, so that they cost nothing.
#include "router/inside.h"

#include <errno.h>
#include <string.h>

struct special {
	const char *prefix;
	enum hop_kind kind;
};

static const struct special specials[] = {
	{"0.0.0.0/8", HOP_MARTIAN},
	{"127.0.0.0/8", HOP_MARTIAN},
	{"169.254.0.0/16", HOP_MARTIAN},
	{"224.0.0.0/4", HOP_MULTICAST},
	{"240.0.0.0/4", HOP_MARTIAN},
	{"255.255.255.255", HOP_BROADCAST},
	{"::/96", HOP_MARTIAN},
	{"::ffff:0.0.0.0/96", HOP_MARTIAN},
	{"fe80::/10", HOP_SCOPE},
	{"ff00::/8", HOP_MULTICAST},
};

static_assert(sizeof(specials) / sizeof(specials[0]) == N_SPECIALS, "all have a place");

int special_init(struct router *r, struct err *err)
{
	for (unsigned i = 0; i < N_SPECIALS; i++) {
		struct prefix *p = &r->specials[i];
		int rc = prefix_parse(specials[i].prefix, p, err);

		if (rc == 0)
			rc = p->addr.family == 4
				     ? fib4_set(r->fib4, p->addr.v4, p->len, specials[i].kind, err)
				     : fib6_set(
					       r->fib6, &p->addr.v6, p->len, specials[i].kind, err);
		if (rc != 0)
			return rc;
	}
	return 0;
}

const char *special_name(const struct router *r, const struct prefix *p)
{
	for (unsigned i = 0; i < N_SPECIALS; i++)
		if (p->len >= r->specials[i].len && prefix_contains(&r->specials[i], &p->addr))
			return specials[i].prefix;
	return NULL;
}

bool special_src4(uint32_t src)
{
	uint32_t net = src >> 24;

	return net == 0 || net == 127 || net >= 224 || src >> 16 == 0xa9fe;
}

bool special_src6(const uint8_t *src)
{
	static const uint8_t zeros[10];

	if (src[0] == 0xff)
		return true;
	if (memcmp(src, zeros, 10) != 0)
		return false;
	return (src[10] == 0 && src[11] == 0) || (src[10] == 0xff && src[11] == 0xff);
}

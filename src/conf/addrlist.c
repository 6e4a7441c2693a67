// SPDX-License-Identifier: BSD-2-Clause
// addrlist.c - the addresses of an interface, and FreeBSD's short form for many of them.
#include "conf/build.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_MAX = 2048 }; // FreeBSD's netif_ipexpand_max

int conf_iface_add_addr(
	struct build *b, struct conf_iface *i, const struct var *v, const struct prefix *p)
{
	static const struct ip6 none;
	char text[ADDR_TEXT_MAX];
	struct prefix *more;

	if (p->addr.family == 4 ? p->addr.v4 == 0 || p->addr.v4 >> 28 >= 0xe
				: p->addr.v6.b[0] == 0xff || memcmp(&p->addr.v6, &none, 16) == 0)
		return conf_bad(
			b, v, "%s cannot be an interface's address", ip_text(&p->addr, text));
	for (unsigned k = 0; k < i->n_addrs; k++) {
		if (ip_equal(&i->addrs[k].addr, &p->addr)) {
			i->addrs[k].len = p->len;
			return 0;
		}
	}
	more = conf_grow(b, i->addrs, i->n_addrs, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	i->addrs = more;
	i->addrs[i->n_addrs++] = *p;
	return 0;
}

// The last group of an address as a number, and the address with another one there.
static unsigned last_group(const struct ip *ip)
{
	return ip->family == 4 ? ip->v4 & 0xff : (unsigned)ip->v6.b[14] << 8 | ip->v6.b[15];
}

static void set_last_group(struct ip *ip, unsigned n)
{
	if (ip->family == 4) {
		ip->v4 = (ip->v4 & ~0xffu) | n;
	} else {
		ip->v6.b[14] = (uint8_t)(n >> 8);
		ip->v6.b[15] = (uint8_t)n;
	}
}

// A.B.C.D-E/LEN or X::A-B/LEN (B in hexadecimal): the first address gets LEN, the others the full
// length, as FreeBSD does it.
static int range(struct build *b, struct conf_iface *i, const struct var *v, const char *word)
{
	const char *dash = strchr(word, '-'), *slash = strchr(word, '/');
	char first[ADDR_TEXT_MAX + 4], last[16], *end;
	struct prefix p;
	struct err e = {0};
	unsigned long hi;

	if (slash == NULL || slash < dash || (size_t)(dash - word) >= ADDR_TEXT_MAX - 8 ||
		slash - dash > 8 || strlen(slash) > 4)
		return conf_bad(b, v, "'%.60s' is not a range ADDRESS-END/LENGTH", word);
	snprintf(first, sizeof(first), "%.*s%s", (int)(dash - word), word, slash);
	snprintf(last, sizeof(last), "%.*s", (int)(slash - dash - 1), dash + 1);
	if (prefix_parse(first, &p, &e) != 0)
		return conf_bad(b, v, "%.60s: %s", word, e.msg);
	hi = strtoul(last, &end, p.addr.family == 4 ? 10 : 16);
	if (last[0] == '\0' || strchr("+- \t", last[0]) != NULL || *end != '\0' ||
		hi > (p.addr.family == 4 ? 0xff : 0xffff))
		return conf_bad(b, v, "%.60s: '%s' is not a last group", word, last);
	if (hi < last_group(&p.addr))
		return conf_bad(b, v, "%.60s: the end lies before the beginning", word);
	if (hi - last_group(&p.addr) >= RANGE_MAX)
		return conf_bad(b, v, "%.60s: more than %d addresses", word, RANGE_MAX);
	for (unsigned n = last_group(&p.addr); n <= hi; n++) {
		int rc;

		set_last_group(&p.addr, n);
		rc = conf_iface_add_addr(b, i, v, &p);
		if (rc != 0)
			return rc;
		p.len = p.addr.family == 4 ? 32 : 128;
	}
	return 0;
}

int conf_addr_list(struct build *b, struct conf_iface *i, const struct var *v)
{
	char **w;
	unsigned n;
	int rc = plain_words(v->value, &w, &n, b->err);

	if (rc != 0)
		return rc;
	for (unsigned k = 0; k < n && rc == 0; k++) {
		struct err e = {0};
		struct prefix p;

		if (strchr(w[k], '-') != NULL)
			rc = range(b, i, v, w[k]);
		else if (strchr(w[k], '/') == NULL)
			rc = conf_bad(b, v, "%.60s has no /length", w[k]);
		else if (prefix_parse(w[k], &p, &e) != 0)
			rc = conf_bad(b, v, "%s", e.msg);
		else
			rc = conf_iface_add_addr(b, i, v, &p);
	}
	free(w);
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// Making a router, its ports and their addresses.
#include "router/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROUTES = 4096, OWN_ROUTES = 256, IP4_MTU_MIN = 68, IP6_MTU_MIN = 1280 };
enum { DEFAULT_TTL = 64, DEFAULT_QUOTE = 548 };

static int check_conf(const struct router_conf *c, struct err *err)
{
	if (c->process_options > 2)
		return err_set(
			err, EINVAL, "process_options: %u: must be 0, 1 or 2", c->process_options);
	if (c->pool == NULL)
		return err_set(err, EINVAL, "a router needs a pool for the packets it makes");
	return 0;
}

struct router *router_new(const struct router_conf *conf, struct err *err)
{
	struct fib_size size4, size6;
	struct router_conf *c;
	struct router *r;

	if (check_conf(conf, err) != 0)
		return NULL;
	r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
	if (r == NULL) {
		err_set(err, ENOMEM, "no memory for a router");
		return NULL;
	}
	memset(r, 0, sizeof(*r));
	c = &r->conf;
	*c = *conf;
	c->ttl = c->ttl != 0 ? c->ttl : DEFAULT_TTL;
	c->hlim = c->hlim != 0 ? c->hlim : DEFAULT_TTL;
	c->icmp_quote_bytes = c->icmp_quote_bytes != 0 ? c->icmp_quote_bytes : DEFAULT_QUOTE;
	c->max_routes4 = c->max_routes4 != 0 ? c->max_routes4 : DEFAULT_ROUTES;
	c->max_routes6 = c->max_routes6 != 0 ? c->max_routes6 : DEFAULT_ROUTES;
	limit_init(&r->icmp4, c->icmp_limit_pps);
	limit_init(&r->icmp6, c->icmp_limit_pps);

	r->check4 = check_has_avx512() ? check4_avx512 : check4;
	r->check6 = check_has_avx512() ? check6_avx512 : check6;
	size4.max_routes = c->max_routes4 + OWN_ROUTES;
	size6.max_routes = c->max_routes6 + OWN_ROUTES;
	size4.max_hops = size6.max_hops = c->max_routes4 + c->max_routes6 <= 65536 ? HOPS_SMALL
										   : HOPS_LARGE;
	if (hops_init(&r->hops, size4.max_hops, err) != 0)
		goto fail;
	r->fib4 = fib4_new(&size4, HOP_NO_ROUTE, err);
	r->fib6 = r->fib4 != NULL ? fib6_new(&size6, HOP_NO_ROUTE, err) : NULL;
	if (r->fib6 == NULL || special_init(r, err) != 0)
		goto fail;
	return r;
fail:
	router_free(r);
	return NULL;
}

void router_free(struct router *r)
{
	if (r == NULL)
		return;
	for (unsigned i = 0; i < ROUTER_PORTS_MAX; i++)
		free(r->port[i].addrs);
	free(r->onlinks);
	neighs_free(&r->neighs);
	fib6_free(r->fib6);
	fib4_free(r->fib4);
	hops_free(&r->hops);
	free(r);
}

void router_counters(const struct router *r, struct router_counters *out)
{
	*out = r->counters;
}

// RFC 4291 app. A: the interface identifier of a MAC.
static struct prefix linklocal_of(const struct mac *mac)
{
	struct prefix p = {.addr.family = 6, .len = 64};
	uint8_t *b = p.addr.v6.b;

	b[0] = 0xfe;
	b[1] = 0x80;
	b[8] = mac->b[0] ^ 2;
	b[9] = mac->b[1];
	b[10] = mac->b[2];
	b[11] = 0xff;
	b[12] = 0xfe;
	memcpy(b + 13, mac->b + 3, 3);
	return p;
}

int iface_add_addr(struct iface *f, const struct prefix *p, struct err *err)
{
	struct prefix *v = realloc(f->addrs, (f->n_addrs + 1) * sizeof(*v));

	if (v == NULL)
		return err_set(err, ENOMEM, "no memory for another address");
	f->addrs = v;
	v[f->n_addrs++] = *p;
	return 0;
}

static int check_port(const struct router *r, uint16_t port, const char *name,
	const struct mac *mac, struct err *err)
{
	static const struct mac none;
	char text[ADDR_TEXT_MAX];

	if (port >= ROUTER_PORTS_MAX)
		return err_set(
			err, EINVAL, "%s: a router has at most %u ports", name, ROUTER_PORTS_MAX);
	if (r->port[port].used)
		return err_set(err, EEXIST, "%s: port %u is %s", name, port, r->port[port].name);
	for (unsigned i = 0; i < ROUTER_PORTS_MAX; i++)
		if (r->port[i].used && strcmp(r->port[i].name, name) == 0)
			return err_set(err, EEXIST, "%s: there already", name);
	if ((mac->b[0] & 1) != 0 || memcmp(mac, &none, sizeof(none)) == 0)
		return err_set(
			err, EINVAL, "%s: %s is no station's MAC", name, mac_text(mac, text));
	return 0;
}

int router_port_add(struct router *r, uint16_t port, const char *name, const struct mac *mac,
	uint16_t mtu, struct err *err)
{
	struct iface *f;
	struct prefix ll;
	int rc;

	rc = check_port(r, port, name, mac, err);
	if (rc != 0)
		return rc;
	if (mtu < IP4_MTU_MIN)
		return err_set(
			err, EINVAL, "%s: an MTU of %u is below IPv4's %u", name, mtu, IP4_MTU_MIN);
	f = &r->port[port];
	ll = linklocal_of(mac);
	if (mtu >= IP6_MTU_MIN && iface_add_addr(f, &ll, err) != 0)
		return -ENOMEM;
	rc = hops_add(&r->hops, port, NULL, &f->glean, err);
	if (rc != 0) {
		f->n_addrs = 0;
		return rc;
	}
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->mac = *mac;
	for (unsigned i = 0; i < MAC_LEN; i++)
		f->mac48 |= (uint64_t)mac->b[i] << (8 * i);
	f->mtu = mtu;
	f->used = true;
	return 0;
}

const struct ip *iface_source(const struct router *r, uint16_t port, const struct ip *ip)
{
	const struct iface *f = &r->port[port];
	const struct ip *first = NULL;
	const struct prefix *best = NULL;
	bool ll = ip->family == 6 && ip6_is_linklocal(ip->v6.b);

	for (unsigned i = 0; i < f->n_addrs; i++) {
		const struct prefix *p = &f->addrs[i];

		if (p->addr.family != ip->family)
			continue;
		if (ip->family == 6 && ip6_is_linklocal(p->addr.v6.b) != ll)
			continue;
		if (first == NULL)
			first = &p->addr;
		if (prefix_contains(p, ip) && (best == NULL || p->len > best->len))
			best = p;
	}
	return best != NULL ? &best->addr : first;
}

bool iface_owns(const struct iface *f, const struct ip *ip)
{
	for (unsigned i = 0; i < f->n_addrs; i++)
		if (ip_equal(&f->addrs[i].addr, ip))
			return true;
	return false;
}

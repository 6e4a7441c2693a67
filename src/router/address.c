// SPDX-License-Identifier: BSD-2-Clause
// Addresses of the box: what each puts into the routing table.
#include "router/inside.h"

#include <errno.h>
#include <stdlib.h>

enum { IP6_MTU_MIN = 1280, ENTRIES_MAX = 4 };

struct entry {
	struct prefix p;
	uint32_t hop;
};

// At most: the address, its net, two broadcast addresses or the subnet-router anycast address.
struct entries {
	struct entry v[ENTRIES_MAX];
	unsigned n;
};

static bool entered(const struct router *r, const struct prefix *p)
{
	return p->addr.family == 4 ? fib4_has(r->fib4, p->addr.v4, p->len)
				   : fib6_has(r->fib6, &p->addr.v6, p->len);
}

static uint8_t host_len(const struct prefix *p)
{
	return p->addr.family == 4 ? 32 : 128;
}

static struct prefix net_of(const struct prefix *addr)
{
	struct prefix net = *addr;

	prefix_mask(&net);
	return net;
}

static struct prefix broadcast_of(const struct prefix *net)
{
	struct prefix b = *net;

	b.addr.v4 |= UINT32_MAX >> net->len;
	b.len = 32;
	return b;
}

static int check_fits(const struct router *r, uint16_t port, const struct prefix *a,
	const char *text, struct err *err)
{
	const struct iface *f;

	if (port >= ROUTER_PORTS_MAX || !r->port[port].used)
		return err_set(err, EINVAL, "%s: there is no port %u", text, port);
	f = &r->port[port];
	if (a->addr.family == 6 && f->mtu < IP6_MTU_MIN)
		return err_set(err, EINVAL, "%s: the MTU of %s, %u, is below IPv6's %u", text,
			f->name, f->mtu, IP6_MTU_MIN);
	if (a->len == 0 || a->len > host_len(a))
		return err_set(err, EINVAL, "%s: impossible prefix length for an address", text);
	return 0;
}

static int check_free(const struct router *r, uint16_t port, const struct prefix *a,
	const char *text, struct err *err)
{
	struct prefix net = net_of(a), host = *a;

	host.len = host_len(a);
	if (special_name(r, &host) != NULL)
		return err_set(err, EINVAL, "%s: lies in %s, which no interface can have", text,
			special_name(r, &host));
	if (a->addr.family == 4 && a->len <= 30 &&
		(a->addr.v4 == net.addr.v4 || a->addr.v4 == broadcast_of(&net).addr.v4))
		return err_set(err, EINVAL, "%s: is the net's own or broadcast address", text);
	if (entered(r, &host))
		return err_set(err, EEXIST, "%s: the address is in use", text);
	if (a->len < host.len && entered(r, &net)) {
		const struct onlink *o = onlink_find(r, &net.addr, port);

		if (o == NULL || o->net.len != net.len)
			return err_set(err, EEXIST, "%s: its net has a route already", text);
	}
	return 0;
}

// Another address of the same net has entered the net already.
static void want(struct entries *e, const struct router *r, const struct prefix *p, uint32_t hop)
{
	if (!entered(r, p))
		e->v[e->n++] = (struct entry){.p = *p, .hop = hop};
}

static void plan(struct entries *e, const struct router *r, uint16_t port, const struct prefix *a)
{
	struct prefix net = net_of(a), host = *a, p;

	host.len = host_len(a);
	e->v[e->n++] = (struct entry){.p = host, .hop = HOP_LOCAL};
	if (a->len == host.len)
		return;
	want(e, r, &net, r->port[port].glean);
	p = net;
	p.len = host.len;
	if (a->addr.family == 4 && a->len <= 30) {
		want(e, r, &p, HOP_BROADCAST);
		p = broadcast_of(&net);
		want(e, r, &p, HOP_BROADCAST);
	} else if (a->addr.family == 6 && a->len <= 126 && !ip_equal(&p.addr, &host.addr)) {
		want(e, r, &p, HOP_LOCAL); // RFC 4291 2.6.1; not on /127 (RFC 6164 5.1)
	}
}

static int enter(struct router *r, const struct entries *e, struct err *err)
{
	for (unsigned i = 0; i < e->n; i++) {
		const struct prefix *p = &e->v[i].p;
		int rc = p->addr.family == 4
				 ? fib4_set(r->fib4, p->addr.v4, p->len, e->v[i].hop, err)
				 : fib6_set(r->fib6, &p->addr.v6, p->len, e->v[i].hop, err);

		if (rc == 0)
			continue;
		while (i-- > 0) {
			p = &e->v[i].p;
			if (p->addr.family == 4)
				fib4_del(r->fib4, p->addr.v4, p->len);
			else
				fib6_del(r->fib6, &p->addr.v6, p->len);
		}
		return rc;
	}
	return 0;
}

int router_addr_add(struct router *r, uint16_t port, const struct prefix *addr, struct err *err)
{
	struct entries e = {0};
	struct prefix net = net_of(addr);
	char text[ADDR_TEXT_MAX];
	struct iface *f;
	int rc;

	prefix_text(addr, text);
	rc = check_fits(r, port, addr, text, err);
	if (rc != 0)
		return rc;
	f = &r->port[port];
	if (addr->addr.family == 6 && ip6_is_linklocal(addr->addr.v6.b)) {
		if (iface_owns(f, &addr->addr))
			return err_set(err, EEXIST, "%s: %s has it already", text, f->name);
		return iface_add_addr(f, addr, err);
	}
	rc = check_free(r, port, addr, text, err);
	if (rc != 0)
		return rc;
	plan(&e, r, port, addr);
	rc = iface_add_addr(f, addr, err);
	if (rc != 0)
		return rc;
	rc = enter(r, &e, err);
	if (rc == 0 && addr->len < host_len(addr))
		rc = onlink_add(r, &net, port, err);
	if (rc != 0)
		f->n_addrs--;
	return rc;
}

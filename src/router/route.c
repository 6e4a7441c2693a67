// SPDX-License-Identifier: BSD-2-Clause
// Routes and neighbours: which next hop each prefix has.
//
// A neighbour is reached by a host route of its own, so that the worker needs one look-up only.  The
// host route must not win over a static route the user gave for a part of the net: it is entered
// only where the address's route without it is the connected net ("settled"), and that is looked at
// again whenever a route inside a connected net is added.
#include "router/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint8_t host_len(const struct ip *ip)
{
	return ip->family == 4 ? 32 : 128;
}

static int fib_set(
	struct router *r, const struct ip *ip, uint8_t len, uint32_t hop, struct err *err)
{
	return ip->family == 4 ? fib4_set(r->fib4, ip->v4, len, hop, err)
			       : fib6_set(r->fib6, &ip->v6, len, hop, err);
}

static void fib_del(struct router *r, const struct ip *ip, uint8_t len)
{
	if (ip->family == 4)
		fib4_del(r->fib4, ip->v4, len);
	else
		fib6_del(r->fib6, &ip->v6, len);
}

static bool fib_has(const struct router *r, const struct ip *ip, uint8_t len)
{
	return ip->family == 4 ? fib4_has(r->fib4, ip->v4, len) : fib6_has(r->fib6, &ip->v6, len);
}

uint32_t route_find(const struct router *r, const struct ip *dst)
{
	return dst->family == 4 ? fib4_find(r->fib4, dst->v4) : fib6_find(r->fib6, &dst->v6);
}

const struct onlink *onlink_find(const struct router *r, const struct ip *ip, int port)
{
	const struct onlink *best = NULL;

	for (unsigned i = 0; i < r->n_onlinks; i++) {
		const struct onlink *o = &r->onlinks[i];

		if (port >= 0 && o->port != port)
			continue;
		if (prefix_contains(&o->net, ip) && (best == NULL || o->net.len > best->net.len))
			best = o;
	}
	return best;
}

int onlink_add(struct router *r, const struct prefix *net, uint16_t port, struct err *err)
{
	struct onlink *v = realloc(r->onlinks, (r->n_onlinks + 1) * sizeof(*v));

	if (v == NULL)
		return err_set(err, ENOMEM, "no memory for another net");
	r->onlinks = v;
	v[r->n_onlinks++] = (struct onlink){.net = *net, .port = port};
	return 0;
}

static bool is_linklocal(const struct ip *ip)
{
	return ip->family == 6 && ip6_is_linklocal(ip->v6.b);
}

static bool is_ours(const struct router *r, const struct ip *ip)
{
	return !is_linklocal(ip) && route_find(r, ip) == HOP_LOCAL;
}

struct neigh *neigh_need(
	struct router *r, uint16_t port, const struct ip *ip, bool *made, struct err *err)
{
	struct neigh *nb = neigh_find(&r->neighs, port, ip);
	uint32_t hop;

	*made = nb == NULL;
	if (nb != NULL)
		return nb;
	if (hops_add(&r->hops, port, ip, &hop, err) != 0)
		return NULL;
	nb = neigh_enter(&r->neighs, port, ip, hop, err);
	if (nb == NULL)
		hops_undo(&r->hops);
	return nb;
}

static void unneed(struct router *r)
{
	neigh_undo(&r->neighs);
	hops_undo(&r->hops);
}

int neigh_settle(struct router *r, struct neigh *nb, struct err *err)
{
	uint8_t len = host_len(&nb->ip);
	int rc;

	if (!nb->known || is_linklocal(&nb->ip))
		return 0;
	if (nb->in_fib)
		fib_del(r, &nb->ip, len);
	nb->in_fib = false;
	if (fib_has(r, &nb->ip, len) || route_find(r, &nb->ip) != r->port[nb->port].glean)
		return 0;
	rc = fib_set(r, &nb->ip, len, nb->hop, err);
	nb->in_fib = rc == 0;
	return rc;
}

static int settle_in(struct router *r, const struct prefix *net, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->neighs.n && rc == 0; i++)
		if (prefix_contains(net, &r->neighs.v[i].ip))
			rc = neigh_settle(r, &r->neighs.v[i], err);
	return rc;
}

// The port whose net has the gateway, or -errno.
static int gateway_port(
	const struct router *r, const struct route *rt, const char *text, struct err *err)
{
	const struct ip *gw = &rt->gateway;
	char gw_text[ADDR_TEXT_MAX];
	const struct onlink *o;

	ip_text(gw, gw_text);
	if (gw->family != rt->dst.addr.family)
		return err_set(
			err, EINVAL, "%s: the gateway %s is of the other family", text, gw_text);
	if (is_linklocal(gw)) {
		if (!rt->has_port)
			return err_set(err, EINVAL,
				"%s: the link-local gateway %s needs an interface", text, gw_text);
		if (iface_owns(&r->port[rt->port], gw))
			return err_set(err, EINVAL, "%s: the gateway %s is an address of this box",
				text, gw_text);
		return rt->port;
	}
	o = onlink_find(r, gw, rt->has_port ? rt->port : -1);
	if (o == NULL)
		return err_set(
			err, EINVAL, "%s: the gateway %s lies in no connected net", text, gw_text);
	if (is_ours(r, gw))
		return err_set(
			err, EINVAL, "%s: the gateway %s is an address of this box", text, gw_text);
	return o->port;
}

static int check_dst(
	const struct router *r, const struct route *rt, const char *text, struct err *err)
{
	const char *special = special_name(r, &rt->dst);

	if (special != NULL)
		return err_set(
			err, EINVAL, "%s: lies in %s, which is never forwarded", text, special);
	if ((rt->has_port || rt->kind == ROUTE_INTERFACE) &&
		(rt->port >= ROUTER_PORTS_MAX || !r->port[rt->port].used))
		return err_set(err, EINVAL, "%s: there is no port %u", text, rt->port);
	return 0;
}

// The next hop of a route that passed check_dst; *made: a neighbour was entered for it.
static int route_hop(
	struct router *r, const struct route *rt, uint32_t *hop, bool *made, struct err *err)
{
	char text[ADDR_TEXT_MAX];
	struct neigh *nb;
	int port;

	switch (rt->kind) {
	case ROUTE_REJECT:
		*hop = HOP_REJECT;
		return 0;
	case ROUTE_BLACKHOLE:
		*hop = HOP_BLACKHOLE;
		return 0;
	case ROUTE_INTERFACE:
		*hop = r->port[rt->port].glean;
		return 0;
	case ROUTE_GATEWAY:
		port = gateway_port(r, rt, prefix_text(&rt->dst, text), err);
		if (port < 0)
			return port;
		nb = neigh_need(r, (uint16_t)port, &rt->gateway, made, err);
		if (nb == NULL)
			return -err->code;
		*hop = nb->hop;
		return 0;
	}
	return err_set(err, EINVAL, "a route of unknown kind %d", rt->kind);
}

// The neighbour whose host route stands where the user's route to dst goes, or NULL.
static struct neigh *neigh_at(struct router *r, const struct prefix *dst)
{
	if (dst->len != host_len(&dst->addr))
		return NULL;
	for (unsigned i = 0; i < r->neighs.n; i++)
		if (r->neighs.v[i].in_fib && ip_equal(&r->neighs.v[i].ip, &dst->addr))
			return &r->neighs.v[i];
	return NULL;
}

int router_route_add(struct router *r, const struct route *route, struct err *err)
{
	struct err own = {0};
	struct route rt = *route;
	char text[ADDR_TEXT_MAX];
	bool made = false;
	struct neigh *nb;
	uint32_t hop = HOP_NO_ROUTE;
	int rc;

	err = err != NULL ? err : &own;
	if (rt.dst.addr.family != 4 && rt.dst.addr.family != 6)
		return err_set(err, EINVAL, "a route of neither IPv4 nor IPv6");
	if (rt.dst.len > host_len(&rt.dst.addr))
		return err_set(err, EINVAL, "%s: prefix length above %u",
			prefix_text(&rt.dst, text), host_len(&rt.dst.addr));
	prefix_mask(&rt.dst);
	prefix_text(&rt.dst, text);
	rc = check_dst(r, &rt, text, err);
	if (rc != 0)
		return rc;
	nb = neigh_at(r, &rt.dst);
	if (nb == NULL && fib_has(r, &rt.dst.addr, rt.dst.len))
		return err_set(err, EEXIST, "%s: there is a route already", text);
	rc = route_hop(r, &rt, &hop, &made, err);
	if (rc != 0)
		return rc;
	if (nb != NULL)
		nb->in_fib = false; // its entry is overwritten
	rc = fib_set(r, &rt.dst.addr, rt.dst.len, hop, err);
	if (rc != 0) {
		if (nb != NULL)
			nb->in_fib = true;
		if (made)
			unneed(r);
		return rc;
	}
	rc = rt.kind == ROUTE_INTERFACE ? onlink_add(r, &rt.dst, rt.port, err) : 0;
	if (rc != 0) {
		fib_del(r, &rt.dst.addr, rt.dst.len);
		return rc;
	}
	if (onlink_find(r, &rt.dst.addr, -1) == NULL)
		return 0;
	rc = settle_in(r, &rt.dst, err);
	if (rc != 0) {
		fib_del(r, &rt.dst.addr, rt.dst.len);
		if (rt.kind == ROUTE_INTERFACE)
			r->n_onlinks--;
		settle_in(r, &rt.dst, NULL); // what had room before has it again
	}
	return rc;
}

int router_neigh_add_on(struct router *r, uint16_t port, const struct ip *ip, const struct mac *mac,
	struct err *err)
{
	static const struct mac none;
	struct err own = {0};
	char text[ADDR_TEXT_MAX];
	struct neigh *nb;
	bool made;
	int rc;

	err = err != NULL ? err : &own;
	ip_text(ip, text);
	if (port >= ROUTER_PORTS_MAX || !r->port[port].used)
		return err_set(err, EINVAL, "%s: there is no port %u", text, port);
	if (!is_linklocal(ip) && onlink_find(r, ip, port) == NULL)
		return err_set(err, EINVAL, "%s: lies in no net of %s", text, r->port[port].name);
	if (is_ours(r, ip) || iface_owns(&r->port[port], ip))
		return err_set(err, EINVAL, "%s: is an address of this box", text);
	if (!is_linklocal(ip) && route_find(r, ip) == HOP_BROADCAST)
		return err_set(err, EINVAL, "%s: is a broadcast address", text);
	if (memcmp(mac, &none, sizeof(none)) == 0)
		return err_set(err, EINVAL, "%s: 00:00:00:00:00:00 is no MAC", text);
	nb = neigh_need(r, port, ip, &made, err);
	if (nb == NULL)
		return -err->code;
	nb->known = true;
	rc = neigh_settle(r, nb, err);
	if (rc != 0) {
		nb->known = r->hops.hop[nb->hop].kind == HOP_FORWARD;
		if (made)
			unneed(r);
		return rc;
	}
	nb->mac = *mac;
	hops_resolve(&r->hops, nb->hop, mac, &r->port[port].mac, r->port[port].mtu);
	return 0;
}

int router_neigh_add(struct router *r, const struct ip *ip, const struct mac *mac, struct err *err)
{
	const struct onlink *o = onlink_find(r, ip, -1);
	char text[ADDR_TEXT_MAX];

	if (ip->family == 6 && ip6_is_linklocal(ip->v6.b))
		return err_set(err, EINVAL, "%s: a link-local neighbour needs an interface",
			ip_text(ip, text));
	if (o == NULL)
		return err_set(err, EINVAL, "%s: lies in no connected net", ip_text(ip, text));
	return router_neigh_add_on(r, o->port, ip, mac, err);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/topo.h"

#include <errno.h>
#include <string.h>

// The interface whose net holds ip, by the longest prefix; -1 = none.  *len gets that length.
static int connected(const struct conf *c, const struct ip *ip, int *len)
{
	int found = -1;

	*len = -1;
	for (unsigned i = 0; i < c->n_ifaces; i++)
		for (unsigned j = 0; j < c->ifaces[i].n_addrs; j++) {
			const struct prefix *p = &c->ifaces[i].addrs[j];

			if (prefix_contains(p, ip) && p->len > *len) {
				*len = p->len;
				found = (int)i;
			}
		}
	return found;
}

static const struct conf_route *route_to(const struct conf *c, const struct ip *ip)
{
	const struct conf_route *best = NULL;

	for (unsigned i = 0; i < c->n_routes; i++)
		if (prefix_contains(&c->routes[i].dst, ip) &&
			(best == NULL || c->routes[i].dst.len > best->dst.len))
			best = &c->routes[i];
	return best;
}

static int iface_index(const struct conf *c, const char *name)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (strcmp(c->ifaces[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool neighbour(const struct conf *c, const struct ip *ip, struct mac *out)
{
	for (unsigned i = 0; i < c->n_neighs; i++)
		if (ip_equal(&c->neighs[i].ip, ip)) {
			*out = c->neighs[i].mac;
			return true;
		}
	return false;
}

// The interface behind which ip lies and the next station on the way to it.
static int follow(const struct conf *c, const struct ip *ip, unsigned *iface, struct ip *hop,
	struct mac *mac, bool *has_mac, struct err *err)
{
	const struct conf_route *r = route_to(c, ip);
	struct ip next = *ip;
	char text[ADDR_TEXT_MAX], gw[ADDR_TEXT_MAX];
	int len, i = connected(c, ip, &len);

	ip_text(ip, text);
	if (r != NULL && r->dst.len > len) {
		if (r->kind == CONF_REJECT || r->kind == CONF_BLACKHOLE)
			return err_set(
				err, EINVAL, "%s: the route to %s refuses it", r->where, text);
		if (r->kind == CONF_GATEWAY)
			next = r->gateway;
		i = r->iface[0] != '\0' ? iface_index(c, r->iface) : connected(c, &next, &len);
		if (i < 0)
			return err_set(err, EINVAL, "%s: no interface leads to %s", r->where,
				ip_text(&next, gw));
	}
	if (i < 0)
		return err_set(err, EINVAL, "the settings have no route to %s", text);
	*iface = (unsigned)i;
	*hop = next;
	*has_mac = neighbour(c, &next, mac);
	return 0;
}

int lab_topo(
	const struct conf *c, const struct lab_traffic *t, struct lab_topo *out, struct err *err)
{
	struct lab_topo topo = {0};

	if (follow(c, &t->gen.src.lo, &topo.in, &topo.in_hop, &topo.in_mac, &topo.has_in_mac,
		    err) != 0 ||
		follow(c, &t->gen.dst.lo, &topo.out, &topo.out_hop, &topo.out_mac,
			&topo.has_out_mac, err) != 0)
		return -err->code;
	if (topo.in == topo.out)
		return err_set(err, EINVAL, "sources and destinations are both behind %s",
			c->ifaces[topo.in].name);
	*out = topo;
	return 0;
}

bool lab_topo_own(const struct conf *c, const struct ip *ip)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		for (unsigned j = 0; j < c->ifaces[i].n_addrs; j++)
			if (ip_equal(&c->ifaces[i].addrs[j].addr, ip))
				return true;
	return false;
}

bool lab_topo_crosses(const struct conf *c, const struct lab_topo *t, const struct ip *dst,
	bool back, struct mac *station, bool *known)
{
	unsigned iface;
	struct ip hop;
	struct err why = {0};

	return !lab_topo_own(c, dst) && follow(c, dst, &iface, &hop, station, known, &why) == 0 &&
	       iface == (back ? t->in : t->out);
}

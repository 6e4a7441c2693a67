// SPDX-License-Identifier: BSD-2-Clause
#include "box.h"

#include "box_card.h"
#include "card.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUTES_SPARE = 512, PREFIXES_AN_ADDRESS = 4, NOT_HERE = -1 };

struct box {
	struct router *router;
	struct box_card_conf card_conf;
	struct box_card *card; // NULL: none
	struct path *path;
	struct worker *worker;
	uint64_t cpu_ns; // of the worker that was
	void (*note)(void *arg, const char *text);
	void *note_arg;
};

static int port_of(const struct box_setup *s, const char *iface)
{
	for (unsigned i = 0; i < s->n_ports; i++)
		if (strcmp(s->ports[i].iface, iface) == 0)
			return (int)i;
	return NOT_HERE;
}

static void note(const struct box_setup *s, const char *where, const char *what, const char *iface)
{
	char text[512];

	if (s->note == NULL)
		return;
	snprintf(text, sizeof(text), "%s: %s left out: %s has no port", where, what, iface);
	s->note(s->arg, text);
}

// An interface without a port in whose nets the address lies; NULL if there is none, or an interface
// with a port has it in a net too.
static const struct conf_iface *elsewhere(const struct box_setup *s, const struct ip *ip)
{
	const struct conf_iface *far = NULL;

	for (unsigned i = 0; i < s->conf->n_ifaces; i++) {
		const struct conf_iface *f = &s->conf->ifaces[i];

		for (unsigned a = 0; a < f->n_addrs; a++) {
			if (!prefix_contains(&f->addrs[a], ip))
				continue;
			if (port_of(s, f->name) != NOT_HERE)
				return NULL;
			far = f;
		}
	}
	return far;
}

static struct mac mac_of(const struct conf_iface *f, struct port *p)
{
	struct mac mac = f->ether;

	if (!f->has_ether)
		port_mac(p, &mac);
	return mac;
}

static int add_iface(struct router *r, uint16_t port, const struct conf_iface *f, struct port *p,
	struct err *err)
{
	struct mac mac = mac_of(f, p);
	int rc;

	if (!f->up)
		return err_set(err, EINVAL,
			"%s: %s is given no value, so FreeBSD leaves it down; say \"up\"", f->where,
			f->name);
	rc = router_port_add(r, port, f->name, &mac, f->mtu != 0 ? f->mtu : port_mtu(p), err);
	for (unsigned i = 0; i < f->n_addrs && rc == 0; i++)
		rc = router_addr_add(r, port, &f->addrs[i], err);
	return rc == 0 ? 0 : err_context(err, "%s", f->where);
}

static int add_ifaces(struct router *r, const struct box_setup *s, struct err *err)
{
	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct conf_iface *f = conf_iface_find(s->conf, s->ports[i].iface);
		int rc;

		if (f == NULL)
			return err_set(err, EINVAL, "the configuration has no interface '%s'",
				s->ports[i].iface);
		if (port_of(s, f->name) != (int)i)
			return err_set(
				err, EINVAL, "the interface '%s' is given two ports", f->name);
		rc = add_iface(r, (uint16_t)i, f, s->ports[i].port, err);
		if (rc != 0)
			return rc;
	}
	for (unsigned i = 0; i < s->conf->n_ifaces; i++) {
		const struct conf_iface *f = &s->conf->ifaces[i];

		if (f->n_addrs > 0 && port_of(s, f->name) == NOT_HERE)
			note(s, f->where, "the interface is", f->name);
	}
	return 0;
}

static int add_route(
	struct router *r, const struct box_setup *s, const struct conf_route *c, struct err *err)
{
	static const enum route_kind kinds[] = {[CONF_GATEWAY] = ROUTE_GATEWAY,
		[CONF_IFACE] = ROUTE_INTERFACE,
		[CONF_REJECT] = ROUTE_REJECT,
		[CONF_BLACKHOLE] = ROUTE_BLACKHOLE};
	struct route route = {.dst = c->dst, .kind = kinds[c->kind], .gateway = c->gateway};
	const struct conf_iface *far = c->kind == CONF_GATEWAY ? elsewhere(s, &c->gateway) : NULL;
	char what[64];

	snprintf(what, sizeof(what), "the route '%s' is", c->name);
	if (c->iface[0] != '\0') {
		int port = port_of(s, c->iface);

		if (port == NOT_HERE && conf_iface_find(s->conf, c->iface) == NULL)
			return err_set(
				err, EINVAL, "%s: there is no interface '%s'", c->where, c->iface);
		if (port == NOT_HERE) {
			note(s, c->where, what, c->iface);
			return 0;
		}
		route.port = (uint16_t)port;
		route.has_port = true;
	} else if (far != NULL) {
		note(s, c->where, what, far->name);
		return 0;
	}
	return router_route_add(r, &route, err) == 0 ? 0 : err_context(err, "%s", c->where);
}

static int add_neigh(
	struct router *r, const struct box_setup *s, const struct conf_neigh *c, struct err *err)
{
	const struct conf_iface *far = elsewhere(s, &c->ip);
	const char *iface = c->zone[0] != '\0' ? c->zone : far != NULL ? far->name : NULL;
	int rc;

	if (iface != NULL && port_of(s, iface) == NOT_HERE) {
		note(s, c->where, "the neighbour is", iface);
		return 0;
	}
	rc = iface != NULL
		     ? router_neigh_add_on(r, (uint16_t)port_of(s, iface), &c->ip, &c->mac, err)
		     : router_neigh_add(r, &c->ip, &c->mac, err);
	return rc == 0 ? 0 : err_context(err, "%s", c->where);
}

static int configure(struct router *r, const struct box_setup *s, struct err *err)
{
	const struct conf *c = s->conf;
	int rc = add_ifaces(r, s, err);

	for (unsigned i = 0; i < c->n_routes && rc == 0; i++)
		rc = add_route(r, s, &c->routes[i], err);
	for (unsigned i = 0; i < c->n_neighs && rc == 0; i++)
		rc = add_neigh(r, s, &c->neighs[i], err);
	return rc;
}

static struct router *make_router(const struct box_setup *s, struct err *err)
{
	const struct conf *c = s->conf;
	struct router_conf rc = {
		.forward4 = c->forward4,
		.forward6 = c->forward6,
		.redirect4 = c->redirect4,
		.redirect6 = c->redirect6,
		.ttl = c->ttl,
		.hlim = c->hlim,
		.process_options = c->process_options,
		.icmp_limit_pps = c->icmp_limit_pps,
		.icmp_quote_bytes = c->icmp_quote_bytes,
		.icmp_reply_from_interface = c->icmp_reply_from_interface,
		.pool = s->pool,
	};
	unsigned n4 = 0, n6 = 0;

	for (unsigned i = 0; i < c->n_routes; i++)
		*(c->routes[i].dst.addr.family == 4 ? &n4 : &n6) += 1;
	for (unsigned i = 0; i < c->n_neighs; i++)
		*(c->neighs[i].ip.family == 4 ? &n4 : &n6) += 1;
	for (unsigned i = 0; i < c->n_ifaces; i++)
		for (unsigned a = 0; a < c->ifaces[i].n_addrs; a++)
			*(c->ifaces[i].addrs[a].addr.family == 4 ? &n4
								 : &n6) += PREFIXES_AN_ADDRESS;
	rc.max_routes4 = n4 + ROUTES_SPARE;
	rc.max_routes6 = n6 + ROUTES_SPARE;
	return router_new(&rc, err);
}

// What the card's tables wait for.
static void quiet(void *arg)
{
	box_quiet(arg);
}

static void clear_port(void *arg, unsigned port)
{
	struct box *b = arg;

	path_clear_port(b->path, port);
}

static int make_card(struct box *b, const struct box_setup *s, struct err *err)
{
	struct box_card_conf *c = &b->card_conf;

	*c = (struct box_card_conf){.n_ports = s->n_ports,
		.readers = {.quiet = quiet, .arg = b},
		.clear = clear_port,
		.arg = b};
	if (adapter_name_check(s->adapter, err) != 0)
		return -err->code;
	strcpy(c->name, s->adapter); // adapter_name_check() has looked at the length
	for (unsigned i = 0; i < s->n_ports; i++)
		c->mac[i] = mac_of(conf_iface_find(s->conf, s->ports[i].iface), s->ports[i].port);
	b->card = box_card_make(c, err);
	if (b->card == NULL)
		return -err->code;
	path_set_adapter(b->path, b->card->path);
	return 0;
}

struct box *box_new(const struct box_setup *setup, struct err *err)
{
	struct port *ports[PATH_PORTS_MAX];
	struct box *b;

	if (setup->n_ports == 0 || setup->n_ports > PATH_PORTS_MAX) {
		err_set(err, EINVAL, "%u ports: a router has 1 to %u", setup->n_ports,
			PATH_PORTS_MAX);
		return NULL;
	}
	b = calloc(1, sizeof(*b));
	if (b == NULL) {
		err_set(err, ENOMEM, "no memory for a router");
		return NULL;
	}
	b->note = setup->note;
	b->note_arg = setup->arg;
	for (unsigned i = 0; i < setup->n_ports; i++)
		ports[i] = setup->ports[i].port;
	b->router = make_router(setup, err);
	if (b->router == NULL || configure(b->router, setup, err) != 0)
		goto fail;
	b->path = path_new(ports, setup->n_ports, b->router, err);
	if (b->path == NULL || (setup->adapter != NULL && make_card(b, setup, err) != 0))
		goto fail;
	return b;
fail:
	box_free(b);
	return NULL;
}

void box_free(struct box *b)
{
	if (b == NULL)
		return;
	box_stop(b);
	path_free(b->path);
	box_card_free(b->card);
	router_free(b->router);
	free(b);
}

static void loop(void *arg)
{
	struct box *b = arg;

	path_once(b->path);
}

int box_start(struct box *b, unsigned worker, struct err *err)
{
	b->worker = worker_start(worker, loop, b, err);
	return b->worker != NULL ? 0 : -EINVAL;
}

void box_stop(struct box *b)
{
	if (b->worker == NULL)
		return;
	b->cpu_ns = worker_cpu_ns(b->worker);
	worker_stop(b->worker);
	b->worker = NULL;
}

struct adapter *box_adapter(const struct box *b)
{
	return b->card != NULL ? b->card->adapter : NULL;
}

struct box_card *box_card_new(const struct box *b, struct err *err)
{
	struct box_card *c = box_card_make(&b->card_conf, err);

	if (c != NULL)
		box_card_gather(c); // until it is in its place no packet looks anything up
	return c;
}

int box_card_swap(struct box *b, struct box_card **c, struct err *err)
{
	struct box_card *old = b->card;
	int rc = box_card_release(*c, err);

	if (rc != 0)
		return rc;
	b->card = *c;
	path_set_adapter(b->path, b->card->path);
	box_quiet(b); // the worker has left the old one
	*c = old;
	return 0;
}

static int script_command(
	struct box *b, const char *path, const struct conf_command *c, struct err *err)
{
	char said[ERR_MSG_MAX], text[sizeof(said) + CONF_WHERE_MAX];
	int rc = card_command(b->card->adapter, path, c, said, err);

	if (rc == 0 && said[0] != '\0' && b->note != NULL) {
		snprintf(text, sizeof(text), "%s:%u: %s", path, c->line, said);
		b->note(b->note_arg, text);
	}
	return rc;
}

int box_commands(struct box *b, const char *file, const struct conf_script *s, struct err *err)
{
	// Before packets come the tables are made once for all rules.
	bool gather = b->worker == NULL;
	int rc = 0;

	if (gather)
		box_card_gather(b->card);
	for (unsigned i = 0; i < s->n && rc == 0; i++)
		rc = script_command(b, file, &s->commands[i], err);
	if (gather && rc == 0)
		rc = box_card_release(b->card, err);
	return rc;
}

int box_script(struct box *b, const char *path, struct err *err)
{
	struct conf_script s;
	int rc = conf_script_read(path, &s, err);

	if (rc != 0)
		return rc;
	rc = box_commands(b, path, &s, err);
	conf_script_free(&s);
	return rc;
}

void box_quiet(struct box *b)
{
	if (b->worker != NULL)
		worker_quiet(b->worker);
}

void box_once(struct box *b)
{
	path_once(b->path);
}

void box_counters(const struct box *b, struct path_counters *out)
{
	path_counters(b->path, out);
}

void box_router_counters(const struct box *b, struct router_counters *out)
{
	router_counters(b->router, out);
}

uint64_t box_cpu_ns(const struct box *b)
{
	return b->worker != NULL ? worker_cpu_ns(b->worker) : b->cpu_ns;
}

// SPDX-License-Identifier: BSD-2-Clause
// routes.c - static_routes, ipv6_static_routes and the default routers: route(8)'s words.
//
// In FreeBSD's order: the listed routes, then the default one.  A destination that is there
// already keeps its first route, as route(8) refuses the second.
#include "conf/build.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct words {
	struct build *b;
	const struct var *v;
	struct conf_route *r;
	struct vars *seen; // destinations
	char **w;
	unsigned n, at;
	int family;
	enum { DST_GUESS, DST_NET, DST_HOST } dst_kind;
	const char *dst, *gateway, *length, *fib;
	bool netmask, direct; // direct: -interface
};

static const struct {
	const char *word, *why;
} ignored[] = {
	{"-static", NULL},
	{"-mtu", "the interface's MTU holds for all its routes"},
	{"-hopcount", "routes carry no metrics"},
	{"-expire", "static routes do not expire"},
	{"-weight", "each destination has one route"},
	{"-recvpipe", "routes carry no metrics"},
	{"-sendpipe", "routes carry no metrics"},
	{"-ssthresh", "routes carry no metrics"},
	{"-rtt", "routes carry no metrics"},
	{"-rttvar", "routes carry no metrics"},
};

static bool takes_value(const char *word)
{
	return strcmp(word, "-static") != 0;
}

// A word that begins with '-'.
static int option(struct words *w, const char *word)
{
	const char *value = w->at < w->n ? w->w[w->at] : NULL;

	if (strcmp(word, "-net") == 0)
		w->dst_kind = DST_NET;
	else if (strcmp(word, "-host") == 0)
		w->dst_kind = DST_HOST;
	else if (strcmp(word, "-reject") == 0)
		w->r->kind = CONF_REJECT;
	else if (strcmp(word, "-blackhole") == 0)
		w->r->kind = CONF_BLACKHOLE;
	else if (strcmp(word, "-iface") == 0 || strcmp(word, "-interface") == 0)
		w->direct = true;
	else if (strcmp(word, "-inet") == 0 || strcmp(word, "-4") == 0)
		w->family = 4;
	else if (strcmp(word, "-inet6") == 0 || strcmp(word, "-6") == 0)
		w->family = 6;
	else if (strcmp(word, "-netmask") == 0 || strcmp(word, "-prefixlen") == 0 ||
		 strcmp(word, "-fib") == 0) {
		if (value == NULL)
			return conf_bad(w->b, w->v, "nothing behind '%s'", word);
		w->at++;
		if (word[1] == 'f') {
			w->fib = value;
			return 0;
		}
		if (w->length != NULL)
			return conf_bad(w->b, w->v, "a second length, %.60s", value);
		w->length = value;
		w->netmask = word[1] == 'n';
	} else {
		for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
			if (strcmp(word, ignored[i].word) != 0)
				continue;
			if (!takes_value(word))
				return 0;
			if (value == NULL)
				return conf_bad(w->b, w->v, "nothing behind '%s'", word);
			w->at++;
			return conf_note(w->b, CONF_NO_EFFECT, w->v,
				"%s: no effect here because %s", word, ignored[i].why);
		}
		return conf_bad(w->b, w->v, "'%.60s' is not a word of route known here", word);
	}
	return 0;
}

static int split(struct words *w)
{
	while (w->at < w->n) {
		const char *word = w->w[w->at++];
		int rc = 0;

		if (word[0] == '-')
			rc = option(w, word);
		else if (w->dst == NULL)
			w->dst = word;
		else if (w->gateway == NULL)
			w->gateway = word;
		else
			rc = conf_bad(w->b, w->v, "'%.60s' is one word too many", word);
		if (rc != 0)
			return rc;
	}
	if (w->dst == NULL)
		return conf_bad(w->b, w->v, "a destination is missing");
	return 0;
}

// Completes 10 or 198.18 with the octets that are missing.
static void full_octets(const char *text, char *out, size_t size)
{
	unsigned dots = 0;

	for (const char *p = text; *p != '\0'; p++)
		dots += *p == '.';
	snprintf(out, size, "%s%s", text, &".0.0.0"[dots < 3 ? 2 * dots : 6]);
}

static int length(struct words *w, const char *slash)
{
	struct prefix *p = &w->r->dst;
	uint8_t full = w->family == 4 ? 32 : 128;
	struct err e = {0};
	long long len;
	int rc;

	if (slash != NULL && w->length != NULL)
		return conf_bad(w->b, w->v, "%.60s has a second length, %.60s", w->dst, w->length);
	if (slash == NULL && w->length == NULL) {
		if (w->dst_kind == DST_NET ||
			(w->dst_kind == DST_GUESS && w->family == 4 && (p->addr.v4 & 0xff) == 0))
			return conf_bad(w->b, w->v,
				"%.60s: a net needs /LENGTH, -netmask or -prefixlen", w->dst);
		p->len = full;
		return 0;
	}
	if (w->netmask && w->family == 6)
		return conf_bad(w->b, w->v, "an IPv6 net takes -prefixlen");
	if (w->netmask) {
		if (netmask_parse(w->length, &p->len, &e) != 0)
			return conf_bad(w->b, w->v, "%s", e.msg);
		return 0;
	}
	rc = conf_number(w->b, w->v, slash != NULL ? slash + 1 : w->length, 0, full, &len);
	if (rc != 0)
		return rc;
	p->len = (uint8_t)len;
	if (w->dst_kind == DST_HOST && p->len != full)
		return conf_bad(w->b, w->v, "%.60s: a host has no length but %u", w->dst, full);
	return 0;
}

static int destination(struct words *w)
{
	struct prefix *p = &w->r->dst;
	char addr[ADDR_TEXT_MAX], full[ADDR_TEXT_MAX + 8];
	const char *slash = strchr(w->dst, '/');
	struct err e = {0};
	int rc;

	*p = (struct prefix){.addr.family = (uint8_t)w->family};
	if (strcmp(w->dst, "default") == 0) {
		if (w->length != NULL)
			return conf_bad(w->b, w->v, "default takes no length");
		return 0;
	}
	if (snprintf(addr, sizeof(addr), "%.*s", (int)strcspn(w->dst, "/"), w->dst) >=
		(int)sizeof(addr))
		return conf_bad(w->b, w->v, "'%.80s' is not an address", w->dst);
	if (w->family == 4 && strchr(addr, ':') == NULL && (slash != NULL || w->length != NULL))
		full_octets(addr, full, sizeof(full));
	else
		strcpy(full, addr);
	if (ip_parse(full, &p->addr, &e) != 0)
		return conf_bad(w->b, w->v, "%s", e.msg);
	if (p->addr.family != w->family)
		return conf_bad(w->b, w->v, "%s is not an IPv%d address", addr, w->family);
	rc = length(w, slash);
	if (rc == 0)
		prefix_mask(p);
	return rc;
}

static int gateway(struct words *w)
{
	struct conf_route *r = w->r;
	int rc;

	if (w->gateway == NULL && r->kind == CONF_GATEWAY)
		return conf_bad(w->b, w->v, "a gateway is missing");
	if (w->gateway == NULL || r->kind == CONF_REJECT || r->kind == CONF_BLACKHOLE)
		return 0; // route(8) wants an address there and does not use it
	if (w->direct) {
		r->kind = CONF_IFACE;
		if (conf_iface_at(w->b->c, w->gateway) == NULL)
			return conf_bad(
				w->b, w->v, "there is no interface '%.60s' in rc.conf", w->gateway);
		strcpy(r->iface, w->gateway);
		return 0;
	}
	rc = conf_zoned_ip(w->b, w->v, w->gateway, &r->gateway, r->iface);
	if (rc != 0)
		return rc;
	if (r->gateway.family != w->family)
		return conf_bad(w->b, w->v, "the gateway %s is not an IPv%d address", w->gateway,
			w->family);
	if (ip6_is_link_local(&r->gateway) && r->iface[0] == '\0')
		return conf_bad(w->b, w->v, "the gateway %s needs its interface, %s%%IF",
			w->gateway, w->gateway);
	if (r->iface[0] != '\0' && conf_iface_at(w->b->c, r->iface) == NULL)
		return conf_bad(w->b, w->v, "there is no interface '%s' in rc.conf", r->iface);
	return 0;
}

static int add(struct words *w, const char *name)
{
	struct conf_route *more;
	char text[ADDR_TEXT_MAX];
	const struct var *old;
	long long fib = 0;
	int rc = 0;

	if (w->fib != NULL)
		rc = conf_number(w->b, w->v, w->fib, 0, UINT16_MAX, &fib);
	if (rc != 0)
		return rc;
	if (fib != 0)
		return conf_note(w->b, CONF_NO_EFFECT, w->v,
			"no effect here because the router has one routing table, not -fib %lld",
			fib);
	prefix_text(&w->r->dst, text);
	old = vars_find(w->seen, text);
	if (old != NULL)
		return conf_note(w->b, CONF_NO_EFFECT, w->v,
			"no effect here because %s has the route to %s already", old->where, text);
	rc = vars_set(w->seen, text, "", w->v->where, w->b->err);
	if (rc != 0)
		return rc;
	more = conf_grow(w->b, w->b->c->routes, w->b->c->n_routes, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	w->b->c->routes = more;
	snprintf(w->r->name, sizeof(w->r->name), "%s", name);
	strcpy(w->r->where, w->v->where);
	more[w->b->c->n_routes++] = *w->r;
	return 0;
}

// One route from the words in v.
static int route(
	struct build *b, const struct var *v, int family, const char *name, struct vars *seen)
{
	struct conf_route r = {.kind = CONF_GATEWAY};
	struct words w = {.b = b, .v = v, .r = &r, .seen = seen, .family = family};
	int rc = plain_words(v->value, &w.w, &w.n, b->err);

	if (rc != 0)
		return rc;
	rc = split(&w);
	if (rc == 0)
		rc = destination(&w);
	if (rc == 0)
		rc = gateway(&w);
	if (rc == 0)
		rc = add(&w, name);
	free(w.w);
	return rc;
}

// A list of names, each with its variable.  NAME:IF counts only with the interface IF.
static int listed(
	struct build *b, const char *list, const char *before, int family, struct vars *seen)
{
	const struct var *v = conf_rc_var(b, list, "", "");
	char **w;
	unsigned n;
	int rc;

	if (v == NULL)
		return 0;
	rc = plain_words(v->value, &w, &n, b->err);
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		char *colon = strchr(w[i], ':');
		const struct var *args;

		if (colon != NULL)
			*colon++ = '\0';
		args = conf_rc_var(b, before, w[i], "");
		if (args == NULL)
			rc = conf_note(b, CONF_PARTIAL, v, "%s%.80s is not found", before, w[i]);
		else if (colon != NULL && conf_iface_at(b->c, colon) == NULL)
			rc = conf_note(b, CONF_NO_EFFECT, args,
				"no effect here because there is no interface %.60s", colon);
		else
			rc = route(b, args, family, w[i], seen);
	}
	free(w);
	return rc;
}

static int default_route(struct build *b, const char *name, int family, struct vars *seen)
{
	const struct var *v = conf_rc_var(b, name, "", "");
	char words[256];
	struct var line;

	if (v == NULL || strcasecmp(v->value, "NO") == 0)
		return 0;
	if (strchr(v->value, ' ') != NULL ||
		snprintf(words, sizeof(words), "default %s", v->value) >= (int)sizeof(words))
		return conf_bad(b, v, "'%.60s' is not an address", v->value);
	line = *v;
	line.value = words;
	return route(b, &line, family, "default", seen);
}

int conf_build_routes(struct build *b)
{
	struct vars seen = {0};
	int rc = listed(b, "static_routes", "route_", 4, &seen);

	if (rc == 0)
		rc = default_route(b, "defaultrouter", 4, &seen);
	if (rc == 0)
		rc = listed(b, "ipv6_static_routes", "ipv6_route_", 6, &seen);
	if (rc == 0)
		rc = default_route(b, "ipv6_defaultrouter", 6, &seen);
	vars_free(&seen);
	return rc;
}

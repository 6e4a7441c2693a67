// SPDX-License-Identifier: BSD-2-Clause
// neighs.c - static_arp_pairs and static_ndp_pairs: permanent neighbours.
//
// FreeBSD finds the interface by the net an address lies in, and drops the pair without a word
// where there is none; here that is an error, as the pair would then be missing in a measurement.
#include "conf/build.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool on_a_net(const struct conf *c, const struct ip *ip)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		for (unsigned k = 0; k < c->ifaces[i].n_addrs; k++)
			if (prefix_contains(&c->ifaces[i].addrs[k], ip))
				return true;
	return false;
}

static int check(struct build *b, const struct var *v, const char *text, const struct conf_neigh *n)
{
	if (ip6_is_link_local(&n->ip)) {
		if (n->zone[0] == '\0')
			return conf_bad(b, v, "%s needs its interface, %s%%IF", text, text);
		if (conf_iface_at(b->c, n->zone) == NULL)
			return conf_bad(b, v, "there is no interface '%s' in rc.conf", n->zone);
		return 0;
	}
	if (!on_a_net(b->c, &n->ip))
		return conf_bad(b, v, "%s lies in no interface's net", text);
	return 0;
}

// ADDRESS MAC.
static int pair(struct build *b, const struct var *v, int family, struct conf_neigh *out)
{
	struct err e = {0};
	char **w;
	unsigned n;
	int rc = plain_words(v->value, &w, &n, b->err);

	if (rc != 0)
		return rc;
	*out = (struct conf_neigh){0};
	if (n != 2)
		rc = conf_bad(b, v, "'%.80s' is not ADDRESS MAC", v->value);
	if (rc == 0)
		rc = conf_zoned_ip(b, v, w[0], &out->ip, out->zone);
	if (rc == 0 && out->ip.family != family)
		rc = conf_bad(b, v, "%s is not an IPv%d address", w[0], family);
	if (rc == 0 && mac_parse(w[1], &out->mac, &e) != 0)
		rc = conf_bad(b, v, "%s", e.msg);
	if (rc == 0 && (out->mac.b[0] & 1) != 0)
		rc = conf_bad(b, v, "%s is a group address", w[1]);
	if (rc == 0)
		rc = check(b, v, w[0], out);
	if (rc == 0)
		strcpy(out->where, v->where);
	free(w);
	return rc;
}

// `seen` holds the index of each address, as text.
static int add(struct build *b, const struct conf_neigh *n, struct vars *seen)
{
	char key[ADDR_TEXT_MAX + CONF_NAME_MAX + 1], addr[ADDR_TEXT_MAX], index[16];
	const struct var *old;
	struct conf_neigh *more;

	snprintf(key, sizeof(key), "%s%%%s", ip_text(&n->ip, addr), n->zone);
	old = vars_find(seen, key);
	if (old != NULL) {
		b->c->neighs[strtoul(old->value, NULL, 10)] = *n;
		return 0;
	}
	more = conf_grow(b, b->c->neighs, b->c->n_neighs, sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	b->c->neighs = more;
	snprintf(index, sizeof(index), "%u", b->c->n_neighs);
	more[b->c->n_neighs++] = *n;
	return vars_set(seen, key, index, "", b->err);
}

static int listed(struct build *b, const char *list, const char *before, int family)
{
	const struct var *v = conf_rc_var(b, list, "", "");
	struct vars seen = {0};
	char **w;
	unsigned n;
	int rc;

	if (v == NULL)
		return 0;
	rc = plain_words(v->value, &w, &n, b->err);
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		const struct var *args = conf_rc_var(b, before, w[i], "");
		struct conf_neigh neigh;

		if (args == NULL) {
			rc = conf_note(b, CONF_PARTIAL, v, "%s%.80s is not found", before, w[i]);
			continue;
		}
		rc = pair(b, args, family, &neigh);
		if (rc == 0)
			rc = add(b, &neigh, &seen);
	}
	vars_free(&seen);
	free(w);
	return rc;
}

int conf_build_neighs(struct build *b)
{
	int rc = listed(b, "static_arp_pairs", "static_arp_", 4);

	return rc != 0 ? rc : listed(b, "static_ndp_pairs", "static_ndp_", 6);
}

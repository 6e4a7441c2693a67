// SPDX-License-Identifier: BSD-2-Clause
// ifconfig.c - the words of an ifconfig command line.
//
// An address stays pending until all words that belong to it (netmask, prefixlen, broadcast) are
// read: the next address or the end of the words completes it.
#include "conf/build.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct build *b;
	struct conf_iface *i;
	const struct var *v;
	const struct ifconfig_mode *mode;
	char **w;
	unsigned n, at;
	int family;          // that the next bare address belongs to; 0 = not said
	const char *address; // pending
	int address_family;
	const char *length; // its netmask or prefix length, or NULL
	bool netmask;
	unsigned n_addresses;
};

static const char no_segments[] =
	"no effect here because frames are forwarded as they came: nothing is merged or cut";
static const char no_sums[] =
	"no effect here because checksums are checked and updated in software, at any setting";
static const char no_vlan[] = "no effect here because the router carries no VLAN sub-interfaces";
static const char no_link[] =
	"no effect here because the link's speed and mode are the driver's matter";
static const char no_ra[] =
	"no effect here because the router neither reads nor sends router advertisements";
static const char no_host[] =
	"no effect here because the router forwards in poll mode, past the host's network stack";
static const char no_toe[] = "no effect here because a router ends no TCP connections";

enum { NO_FIELD = -1 };

// Words for switches: WORD turns on, -WORD off.  `field` is an int of struct conf_iface that takes
// 1 or 0.  why_on, why_off: the note for the word; NULL where the effect is complete.
struct toggle {
	const char *word;
	int field;
	const char *why_on, *why_off;
};

static const struct toggle toggles[] = {
	{"tso4", offsetof(struct conf_iface, tso4), no_segments, NULL},
	{"tso6", offsetof(struct conf_iface, tso6), no_segments, NULL},
	{"lro", offsetof(struct conf_iface, lro), no_segments, NULL},
	{"rxcsum", offsetof(struct conf_iface, rxcsum), no_sums, NULL},
	{"txcsum", offsetof(struct conf_iface, txcsum), no_sums, NULL},
	{"rxcsum6", NO_FIELD, no_sums, NULL},
	{"txcsum6", NO_FIELD, no_sums, NULL},
	{"vlanhwtso", offsetof(struct conf_iface, vlanhwtso), no_segments, NULL},
	{"vlanhwtag", NO_FIELD, no_vlan, NULL},
	{"vlanhwfilter", NO_FIELD, no_vlan, NULL},
	{"vlanhwcsum", NO_FIELD, no_sums, NULL},
	{"vlanmtu", NO_FIELD, no_vlan, NULL},
	{"toe", NO_FIELD, no_toe, NULL},
	{"toe4", NO_FIELD, no_toe, NULL},
	{"toe6", NO_FIELD, no_toe, NULL},
	{"txtls", NO_FIELD, no_toe, NULL},
	{"rxtls", NO_FIELD, no_toe, NULL},
	{"mextpg", NO_FIELD, no_host, NULL},
	{"netcons", NO_FIELD, no_host, NULL},
	{"polling", NO_FIELD, NULL, no_host},
	{"wol", NO_FIELD, no_link, NULL},
	{"wol_magic", NO_FIELD, no_link, NULL},
	{"wol_mcast", NO_FIELD, no_link, NULL},
	{"wol_ucast", NO_FIELD, no_link, NULL},
	{"promisc", NO_FIELD, "no effect here because the router forwards only frames sent to it",
		NULL},
	{"arp", NO_FIELD, NULL, "no effect here because static neighbours do not switch ARP off"},
	{"debug", NO_FIELD, no_host, NULL},
	{"accept_rtadv", NO_FIELD, no_ra, NULL},
	{"no_radr", NO_FIELD, no_ra, NULL},
	{"auto_linklocal", NO_FIELD, NULL,
		"no effect here because each IPv6 interface has its link-local address"},
	{"ifdisabled", NO_FIELD, "no effect here; leave IPv6 out of the file to keep it off", NULL},
	{"no_dad", NO_FIELD, NULL,
		"no effect here because addresses are never probed for duplicates"},
	{"nud", NO_FIELD, no_host, NULL},
	{"anycast", NO_FIELD, "no effect here because it is kept as an ordinary address", NULL},
};

// Words that take one argument and have no effect, with the reason.
static const struct {
	const char *word, *why;
} ignored_pairs[] = {
	{"media", no_link},
	{"mediaopt", no_link},
	{"mode", no_link},
	{"metric", "no effect here because no routing protocol asks for it"},
	{"broadcast", "no effect here because the router sends no broadcasts"},
	{"group", "no effect here because nothing refers to interface groups"},
	{"vlan", no_vlan},
	{"vlandev", no_vlan},
	{"vnet", no_host},
	{"description", "no effect here because descriptions are shown nowhere"},
	{"descr", "no effect here because descriptions are shown nowhere"},
	{"name", "no effect here because ifconfig_IF_name is read instead"},
	{"pltime", "no effect here because static addresses do not age"},
	{"vltime", "no effect here because static addresses do not age"},
};

static int flush_address(struct args *a)
{
	struct err e = {0};
	struct prefix p;
	char addr[ADDR_TEXT_MAX];
	const char *slash, *percent;
	int rc;

	if (a->address == NULL)
		return 0;
	if (a->n_addresses++ > 0 && !a->mode->many)
		return conf_bad(
			a->b, a->v, "more than one address; use ifconfig_%s_aliases", a->i->name);
	slash = strchr(a->address, '/');
	percent = strchr(a->address, '%');
	if (slash != NULL && a->length != NULL)
		return conf_bad(a->b, a->v, "%s has a second length, %s", a->address, a->length);
	if (slash == NULL && a->length == NULL && a->address_family == 4)
		return conf_bad(a->b, a->v, "%s has neither a netmask nor a /length", a->address);
	if (percent != NULL) { // fe80::1%igb0 on igb0
		size_t n = strcspn(percent + 1, "/");

		if (strlen(a->i->name) != n || strncmp(percent + 1, a->i->name, n) != 0)
			return conf_bad(a->b, a->v, "%s names another interface", a->address);
	}
	if (snprintf(addr, sizeof(addr), "%.*s%s", (int)strcspn(a->address, "%/"), a->address,
		    slash != NULL ? slash : "") >= (int)sizeof(addr))
		return conf_bad(a->b, a->v, "'%.80s' is not an address", a->address);
	if (prefix_parse(addr, &p, &e) != 0)
		return conf_bad(a->b, a->v, "%s", e.msg);
	if (p.addr.family != a->address_family)
		return conf_bad(a->b, a->v, "%s is not an inet%s address", a->address,
			a->address_family == 6 ? "6" : "");
	if (slash == NULL && a->length == NULL)
		p.len = 64;
	if (a->length != NULL && a->netmask) {
		if (p.addr.family == 6)
			return conf_bad(a->b, a->v, "an inet6 address takes prefixlen");
		if (netmask_parse(a->length, &p.len, &e) != 0)
			return conf_bad(a->b, a->v, "%s", e.msg);
	} else if (a->length != NULL) {
		long long len;

		rc = conf_number(a->b, a->v, a->length, 0, p.addr.family == 6 ? 128 : 32, &len);
		if (rc != 0)
			return rc;
		p.len = (uint8_t)len;
	}
	a->address = a->length = NULL;
	return conf_iface_add_addr(a->b, a->i, a->v, &p);
}

static int take_address(struct args *a, const char *word)
{
	int rc;

	if (a->address != NULL && a->family == 0)
		return conf_bad(a->b, a->v,
			"'%.60s' behind an address: point-to-point pairs are not supported", word);
	rc = flush_address(a);
	if (rc != 0)
		return rc;
	if (a->family == 0) {
		a->family = a->mode->family;
		if (a->mode->family == 6 || a->mode->many || a->mode->ranges)
			rc = conf_note(a->b, CONF_PARTIAL, a->v, "the word inet%s is missing",
				a->family == 6 ? "6" : "");
		if (rc != 0)
			return rc;
	}
	if (a->mode->ranges && strchr(word, '-') != NULL) {
		struct var list = *a->v;

		list.value = (char *)word;
		a->family = 0;
		return conf_addr_list(a->b, a->i, &list);
	}
	a->address = word;
	a->address_family = a->family;
	a->family = 0;
	return 0;
}

static int take_length(struct args *a, const char *word, const char *value)
{
	if (a->address == NULL)
		return conf_bad(a->b, a->v, "%s without an address before it", word);
	if (a->length != NULL)
		return conf_bad(a->b, a->v, "a second length, %.60s", value);
	a->netmask = strcmp(word, "netmask") == 0;
	a->length = value;
	return 0;
}

static int take_ether(struct args *a, const char *value)
{
	struct err e = {0};

	if (mac_parse(value, &a->i->ether, &e) != 0)
		return conf_bad(a->b, a->v, "%s", e.msg);
	if (a->i->ether.b[0] & 1)
		return conf_bad(a->b, a->v, "%s is a group address", value);
	a->i->has_ether = true;
	return 0;
}

// WORD VALUE.  *known is false if word takes no value we know of.
static int pair(struct args *a, const char *word, bool *known)
{
	const char *value = a->at < a->n ? a->w[a->at] : NULL;
	long long n;
	int rc;

	*known = true;
	for (unsigned k = 0; k < sizeof(ignored_pairs) / sizeof(ignored_pairs[0]); k++) {
		if (strcmp(word, ignored_pairs[k].word) == 0) {
			if (value == NULL)
				return conf_bad(a->b, a->v, "nothing behind '%s'", word);
			a->at++;
			return conf_note(
				a->b, CONF_NO_EFFECT, a->v, "%s: %s", word, ignored_pairs[k].why);
		}
	}
	*known = strcmp(word, "netmask") == 0 || strcmp(word, "prefixlen") == 0 ||
		 strcmp(word, "mtu") == 0 || strcmp(word, "ether") == 0 ||
		 strcmp(word, "link") == 0 || strcmp(word, "lladdr") == 0 ||
		 strcmp(word, "fib") == 0;
	if (!*known)
		return 0;
	if (value == NULL)
		return conf_bad(a->b, a->v, "nothing behind '%s'", word);
	a->at++;
	switch (word[0]) {
	case 'm':
		rc = conf_number(a->b, a->v, value, 72, UINT16_MAX, &n);
		if (rc == 0)
			a->i->mtu = (uint16_t)n;
		return rc;
	case 'f':
		rc = conf_number(a->b, a->v, value, 0, UINT16_MAX, &n);
		if (rc != 0 || n == 0)
			return rc;
		return conf_note(a->b, CONF_NO_EFFECT, a->v,
			"fib %lld: no effect here because the router has one routing table", n);
	case 'e':
	case 'l':
		return take_ether(a, value);
	default:
		return take_length(a, word, value);
	}
}

static int toggle(struct args *a, const char *word, bool *known)
{
	bool on = word[0] != '-';
	const char *name = on ? word : word + 1;

	*known = true;
	if (strcmp(name, "tso") == 0) {
		a->i->tso4 = a->i->tso6 = on;
		return on ? conf_note(a->b, CONF_NO_EFFECT, a->v, "tso: %s", no_segments) : 0;
	}
	for (unsigned k = 0; k < sizeof(toggles) / sizeof(toggles[0]); k++) {
		const struct toggle *t = &toggles[k];
		const char *why = on ? t->why_on : t->why_off;

		if (strcmp(name, t->word) != 0)
			continue;
		if (t->field != NO_FIELD)
			*(int *)((char *)a->i + t->field) = on;
		return why == NULL ? 0 : conf_note(a->b, CONF_NO_EFFECT, a->v, "%s: %s", word, why);
	}
	*known = false;
	return 0;
}

// Words that rc's scripts take out before ifconfig sees them, and those of ifconfig itself that
// stand alone.
static int lone_word(struct args *a, const char *word, bool *known)
{
	static const char *const leases[] = {"DHCP", "SYNCDHCP", "NOSYNCDHCP", "WPA", "HOSTAP"};

	*known = true;
	for (unsigned k = 0; k < sizeof(leases) / sizeof(leases[0]); k++)
		if (strcmp(word, leases[k]) == 0)
			return conf_note(a->b, CONF_NO_EFFECT, a->v,
				"%s: no effect here because the router's addresses are static",
				word);
	if (strcmp(word, "up") == 0 || strcmp(word, "alias") == 0 || strcmp(word, "add") == 0)
		return 0;
	if (strcmp(word, "down") == 0)
		return conf_note(a->b, CONF_NO_EFFECT, a->v,
			"down: no effect here because rc sets a configured interface up afterwards");
	*known = false;
	return 0;
}

static bool looks_like_address(const char *w)
{
	size_t n = strspn(w, "0123456789abcdefABCDEF.:");

	return n > 0 && (w[n] == '\0' || strchr("/%-", w[n]) != NULL) &&
	       (memchr(w, '.', n) != NULL || memchr(w, ':', n) != NULL);
}

static int one_word(struct args *a)
{
	const char *w = a->w[a->at++];
	bool known = true;
	int rc;

	if (strcmp(w, "inet") == 0 || strcmp(w, "inet6") == 0) {
		if (a->at == a->n)
			return conf_bad(a->b, a->v, "nothing behind '%s'", w);
		a->family = w[4] == '6' ? 6 : 4;
		return flush_address(a);
	}
	if (looks_like_address(w))
		return take_address(a, w);
	rc = pair(a, w, &known);
	if (rc == 0 && !known)
		rc = toggle(a, w, &known);
	if (rc == 0 && !known)
		rc = lone_word(a, w, &known);
	if (rc == 0 && !known)
		rc = conf_bad(
			a->b, a->v, "'%.60s' is not a word of ifconfig that is known here", w);
	return rc;
}

int conf_ifconfig(struct build *b, struct conf_iface *i, const struct var *v,
	const struct ifconfig_mode *mode)
{
	struct args a = {.b = b, .i = i, .v = v, .mode = mode};
	int rc = shell_words(v->value, v->where, &a.w, &a.n, b->err);

	if (rc != 0)
		return rc;
	while (rc == 0 && a.at < a.n)
		rc = one_word(&a);
	if (rc == 0)
		rc = flush_address(&a);
	free(a.w);
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// iface.c - which interfaces rc.conf speaks of, and all variables of each.
//
// A variable carries the interface's name with . - / + written as _.  Names that some list spells
// out (network_interfaces, vlans_IF, cloned_interfaces) are turned back by comparing with that
// list; any other name is taken as it stands.
#include "conf/build.h"
#include "conf/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IFACES_MAX = 256 };

static int same_name(const char *real, const char *var, size_t n)
{
	if (strlen(real) != n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if ((strchr(".-/+", real[i]) != NULL ? '_' : real[i]) != var[i])
			return 0;
	return 1;
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(text, word); p != NULL; p = strstr(p + 1, word))
		if ((p == text || strchr(" \t\n", p[-1]) != NULL) &&
			(p[n] == '\0' || strchr(" \t\n", p[n]) != NULL))
			return true;
	return false;
}

static int by_number(const void *a, const void *b)
{
	const unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

// The number of an ifconfig_IF_aliasN of interface name; -1 if the variable is something else.
static long alias_number(const char *var, const char *name)
{
	const char *rest = var + sizeof("ifconfig_") - 1;
	size_t n = strlen(name);
	char *end;
	long k;

	if (strncmp(var, "ifconfig_", sizeof("ifconfig_") - 1) != 0 || strlen(rest) < n + 7 ||
		!same_name(name, rest, n) || strncmp(rest + n, "_alias", 6) != 0)
		return -1;
	rest += n + 6;
	if (*rest < '0' || *rest > '9' || strlen(rest) > 9 || (*rest == '0' && rest[1] != '\0'))
		return -1;
	k = strtol(rest, &end, 10);
	return *end == '\0' ? k : -1;
}

// ifconfig_IF_alias0, 1, ... in the order of their numbers; an empty one ends them.
static int aliases(struct build *b, struct conf_iface *i)
{
	static const struct ifconfig_mode mode = {.family = 4, .ranges = true};
	unsigned long *numbers = malloc((b->in->rc.n + 1) * sizeof(*numbers));
	unsigned n = 0;
	bool ended = false;
	int rc = 0;

	if (numbers == NULL)
		return err_set(b->err, ENOMEM, "out of memory");
	for (unsigned k = 0; k < b->in->rc.n; k++) {
		long number = alias_number(b->in->rc.v[k].name, i->name);

		if (number >= 0)
			numbers[n++] = (unsigned long)number;
	}
	qsort(numbers, n, sizeof(*numbers), by_number);
	for (unsigned k = 0; k < n && rc == 0; k++) {
		char after[32];
		const struct var *v;

		snprintf(after, sizeof(after), "_alias%lu", numbers[k]);
		v = conf_rc_var(b, "ifconfig_", i->name, after);
		if (v == NULL)
			ended = true;
		else if (ended)
			rc = conf_note(b, CONF_NO_EFFECT, v,
				"no effect here because aliases are read up to an empty one");
		else
			rc = conf_ifconfig(b, i, v, &mode);
	}
	free(numbers);
	return rc;
}

static int configure(struct build *b, struct conf_iface *i, bool all6)
{
	static const struct ifconfig_mode plain = {.family = 4}, six = {.family = 6},
					  list = {.family = 4, .many = true, .ranges = true};
	const struct var *args = conf_rc_var(b, "ifconfig_", i->name, "");
	const struct var *args6 = conf_rc_var(b, "ifconfig_", i->name, "_ipv6");
	const struct var *more = conf_rc_var(b, "ifconfig_", i->name, "_aliases");
	const struct var *four = conf_rc_var(b, "ipv4_addrs_", i->name, "");
	int rc = 0;

	if (args == NULL && vars_find(&b->in->rc, "ifconfig_DEFAULT") != NULL)
		args = conf_rc_var(b, "ifconfig_DEFAULT", "", "");
	if (args != NULL && has_word(args->value, "NOAUTO"))
		return conf_note(b, CONF_PARTIAL, args, "NOAUTO: %s is left alone", i->name);
	if (args != NULL)
		rc = conf_ifconfig(b, i, args, &plain);
	if (rc == 0 && args6 != NULL)
		rc = conf_ifconfig(b, i, args6, &six);
	if (rc == 0 && four != NULL)
		rc = conf_addr_list(b, i, four);
	if (rc == 0)
		rc = aliases(b, i);
	if (rc == 0 && more != NULL)
		rc = conf_ifconfig(b, i, more, &list);
	i->up = args != NULL || args6 != NULL || i->n_addrs > 0;
	i->inet6 = all6 || args6 != NULL;
	for (unsigned k = 0; k < i->n_addrs; k++)
		i->inet6 |= i->addrs[k].addr.family == 6;
	return rc;
}

// --- all interfaces ----------------------------------------------------------------------------

struct names {
	char (*v)[CONF_NAME_MAX];
	unsigned n;
};

struct lists {
	struct names listed;  // spelled out by network_interfaces and ipv6_network_interfaces
	bool only_listed;     // others are not configured
	struct names virtual; // made by vlans_IF and cloned_interfaces
};

static const char *find(const struct names *names, const char *var)
{
	for (unsigned i = 0; i < names->n; i++)
		if (same_name(names->v[i], var, strlen(var)))
			return names->v[i];
	return NULL;
}

static int add_name(struct build *b, const struct var *v, struct names *to, const char *before,
	const char *name)
{
	void *more = conf_grow(b, to->v, to->n, CONF_NAME_MAX);

	if (more == NULL)
		return -ENOMEM;
	to->v = more;
	if (to->n == IFACES_MAX)
		return conf_bad(b, v, "more than %d interfaces", IFACES_MAX);
	if (snprintf(to->v[to->n], CONF_NAME_MAX, "%s%s", before, name) >= CONF_NAME_MAX)
		return conf_bad(b, v, "the interface name '%.60s' is too long", name);
	to->n++;
	return 0;
}

// Adds the words of v, each with `before` in front of those that are numbers.
static int add_names(struct build *b, const struct var *v, struct names *to, const char *before)
{
	char **w;
	unsigned n;
	int rc = plain_words(v->value, &w, &n, b->err);

	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		w[i][strcspn(w[i], ":")] = '\0'; // cloned_interfaces="lo1:sticky"
		if (strspn(w[i], "0123456789") == strlen(w[i]))
			rc = add_name(b, v, to, before, w[i]);
		else
			rc = add_name(b, v, to, "", w[i]);
	}
	free(w);
	return rc;
}

static int read_lists(struct build *b, struct lists *l)
{
	const struct var *v = conf_rc_var(b, "network_interfaces", "", "");
	int rc = 0;

	if (v != NULL && strcmp(v->value, "auto") != 0 && strcmp(v->value, "AUTO") != 0) {
		l->only_listed = true;
		rc = add_names(b, v, &l->listed, "");
	}
	v = conf_rc_var(b, "ipv6_network_interfaces", "", "");
	if (rc == 0 && v != NULL && strcmp(v->value, "auto") != 0 && strcmp(v->value, "none") != 0)
		rc = conf_note(b, CONF_NO_EFFECT, v,
			"no effect here because IPv6 is on where ifconfig_IF_ipv6 or "
			"ipv6_activate_all_interfaces says so");
	v = conf_rc_var(b, "cloned_interfaces", "", "");
	if (rc == 0 && v != NULL)
		rc = add_names(b, v, &l->virtual, "");
	for (unsigned i = 0; i < b->in->rc.n && rc == 0; i++) {
		char before[CONF_NAME_MAX];

		v = &b->in->rc.v[i];
		if (strncmp(v->name, "vlans_", 6) != 0 || v->value[0] == '\0')
			continue;
		if (snprintf(before, sizeof(before), "%s.", v->name + 6) >= (int)sizeof(before))
			rc = conf_bad(b, v, "the interface name is too long");
		else
			rc = add_names(b, v, &l->virtual, before);
	}
	return rc;
}

// The interface's part of a variable name into out[CONF_NAME_MAX]; false if it is not about one.
static bool iface_part(const char *var, char *out)
{
	static const char *const ends[] = {"_ipv6", "_aliases", "_name", "_descr"};
	const char *rest;
	size_t n, digits = 0;

	if (strncmp(var, "ifconfig_", 9) != 0 && strncmp(var, "ipv4_addrs_", 11) != 0)
		return false;
	rest = var + (var[1] == 'f' ? 9 : 11);
	n = strlen(rest);
	if (var[1] == 'f') {
		for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			size_t e = strlen(ends[i]);

			if (n > e && strcmp(rest + n - e, ends[i]) == 0) {
				n -= e;
				break;
			}
		}
		while (digits < n && rest[n - 1 - digits] >= '0' && rest[n - 1 - digits] <= '9')
			digits++;
		if (digits > 0 && n > digits + 6 &&
			strncmp(rest + n - digits - 6, "_alias", 6) == 0)
			n -= digits + 6;
	}
	snprintf(out, CONF_NAME_MAX, "%.*s", (int)n, rest);
	return n > 0 && strcmp(out, "DEFAULT") != 0;
}

static int add_iface(struct build *b, const char *name, const char *device, const struct var *v)
{
	struct conf_iface *i;

	if (conf_iface_at(b->c, name) != NULL)
		return 0;
	if (b->c->n_ifaces == IFACES_MAX)
		return conf_bad(b, v, "more than %d interfaces", IFACES_MAX);
	i = conf_grow(b, b->c->ifaces, b->c->n_ifaces, sizeof(*i));
	if (i == NULL)
		return -ENOMEM;
	b->c->ifaces = i;
	i += b->c->n_ifaces++;
	*i = (struct conf_iface){.fc = -1,
		.tso4 = -1,
		.tso6 = -1,
		.lro = -1,
		.rxcsum = -1,
		.txcsum = -1,
		.vlanhwtso = -1};
	strcpy(i->name, name);
	strcpy(i->device, device);
	strcpy(i->where, v->where);
	return 0;
}

static bool is_rename(const struct var *v)
{
	size_t n = strlen(v->name);

	return n > 14 && strncmp(v->name, "ifconfig_", 9) == 0 &&
	       strcmp(v->name + n - 5, "_name") == 0 && v->value[0] != '\0';
}

// Whether some interface is to be called that.
static bool is_new_name(const struct build *b, const char *name)
{
	for (unsigned i = 0; i < b->in->rc.n; i++)
		if (is_rename(&b->in->rc.v[i]) && strcmp(b->in->rc.v[i].value, name) == 0)
			return true;
	return false;
}

// A variable of an interface that ifconfig_IF_name renames: all others but that one must speak of
// it by its new name.
static int renamed(struct build *b, struct var *v, const char *device, const struct var *name)
{
	if (strlen(name->value) >= CONF_NAME_MAX - 1 || strpbrk(name->value, " \t\n") != NULL)
		return conf_bad(b, name, "'%.60s' is not an interface's name", name->value);
	if (v != name) {
		v->used = true;
		return conf_note(b, CONF_NO_EFFECT, v, "no effect here because %s is renamed to %s",
			device, name->value);
	}
	if (conf_iface_at(b->c, name->value) != NULL)
		return conf_bad(b, name, "there is an interface %s already", name->value);
	return add_iface(b, name->value, device, v);
}

static int discover(struct build *b, const struct lists *l, struct var *v)
{
	char part[CONF_NAME_MAX];
	const struct var *to;
	const char *name;

	if (!iface_part(v->name, part))
		return 0;
	if (strlen(part) == CONF_NAME_MAX - 1)
		return conf_bad(b, v, "the interface name is too long");
	if (strcmp(part, "lo0") == 0 || find(&l->virtual, part) != NULL) {
		v->used = true;
		return conf_note(b, CONF_NO_EFFECT, v,
			"no effect here because the router has no %s interfaces",
			strcmp(part, "lo0") == 0 ? "loopback" : "VLAN or cloned");
	}
	to = conf_rc_var(b, "ifconfig_", part, "_name");
	if (to != NULL && (v == to || !is_new_name(b, part)))
		return renamed(b, v, part, to);
	name = find(&l->listed, part);
	if (name == NULL && l->only_listed) {
		v->used = true;
		return conf_note(b, CONF_NO_EFFECT, v,
			"no effect here because network_interfaces does not list %s", part);
	}
	if (name == NULL)
		name = part;
	return add_iface(b, name, name, v);
}

int conf_build_ifaces(struct build *b)
{
	struct lists l = {0};
	bool all6;
	int rc = read_lists(b, &l);

	// Renamed ones first: what is said of them may stand above.
	for (unsigned i = 0; i < 2 * b->in->rc.n && rc == 0; i++) {
		struct var *v = &b->in->rc.v[i % b->in->rc.n];

		if (is_rename(v) == (i < b->in->rc.n))
			rc = discover(b, &l, v);
	}
	for (unsigned i = 0; i < l.listed.n && rc == 0; i++)
		if (strcmp(l.listed.v[i], "lo0") != 0)
			rc = add_iface(b, l.listed.v[i], l.listed.v[i],
				vars_find(&b->in->rc, "network_interfaces"));
	if (rc == 0)
		rc = conf_rc_yes(b, "ipv6_activate_all_interfaces", &all6);
	for (unsigned i = 0; i < b->c->n_ifaces && rc == 0; i++)
		rc = configure(b, &b->c->ifaces[i], all6);
	free(l.listed.v);
	free(l.virtual.v);
	return rc;
}

// SPDX-License-Identifier: BSD-2-Clause
// build.c - what the interpreters of the single settings share.
#include "conf/build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *conf_grow(struct build *b, void *array, unsigned n, size_t size)
{
	void *more;

	if ((n & (n - 1)) != 0) // room is always a power of two
		return array;
	more = realloc(array, (n == 0 ? 1 : 2 * (size_t)n) * size);
	if (more == NULL)
		err_set(b->err, ENOMEM, "out of memory");
	return more;
}

int conf_note(struct build *b, enum conf_note_kind kind, const struct var *v, const char *why, ...)
{
	struct conf_note *n = conf_grow(b, b->c->notes, b->c->n_notes, sizeof(*n));
	va_list ap;

	if (n == NULL)
		return -ENOMEM;
	b->c->notes = n;
	n += b->c->n_notes++;
	*n = (struct conf_note){.kind = kind};
	snprintf(n->where, sizeof(n->where), "%s", v->where);
	snprintf(n->what, sizeof(n->what), "%s", v->name);
	va_start(ap, why);
	vsnprintf(n->why, sizeof(n->why), why, ap);
	va_end(ap);
	return 0;
}

int conf_bad(struct build *b, const struct var *v, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(b->err, EINVAL, "%s: %s: %s", v->where, v->name, what);
}

int conf_number(struct build *b, const struct var *v, const char *text, long long lo, long long hi,
	long long *out)
{
	const char *digits = text + (*text == '-' || *text == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, hex ? 16 : 10);
	if (*digits < '0' || *digits > '9' || *end != '\0')
		return conf_bad(b, v, "'%s' is not a whole number", text);
	if (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')
		return conf_bad(
			b, v, "'%s': FreeBSD reads a leading 0 as octal; write it without", text);
	if (errno != 0 || n < lo || n > hi)
		return conf_bad(b, v, "%s is not in %lld..%lld", text, lo, hi);
	*out = n;
	return 0;
}

struct var *conf_rc_var(struct build *b, const char *before, const char *name, const char *after)
{
	char key[512];
	struct var *v;
	size_t n = strlen(before);

	if (snprintf(key, sizeof(key), "%s%s%s", before, name, after) >= (int)sizeof(key))
		return NULL;
	for (size_t i = n; i < n + strlen(name); i++)
		if (strchr(".-/+", key[i]) != NULL)
			key[i] = '_';
	v = vars_find(&b->in->rc, key);
	if (v == NULL)
		return NULL;
	v->used = true;
	return v->value[0] == '\0' ? NULL : v;
}

int conf_rc_yes(struct build *b, const char *name, bool *yes)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
	const struct var *v = conf_rc_var(b, "", name, "");

	*yes = false;
	if (v == NULL)
		return 0;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(v->value, words[i]) == 0) {
			*yes = i % 2 != 0;
			return 0;
		}
	}
	return conf_note(
		b, CONF_PARTIAL, v, "'%.60s' is neither YES nor NO, and taken for NO", v->value);
}

struct conf_iface *conf_iface_at(struct conf *c, const char *name)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (strcmp(c->ifaces[i].name, name) == 0)
			return &c->ifaces[i];
	return NULL;
}

const struct conf_iface *conf_iface_find(const struct conf *c, const char *name)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (strcmp(c->ifaces[i].name, name) == 0)
			return &c->ifaces[i];
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (strcmp(c->ifaces[i].device, name) == 0)
			return &c->ifaces[i];
	return NULL;
}

bool ip6_is_link_local(const struct ip *ip)
{
	return ip->family == 6 && ip->v6.b[0] == 0xfe && (ip->v6.b[1] & 0xc0) == 0x80;
}

int conf_zoned_ip(struct build *b, const struct var *v, const char *text, struct ip *ip, char *zone)
{
	char addr[ADDR_TEXT_MAX];
	const char *percent = strchr(text, '%');
	size_t n = percent != NULL ? (size_t)(percent - text) : strlen(text);
	struct err e = {0};

	zone[0] = '\0';
	if (n >= sizeof(addr))
		return conf_bad(b, v, "'%.80s' is not an address", text);
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (ip_parse(addr, ip, &e) != 0)
		return conf_bad(b, v, "%s", e.msg);
	if (percent == NULL)
		return 0;
	if (!ip6_is_link_local(ip))
		return conf_bad(b, v, "%s: only a link-local address (fe80::/10) has a zone", text);
	if (percent[1] == '\0' || strlen(percent + 1) >= CONF_NAME_MAX)
		return conf_bad(b, v, "%s: '%s' is not an interface's name", text, percent + 1);
	strcpy(zone, percent + 1);
	return 0;
}

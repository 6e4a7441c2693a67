// SPDX-License-Identifier: BSD-2-Clause
// filter_words.c - the pairs of a rule, "dport 80 proto 6 action pass", into struct adapter_filter.
//
// Any order; a later value wins.  Numbers are cut to the card's widths where cxgbetool cuts them, and a
// remark tells it.
#include "adapter/filter_words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void remark(struct remarks *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (r->len + 2 >= sizeof(r->text))
		return;
	va_start(ap, fmt);
	n = vsnprintf(r->text + r->len, sizeof(r->text) - r->len - 1, fmt, ap);
	va_end(ap);
	r->len += (size_t)n;
	if (r->len > sizeof(r->text) - 2)
		r->len = sizeof(r->text) - 2;
	r->text[r->len++] = '\n';
	r->text[r->len] = '\0';
}

enum outcome parse_val_mask(struct parse *p, const char *name, const char *text, bool masks,
	uint32_t *value, uint32_t *mask)
{
	int64_t v;
	const char *end = number_read(text, &v);

	if (v >= 0 && v <= UINT32_MAX && end > text) {
		*value = (uint32_t)v;
		*mask = UINT32_MAX;
		if (*end == '\0')
			return TAKEN;
		if (*end == ':' && end[1] != '\0') {
			if (!masks) {
				say_error(p->out,
					"param %s: mask not allowed for hashfilter or nat params",
					name);
				return UNFIT;
			}
			if (number_u32(end + 1, mask))
				return TAKEN;
		}
	}
	say_error(p->out, "parameter \"%s\" has bad \"value[:mask]\" %s", name, text);
	return UNFIT;
}

enum outcome parse_val(struct parse *p, const char *name, const char *text, uint32_t *value)
{
	if (number_u32(text, value))
		return TAKEN;
	say_error(p->out, "parameter \"%s\" has bad \"value\" %s", name, text);
	return UNFIT;
}

uint32_t parse_cut(struct parse *p, const char *name, uint32_t value, unsigned bits)
{
	uint32_t kept = value & ((1u << bits) - 1);

	if (kept != value)
		remark(p->remarks, "%s %u is cut to %u bit%s, as the card does: %u", name, value,
			bits, bits == 1 ? "" : "s", kept);
	return kept;
}

static enum outcome parse_field(struct parse *p, const struct field *fd, const char *text)
{
	struct adapter_filter *f = p->f;
	uint32_t value, mask;
	enum outcome how = parse_val_mask(p, fd->name, text, !p->hash, &value, &mask);

	if (how != TAKEN)
		return how;
	value = parse_cut(p, fd->name, value, fd->bits);
	if (mask != UINT32_MAX && (mask & ~field_max(fd)) != 0)
		remark(p->remarks, "the mask of %s is cut to %u bit%s, as the card does: 0x%x",
			fd->name, fd->bits, fd->bits == 1 ? "" : "s", mask & field_max(fd));
	field_set(&f->value, fd, value);
	field_set(&f->mask, fd, mask);
	f->value.vlan_valid |= fd->has;
	f->mask.vlan_valid |= fd->has;
	return TAKEN;
}

static enum outcome parse_type(struct parse *p, const char *name, const char *text)
{
	uint8_t family = strcasecmp(text, "ipv4") == 0 ? 4 : strcasecmp(text, "ipv6") == 0 ? 6 : 0;

	(void)name;
	if (family == 0)
		say_error(p->out, "invalid type \"%s\"; must be one of \"ipv4\" or \"ipv6\"", text);
	else if (p->family != 0 && p->family != family)
		say_error(p->out, "conflicting IPv4/IPv6 specifications.");
	else {
		p->family = family;
		return TAKEN;
	}
	return REFUSED;
}

// The length behind the slash; false: said why not.
static bool prefix_len(struct parse *p, const char *name, const char *text, unsigned max,
	const char *family, unsigned *len)
{
	const char *end = text;
	uint64_t n = 0;

	for (; *end >= '0' && *end <= '9'; end++)
		if (n < UINT32_MAX)
			n = n * 10 + (unsigned)(*end - '0');
	if (end == text)
		say_error(p->out, "missing address prefix for %s", name);
	else if (*end != '\0')
		say_error(p->out, "%s is not a valid address prefix", text);
	else if (n > max)
		say_error(p->out, "prefix %u is too long for an %s address",
			n > UINT32_MAX ? UINT32_MAX : (unsigned)n, family);
	else {
		*len = (unsigned)n;
		return true;
	}
	return false;
}

enum outcome parse_addr(
	struct parse *p, const char *name, const char *text, bool masks, struct prefix *out)
{
	uint8_t family = strchr(text, ':') != NULL ? 6 : 4;
	const char *family_name = family == 6 ? "IPv6" : "IPv4";
	const char *slash = strchr(text, '/');
	size_t len = slash != NULL ? (size_t)(slash - text) : strlen(text);
	unsigned prefix = family == 6 ? 128 : 32;
	char addr[ADDR_TEXT_MAX];

	if (p->family != 0 && p->family != family) {
		say_error(p->out, "address %s is not of expected family %s", text,
			p->family == 4 ? "IP" : "IPv6");
		return UNFIT;
	}
	p->family = family;
	snprintf(addr, sizeof(addr), "%.*s", (int)(len < sizeof(addr) ? len : sizeof(addr)), text);
	if (len >= sizeof(addr) || ip_parse(addr, &out->addr, NULL) != 0) {
		say_error(p->out, "Cannot parse %s %s address %s", name, family_name, text);
		return UNFIT;
	}
	if (slash != NULL && !masks) {
		say_error(p->out, "mask cannot be provided for maskless specification");
		return UNFIT;
	}
	if (slash != NULL && !prefix_len(p, name, slash + 1, prefix, family_name, &prefix))
		return UNFIT;
	out->len = (uint8_t)prefix;
	return TAKEN;
}

static void ip_words(const struct ip *ip, uint32_t w[4])
{
	memset(w, 0, 4 * sizeof(*w));
	if (ip->family == 4)
		w[0] = ip->v4;
	else
		for (unsigned i = 0; i < IP6_LEN; i++)
			w[i / 4] |= (uint32_t)ip->v6.b[i] << (24 - i % 4 * 8);
}

static enum outcome parse_match_addr(struct parse *p, const char *name, const char *text)
{
	bool src = name[0] == 's';
	uint32_t *mask = src ? p->f->mask.src : p->f->mask.dst;
	struct prefix prefix;
	enum outcome how = parse_addr(p, name, text, !p->hash, &prefix);

	if (how != TAKEN)
		return how;
	ip_words(&prefix.addr, src ? p->f->value.src : p->f->value.dst);
	for (unsigned i = 0; i < 4; i++) {
		unsigned bits = prefix.len > i * 32 ? prefix.len - i * 32 : 0;

		mask[i] = bits >= 32 ? UINT32_MAX : bits == 0 ? 0 : UINT32_MAX << (32 - bits);
	}
	return TAKEN;
}

static enum outcome parse_pair(struct parse *p, const char *name, const char *text)
{
	for (unsigned i = 0; i < n_fields; i++)
		if (strcmp(name, fields[i].name) == 0)
			return parse_field(p, &fields[i], text);
	if (strcmp(name, "type") == 0)
		return parse_type(p, name, text);
	if (strcmp(name, "sip") == 0 || strcmp(name, "dip") == 0)
		return parse_match_addr(p, name, text);
	return parse_action_pair(p, name, text);
}

// A value that asks for what the mask does not look at.
static void warn_of_lost_bits(struct parse *p)
{
	const struct classify_key *v = &p->f->value, *m = &p->f->mask;
	const char *lost = NULL;

	for (unsigned i = 0; i < n_fields; i++)
		if ((field_get(v, &fields[i]) & ~field_get(m, &fields[i])) != 0)
			lost = fields[i].name;
	for (unsigned i = 0; i < 4; i++) {
		if ((v->src[i] & ~m->src[i]) != 0)
			lost = "sip";
		if ((v->dst[i] & ~m->dst[i]) != 0)
			lost = "dip";
	}
	if (lost != NULL)
		remark(p->remarks, "%s has bits outside its mask, so the rule matches no packet",
			lost);
}

int filter_parse(int argc, char *const *argv, bool hash, struct adapter_filter *f,
	struct remarks *remarks, const struct adapter_out *out)
{
	struct parse p = {.f = f, .hash = hash, .remarks = remarks, .out = out};
	int i;

	if (argc < 2)
		return say_error(out, "set_filter: %s", errno_text(EINVAL));
	memset(f, 0, sizeof(*f));
	f->count_hits = true;
	f->hash = hash;
	for (i = 0; i + 2 <= argc; i += 2) {
		enum outcome how = parse_pair(&p, argv[i], argv[i + 1]);

		if (how == UNFIT) // cxgbetool asks on, and finds no parameter of this name
			say_error(out, "invalid parameter \"%s\"", argv[i]);
		if (how != TAKEN)
			return EINVAL;
	}
	if (i != argc)
		return say_error(out, "no value for \"%s\"", argv[i]);
	f->value.family = p.family == 6 ? 6 : 4;
	f->mask.family = UINT8_MAX;
	if (parse_actions_done(&p) != 0)
		return EINVAL;
	warn_of_lost_bits(&p);
	return 0;
}

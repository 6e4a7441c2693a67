// SPDX-License-Identifier: BSD-2-Clause
// export_nft.c - for nftables: a table of family netdev at the ingress hook, where packets are as the
// card sees them, before defragmentation and routing.  accept ends the chain, so the first match decides.
//
// An outer VLAN tag is already out of the frame there, and its type is the inner one.
#include "adapter/export.h"

#include "adapter/names.h"

static void begin(struct export *x)
{
	const char *name = x->a->name;

	fprintf(x->text,
		"# The filters of %s for nft -f.\ntable netdev weir_%s\ndelete table netdev weir_%s\n"
		"table netdev weir_%s {\n\tchain ingress {\n\t\ttype filter hook ingress devices = { ",
		name, name, name, name);
	for (unsigned i = 0; i < x->a->n_ports; i++)
		fprintf(x->text, "%s\"%s\"", i > 0 ? ", " : "", x->ifaces[i]);
	fputs(" } priority 0; policy accept;\n", x->text);
}

static void end(struct export *x)
{
	fputs("\t}\n}\n", x->text);
}

// "what & 0xf0 == 0x10", or nothing where the mask is 0.
static void put_masked(FILE *t, const char *what, uint32_t value, uint32_t mask, uint32_t full)
{
	if (mask == full)
		fprintf(t, " %s %u", what, value);
	else if (mask != 0)
		fprintf(t, " %s & 0x%x == 0x%x", what, mask, value);
}

static void put_in_ports(struct export *x, const struct export_rule *r)
{
	const char *comma = "";

	if (r->on_all_ports)
		return;
	fputs(" iifname {", x->text);
	for (unsigned i = 0; i < x->a->n_ports; i++)
		if ((r->in_ports & 1u << i) != 0) {
			fprintf(x->text, "%s \"%s\"", comma, x->ifaces[i]);
			comma = ",";
		}
	fputs(" }", x->text);
}

static bool put_matchtype(struct export *x, const struct export_rule *r)
{
	static const char *const names[8] = {
		[0] = "host", [2] = "multicast", [4] = "other", [6] = "broadcast"};
	const char *name = names[r->f->value.matchtype & 7];

	if (r->f->mask.matchtype == 0)
		return true;
	if (r->f->mask.matchtype != 7 || name == NULL)
		return export_refuse(
			x, r, "matchtype", "nft knows the types 0, 2, 4 and 6, each alone");
	fprintf(x->text, " meta pkttype %s", name);
	return true;
}

// What there is to say about fragments, as the way-th of at most two lines; NULL: no such line.  Ports
// are not to be read in later fragments, where nft reads payload for them.  A fragment header over all
// of a datagram makes no fragment of it (RFC 6946), so that IPv6 needs two lines for most answers.
static const char *fragments(const struct export_rule *r, unsigned way)
{
	bool asked = r->f->mask.frag != 0, fragment = asked && r->f->value.frag != 0;
	static const char *const ip4[2][3] = {
		{"", " ip frag-off & 0x3fff == 0", " ip frag-off & 0x3fff != 0"},
		{" ip frag-off & 0x1fff == 0", " ip frag-off & 0x3fff == 0",
			" ip frag-off & 0x3fff == 0x2000"},
	};
	static const char *const ip6[2][3][2] = {
		{{""}, {" exthdr frag missing", " frag frag-off 0 frag more-fragments 0"},
			{" frag frag-off != 0", " frag frag-off 0 frag more-fragments 1"}},
		{{" exthdr frag missing", " frag frag-off 0"},
			{" exthdr frag missing", " frag frag-off 0 frag more-fragments 0"},
			{" frag frag-off 0 frag more-fragments 1"}},
	};
	unsigned answer = fragment ? 2 : asked ? 1 : 0;

	if (r->family == 6)
		return ip6[r->with_ports][answer][way];
	if (way > 0)
		return NULL;
	return r->family == 4 ? ip4[r->with_ports][answer] : "";
}

static void put_ip(struct export *x, const struct export_rule *r, const char *frag)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;
	const char *ip = r->family == 4 ? "ip" : "ip6";
	char prefix[ADDR_TEXT_MAX];
	FILE *t = x->text;

	fputs(frag, t);
	if (r->family == 4)
		put_masked(t, "@nh,8,8", v->tos, m->tos, UINT8_MAX);
	else // four bits behind the version
		put_masked(t, "@nh,0,16", (uint32_t)v->tos << 4, (uint32_t)m->tos << 4, UINT32_MAX);
	put_masked(t, "meta l4proto", v->proto, m->proto, UINT8_MAX);
	if (!export_any(m->src))
		fprintf(t, " %s saddr %s", ip, filter_prefix(r->family, v->src, m->src, prefix));
	if (!export_any(m->dst))
		fprintf(t, " %s daddr %s", ip, filter_prefix(r->family, v->dst, m->dst, prefix));
	if (r->with_ports && m->proto != UINT8_MAX)
		fputs(" meta l4proto { 6, 17 }", t);
	put_masked(t, "th sport", v->sport, m->sport, UINT16_MAX);
	put_masked(t, "th dport", v->dport, m->dport, UINT16_MAX);
}

static void put_other(struct export *x, const struct export_rule *r)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;

	put_masked(x->text, "meta protocol", v->ethertype, m->ethertype, UINT32_MAX);
	if (m->fcoe != 0)
		fprintf(x->text, " meta protocol %s 0x8906", v->fcoe != 0 ? "==" : "!=");
}

static bool put_action(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;
	char text[ADDR_TEXT_MAX];

	if (f->swapmac)
		return export_refuse(x, r, "swapmac", "nft cannot exchange addresses");
	if (f->vlan != VLAN_KEEP)
		return export_refuse(x, r, "vlan", "nft cannot put in or take out tags");
	if (f->has_dmac)
		fprintf(x->text, " ether daddr set %s", mac_text(&f->dmac, text));
	if (f->has_smac)
		fprintf(x->text, " ether saddr set %s", mac_text(&f->smac, text));
	if (f->count_hits)
		fputs(" counter", x->text);
	if (f->action == ADAPTER_SWITCH)
		fprintf(x->text, " fwd to \"%s\"", x->ifaces[f->eport]);
	else
		fputs(f->action == ADAPTER_DROP ? " drop" : " accept", x->text);
	return true;
}

static bool put_rule(struct export *x, const struct export_rule *r, const char *frag)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;
	char name[32];

	fputs("\t\t", x->text);
	if (r->family != 0)
		fprintf(x->text, "meta protocol %s", r->family == 4 ? "ip" : "ip6");
	put_in_ports(x, r);
	if ((m->vlan_valid & CLASSIFY_HAS_IVLAN) != 0) {
		fputs(" @ll,96,16 0x8100", x->text);
		put_masked(x->text, "@ll,112,16", v->ivlan, m->ivlan, UINT16_MAX);
	}
	if (!put_matchtype(x, r))
		return false;
	if (r->family != 0)
		put_ip(x, r, frag);
	else
		put_other(x, r);
	if (!put_action(x, r))
		return false;
	fprintf(x->text, " comment \"%s\"\n", export_name(r, name));
	return true;
}

static void rule(struct export *x, const struct export_rule *r)
{
	const char *frag;

	if (!export_plain(x, r))
		return;
	for (unsigned way = 0; way < 2 && (frag = fragments(r, way)) != NULL; way++)
		if (!put_rule(x, r, frag))
			return;
}

const struct export_writer export_nft = {begin, rule, end};

// SPDX-License-Identifier: BSD-2-Clause
// export_tc.c - for Linux's tc: flower filters at the ingress of clsact, as a shell script.  pref is the
// order, and an action of pass or drop ends it: the first match decides.
//
// flower keeps tagged and untagged frames apart, and TCP and UDP: a rule that takes both becomes two.
// Each filter has a pref of its own, for filters of one pref share their protocol.
#include "adapter/export.h"

#include "adapter/names.h"

enum { PREF_MAX = 65535, ETHERTYPE_FCOE = 0x8906 };

static void begin(struct export *x)
{
	fprintf(x->text, "#!/bin/sh\n# The filters of %s for tc.\nset -eu\n", x->a->name);
	for (unsigned i = 0; i < x->a->n_ports; i++)
		fprintf(x->text, "tc qdisc replace dev %s clsact\ntc filter del dev %s ingress\n",
			x->ifaces[i], x->ifaces[i]);
}

static void end(struct export *x)
{
	if (x->n_lines > PREF_MAX && x->n_rules > 0)
		export_refuse(x, &x->rules[x->n_rules - 1], "filter",
			"tc has 65535 prefs, and these rules need more");
}

// The bits of a tag that flower compares: all of the id or none, all of the priority or none.
static bool tag_sayable(uint16_t mask)
{
	return mask == 0 || mask == 0x0fff || mask == 0xe000 || mask == 0xefff;
}

static bool sayable(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;
	uint16_t ethertype = f->mask.ethertype;

	if (!export_plain(x, r))
		return false;
	if (f->mask.matchtype != 0)
		return export_refuse(
			x, r, "matchtype", "flower does not see what kind a link address is");
	if (r->family == 0 && f->value.fcoe == 0 && ethertype != UINT16_MAX)
		return export_refuse(x, r, "ethtype", "tc takes one protocol");
	if (f->mask.proto != 0 && f->mask.proto != UINT8_MAX)
		return export_refuse(x, r, "proto", "flower takes one protocol");
	if (!tag_sayable(f->mask.ivlan))
		return export_refuse(x, r, "ivlan",
			"flower compares a whole id and a whole priority: the masks 0xfff, 0xe000 and 0xefff");
	if (f->vlan != VLAN_KEEP)
		return export_refuse(
			x, r, "vlan", "tc does not do to untagged frames what a card does");
	return export_after_fragments(x, r, "flower");
}

static void put_protocol(struct export *x, const struct export_rule *r, bool tagged)
{
	static const char *const names[] = {[4] = "ip", [6] = "ipv6"};
	unsigned other = r->f->value.fcoe != 0 ? ETHERTYPE_FCOE : r->f->value.ethertype;
	char number[16];
	const char *inner = r->family != 0 ? names[r->family] : number;

	snprintf(number, sizeof(number), "0x%04x", other);
	if (tagged)
		fprintf(x->text, "802.1q flower vlan_ethtype %s", inner);
	else
		fprintf(x->text, "%s flower", inner);
}

static void put_port(FILE *t, const char *name, uint16_t value, uint16_t mask)
{
	if (mask == UINT16_MAX && value != 0) // tc takes no 0 without a mask
		fprintf(t, " %s %u", name, value);
	else if (mask != 0)
		fprintf(t, " %s %u/0x%x", name, value, mask);
}

static void put_match(struct export *x, const struct export_rule *r, unsigned proto)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;
	char prefix[ADDR_TEXT_MAX];
	FILE *t = x->text;

	if ((m->ivlan & 0x0fff) != 0)
		fprintf(t, " vlan_id %u", v->ivlan & 0x0fffu);
	if ((m->ivlan & 0xe000) != 0)
		fprintf(t, " vlan_prio %u", (unsigned)v->ivlan >> 13);
	if (r->family == 0)
		return;
	if (m->proto != 0 || r->with_ports)
		fprintf(t, " ip_proto 0x%02x",
			proto); // tc reads it as hex, with or without the prefix
	if (m->tos != 0)
		fprintf(t, " ip_tos 0x%x/0x%x", v->tos, m->tos);
	if (m->frag != 0)
		fprintf(t, " ip_flags %s", v->frag != 0 ? "frag" : "nofrag");
	if (!export_any(m->src))
		fprintf(t, " src_ip %s", filter_prefix(r->family, v->src, m->src, prefix));
	if (!export_any(m->dst))
		fprintf(t, " dst_ip %s", filter_prefix(r->family, v->dst, m->dst, prefix));
	put_port(t, "src_port", v->sport, m->sport);
	put_port(t, "dst_port", v->dport, m->dport);
}

static void put_action(struct export *x, const struct adapter_filter *f)
{
	char text[ADDR_TEXT_MAX];

	if (f->swapmac)
		fputs(" action skbmod swap mac pipe", x->text);
	if (f->has_dmac)
		fprintf(x->text, " action skbmod set dmac %s pipe", mac_text(&f->dmac, text));
	if (f->has_smac)
		fprintf(x->text, " action skbmod set smac %s pipe", mac_text(&f->smac, text));
	if (f->action == ADAPTER_SWITCH)
		fprintf(x->text, " action mirred egress redirect dev %s\n", x->ifaces[f->eport]);
	else
		fprintf(x->text, " action %s\n", f->action == ADAPTER_DROP ? "drop" : "pass");
}

static void put_filter(struct export *x, const struct export_rule *r, bool tagged, unsigned proto)
{
	x->n_lines++;
	for (unsigned i = 0; i < x->a->n_ports; i++)
		if ((r->in_ports & 1u << i) != 0) {
			fprintf(x->text, "tc filter add dev %s ingress pref %u protocol ",
				x->ifaces[i], x->n_lines);
			put_protocol(x, r, tagged);
			put_match(x, r, proto);
			put_action(x, r->f);
		}
}

static void rule(struct export *x, const struct export_rule *r)
{
	bool only_tagged = (r->f->mask.vlan_valid & CLASSIFY_HAS_IVLAN) != 0;
	char name[32];

	if (!sayable(x, r))
		return;
	fprintf(x->text, "# %s\n", export_name(r, name));
	for (int tagged = only_tagged ? 1 : 0; tagged <= 1; tagged++)
		if (r->with_ports && r->f->mask.proto == 0) {
			put_filter(x, r, tagged, 6);
			put_filter(x, r, tagged, 17);
		} else
			put_filter(x, r, tagged, r->f->value.proto);
}

const struct export_writer export_tc = {begin, rule, end};

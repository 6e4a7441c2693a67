// SPDX-License-Identifier: BSD-2-Clause
// export_pf.c - for FreeBSD's pf: quick rules without state, so that the first match decides and each
// packet is looked at for itself.  pf sees IP only and drops what is not sound; it counts each rule.
#include "adapter/export.h"

#include "adapter/names.h"

static void begin(struct export *x)
{
	// Last match wins, so this is for what no rule below matches.  allow-opts: a card does not look at
	// options, pf would drop them.
	fprintf(x->text,
		"# The filters of %s for pfctl -f.  Fragments are not to be reassembled, as is the default.\n"
		"# Tagged frames come in by their VLAN's own interface, which is not among these.\n"
		"pass all no state allow-opts\n",
		x->a->name);
}

static void put_interfaces(struct export *x, const struct export_rule *r)
{
	unsigned n = (unsigned)__builtin_popcount(r->in_ports);

	fputs(n > 1 ? " on {" : " on", x->text);
	for (unsigned i = 0; i < x->a->n_ports; i++)
		if ((r->in_ports & 1u << i) != 0)
			fprintf(x->text, " %s", x->ifaces[i]);
	if (n > 1)
		fputs(" }", x->text);
}

static bool sayable(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;
	uint16_t lo, hi;

	if (!export_plain(x, r))
		return false;
	if (r->family == 0)
		return export_refuse(
			x, r, f->mask.ethertype != 0 ? "ethtype" : "fcoe", "pf sees IP only");
	if (f->action == ADAPTER_SWITCH)
		return export_refuse(x, r, "action switch", "pf passes or drops");
	if ((f->mask.vlan_valid & CLASSIFY_HAS_IVLAN) != 0)
		return export_refuse(x, r, "ivlan", "pf sees the VLAN's interface, not the tag");
	if (f->mask.matchtype != 0)
		return export_refuse(x, r, "matchtype", "pf does not see link addresses");
	if (f->mask.tos != 0 && (f->mask.tos != UINT8_MAX || f->value.tos == 0 || r->family == 6))
		return export_refuse(
			x, r, "tos", "pf compares the whole byte, with IPv4, and not with 0");
	if (f->mask.proto != 0 && (f->mask.proto != UINT8_MAX || f->value.proto == 0))
		return export_refuse(x, r, "proto", "pf takes one protocol, and not 0");
	if ((f->value.proto == 1 && r->family == 6) || (f->value.proto == 58 && r->family == 4))
		return export_refuse(x, r, "proto", "pf wants ICMP of the packet's own family");
	if (!export_range(f->value.sport, f->mask.sport, &lo, &hi))
		return export_refuse(x, r, "sport", "pf has ranges, and this mask is none");
	if (!export_range(f->value.dport, f->mask.dport, &lo, &hi))
		return export_refuse(x, r, "dport", "pf has ranges, and this mask is none");
	return export_after_fragments(x, r, "pf");
}

static void put_end(struct export *x, const struct export_rule *r, bool source)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;
	const uint32_t *mask = source ? m->src : m->dst;
	uint16_t port = source ? v->sport : v->dport, port_mask = source ? m->sport : m->dport;
	char prefix[ADDR_TEXT_MAX];
	uint16_t lo, hi;

	fprintf(x->text, " %s %s", source ? "from" : "to",
		export_any(mask)
			? "any"
			: filter_prefix(r->family, source ? v->src : v->dst, mask, prefix));
	export_range(port, port_mask, &lo, &hi);
	if (port_mask == 0)
		return;
	if (lo == hi)
		fprintf(x->text, " port = %u", lo);
	else
		fprintf(x->text, " port %u:%u", lo, hi);
}

static void rule(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;
	bool drop = f->action == ADAPTER_DROP;
	char name[32];

	if (!sayable(x, r))
		return;
	fprintf(x->text, "%s in quick", drop ? "block drop" : "pass");
	put_interfaces(x, r);
	fprintf(x->text, " %s", r->family == 4 ? "inet" : "inet6");
	if (f->mask.proto != 0)
		fprintf(x->text, " proto %u", f->value.proto);
	else if (r->with_ports)
		fputs(" proto { 6 17 }", x->text);
	put_end(x, r, true);
	put_end(x, r, false);
	if (f->mask.tos != 0)
		fprintf(x->text, " tos 0x%02x", f->value.tos);
	if (f->value.frag != 0)
		fputs(" fragment", x->text);
	if (!drop)
		fputs(" no state allow-opts", x->text);
	fprintf(x->text, " label \"%s\"\n", export_name(r, name));
}

const struct export_writer export_pf = {begin, rule, NULL};

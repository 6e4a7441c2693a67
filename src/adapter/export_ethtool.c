// SPDX-License-Identifier: BSD-2-Clause
// export_ethtool.c - for the flow tables of NICs: `ethtool -N DEV flow-type ...`, as a shell script.
//
// A location is a place in the NIC's table; the lowest that matches is taken to decide, which is so for
// tables made of TCAM.  Such a rule drops; it cannot pass to the usual queue.  A pass rule is therefore
// only good where no drop rule behind it takes away what it would have kept, and is then left out.
// Bits that are set in a mask of ethtool are those that are not compared.
#include "adapter/export.h"

#include "adapter/names.h"

#include <string.h>

static void begin(struct export *x)
{
	fprintf(x->text, "#!/bin/sh\n# The filters of %s for ethtool.\nset -eu\n", x->a->name);
	for (unsigned i = 0; i < x->a->n_ports; i++)
		fprintf(x->text, "ethtool -K %s ntuple on\n", x->ifaces[i]);
}

static bool pass_sayable(struct export *x, const struct export_rule *r)
{
	for (size_t i = x->at + 1; i < x->n_rules; i++) {
		char why[160], name[32];

		if (x->rules[i].f->action != ADAPTER_DROP || !export_overlap(r, &x->rules[i]))
			continue;
		snprintf(why, sizeof(why),
			"a NIC's rule drops or names a queue, and %s would drop what this one passes",
			export_name(&x->rules[i], name));
		return export_refuse(x, r, "action pass", why);
	}
	return true;
}

static bool sayable(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;

	if (!export_plain(x, r))
		return false;
	if (f->action == ADAPTER_SWITCH)
		return export_refuse(x, r, "action switch", "a NIC's rule drops or names a queue");
	if (f->action == ADAPTER_PASS)
		return pass_sayable(x, r);
	if (f->mask.frag != 0)
		return export_refuse(x, r, "frag", "NICs' rules do not see it");
	if (f->mask.matchtype != 0)
		return export_refuse(x, r, "matchtype", "NICs' rules do not see it");
	if (f->mask.proto != 0 && f->mask.proto != UINT8_MAX)
		return export_refuse(x, r, "proto", "NICs' rules take one protocol");
	if (r->family == 0 && (f->value.fcoe != 0 || f->mask.ethertype != UINT16_MAX))
		return export_refuse(x, r, f->value.fcoe != 0 ? "fcoe" : "ethtype",
			"NICs' rules take one ethertype");
	return true;
}

static void put_ip(
	FILE *t, const char *name, uint8_t family, const uint32_t value[4], const uint32_t mask[4])
{
	struct ip ip = filter_ip(family, value);
	uint32_t not_compared[4];
	char text[ADDR_TEXT_MAX];

	if (export_any(mask))
		return;
	fprintf(t, " %s %s", name, ip_text(&ip, text));
	for (unsigned i = 0; i < 4; i++)
		not_compared[i] = ~mask[i];
	ip = filter_ip(family, not_compared);
	fprintf(t, " m %s", ip_text(&ip, text));
}

static void put_number(FILE *t, const char *name, unsigned value, unsigned mask, unsigned full)
{
	if (mask != 0)
		fprintf(t, " %s 0x%x m 0x%x", name, value, ~mask & full);
}

static void put_rule(struct export *x, const struct export_rule *r, unsigned proto)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;
	FILE *t = x->text;

	x->n_lines++;
	for (unsigned i = 0; i < x->a->n_ports; i++) {
		if ((r->in_ports & 1u << i) == 0)
			continue;
		fprintf(t, "ethtool -N %s flow-type ", x->ifaces[i]);
		if (r->family == 0)
			fprintf(t, "ether proto 0x%x m 0x0", v->ethertype);
		else
			fprintf(t, "%s%u",
				!r->with_ports ? "ip"
				: proto == 6   ? "tcp"
					       : "udp",
				r->family);
		if (r->family != 0) {
			put_ip(t, "src-ip", r->family, v->src, m->src);
			put_ip(t, "dst-ip", r->family, v->dst, m->dst);
			put_number(t, r->family == 4 ? "tos" : "tclass", v->tos, m->tos, UINT8_MAX);
			if (!r->with_ports)
				put_number(t, "l4proto", v->proto, m->proto, UINT8_MAX);
			put_number(t, "src-port", v->sport, m->sport, UINT16_MAX);
			put_number(t, "dst-port", v->dport, m->dport, UINT16_MAX);
		}
		if ((m->vlan_valid & CLASSIFY_HAS_IVLAN) != 0)
			fprintf(t, " vlan-etype 0x8100 m 0x0 vlan 0x%x m 0x%x", v->ivlan,
				~m->ivlan & UINT16_MAX);
		fprintf(t, " action -1 loc %u\n", x->n_lines - 1);
	}
}

static void rule(struct export *x, const struct export_rule *r)
{
	char name[32];

	if (!sayable(x, r))
		return;
	if (r->f->action == ADAPTER_PASS) {
		fprintf(x->text, "# %s: what it passes, nothing below drops\n",
			export_name(r, name));
		return;
	}
	fprintf(x->text, "# %s\n", export_name(r, name));
	if (r->with_ports && r->f->mask.proto == 0) {
		put_rule(x, r, 6);
		put_rule(x, r, 17);
	} else
		put_rule(x, r, r->f->mask.proto != 0 ? r->f->value.proto : 0);
}

const struct export_writer export_ethtool = {begin, rule, NULL};

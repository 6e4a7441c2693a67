// SPDX-License-Identifier: BSD-2-Clause
// list.c - the table as `filter list` prints it, to the byte.  NAT, swapmac, natseq and natflag are
// not in it, as they are not in cxgbetool's.
#include "adapter/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct row {
	char text[512];
	size_t len;
};

static void put(struct row *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->len += (size_t)vsnprintf(r->text + r->len, sizeof(r->text) - r->len, fmt, ap);
	va_end(ap);
}

static void header(const struct adapter *a, const struct adapter_out *out)
{
	static const char *const titles[C_COUNT] = {
		[C_FCOE] = " FCoE",
		[C_IPORT] = " Port",
		[C_VNIC] = "     vld:oVLAN",
		[C_VLAN] = "      vld:VLAN",
		[C_TOS] = "   TOS",
		[C_PROTO] = "  Prot",
		[C_ETHTYPE] = "   EthType",
		[C_MACIDX] = "  MACIdx",
		[C_MATCHTYPE] = " MPS",
		[C_FRAG] = " Frag",
	};
	struct row r = {.len = 0};

	put(&r, "%4s %8s", "Idx", "Hits");
	for (unsigned i = 0; i < C_COUNT; i++)
		if ((a->mode & 1u << i) != 0)
			put(&r, "%s",
				i == C_VNIC && a->vnic_is_function ? "   VFvld:PF:VF" : titles[i]);
	put(&r, " %20s %20s %9s %9s %s", "DIP", "SIP", "DPORT", "SPORT", "Action");
	say(out, "%s", r.text);
}

static int there(const struct classify_key *k, uint8_t has)
{
	return (k->vlan_valid & has) != 0;
}

static void put_criterion(struct row *r, enum criterion c, bool function,
	const struct classify_key *v, const struct classify_key *m)
{
	switch (c) {
	case C_FCOE:
		put(r, "  %1d/%1d", v->fcoe, m->fcoe);
		break;
	case C_IPORT:
		put(r, "  %1d/%1d", v->iport, m->iport);
		break;
	case C_VNIC:
		if (function)
			put(r, " %1d:%1x:%02x/%1d:%1x:%02x", there(v, CLASSIFY_HAS_VNIC),
				v->vnic >> 13, v->vnic & 0x1fff, there(m, CLASSIFY_HAS_VNIC),
				m->vnic >> 13, m->vnic & 0x1fff);
		else
			put(r, " %1d:%04x/%1d:%04x", there(v, CLASSIFY_HAS_OVLAN), v->ovlan,
				there(m, CLASSIFY_HAS_OVLAN), m->ovlan);
		break;
	case C_VLAN:
		put(r, " %1d:%04x/%1d:%04x", there(v, CLASSIFY_HAS_IVLAN), v->ivlan,
			there(m, CLASSIFY_HAS_IVLAN), m->ivlan);
		break;
	case C_TOS:
		put(r, " %02x/%02x", v->tos, m->tos);
		break;
	case C_PROTO:
		put(r, " %02x/%02x", v->proto, m->proto);
		break;
	case C_ETHTYPE:
		put(r, " %04x/%04x", v->ethertype, m->ethertype);
		break;
	case C_MACIDX:
		put(r, " %03x/%03x", v->macidx, m->macidx);
		break;
	case C_MATCHTYPE:
		put(r, " %1x/%1x", v->matchtype, m->matchtype);
		break;
	case C_FRAG:
		put(r, "  %1d/%1d", v->frag, m->frag);
		break;
	default:
		break;
	}
}

static void put_addr(struct row *r, uint8_t family, const uint32_t value[4], const uint32_t mask[4])
{
	unsigned n = family == 6 ? 4 : 1;

	put(r, family == 6 ? " " : "    ");
	for (unsigned i = 0; i < n; i++)
		put(r, "%08x", value[i]);
	put(r, "/");
	for (unsigned i = 0; i < n; i++)
		put(r, "%08x", mask[i]);
}

static void put_mac(struct row *r, const char *name, const struct mac *mac)
{
	put(r, ", %s=%02x:%02x:%02x:%02x:%02x:%02x ", name, mac->b[0], mac->b[1], mac->b[2],
		mac->b[3], mac->b[4], mac->b[5]);
}

// l2tidx and smtidx: the card's entry for the rewritten addresses; each rule has its own here, of the
// number of its slot.
static void put_switch(struct row *r, const struct adapter_filter *f, uint32_t slot)
{
	put(r, " Switch: port=%d", f->eport);
	if (f->has_dmac) {
		put_mac(r, "dmac", &f->dmac);
		put(r, ", l2tidx=%d", (int)slot);
	}
	if (f->has_smac) {
		put_mac(r, "smac", &f->smac);
		put(r, ", smtidx=%d", (int)slot);
	}
	if (f->vlan == VLAN_REMOVE)
		put(r, ", vlan=none");
	else if (f->vlan == VLAN_INSERT)
		put(r, ", vlan=insert(%x)", f->vlan_id);
	else if (f->vlan == VLAN_REWRITE)
		put(r, ", vlan=rewrite(%x)", f->vlan_id);
}

static void put_pass(struct row *r, const struct adapter_filter *f)
{
	put(r, " Pass: Q=");
	switch (f->steer) {
	case STEER_RSS:
		put(r, "RSS");
		break;
	case STEER_RSS_REGION:
		put(r, "RSS(region %d)", f->queue);
		break;
	case STEER_QUEUE:
		put(r, "%d(QID)", f->queue);
		break;
	case STEER_HASH:
		put(r, "%d(hash)", f->queue);
		break;
	}
}

static void row(const struct adapter *a, const struct entry *e, const struct adapter_out *out)
{
	const struct adapter_filter *f = &e->f;
	const struct classify_key *v = &f->value, *m = &f->mask;
	struct row r = {.len = 0};

	put(&r, "%4d", (int)e->idx);
	if (f->count_hits)
		put(&r, " %8" PRIu64, table_hits(a, e));
	else
		put(&r, " %8s", "-");
	for (unsigned i = 0; i < C_COUNT; i++)
		if ((a->mode & 1u << i) != 0)
			put_criterion(&r, i, a->vnic_is_function, v, m);
	put_addr(&r, v->family, v->dst, m->dst);
	put_addr(&r, v->family, v->src, m->src);
	put(&r, " %04x/%04x %04x/%04x", v->dport, m->dport, v->sport, m->sport);
	if (f->action == ADAPTER_DROP)
		put(&r, " Drop");
	else if (f->action == ADAPTER_SWITCH)
		put_switch(&r, f, e->slot);
	else
		put_pass(&r, f);
	if (f->prio && a->chip <= 5)
		put(&r, " Prio");
	if (f->report_tid)
		put(&r, " RptTID");
	say(out, "%s", r.text);
}

static void region(const struct adapter *a, const struct region *r, const char *title,
	const struct adapter_out *out)
{
	if (r->count == 0)
		return;
	if (title != NULL)
		say(out, "%s", title);
	header(a, out);
	for (uint32_t i = 0; i < r->end; i++)
		if (r->at[i] != NULL)
			row(a, r->at[i], out);
}

int list_show(const struct adapter *a, bool hash, const struct adapter_out *out)
{
	bool two = !hash && table_has_prio(a) && a->prio.count > 0;

	if (hash) {
		region(a, &a->hash, NULL, out);
		return 0;
	}
	if (two) {
		region(a, &a->prio, "High Priority TCAM Region:", out);
		if (a->tcam.count > 0)
			say(out, "%s", "");
	}
	region(a, &a->tcam, two ? "Normal Priority TCAM Region:" : NULL, out);
	return 0;
}

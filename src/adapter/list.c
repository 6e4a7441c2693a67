// SPDX-License-Identifier: BSD-2-Clause
// list.c - the table as `filter list` prints it, to the byte.  NAT, swapmac, natseq and natflag are
// not in it, as they are not in cxgbetool's.
#include "adapter/words.h"

#include "adapter/names.h"

#include <inttypes.h>

enum { ROW_MAX = 512 };

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
	char text[ROW_MAX];
	struct line r = {text, sizeof(text), 0};

	line_put(&r, "%4s %8s", "Idx", "Hits");
	for (unsigned i = 0; i < C_COUNT; i++)
		if ((a->mode & 1u << i) != 0)
			line_put(&r, "%s",
				i == C_VNIC && a->vnic_is_function ? "   VFvld:PF:VF" : titles[i]);
	line_put(&r, " %20s %20s %9s %9s %s", "DIP", "SIP", "DPORT", "SPORT", "Action");
	say(out, "%s", text);
}

static int there(const struct classify_key *k, uint8_t has)
{
	return (k->vlan_valid & has) != 0;
}

static void put_criterion(struct line *r, enum criterion c, bool function,
	const struct classify_key *v, const struct classify_key *m)
{
	switch (c) {
	case C_FCOE:
		line_put(r, "  %1d/%1d", v->fcoe, m->fcoe);
		break;
	case C_IPORT:
		line_put(r, "  %1d/%1d", v->iport, m->iport);
		break;
	case C_VNIC:
		if (function)
			line_put(r, " %1d:%1x:%02x/%1d:%1x:%02x", there(v, CLASSIFY_HAS_VNIC),
				v->vnic >> 13, v->vnic & 0x1fff, there(m, CLASSIFY_HAS_VNIC),
				m->vnic >> 13, m->vnic & 0x1fff);
		else
			line_put(r, " %1d:%04x/%1d:%04x", there(v, CLASSIFY_HAS_OVLAN), v->ovlan,
				there(m, CLASSIFY_HAS_OVLAN), m->ovlan);
		break;
	case C_VLAN:
		line_put(r, " %1d:%04x/%1d:%04x", there(v, CLASSIFY_HAS_IVLAN), v->ivlan,
			there(m, CLASSIFY_HAS_IVLAN), m->ivlan);
		break;
	case C_TOS:
		line_put(r, " %02x/%02x", v->tos, m->tos);
		break;
	case C_PROTO:
		line_put(r, " %02x/%02x", v->proto, m->proto);
		break;
	case C_ETHTYPE:
		line_put(r, " %04x/%04x", v->ethertype, m->ethertype);
		break;
	case C_MACIDX:
		line_put(r, " %03x/%03x", v->macidx, m->macidx);
		break;
	case C_MATCHTYPE:
		line_put(r, " %1x/%1x", v->matchtype, m->matchtype);
		break;
	case C_FRAG:
		line_put(r, "  %1d/%1d", v->frag, m->frag);
		break;
	default:
		break;
	}
}

static void put_addr(
	struct line *r, uint8_t family, const uint32_t value[4], const uint32_t mask[4])
{
	unsigned n = family == 6 ? 4 : 1;

	line_put(r, family == 6 ? " " : "    ");
	for (unsigned i = 0; i < n; i++)
		line_put(r, "%08x", value[i]);
	line_put(r, "/");
	for (unsigned i = 0; i < n; i++)
		line_put(r, "%08x", mask[i]);
}

// l2tidx and smtidx: the card's entry for the rewritten addresses; each rule has its own here, of the
// number of its slot.
static void put_switch(struct line *r, const struct adapter_filter *f, uint32_t slot)
{
	char text[ADDR_TEXT_MAX];

	line_put(r, " Switch: port=%d", f->eport);
	if (f->has_dmac)
		line_put(r, ", dmac=%s , l2tidx=%d", mac_text(&f->dmac, text), (int)slot);
	if (f->has_smac)
		line_put(r, ", smac=%s , smtidx=%d", mac_text(&f->smac, text), (int)slot);
	if (f->vlan == VLAN_REMOVE)
		line_put(r, ", vlan=none");
	else if (f->vlan == VLAN_INSERT)
		line_put(r, ", vlan=insert(%x)", f->vlan_id);
	else if (f->vlan == VLAN_REWRITE)
		line_put(r, ", vlan=rewrite(%x)", f->vlan_id);
}

static void put_pass(struct line *r, const struct adapter_filter *f)
{
	line_put(r, " Pass: Q=");
	switch (f->steer) {
	case STEER_RSS:
		line_put(r, "RSS");
		break;
	case STEER_RSS_REGION:
		line_put(r, "RSS(region %d)", f->queue);
		break;
	case STEER_QUEUE:
		line_put(r, "%d(QID)", f->queue);
		break;
	case STEER_HASH:
		line_put(r, "%d(hash)", f->queue);
		break;
	}
}

static void row(const struct adapter *a, const struct entry *e, const struct adapter_out *out)
{
	const struct adapter_filter *f = &e->f;
	const struct classify_key *v = &f->value, *m = &f->mask;
	char text[ROW_MAX];
	struct line r = {text, sizeof(text), 0};

	line_put(&r, "%4d", (int)e->idx);
	if (f->count_hits)
		line_put(&r, " %8" PRIu64, table_hits(a, e));
	else
		line_put(&r, " %8s", "-");
	for (unsigned i = 0; i < C_COUNT; i++)
		if ((a->mode & 1u << i) != 0)
			put_criterion(&r, i, a->vnic_is_function, v, m);
	put_addr(&r, v->family, v->dst, m->dst);
	put_addr(&r, v->family, v->src, m->src);
	line_put(&r, " %04x/%04x %04x/%04x", v->dport, m->dport, v->sport, m->sport);
	if (f->action == ADAPTER_DROP)
		line_put(&r, " Drop");
	else if (f->action == ADAPTER_SWITCH)
		put_switch(&r, f, e->slot);
	else
		put_pass(&r, f);
	if (f->prio && a->chip <= 5)
		line_put(&r, " Prio");
	if (f->report_tid)
		line_put(&r, " RptTID");
	say(out, "%s", text);
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
	bool two = !hash && a->prio.count > 0;

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

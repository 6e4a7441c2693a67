// SPDX-License-Identifier: BSD-2-Clause
// act.c - what a rule says, in the shape that the programs in the kernel read.
#include "xdp/xdp.h"

#include "adapter/rewrite.h"
#include "xdp/shared.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static_assert((int)CARD_PASS == ADAPTER_PASS && (int)CARD_DROP == ADAPTER_DROP &&
		      (int)CARD_SWITCH == ADAPTER_SWITCH,
	"actions");
static_assert((int)CARD_VLAN_KEEP == VLAN_KEEP && (int)CARD_VLAN_REMOVE == VLAN_REMOVE &&
		      (int)CARD_VLAN_INSERT == VLAN_INSERT &&
		      (int)CARD_VLAN_REWRITE == VLAN_REWRITE,
	"what becomes of tags");
static_assert((int)CARD_NAT_DIP == NAT_PART_DIP && (int)CARD_NAT_DPORT == NAT_PART_DPORT &&
		      (int)CARD_NAT_SIP == NAT_PART_SIP && (int)CARD_NAT_SPORT == NAT_PART_SPORT,
	"parts of a translation");

static uint16_t switch_flags(const struct rewrite *r)
{
	return (uint16_t)((r->swapmac ? CARD_SWAPMAC : 0) | (r->has_dmac ? CARD_DMAC : 0) |
			  (r->has_smac ? CARD_SMAC : 0) | (r->has_natseq ? CARD_NATSEQ : 0) |
			  (r->natflag ? CARD_NATFLAG : 0));
}

static void switch_fill(const struct rewrite *r, struct card_act *out)
{
	out->eport = (uint8_t)r->eport;
	out->vlan = (uint8_t)r->vlan;
	out->vlan_id = r->vlan_id;
	out->nat = (uint8_t)r->nat;
	out->flags |= switch_flags(r);
	out->natseq = r->natseq;
	out->sport_be = r->sport_be;
	out->dport_be = r->dport_be;
	memcpy(out->dmac, r->dmac.b, MAC_LEN);
	memcpy(out->smac, r->smac.b, MAC_LEN);
	memcpy(out->src, r->src, IP6_LEN);
	memcpy(out->dst, r->dst, IP6_LEN);
}

int card_act_make(
	const struct adapter_filter *f, uint32_t slot, struct card_act *out, struct err *err)
{
	struct rewrite r;
	int rc;

	*out = (struct card_act){.slot = slot};
	if (f->steer != STEER_RSS)
		return err_set(err, EOPNOTSUPP,
			"%s: a program in the kernel cannot choose a receive queue: the interface "
			"does",
			f->steer == STEER_QUEUE        ? "queue"
			: f->steer == STEER_RSS_REGION ? "tcbrss"
						       : "tcbhash");
	out->action = (uint8_t)f->action;
	if (f->value.family == 6)
		out->flags |= CARD_SIX;
	if (f->action != ADAPTER_SWITCH)
		return 0;
	rc = rewrite_make(&r, f, err);
	if (rc == 0)
		switch_fill(&r, out);
	return rc;
}

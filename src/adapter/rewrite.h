// SPDX-License-Identifier: BSD-2-Clause
// rewrite.h - what a rule with "action switch" does to a frame before it leaves by another port.
//
// In this order:
//	swapmac      source and destination MAC change places
//	dmac, smac   are written
//	vlan none    the outermost tag goes; a frame of 60 bytes and more stays at least that long
//	vlan =ID     the outermost tag gets another ID and keeps its priority bits
//	vlan +ID     an 802.1Q tag of priority 0 is put before all others
//	nat          addresses and ports, see nat.h
// A frame without a tag is left alone by "none" and "=".  TTL and hop limit stay: nothing is routed.
#pragma once

#include "adapter/adapter.h"

enum nat_part { NAT_PART_DIP = 1, NAT_PART_DPORT = 2, NAT_PART_SIP = 4, NAT_PART_SPORT = 8 };

// A filter made ready for the worker, or for programs in the kernel.
struct rewrite {
	uint16_t eport;
	enum adapter_vlan vlan;
	uint16_t vlan_id;
	bool swapmac, has_dmac, has_smac;
	struct mac dmac, smac;
	unsigned nat; // enum nat_part, ored; 0: none
	uint8_t family;
	bool has_natseq, natflag;
	uint32_t natseq;
	uint16_t sport_be, dport_be;
	uint8_t src[IP6_LEN], dst[IP6_LEN]; // in wire order; IPv4 in the first 4
};

// -EINVAL: an address of another family than the rule's.
int rewrite_make(struct rewrite *r, const struct adapter_filter *f, struct err *err);

// Rewrites *m.  A packet whose buffers others hold too, or whose headers are spread over several, is
// copied first; *m is then the copy and the old one is freed.  DROP_NONE, or why it cannot be done:
// *m is then the packet to drop, in whatever state.
enum drop rewrite_packet(const struct rewrite *r, struct rte_mbuf **m);

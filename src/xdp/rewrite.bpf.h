// SPDX-License-Identifier: BSD-2-Clause
// rewrite.bpf.h - what a rule with "action switch" does to a frame: byte for byte what adapter/rewrite.h
// and adapter/nat.h say, which see for the order and for what is left alone or dropped.
//
// Both functions are not static, so that each is verified once and by itself.
#pragma once

#include "xdp/parse.bpf.h"

enum { TYPE_AT = 12, FRAME_MIN = 60, TCP_FIN = 1, TCP_RST = 4 };

// The devices behind the card's ports, by iport: where frames are switched to.  A map and not an index,
// for the kernel takes a device that goes away out of it (and a port that is gone drops), while another
// device may get its index.  Written in the namespace of the device; it must be put in again when it
// comes back.  A test run never sends, so there any device will do.
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, CARD_PORTS);
	__type(key, uint32_t);
	__type(value, uint32_t);
} exits SEC(".maps");

union nat_head {
	uint8_t b[IP6_LEN];
	uint16_t h[IP6_LEN / 2];
	uint32_t w[IP6_LEN / 4];
};

// As much of it as may change or matters.
union nat_upper {
	uint8_t b[20];
	uint16_t h[10];
	uint32_t w[5];
};

// What there is to translate.
struct nat_where {
	uint32_t l3, l4, end; // offsets; end is where what the IP length covers does
	uint8_t proto;
	uint8_t has_l4; // the upper-layer header lies at l4, and all of it
};

// What the sum of the words at `at` grows by when a new one comes in the place of the old one: for
// RFC 1624, equation 3.  All of them are added up before they are folded.
FLAT_INLINE uint64_t nat_put32(uint32_t *at, uint32_t new)
{
	uint64_t grows = (uint64_t)(uint32_t) ~*at + new;

	*at = new;
	return grows;
}

FLAT_INLINE uint64_t nat_put16(uint16_t *at, uint16_t new)
{
	uint64_t grows = (uint64_t)(uint16_t) ~*at + new;

	*at = new;
	return grows;
}

FLAT_INLINE uint16_t nat_sum(uint16_t sum, uint64_t grows)
{
	uint64_t s = (uint16_t)~sum + grows;

	s = (s & UINT32_MAX) + (s >> 32);
	s = (s & UINT16_MAX) + (s >> 16);
	s = (s & UINT16_MAX) + (s >> 16);
	return (uint16_t) ~((s & UINT16_MAX) + (s >> 16));
}

// 0, or -1: the header is cut off, and it has a checksum that covers addresses.
FLAT_INLINE int nat_find_upper(struct nat_where *n, uint32_t at, int six)
{
	uint32_t need = n->proto == P_TCP ? 20 : 8;

	if (n->proto != P_TCP && n->proto != P_UDP && !(six && n->proto == P_ICMP6))
		return 0;
	n->l4 = at;
	n->has_l4 = n->end - at >= need;
	return n->has_l4 ? 0 : -1;
}

FLAT_INLINE int nat_find4(struct xdp_md *ctx, uint32_t len, union nat_head *ip, struct nat_where *n)
{
	uint32_t ihl, total;

	if (bpf_xdp_load_bytes(ctx, n->l3, ip, IP4_LEN) != 0)
		return -1;
	ihl = (ip->b[0] & 15) * 4u;
	total = bpf_ntohs(ip->h[1]);
	if (ip->b[0] >> 4 != 4 || ihl < IP4_LEN || total < ihl || total > len - n->l3)
		return -1;
	n->end = n->l3 + total;
	n->proto = ip->b[9];
	if ((ip->h[3] & bpf_htons(0x1fff)) != 0)
		return 0;
	return nat_find_upper(n, n->l3 + ihl, 0);
}

FLAT_INLINE int nat_find6(struct xdp_md *ctx, uint32_t len, union nat_head *ip, struct nat_where *n)
{
	uint32_t at = n->l3 + IP6_LEN;
	struct card_chain chain;

	if (bpf_xdp_load_bytes(ctx, n->l3, ip, IP6_LEN) != 0 || ip->b[0] >> 4 != 6)
		return -1;
	n->end = at + bpf_ntohs(ip->h[2]);
	if (n->end > len)
		return -1;
	chain = (struct card_chain){.at = at, .stop = n->end, .proto = ip->b[6]};
	if (!card_walk(ctx, &chain))
		return -1;
	n->proto = chain.proto;
	return chain.l4 != 0 ? nat_find_upper(n, chain.l4, 1) : 0;
}

// Where the IP header of the rule's family lies; 0: there is none.
FLAT_INLINE uint32_t nat_ip(struct xdp_md *ctx, int six)
{
	uint32_t at = TYPE_AT;
	uint16_t type = 0;

	for (int i = 0; i < 3; i++) {
		if (bpf_xdp_load_bytes(ctx, at, &type, 2) != 0)
			return 0;
		type = bpf_ntohs(type);
		if (!type_is_vlan(type))
			break;
		at += VLAN_LEN;
	}
	return type == (six ? TYPE_IP6 : TYPE_IP4) ? at + 2 : 0;
}

// Whether natseq and natflag allow it.
FLAT_INLINE int nat_allowed(
	const struct card_act *act, const union nat_upper *l4, const struct nat_where *n)
{
	uint32_t data = n->l4 + (l4->b[12] >> 4) * 4u;
	uint64_t next = bpf_ntohl(l4->w[1]);

	if ((act->flags & CARD_NATFLAG) && (l4->b[13] & (TCP_FIN | TCP_RST)) != 0)
		return 0;
	if (n->end > data)
		next += n->end - data;
	return !(act->flags & CARD_NATSEQ) || next < act->natseq;
}

FLAT_INLINE uint64_t nat_address(uint32_t *at, const uint8_t *new, int six)
{
	uint64_t grows = nat_put32(at, AT32(new, 0));

	for (int i = 1; i < 4 && six; i++)
		grows += nat_put32(at + i, AT32(new, 4 * i));
	return grows;
}

// Both addresses; returns what the sums grow by.
FLAT_INLINE uint64_t nat_addresses(const struct card_act *act, union nat_head *ip, int six)
{
	uint64_t grows = 0;

	if (act->nat & CARD_NAT_SIP)
		grows += nat_address(six ? &ip->w[2] : &ip->w[3], act->src, six);
	if (act->nat & CARD_NAT_DIP)
		grows += nat_address(six ? &ip->w[6] : &ip->w[4], act->dst, six);
	return grows;
}

// The ports, and the checksum, which lies in word `at`.
FLAT_INLINE void nat_upper_write(const struct card_act *act, union nat_upper *l4,
	const struct nat_where *n, uint64_t grows, uint32_t at)
{
	uint16_t *sum = &l4->h[at];
	int none = n->proto == P_UDP && *sum == 0;

	if (n->proto != P_ICMP6 && (act->nat & CARD_NAT_SPORT))
		grows += nat_put16(&l4->h[0], act->sport_be);
	if (n->proto != P_ICMP6 && (act->nat & CARD_NAT_DPORT))
		grows += nat_put16(&l4->h[1], act->dport_be);
	if (none)
		return;
	*sum = nat_sum(*sum, grows);
	if (n->proto == P_UDP && *sum == 0)
		*sum = UINT16_MAX;
}

// 0, or -1: the packet is to be dropped.
__attribute__((noinline)) int card_translate(struct xdp_md *ctx, const struct card_act *act)
{
	uint32_t len = (uint32_t)bpf_xdp_get_buff_len(ctx), l4_len = 18;
	union nat_head ip = {0};
	union nat_upper l4 = {0};
	struct nat_where n = {0};
	uint64_t grows;
	int six, rc;

	if (!act)
		return -1;
	six = (act->flags & CARD_SIX) != 0;
	n.l3 = nat_ip(ctx, six);
	if (n.l3 == 0)
		return -1;
	rc = six ? nat_find6(ctx, len, &ip, &n) : nat_find4(ctx, len, &ip, &n);
	if (rc != 0)
		return -1;
	if (n.proto != P_TCP)
		l4_len = n.proto == P_UDP ? 8 : 4;
	if (n.has_l4 && bpf_xdp_load_bytes(ctx, n.l4, &l4, l4_len) != 0)
		return -1;
	if (n.has_l4 && n.proto == P_TCP && !nat_allowed(act, &l4, &n))
		return 0;
	grows = nat_addresses(act, &ip, six);
	if (six) {
		rc = bpf_xdp_store_bytes(ctx, n.l3 + 8, &ip.b[8], 32);
	} else {
		ip.h[5] = nat_sum(ip.h[5], grows);
		rc = bpf_xdp_store_bytes(ctx, n.l3 + 10, &ip.b[10], 10);
	}
	if (!n.has_l4 || rc != 0)
		return rc;
	if (n.proto == P_TCP)
		nat_upper_write(act, &l4, &n, grows, 8);
	else if (n.proto == P_UDP)
		nat_upper_write(act, &l4, &n, grows, 3);
	else
		nat_upper_write(act, &l4, &n, grows, 1);
	return (int)bpf_xdp_store_bytes(ctx, n.l4, &l4, l4_len);
}

// By how many bytes the frame's begin moves.
FLAT_INLINE int switch_moves(const struct card_act *act, int tagged)
{
	if (act->vlan == CARD_VLAN_INSERT)
		return -VLAN_LEN;
	return act->vlan == CARD_VLAN_REMOVE && tagged ? VLAN_LEN : 0;
}

FLAT_INLINE void switch_macs(const struct card_act *act, const uint8_t *f, uint8_t *macs)
{
	if (act->flags & CARD_SWAPMAC) {
		__builtin_memcpy(macs, f + 6, 6);
		__builtin_memcpy(macs + 6, f, 6);
	} else {
		__builtin_memcpy(macs, f, 12);
	}
	if (act->flags & CARD_DMAC)
		__builtin_memcpy(macs, act->dmac, 6);
	if (act->flags & CARD_SMAC)
		__builtin_memcpy(macs + 6, act->smac, 6);
}

// Tags and MACs; 0, or -1: there is no room, or its length may not change.
FLAT_INLINE int switch_link(struct xdp_md *ctx, const struct card_act *act, bool resizes)
{
	uint8_t *f = (uint8_t *)(long)ctx->data, *end = (uint8_t *)(long)ctx->data_end;
	int len = (int)(end - f), tagged = 0, moves;
	uint8_t macs[12];

	if (f + ETH_LEN > end)
		return -1;
	switch_macs(act, f, macs);
	if (f + ETH_LEN + VLAN_LEN <= end)
		tagged = type_is_vlan(bpf_ntohs(AT16(f, TYPE_AT)));
	if (tagged && act->vlan == CARD_VLAN_REWRITE) {
		f[14] = (uint8_t)((f[14] & 0xf0) | act->vlan_id >> 8);
		f[15] = (uint8_t)act->vlan_id;
	}
	moves = switch_moves(act, tagged);
	if (moves != 0) {
		if (!resizes || bpf_xdp_adjust_head(ctx, moves) != 0)
			return -1;
		f = (uint8_t *)(long)ctx->data;
		end = (uint8_t *)(long)ctx->data_end;
		if (f + ETH_LEN + (moves < 0 ? VLAN_LEN : 0) > end)
			return -1;
	}
	__builtin_memcpy(f, macs, 12);
	if (moves < 0) {
		f[12] = TYPE_VLAN >> 8;
		f[13] = TYPE_VLAN & 0xff;
		f[14] = (uint8_t)(act->vlan_id >> 8);
		f[15] = (uint8_t)act->vlan_id;
	}
	// The kernel fills up with zeros.
	if (moves > 0 && len >= FRAME_MIN && len - moves < FRAME_MIN)
		return (int)bpf_xdp_adjust_tail(ctx, FRAME_MIN - (len - moves));
	return 0;
}

FLAT_INLINE int switch_frame(struct xdp_md *ctx, const struct card_act *act, bool resizes)
{
	if (!act || (act->nat != 0 && card_translate(ctx, act) != 0) ||
		switch_link(ctx, act, resizes) != 0)
		return XDP_DROP;
	return (int)bpf_redirect_map(&exits, act->eport, XDP_DROP);
}

// Rewrites the frame and sends it out of the rule's port; returns what becomes of it.
__attribute__((noinline)) int card_switch(struct xdp_md *ctx, const struct card_act *act)
{
	return switch_frame(ctx, act, true);
}

// The same for rules that leave the frame as long as it is.
__attribute__((noinline)) int card_switch_fixed(struct xdp_md *ctx, const struct card_act *act)
{
	return switch_frame(ctx, act, false);
}

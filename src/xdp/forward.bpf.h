// SPDX-License-Identifier: BSD-2-Clause
// forward.bpf.h - transit packets sent on by the kernel's own routes and neighbours, without an skb.
//
// The plain case is decided here, in the order of RFC 1812 5.2 and RFC 8200; whatever else a frame may
// be, the kernel gets it untouched and does what it always did: answers (TTL, MTU, no route, redirects),
// resolves neighbours, delivers, counts, drops.  So a check here may be too strict and never too lax.
//
// The kernel does not know of what leaves here: its neighbour's entry would grow stale and never be
// asked for again.  So one frame in FORWARD_SAMPLE takes the kernel's way.
#pragma once

#include "xdp/parse.bpf.h"

#include <stdbool.h>

const volatile bool forward =
	false; // whether transit packets are forwarded, or all left to the kernel
const volatile bool strict = true; // whether an IPv4 source must be reached by the port it came by

enum { FAMILY_IP4 = 2, FAMILY_IP6 = 10, ETH_MIN = 60, FORWARD_SAMPLE = 1024 };
enum { ICMP_UNREACH = 3, ICMP_QUENCH = 4, ICMP_REDIR = 5, ICMP_TIME = 11, ICMP_PARAM = 12 };
enum { ICMP6_INFO = 128 }; // messages below are errors

// The ports a frame may leave by: those of the card whose drivers are known to transmit for XDP.  A device
// that goes away leaves the map by itself.
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, CARD_PORTS);
	__type(key, uint32_t); // interface index
	__type(value, uint32_t);
} egress SEC(".maps");

// By the port they came in by.
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CARD_PORTS);
	__type(key, uint32_t);
	__type(value, struct card_forwarded);
} forwarded SEC(".maps");

// IPv4 sources that were found good lately, as asking costs a second lookup; a change of routes shows after
// 1 << FORWARD_SOURCE_AGE ticks at the latest (0.25 to 2.5 s).
enum { FORWARD_SOURCE_BITS = 12, FORWARD_SOURCE_AGE = 8 };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1 << FORWARD_SOURCE_BITS);
	__type(key, uint32_t);
	__type(value, uint64_t);
} sources SEC(".maps");

// Addresses that the kernel treats in ways of their own, as source or destination: 0/8, 127/8, 169.254/16,
// and all from 224/4 on.
FLAT_INLINE int forward_special4(uint32_t ip)
{
	uint32_t net = ip >> 24;

	return net == 0 || net == 127 || net >= 224 || ip >> 16 == 0xa9fe;
}

// The same: ::/32 (unspecified, loopback, IPv4), link-local, multicast.
FLAT_INLINE int forward_special6(uint32_t word0)
{
	return word0 == 0 || word0 >> 22 == 0xfe80 >> 6 || word0 >> 24 == 0xff;
}

// Paths of equal cost are chosen by the packet that an error is about: the kernel looks into it.
FLAT_INLINE int forward_icmp_error(const struct classify_key *key)
{
	uint32_t type = key->icmp_type;

	if (key->proto == P_ICMP6 && key->family == 6)
		return type < ICMP6_INFO;
	return key->proto == P_ICMP && key->family == 4 &&
	       (type == ICMP_UNREACH || type == ICMP_QUENCH || type == ICMP_REDIR ||
		       type == ICMP_TIME || type == ICMP_PARAM);
}

FLAT_INLINE int forward_sum_good(const uint8_t *ip)
{
	uint64_t sum = 0;

	for (int i = 0; i < IP4_LEN / 4; i++)
		sum += AT32(ip, i * 4);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

// Whether the frame holds nothing behind the packet but what fills it up to Ethernet's minimum.
FLAT_INLINE int forward_fits(struct xdp_md *ctx, uint32_t packet_len)
{
	uint64_t len = bpf_xdp_get_buff_len(ctx);

	return len == ETH_LEN + packet_len || (len <= ETH_MIN && len >= ETH_LEN + packet_len);
}

// Whether an IPv4 packet is a plain one; fib is then filled in for it.
FLAT_INLINE int forward_plain4(struct xdp_md *ctx, const uint8_t *ip,
	const struct classify_key *key, struct bpf_fib_lookup *fib)
{
	uint32_t total = bpf_ntohs(AT16(ip, 2));

	if (ip[0] != 0x45 || total < IP4_LEN || !forward_fits(ctx, total) ||
		!forward_sum_good(ip) || ip[8] <= 1 || forward_special4(key->src[0]) ||
		forward_special4(key->dst[0]))
		return 0;
	fib->family = FAMILY_IP4;
	fib->tos = ip[1];
	fib->l4_protocol = ip[9];
	fib->tot_len = (uint16_t)total;
	fib->ipv4_src = AT32(ip, 12);
	fib->ipv4_dst = AT32(ip, 16);
	return 1;
}

FLAT_INLINE int forward_plain6(struct xdp_md *ctx, const uint8_t *ip,
	const struct classify_key *key, struct bpf_fib_lookup *fib)
{
	uint32_t total = IP6_LEN + bpf_ntohs(AT16(ip, 4));

	// Options for every hop, and jumbograms, come behind next header 0.
	if (ip[0] >> 4 != 6 || ip[6] == P_HOPOPT || total > UINT16_MAX ||
		!forward_fits(ctx, total) || ip[7] <= 1 || forward_special6(key->src[0]) ||
		forward_special6(key->dst[0]))
		return 0;
	fib->family = FAMILY_IP6;
	fib->flowinfo = AT32(ip, 0) & bpf_htonl(0x0fffffff);
	fib->l4_protocol = ip[6];
	fib->tot_len = (uint16_t)total;
	__builtin_memcpy(fib->ipv6_src, ip + 8, 16);
	__builtin_memcpy(fib->ipv6_dst, ip + 24, 16);
	return 1;
}

// Whether the kernel's check of an IPv4 source would let it pass: it is no address of this host, there is
// a way back, and with `strict` that is by the port it came by.
FLAT_INLINE int forward_way_back(struct xdp_md *ctx, const struct bpf_fib_lookup *there)
{
	struct bpf_fib_lookup back = {.family = FAMILY_IP4,
		.tos = there->tos,
		.ifindex = ctx->ingress_ifindex,
		.ipv4_src = there->ipv4_dst,
		.ipv4_dst = there->ipv4_src};
	long rc = bpf_fib_lookup(ctx, &back, sizeof(back), 0);

	return (rc == BPF_FIB_LKUP_RET_SUCCESS || rc == BPF_FIB_LKUP_RET_NO_NEIGH) &&
	       (!strict || back.ifindex == ctx->ingress_ifindex);
}

FLAT_INLINE int forward_source_good(
	struct xdp_md *ctx, const struct classify_key *key, const struct bpf_fib_lookup *there)
{
	uint32_t at = key->src[0] * 0x9e3779b1u >> (32 - FORWARD_SOURCE_BITS);
	uint64_t *known = bpf_map_lookup_elem(&sources, &at);
	// In the lower half when and where.
	uint64_t want = (uint64_t)key->src[0] << 32 |
			(uint32_t)(bpf_jiffies64() >> FORWARD_SOURCE_AGE << 2 | key->iport);

	if (!known)
		return 0;
	if (*known == want)
		return 1;
	if (!forward_way_back(ctx, there))
		return 0;
	*known = want;
	return 1;
}

FLAT_INLINE void forward_rewrite(uint8_t *eth, const struct bpf_fib_lookup *fib, int four)
{
	uint8_t *ip = eth + ETH_LEN;

	__builtin_memcpy(eth, fib->dmac, 6);
	__builtin_memcpy(eth + 6, fib->smac, 6);
	if (four) {
		// RFC 1141: one less in the upper byte is one more in the sum.
		uint32_t sum = AT16(ip, 10) + bpf_htons(0x0100);

		*(uint16_t *)(ip + 10) = (uint16_t)(sum + (sum >= 0xffff));
		ip[8]--;
	} else {
		ip[7]--;
	}
}

// Not static: see card_parse_any.
__attribute__((noinline)) int card_forward(struct xdp_md *ctx, const struct classify_key *key)
{
	uint8_t *eth = (uint8_t *)(long)ctx->data;
	const void *end = (const void *)(long)ctx->data_end;
	struct bpf_fib_lookup fib = {.ifindex = ctx->ingress_ifindex};
	struct card_forwarded *n;
	uint32_t in;
	int four;

	if (!key)
		return XDP_PASS;
	in = key->iport;
	n = bpf_map_lookup_elem(&forwarded, &in);
	if (!n || key->matchtype != MATCH_OWN || (key->vlan_valid & (HAS_IVLAN | HAS_OVLAN)) ||
		forward_icmp_error(key))
		return XDP_PASS;
	four = key->family == 4;
	fib.sport = bpf_htons(key->sport);
	fib.dport = bpf_htons(key->dport);
	if (four) {
		if ((const void *)(eth + ETH_LEN + IP4_LEN) > end ||
			!forward_plain4(ctx, eth + ETH_LEN, key, &fib))
			return XDP_PASS;
	} else if (key->family != 6 || (const void *)(eth + ETH_LEN + IP6_LEN) > end ||
		   !forward_plain6(ctx, eth + ETH_LEN, key, &fib)) {
		return XDP_PASS;
	}
	if (four && !forward_source_good(ctx, key, &fib))
		return XDP_PASS;
	// Back by the port it came: whether the sender is to be told of a better way is the kernel's affair.
	if (bpf_fib_lookup(ctx, &fib, sizeof(fib), 0) != BPF_FIB_LKUP_RET_SUCCESS ||
		fib.ifindex == ctx->ingress_ifindex ||
		bpf_redirect_map(&egress, fib.ifindex, XDP_PASS) != XDP_REDIRECT)
		return XDP_PASS;
	if (n->until_sample == 0) {
		n->until_sample = FORWARD_SAMPLE - 1;
		return XDP_PASS;
	}
	n->until_sample--;
	n->frames++;
	forward_rewrite(eth, &fib, four);
	return XDP_REDIRECT;
}

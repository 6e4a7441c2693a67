// SPDX-License-Identifier: BSD-2-Clause
// parse.bpf.h - the key of a frame, field for field what adapter/key.h says.  A plain frame is read
// where it lies; any other one with bpf_xdp_load_bytes, header by header.
#pragma once

#include "xdp/shared.h"

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum { ETH_LEN = 14, VLAN_LEN = 4, IP4_LEN = 20, IP6_LEN = 40, EXT_MAX = 8 };
enum { TYPE_IP4 = 0x0800, TYPE_IP6 = 0x86dd, TYPE_FCOE = 0x8906 };
enum { TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8, TYPE_QINQ_OLD = 0x9100 };
enum {
	P_HOPOPT = 0,
	P_ICMP = 1,
	P_TCP = 6,
	P_UDP = 17,
	P_ROUTING = 43,
	P_FRAGMENT = 44,
	P_AH = 51
};
enum { P_ICMP6 = 58, P_NONE = 59, P_DSTOPT = 60, P_MOBILITY = 135, P_HIP = 139, P_SHIM6 = 140 };
enum { MATCH_OWN = 0, MATCH_MULTICAST = 2, MATCH_MISS = 4, MATCH_BROADCAST = 6, MAC_NONE = 0x1ff };
enum { HAS_IVLAN = 1, HAS_OVLAN = 2, HAS_PORTS = 8 };

static const uint64_t MAC_BITS = (UINT64_C(1) << 48) - 1;

// Packets may be read at any address.
#define AT16(p, off) (*(const uint16_t *)((p) + (off)))
#define AT32(p, off) (*(const uint32_t *)((p) + (off)))
#define AT64(p, off) (*(const uint64_t *)((p) + (off)))

// A plain frame: to the port's MAC, IPv4 without options, not a fragment, with all of a TCP, UDP or
// ICMP header.  0: it is another kind.
FLAT_INLINE int parse_plain(
	const void *data, const void *end, uint64_t mac48, uint32_t iport, struct flat_plain_key *k)
{
	const uint8_t *f = data, *ip = f + ETH_LEN, *l4 = ip + IP4_LEN;
	uint32_t total;
	uint8_t proto;

	if ((const void *)(l4 + 8) > end)
		return 0;
	total = bpf_ntohs(AT16(ip, 2));
	if (((AT64(f, 0) ^ mac48) & MAC_BITS) != 0 || AT16(f, 12) != bpf_htons(TYPE_IP4) ||
		ip[0] != 0x45 || (AT16(ip, 6) & bpf_htons(0x3fff)) != 0 ||
		total > (uint32_t)((const uint8_t *)end - ip))
		return 0;
	*k = (struct flat_plain_key){
		.src = bpf_ntohl(AT32(ip, 12)), .dst = bpf_ntohl(AT32(ip, 16))};
	proto = ip[9];
	if (proto == P_TCP) {
		if (total < IP4_LEN + 20 || (const void *)(l4 + 14) > end)
			return 0;
		k->kind = FLAT_TCP * FLAT_PORTS + iport;
	} else if ((proto != P_UDP && proto != P_ICMP) || total < IP4_LEN + 8) {
		return 0;
	}
	if (proto == P_ICMP) {
		k->kind = FLAT_ICMP * FLAT_PORTS + iport;
		return 1;
	}
	if (proto == P_UDP)
		k->kind = FLAT_UDP * FLAT_PORTS + iport;
	k->sport = bpf_ntohs(AT16(l4, 0));
	k->dport = bpf_ntohs(AT16(l4, 2));
	return 1;
}

// What of its key is looked at behind the rules.
FLAT_INLINE void plain_key(
	const void *data, const struct flat_plain_key *k, struct classify_key *out)
{
	const uint8_t *l4 = (const uint8_t *)data + ETH_LEN + IP4_LEN;
	uint32_t kind = k->kind / FLAT_PORTS;

	*out = (struct classify_key){.family = 4,
		.proto = kind == FLAT_TCP   ? P_TCP
			 : kind == FLAT_UDP ? P_UDP
					    : P_ICMP,
		.iport = k->kind % FLAT_PORTS,
		.icmp_type = l4[0],
		.sport = k->sport,
		.dport = k->dport};
	out->src[0] = k->src;
	out->dst[0] = k->dst;
}

FLAT_INLINE int type_is_vlan(uint16_t type)
{
	return type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD;
}

FLAT_INLINE int is_ext6(uint8_t proto)
{
	return proto == P_HOPOPT || proto == P_ROUTING || proto == P_FRAGMENT || proto == P_AH ||
	       proto == P_DSTOPT || proto == P_MOBILITY || proto == P_HIP || proto == P_SHIM6;
}

// The upper-layer header at `at`, of which the bytes before stop are there.
FLAT_INLINE void parse_l4(struct xdp_md *ctx, uint32_t at, uint32_t stop, struct classify_key *key)
{
	uint32_t there = stop - at;
	uint8_t b[4] = {0};

	if (key->proto == P_TCP || key->proto == P_UDP) {
		if (there < 4 || bpf_xdp_load_bytes(ctx, at, b, 4) != 0)
			return;
		key->sport = (uint16_t)(b[0] << 8 | b[1]);
		key->dport = (uint16_t)(b[2] << 8 | b[3]);
		key->vlan_valid |= HAS_PORTS;
		if (key->proto == P_TCP && there >= 20 &&
			bpf_xdp_load_bytes(ctx, at + 13, b, 1) == 0)
			key->tcp_flags = b[0];
	} else if (key->proto == (key->family == 4 ? P_ICMP : P_ICMP6)) {
		if (there < 8 || bpf_xdp_load_bytes(ctx, at, b, 2) != 0)
			return;
		key->icmp_type = b[0];
		key->icmp_code = b[1];
	}
}

FLAT_INLINE void parse_ip4(struct xdp_md *ctx, uint32_t at, uint32_t len, struct classify_key *key)
{
	uint32_t ihl, total, frag;
	uint8_t ip[IP4_LEN];

	if (bpf_xdp_load_bytes(ctx, at, ip, sizeof(ip)) != 0 || ip[0] >> 4 != 4)
		return;
	ihl = (ip[0] & 15) * 4u;
	total = (uint32_t)ip[2] << 8 | ip[3];
	if (ihl < IP4_LEN || ihl > len - at || total < ihl || total > len - at ||
		at + total > UINT16_MAX)
		return;
	key->family = 4;
	key->proto = ip[9];
	key->tos = ip[1];
	key->src[0] = (uint32_t)ip[12] << 24 | (uint32_t)ip[13] << 16 | (uint32_t)ip[14] << 8 |
		      ip[15];
	key->dst[0] = (uint32_t)ip[16] << 24 | (uint32_t)ip[17] << 16 | (uint32_t)ip[18] << 8 |
		      ip[19];
	frag = ((uint32_t)ip[6] << 8 | ip[7]) & 0x3fff;
	key->frag = frag != 0;
	if ((frag & 0x1fff) == 0)
		parse_l4(ctx, at + ihl, at + total, key);
}

// A chain of IPv6 extension headers (RFC 8200 4).
struct card_chain {
	uint32_t at, stop; // the first header; the end of what the IP length covers
	uint32_t l4;       // found: the upper-layer header; 0: a later fragment, or there is none
	uint8_t proto;     // the first header's; found: as in packet/parse.h
	uint8_t frag;      // found: 1: a part of a fragmented packet
	uint8_t spare[2];
};

// Walks it; 0: it is not sound, and what was found is what was read up to there.  Not static: verified
// once by itself.
__attribute__((noinline)) int card_walk(struct xdp_md *ctx, struct card_chain *c)
{
	int fragments = 0, later = 0;
	uint32_t at, stop;
	uint8_t next;

	if (!c)
		return 0;
	at = c->at;
	stop = c->stop;
	next = c->proto;
	c->l4 = 0;
	c->frag = 0;
	// Unrolled, for Linux 6.1 takes a loop for a back-edge into which a plain instruction falls.
#pragma clang loop unroll(full)
	for (int n = 0; n <= EXT_MAX; n++) {
		uint8_t ext[4], type = next;
		uint32_t ext_len;

		if (!is_ext6(type))
			break;
		c->proto = type;
		if (n == EXT_MAX || stop - at < 8 || bpf_xdp_load_bytes(ctx, at, ext, 4) != 0)
			return 0;
		ext_len = (ext[1] + 1u) * 8;
		if (type == P_FRAGMENT)
			ext_len = 8;
		else if (type == P_AH)
			ext_len = (ext[1] + 2u) * 4;
		if (ext_len > stop - at || (type == P_HOPOPT && n != 0))
			return 0;
		if (type == P_FRAGMENT) {
			uint32_t off = (uint32_t)ext[2] << 8 | ext[3];

			if (fragments++)
				return 0;
			later = (off & 0xfff8) != 0;
			c->frag = later || (off & 1);
		}
		next = ext[0];
		if (next == P_NONE && (type == P_MOBILITY || type == P_HIP || type == P_SHIM6)) {
			c->l4 = at;
			return 1;
		}
		at += ext_len;
		if (later)
			break;
	}
	c->proto = next;
	if (!later && next != P_NONE)
		c->l4 = at;
	return 1;
}

FLAT_INLINE void parse_ip6(struct xdp_md *ctx, uint32_t at, uint32_t len, struct classify_key *key)
{
	uint32_t payload, ip[IP6_LEN / 4];
	struct card_chain chain;
	int sound;

	if (bpf_xdp_load_bytes(ctx, at, ip, sizeof(ip)) != 0)
		return;
	ip[0] = bpf_ntohl(ip[0]);
	payload = bpf_ntohl(ip[1]) >> 16;
	at += IP6_LEN;
	if (ip[0] >> 28 != 6 || payload > len - at || at + payload > UINT16_MAX)
		return;
	key->family = 6;
	key->tos = (uint8_t)(ip[0] >> 20);
	for (int i = 0; i < 4; i++) {
		key->src[i] = bpf_ntohl(ip[2 + i]);
		key->dst[i] = bpf_ntohl(ip[6 + i]);
	}
	chain = (struct card_chain){
		.at = at, .stop = at + payload, .proto = (uint8_t)(bpf_ntohl(ip[1]) >> 8)};
	sound = card_walk(ctx, &chain);
	key->proto = chain.proto;
	key->frag = chain.frag;
	if (sound && chain.l4 != 0)
		parse_l4(ctx, chain.l4, at + payload, key);
}

FLAT_INLINE void parse_macs(const uint8_t *dmac, uint64_t mac48, struct classify_key *key)
{
	uint64_t mac = 0;

	__builtin_memcpy(&mac, dmac, 6);
	key->macidx = mac == mac48 ? 0 : MAC_NONE;
	key->matchtype = mac == mac48      ? MATCH_OWN
			 : mac == MAC_BITS ? MATCH_BROADCAST
			 : dmac[0] & 1     ? MATCH_MULTICAST
					   : MATCH_MISS;
}

// Any frame.  The key is zero but for iport.  Not static: so it is verified once, by itself, and not for
// every way it may end together with all that follows.
__attribute__((noinline)) int card_parse_any(
	struct xdp_md *ctx, uint64_t mac48, struct classify_key *key)
{
	uint32_t len = (uint32_t)bpf_xdp_get_buff_len(ctx), at = ETH_LEN;
	uint8_t eth[ETH_LEN], tag[VLAN_LEN];
	uint16_t type;

	if (!key)
		return 0;
	key->matchtype = MATCH_MISS;
	key->macidx = MAC_NONE;
	if (bpf_xdp_load_bytes(ctx, 0, eth, sizeof(eth)) != 0)
		return 0;
	parse_macs(eth, mac48, key);
	type = (uint16_t)(eth[12] << 8 | eth[13]);
	for (int n = 0; n < 3; n++) {
		uint16_t tci;

		key->ethertype = type;
		if (!type_is_vlan(type))
			break;
		if (n == 2 || bpf_xdp_load_bytes(ctx, at, tag, sizeof(tag)) != 0)
			return 0;
		tci = (uint16_t)(tag[0] << 8 | tag[1]);
		if (n == 1) {
			key->ovlan = key->ivlan;
			key->vlan_valid |= HAS_OVLAN;
		}
		key->ivlan = tci;
		key->vlan_valid |= HAS_IVLAN;
		type = (uint16_t)(tag[2] << 8 | tag[3]);
		at += VLAN_LEN;
	}
	key->fcoe = type == TYPE_FCOE;
	if (type == TYPE_IP4)
		parse_ip4(ctx, at, len, key);
	else if (type == TYPE_IP6)
		parse_ip6(ctx, at, len, key);
	return 0;
}

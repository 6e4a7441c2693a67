// SPDX-License-Identifier: BSD-2-Clause
// A plain frame's key is a dozen loads.  Whatever is not plain goes through packet_parse.
#include "adapter/key.h"

#include "adapter/keyframe.h"
#include "packet/parse.h"

#include <rte_mbuf.h>

enum { GATHER = 2048, FCOE = 0x8906 };

// Whether what is wrong with a frame lies in the IP header itself.
static bool header_is_broken(enum drop why)
{
	switch (why) {
	case DROP_IP4_SHORT:
	case DROP_IP4_VERSION:
	case DROP_IP4_IHL:
	case DROP_IP4_LENGTH:
	case DROP_IP6_SHORT:
	case DROP_IP6_VERSION:
	case DROP_IP6_LENGTH:
		return true;
	default:
		return false;
	}
}

static void key_mac(const uint8_t *frame, uint64_t mac48, struct classify_key *key)
{
	uint64_t dst = (uint64_t)load32(frame) | (uint64_t)load16(frame + 4) << 32;

	key->macidx = dst == mac48 ? 0 : KEY_MAC_NONE;
	if (dst == mac48)
		key->matchtype = KEY_OWN;
	else if (dst == UINT64_C(0xffffffffffff))
		key->matchtype = KEY_BROADCAST;
	else
		key->matchtype = frame[0] & 1 ? KEY_MULTICAST : KEY_MISS;
}

// Tags that the port took off lie before those in the frame.
static void key_tags(const struct rte_mbuf *m, const struct hdrs *h, struct classify_key *key)
{
	uint16_t tci[4];
	unsigned n = 0;

	if (m->ol_flags & RTE_MBUF_F_RX_QINQ_STRIPPED)
		tci[n++] = m->vlan_tci_outer;
	if (m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED)
		tci[n++] = m->vlan_tci;
	for (unsigned i = 0; i < h->n_vlan; i++)
		tci[n++] = h->tci[i];
	if (n > 0) {
		key->ivlan = tci[n - 1];
		key->vlan_valid |= CLASSIFY_HAS_IVLAN;
	}
	if (n > 1) {
		key->ovlan = tci[n - 2];
		key->vlan_valid |= CLASSIFY_HAS_OVLAN;
	}
}

static void key_ip(const uint8_t *ip, const struct hdrs *h, struct classify_key *key)
{
	key->family = h->family;
	key->proto = h->proto;
	key->frag = h->frag != FRAG_NONE;
	if (h->has_ports) {
		key->vlan_valid |= CLASSIFY_HAS_PORTS;
		key->sport = h->sport;
		key->dport = h->dport;
	}
	key->tcp_flags = h->tcp_flags;
	key->icmp_type = h->icmp_type;
	key->icmp_code = h->icmp_code;
	if (h->family == 4) {
		key->tos = ip[1];
		key->src[0] = load_be32(ip + 12);
		key->dst[0] = load_be32(ip + 16);
		return;
	}
	key->tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	for (unsigned i = 0; i < 4; i++) {
		key->src[i] = load_be32(ip + 8 + 4 * i);
		key->dst[i] = load_be32(ip + 24 + 4 * i);
	}
}

void key_parse(const struct rte_mbuf *m, uint16_t in, uint64_t mac48, struct classify_key *key)
{
	uint8_t copy[GATHER];
	unsigned have = m->pkt_len < GATHER ? m->pkt_len : GATHER;
	const uint8_t *frame = rte_pktmbuf_read(m, 0, have, copy);
	struct hdrs h = {0};
	enum drop why;

	if (m->nb_segs == 1)
		have = m->data_len;
	*key = (struct classify_key){.iport = key_iport(in)};
	if (frame == NULL)
		return; // the lengths of its buffers contradict each other
	why = packet_parse_head(frame, have, m->pkt_len, &h);
	if (why == DROP_ETH_SHORT) {
		key->matchtype = KEY_MISS;
		key->macidx = KEY_MAC_NONE;
		return;
	}
	key_mac(frame, mac48, key);
	key_tags(m, &h, key);
	key->ethertype = h.ethertype;
	key->fcoe = h.ethertype == FCOE;
	if (h.family != 0 && !header_is_broken(why))
		key_ip(frame + h.l3, &h, key);
}

void key_slow(struct rte_mbuf *const *pkt, unsigned n, uint16_t in, uint64_t mac48,
	struct classify_key *keys)
{
	for (unsigned i = 0; i < n; i++)
		key_parse(pkt[i], in, mac48, &keys[i]);
}

// The fields of an upper-layer header that is there whole.
static inline void plain_l4(const uint8_t *l4, enum key_l4 kind, struct classify_key *key)
{
	uint32_t ports = kind == KEY_TCP || kind == KEY_UDP ? load32(l4) : 0;
	uint16_t type = kind == KEY_ICMP ? load16(l4) : 0;

	key->vlan_valid = kind == KEY_TCP || kind == KEY_UDP ? CLASSIFY_HAS_PORTS : 0;
	key->sport = __builtin_bswap16((uint16_t)ports);
	key->dport = __builtin_bswap16((uint16_t)(ports >> 16));
	key->tcp_flags = kind == KEY_TCP ? l4[13] : 0;
	key->icmp_type = (uint8_t)type;
	key->icmp_code = (uint8_t)(type >> 8);
}

static inline void plain4(const uint8_t *f, enum key_l4 kind, uint16_t in, struct classify_key *key)
{
	const uint8_t *ip = f + ETH_HDR;

	*key = (struct classify_key){.family = 4,
		.proto = ip[9],
		.iport = key_iport(in),
		.tos = ip[1],
		.src = {load_be32(ip + 12)},
		.dst = {load_be32(ip + 16)},
		.ethertype = 0x0800};
	plain_l4(ip + IP4_HDR, kind, key);
}

static inline void plain6(const uint8_t *f, enum key_l4 kind, uint16_t in, struct classify_key *key)
{
	const uint8_t *ip = f + ETH_HDR, *src = ip + 8, *dst = ip + 24;

	*key = (struct classify_key){.family = 6,
		.proto = ip[6],
		.iport = key_iport(in),
		.tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4),
		.src = {load_be32(src), load_be32(src + 4), load_be32(src + 8),
			load_be32(src + 12)},
		.dst = {load_be32(dst), load_be32(dst + 4), load_be32(dst + 8),
			load_be32(dst + 12)},
		.ethertype = 0x86dd};
	plain_l4(ip + IP6_HDR, kind, key);
}

// The words at 12 and 20 hold ethertype and first byte of the header, and IPv4's fragment bits.
static inline bool is_plain4(const uint8_t *f)
{
	return ((load32(f + 12) & 0xffffff) ^ 0x450008) + (load16(f + 20) & 0xff3f) == 0;
}

static inline bool is_plain6(const uint8_t *f)
{
	return (load32(f + 12) & 0xf0ffff) == 0x60dd86;
}

void key_plain(struct rte_mbuf *const *pkt, unsigned n, uint16_t in, uint64_t mac48,
	struct classify_key *keys)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkt[i];
		const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *);
		enum key_l4 kind = KEY_ODD;

		if (key_is_simple(m) && (load64(f) ^ mac48) << 16 == 0)
			kind = is_plain4(f)   ? key_kind4(f, m->data_len)
			       : is_plain6(f) ? key_kind6(f, m->data_len)
					      : KEY_ODD;
		if (kind == KEY_ODD) {
			key_parse(m, in, mac48, &keys[i]);
			continue;
		}
		if (is_plain4(f))
			plain4(f, kind, in, &keys[i]);
		else
			plain6(f, kind, in, &keys[i]);
	}
}

bool key_has_vbmi(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi");
}

key_fn *key_best(void)
{
	return key_has_vbmi() ? key_vbmi : key_plain;
}

// SPDX-License-Identifier: BSD-2-Clause
// One pass from the front; every read is behind a check that the bytes are there.
#include "packet/parse.h"

#include "base/load.h"

enum { ETH_HDR = 14, VLAN_HDR = 4, IP4_HDR = 20, IP6_HDR = 40, EXT_MIN = 8, PORTS = 4 };
enum { TYPE_IP4 = 0x0800, TYPE_IP6 = 0x86dd };
enum { TYPE_VLAN = 0x8100, TYPE_QINQ = 0x88a8, TYPE_QINQ_OLD = 0x9100 };

enum proto {
	P_HOPOPT = 0,
	P_ICMP = 1,
	P_TCP = 6,
	P_UDP = 17,
	P_ROUTING = 43,
	P_FRAGMENT = 44,
	P_AH = 51,
	P_ICMP6 = 58,
	P_NONE = 59,
	P_DSTOPT = 60,
	P_MOBILITY = 135,
	P_HIP = 139,
	P_SHIM6 = 140
};

static inline bool type_is_vlan(uint16_t type)
{
	return type == TYPE_VLAN || type == TYPE_QINQ || type == TYPE_QINQ_OLD;
}

// The upper-layer header at `at`, of which the bytes before stop are there.
static void parse_l4(const uint8_t *f, unsigned at, unsigned stop, struct hdrs *h)
{
	unsigned need = h->proto == P_TCP ? 20 : 8;

	h->l4 = (uint16_t)at;
	switch (h->proto) {
	case P_TCP:
	case P_UDP:
		// A first fragment may hold no more than these of TCP (RFC 1858).
		if (stop - at >= PORTS) {
			h->sport = load_be16(f + at);
			h->dport = load_be16(f + at + 2);
			h->has_ports = true;
		}
		if (stop - at < need)
			break;
		if (h->proto == P_TCP)
			h->tcp_flags = f[at + 13];
		return;
	case P_ICMP:
	case P_ICMP6:
		if ((h->proto == P_ICMP) != (h->family == 4))
			return;
		if (stop - at < need)
			break;
		h->icmp_type = f[at];
		h->icmp_code = f[at + 1];
		return;
	default:
		return;
	}
	h->l4_short = true;
}

static enum drop parse_ip4(const uint8_t *f, unsigned have, unsigned frame_len, struct hdrs *h)
{
	const uint8_t *ip = f + h->l3;
	unsigned room = have - h->l3, ihl, total, frag;

	h->family = 4;
	if (room < IP4_HDR)
		return DROP_IP4_SHORT;
	if (ip[0] >> 4 != 4)
		return DROP_IP4_VERSION;
	ihl = (ip[0] & 15) * 4u;
	if (ihl < IP4_HDR)
		return DROP_IP4_IHL;
	if (ihl > room)
		return DROP_IP4_SHORT;
	total = load_be16(ip + 2);
	if (total < ihl || total > frame_len - h->l3 || h->l3 + total > UINT16_MAX)
		return DROP_IP4_LENGTH;

	h->end = (uint16_t)(h->l3 + total);
	h->ip_options = ihl > IP4_HDR;
	h->proto = ip[9];
	frag = load_be16(ip + 6) & 0x3fff; // MF and the offset
	if ((frag & 0x1fff) != 0) {
		h->frag = FRAG_LATER;
		return DROP_NONE;
	}
	h->frag = frag != 0 ? FRAG_FIRST : FRAG_NONE;
	parse_l4(f, h->l3 + ihl, h->end < have ? h->end : have, h);
	return DROP_NONE;
}

bool packet_is_ext6(uint8_t proto)
{
	switch (proto) {
	case P_HOPOPT:
	case P_ROUTING:
	case P_FRAGMENT:
	case P_AH:
	case P_DSTOPT:
	case P_MOBILITY:
	case P_HIP:
	case P_SHIM6:
		return true;
	default:
		return false;
	}
}

// These carry a protocol of their own; what follows them is No Next Header by their RFCs.
static inline bool ext_is_upper(uint8_t proto, uint8_t next)
{
	return next == P_NONE && (proto == P_MOBILITY || proto == P_HIP || proto == P_SHIM6);
}

static inline unsigned ext_len(uint8_t proto, const uint8_t *ext)
{
	if (proto == P_FRAGMENT)
		return 8;
	if (proto == P_AH)
		return (ext[1] + 2u) * 4; // RFC 4302 2.2: in words, less two
	return (ext[1] + 1u) * 8;
}

// Notes what the fragment header at ext says; false if it is the second one.
static bool parse_fragment(const uint8_t *ext, bool *seen, struct hdrs *h)
{
	unsigned off = load_be16(ext + 2);

	if (*seen)
		return false;
	*seen = true;
	if ((off & 0xfff8) != 0)
		h->frag = FRAG_LATER;
	else if ((off & 1) != 0)
		h->frag = FRAG_FIRST;
	return true;
}

// Walks the chain that starts at `at` with a header of type next.
static enum drop parse_chain(const uint8_t *f, unsigned at, unsigned stop, struct hdrs *h)
{
	bool fragment_seen = false;
	uint8_t next = h->proto;

	for (unsigned n = 0; packet_is_ext6(next); n++) {
		const uint8_t *ext = f + at;
		uint8_t type = next;
		unsigned len;

		h->proto = type;
		if (n == PARSE_EXT_MAX || stop - at < EXT_MIN)
			return DROP_IP6_EXT;
		len = ext_len(type, ext);
		if (len > stop - at)
			return DROP_IP6_EXT;
		if (type == P_HOPOPT) {
			if (n != 0)
				return DROP_IP6_EXT;
			h->ip_options = true;
		}
		if (type == P_FRAGMENT && !parse_fragment(ext, &fragment_seen, h))
			return DROP_IP6_EXT;
		next = ext[0];
		if (ext_is_upper(type, next)) {
			h->l4 = (uint16_t)at;
			return DROP_NONE;
		}
		at += len;
		if (h->frag == FRAG_LATER)
			break;
	}
	h->proto = next;
	if (h->frag != FRAG_LATER && next != P_NONE)
		parse_l4(f, at, stop, h);
	return DROP_NONE;
}

static enum drop parse_ip6(const uint8_t *f, unsigned have, unsigned frame_len, struct hdrs *h)
{
	const uint8_t *ip = f + h->l3;
	unsigned at = h->l3 + IP6_HDR, payload;

	h->family = 6;
	if (have < at)
		return DROP_IP6_SHORT;
	if (ip[0] >> 4 != 6)
		return DROP_IP6_VERSION;
	payload = load_be16(ip + 4);
	if (payload > frame_len - at || at + payload > UINT16_MAX)
		return DROP_IP6_LENGTH;
	h->end = (uint16_t)(at + payload);
	h->proto = ip[6];
	return parse_chain(f, at, h->end < have ? h->end : have, h);
}

enum drop packet_parse_head(const uint8_t *frame, unsigned have, unsigned frame_len, struct hdrs *h)
{
	unsigned at = ETH_HDR;
	uint16_t type;

	*h = (struct hdrs){0};
	if (have < ETH_HDR)
		return DROP_ETH_SHORT;
	type = load_be16(frame + 12);
	while (type_is_vlan(type)) {
		h->ethertype = type;
		if (have - at < VLAN_HDR)
			return DROP_VLAN_SHORT;
		if (h->n_vlan == 2)
			return DROP_VLAN_DEPTH;
		h->tci[h->n_vlan++] = load_be16(frame + at);
		type = load_be16(frame + at + 2);
		at += VLAN_HDR;
	}
	h->ethertype = type;
	h->l3 = (uint16_t)at;
	if (type == TYPE_IP4)
		return parse_ip4(frame, have, frame_len, h);
	if (type == TYPE_IP6)
		return parse_ip6(frame, have, frame_len, h);
	return DROP_NONE;
}

enum drop packet_parse(const uint8_t *frame, unsigned len, struct hdrs *h)
{
	return packet_parse_head(frame, len, len, h);
}

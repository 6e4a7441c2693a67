// SPDX-License-Identifier: BSD-2-Clause
#include "xdp_frames.h"

#include <string.h>

enum { CHAIN_MAX = 400, PAYLOAD_MAX = 1440, TAG = 4, TYPE_AT = 12 };
enum { P_TCP = 6, P_UDP = 17, P_FRAGMENT = 44, P_AH = 51, P_NONE = 59 };

static const uint8_t exts[] = {0, 43, 44, 51, 60, 135, 139, 140};

// A chain of extension headers that is mostly sound, before a header of protocol `proto`.
static uint16_t chain(uint64_t *random, uint8_t *to, uint8_t *first, uint8_t proto)
{
	unsigned n = oracle_below(random, oracle_below(random, 4) == 0 ? 11 : 4), at = 0;
	uint8_t *next = first;

	for (unsigned i = 0; i < n; i++) {
		uint8_t type = exts[oracle_below(random, sizeof(exts))];
		unsigned units = 1 + oracle_below(random, 3);

		if (type == 0 && i != 0 && oracle_below(random, 8) != 0)
			type = 60; // hop-by-hop is sound only as the first
		*next = type;
		memset(to + at, 0, units * 8);
		next = to + at;
		to[at + 1] = (uint8_t)(units - 1);
		if (type == P_AH)
			to[at + 1] = (uint8_t)(units * 2 - 2);
		if (type == P_FRAGMENT) {
			units = 1;
			to[at + 1] = (uint8_t)oracle_random(random); // reserved
			to[at + 2] = oracle_below(random, 4) == 0 ? 1 : 0;
			to[at + 3] = (uint8_t)(oracle_below(random, 2) |
					       (oracle_below(random, 8) == 0 ? 6 : 0));
		}
		at += units * 8;
	}
	*next = oracle_below(random, 16) == 0 ? P_NONE : proto;
	return (uint16_t)at;
}

static void destination(uint64_t *random, const struct classify_key *k, struct mac *mac)
{
	*mac = rig_mac;
	switch (k->matchtype & 7) {
	case 0:
		break;
	case 2:
		mac->b[0] |= 1;
		break;
	case 6:
		memset(mac->b, 0xff, MAC_LEN);
		break;
	default:
		mac->b[oracle_below(random, MAC_LEN)] ^= 0x40;
		break;
	}
}

static void addresses(struct build *b, const struct classify_key *k)
{
	b->src.family = b->dst.family = k->family == 6 ? 6 : 4;
	if (k->family != 6) {
		b->src.v4 = k->src[0];
		b->dst.v4 = k->dst[0];
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		b->src.v6.b[i] = (uint8_t)(k->src[i / 4] >> (24 - i % 4 * 8));
		b->dst.v6.b[i] = (uint8_t)(k->dst[i / 4] >> (24 - i % 4 * 8));
	}
}

static void transport(uint64_t *random, struct build *b, const struct classify_key *k)
{
	static const uint8_t common[] = {6, 6, 17, 17, 1, 58};

	b->proto = k->proto;
	if (b->proto == 0 || oracle_below(random, 4) == 0)
		b->proto = common[oracle_below(random, sizeof(common))];
	b->sport = k->sport;
	b->dport = k->dport;
	b->tcp_flags = k->tcp_flags;
	b->icmp_type = k->icmp_type;
	b->icmp_code = k->icmp_code;
}

// Headers between the tags and the transport.
static void between(uint64_t *random, struct build *b, const struct classify_key *k, uint8_t *room)
{
	bool more = oracle_below(random, 3) == 0;

	b->opt = room;
	if (b->src.family == 6) {
		b->opt_type = b->proto;
		if (more)
			b->opt_len = chain(random, room, &b->opt_type, b->proto);
		else if (k->frag) {
			memset(room, 0, 8);
			room[0] = b->proto;
			room[3] = oracle_below(random, 2) ? 1 : 8;
			b->opt_type = P_FRAGMENT;
			b->opt_len = 8;
		}
		return;
	}
	if (more) {
		memset(room, 1, 40); // no operation
		b->opt_len = (uint16_t)(4 * (1 + oracle_below(random, 10)));
	}
	if (k->frag)
		b->ip_off = (uint16_t)(oracle_below(random, 2) ? 0x2000 : oracle_random(random));
}

static unsigned payload_len(uint64_t *random)
{
	return oracle_below(random, 8) == 0 ? oracle_below(random, PAYLOAD_MAX)
					    : oracle_below(random, 40);
}

static void put_tag(struct frame *f, uint16_t type, uint16_t tci)
{
	memmove(f->b + TYPE_AT + TAG, f->b + TYPE_AT, f->n - TYPE_AT);
	f->b[TYPE_AT] = (uint8_t)(type >> 8);
	f->b[TYPE_AT + 1] = (uint8_t)type;
	f->b[TYPE_AT + 2] = (uint8_t)(tci >> 8);
	f->b[TYPE_AT + 3] = (uint8_t)tci;
	f->n += TAG;
}

static void tags(uint64_t *random, const struct classify_key *k, struct frame *f)
{
	static const uint16_t types[] = {0x8100, 0x88a8, 0x9100};
	unsigned n = k->vlan_valid & CLASSIFY_HAS_OVLAN ? 2 : k->vlan_valid & CLASSIFY_HAS_IVLAN;

	if (oracle_below(random, 8) == 0)
		n = oracle_below(random, 4);
	for (unsigned i = 0; i < n; i++)
		put_tag(f, types[oracle_below(random, 3)], i == 0 ? k->ivlan : k->ovlan);
}

// The ethertype behind the tags.
static void other_type(uint64_t *random, const struct classify_key *k, struct frame *f)
{
	bool own = oracle_below(random, 2) == 0;
	uint16_t type = own ? k->ethertype : (uint16_t)oracle_random(random);

	if (k->fcoe && oracle_below(random, 2))
		type = 0x8906;
	f->b[TYPE_AT] = (uint8_t)(type >> 8);
	f->b[TYPE_AT + 1] = (uint8_t)type;
}

static void damage(uint64_t *random, struct frame *f)
{
	unsigned head = f->n < 120 ? f->n : 120, ip = f->b[12] == 8 || f->b[12] == 0x86 ? 14 : 18;

	switch (oracle_below(random, 12)) {
	case 0: // cut among the headers
		f->n = oracle_below(random, head + 1);
		break;
	case 1: // cut anywhere
		f->n = oracle_below(random, f->n + 1);
		break;
	case 2: // version and length of the header
		f->b[ip] = (uint8_t)oracle_random(random);
		break;
	case 3: // total or payload length
		f->b[ip + 2 + oracle_below(random, 4)] = (uint8_t)oracle_random(random);
		break;
	case 4:
		f->b[ip + 3] = (uint8_t)(f->b[ip + 3] + oracle_below(random, 5) - 2);
		break;
	default:
		rig_damage(f);
		break;
	}
}

void xdp_frame(uint64_t *random, const struct classify_rule *near, struct frame *f)
{
	static uint8_t payload[PAYLOAD_MAX];
	uint8_t room[CHAIN_MAX];
	struct oracle_set one = {(struct classify_rule *)(uintptr_t)near, 1};
	struct classify_key k = oracle_key(random, &one);
	struct build b = {.ttl = 9, .payload = payload, .payload_len = payload_len(random)};

	if (k.family != 4 && k.family != 6 && oracle_below(random, 4) != 0)
		k.family = oracle_below(random, 2) ? 4 : 6;
	for (unsigned i = 0; i < 16; i++)
		payload[oracle_below(random, 40)] = (uint8_t)oracle_random(random);
	destination(random, &k, &b.dmac);
	addresses(&b, &k);
	b.tos = k.tos;
	transport(random, &b, &k);
	between(random, &b, &k, room);
	f->n = build_frame(&b, f->b, sizeof(f->b));
	assert_true(f->n >= XDP_FRAME_MIN);
	if (k.family != 4 && k.family != 6)
		other_type(random, &k, f);
	tags(random, &k, f);
	if (oracle_below(random, 2) == 0)
		damage(random, f);
	if (f->n < XDP_FRAME_MIN)
		f->n = XDP_FRAME_MIN;
}

// SPDX-License-Identifier: BSD-2-Clause
// The order of the checks is that of router.h.
#include "router/slow.h"

#include "base/load.h"
#include "packet/cksum.h"
#include "router/frag.h"
#include "router/icmp.h"
#include "router/options.h"
#include "router/rewrite.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <string.h>

enum { ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, FRAME_MIN = 60, DF = 0x4000 };
enum { VLAN_HDR = 4, TYPE_VLAN = 0x8100, VID = 0x0fff };
enum unreachable4 { NET = 0, HOST = 1, FRAG_NEEDED = 4, PROHIBITED = 13 };
enum unreachable6 { NO_ROUTE = 0, BEYOND_SCOPE = 2, ADDRESS = 3, REJECT_ROUTE = 6 };

static enum drop answer4(struct slow *s, enum drop why, uint8_t type, uint8_t code, uint32_t word)
{
	icmp4_answer(s, &(struct icmp_error){.type = type, .code = code, .word = word});
	return why;
}

static enum drop answer6(struct slow *s, enum drop why, uint8_t type, uint8_t code, uint32_t word)
{
	icmp6_answer(s, &(struct icmp_error){.type = type, .code = code, .word = word});
	return why;
}

// Padding beyond the shortest frame does not go on: it may be longer than the egress MTU.
static void trim(struct slow *s)
{
	unsigned len = s->h.end > FRAME_MIN ? s->h.end : FRAME_MIN;

	if (s->m->data_len > len) {
		s->m->data_len = (uint16_t)len;
		s->m->pkt_len = len;
	}
}

static enum drop options4(struct slow *s)
{
	struct icmp_error e;
	enum drop why;

	switch (s->r->conf.process_options) {
	case 0:
		return DROP_NONE;
	case 1:
		why = options_check(s->ip, &e);
		if (why != DROP_NONE)
			icmp4_answer(s, &e);
		return why;
	default:
		return answer4(s, DROP_IP4_OPTION_OFF, ICMP4_UNREACHABLE, PROHIBITED, 0);
	}
}

// RFC 1812 5.2.7.2: back out where it came from, and the source could have gone there itself.
static void maybe_redirect4(struct slow *s, uint32_t index)
{
	const struct router *r = s->r;
	struct ip src = {.family = 4, .v4 = load_be32(s->ip + 12)};
	const struct ip *via = &r->hops.via[index];
	const struct onlink *net = onlink_find(r, via, s->b->in);

	if (net != NULL && prefix_contains(&net->net, &src) && src.v4 != via->v4)
		icmp4_redirect(s, via->v4);
}

static enum drop fragment4(struct slow *s, const struct hop *hop)
{
	struct rte_mbuf *out[BURST_ROOM];
	int n = frag4(s->m, s->h.l3, hop->mtu, s->r->conf.pool, out, burst_room(s->b));

	if (n < 0)
		return n == -ENOSPC ? DROP_BURST_FULL : DROP_NO_MBUF;
	for (int i = 0; i < n; i++)
		burst_add(s->b, out[i], hop->port);
	s->r->counters.fragmented++;
	s->r->counters.fragments += 1 + (unsigned)n;
	return DROP_NONE;
}

// Checked and routed: everything that changes the packet.
static enum drop go4(struct slow *s, uint32_t index)
{
	const struct hop *hop = &s->r->hops.hop[index];
	unsigned total = s->h.end - s->h.l3;

	if (s->h.ip_options && s->r->conf.process_options == 1) {
		const struct ip *own = iface_source(s->r, hop->port, &s->r->hops.via[index]);

		options_record(
			s->r, s->ip, own != NULL ? own->v4 : 0, (uint32_t)(s->now_ns / 1000000));
	}
	ttl_lower(s->ip);
	rewrite_eth(s->frame, hop);
	trim(s);
	return total > hop->mtu ? fragment4(s, hop) : DROP_NONE;
}

static enum drop route4(struct slow *s, uint32_t index, uint16_t *out)
{
	const struct hop *hop = &s->r->hops.hop[index];

	switch ((enum hop_kind)hop->kind) {
	case HOP_REJECT:
		return answer4(s, DROP_REJECT, ICMP4_UNREACHABLE, HOST, 0);
	case HOP_BLACKHOLE:
		return DROP_BLACKHOLE;
	case HOP_NO_NEIGHBOUR:
	case HOP_FORWARD:
		break;
	default:
		return answer4(s, DROP_IP4_NO_ROUTE, ICMP4_UNREACHABLE, NET, 0);
	}
	if (s->ip[8] < 2)
		return answer4(s, DROP_IP4_TTL, ICMP4_TIME_EXCEEDED, 0, 0);
	if (hop->kind == HOP_NO_NEIGHBOUR)
		return answer4(s, DROP_NEIGHBOUR, ICMP4_UNREACHABLE, HOST, 0);
	if (s->h.end - s->h.l3 > (int)hop->mtu && (load_be16(s->ip + 6) & DF) != 0)
		return answer4(s, DROP_IP4_DF, ICMP4_UNREACHABLE, FRAG_NEEDED, hop->mtu);
	if (hop->port == s->b->in && s->r->conf.redirect4)
		maybe_redirect4(s, index);
	*out = hop->port;
	return go4(s, index);
}

static enum drop slow4(struct slow *s, uint16_t *out)
{
	uint32_t index;
	enum drop why;

	if (cksum_ip4(s->ip, (s->ip[0] & 15) * 4u) != 0)
		return DROP_IP4_CHECKSUM;
	if (special_src4(load_be32(s->ip + 12)))
		return DROP_IP4_SRC_MARTIAN;
	index = fib4_find(s->r->fib4, load_be32(s->ip + 16));
	switch (index) {
	case HOP_MARTIAN:
		return DROP_IP4_DST_MARTIAN;
	case HOP_MULTICAST:
		return DROP_IP4_MULTICAST;
	case HOP_BROADCAST:
		return DROP_IP4_BROADCAST;
	case HOP_LOCAL:
		return DROP_LOCAL;
	default:
		break;
	}
	if (!s->r->conf.forward4)
		return DROP_IP4_OFF;
	why = s->h.ip_options ? options4(s) : DROP_NONE;
	return why != DROP_NONE ? why : route4(s, index, out);
}

// RFC 4861 8.2: the target is the destination if that is a neighbour, or a router's link-local
// address.
static void maybe_redirect6(struct slow *s, uint32_t index)
{
	const struct router *r = s->r;
	const struct ip *via = &r->hops.via[index];
	struct ip src = {.family = 6};
	const struct neigh *nb, *to;

	memcpy(&src.v6, s->ip + 8, IP6_LEN);
	if (!ip6_is_linklocal(via->v6.b) && memcmp(&via->v6, s->ip + 24, IP6_LEN) != 0)
		return;
	nb = neigh_find(&r->neighs, s->b->in, &src);
	to = neigh_find(&r->neighs, s->b->in, via);
	if (nb != NULL && nb->known && to != NULL && nb != to)
		icmp6_redirect(s, &via->v6, &to->mac);
}

static enum drop route6(struct slow *s, uint32_t index, uint16_t *out)
{
	const struct hop *hop = &s->r->hops.hop[index];

	switch ((enum hop_kind)hop->kind) {
	case HOP_REJECT:
		return answer6(s, DROP_REJECT, ICMP6_UNREACHABLE, REJECT_ROUTE, 0);
	case HOP_BLACKHOLE:
		return DROP_BLACKHOLE;
	case HOP_NO_NEIGHBOUR:
	case HOP_FORWARD:
		break;
	default:
		return answer6(s, DROP_IP6_NO_ROUTE, ICMP6_UNREACHABLE, NO_ROUTE, 0);
	}
	if (s->ip[7] < 2)
		return answer6(s, DROP_IP6_HOP_LIMIT, ICMP6_TIME_EXCEEDED, 0, 0);
	if (hop->kind == HOP_NO_NEIGHBOUR)
		return answer6(s, DROP_NEIGHBOUR, ICMP6_UNREACHABLE, ADDRESS, 0);
	if (s->h.end - s->h.l3 > (int)hop->mtu)
		return answer6(s, DROP_IP6_TOO_BIG, ICMP6_TOO_BIG, 0, hop->mtu);
	if (hop->port == s->b->in && s->r->conf.redirect6)
		maybe_redirect6(s, index);
	s->ip[7]--;
	rewrite_eth(s->frame, hop);
	trim(s);
	*out = hop->port;
	return DROP_NONE;
}

static enum drop hopopts6(struct slow *s)
{
	struct icmp_error e;
	enum drop why;
	bool answer;

	why = hopopts_check(s->ip, s->h.end - s->h.l3, &answer, &e);
	// Nothing lies behind a header that is longer than the packet, so no ICMPv6 error does.
	s->chain_ok |= why == DROP_IP6_EXT;
	if (answer)
		icmp6_answer(s, &e);
	return why;
}

static enum drop slow6(struct slow *s, uint16_t *out)
{
	struct ip dst = {.family = 6};
	uint32_t index;
	enum drop why;

	memcpy(&dst.v6, s->ip + 24, IP6_LEN);
	if (special_src6(s->ip + 8))
		return DROP_IP6_SRC_MARTIAN;
	index = fib6_find(s->r->fib6, &dst.v6);
	switch (index) {
	case HOP_MARTIAN:
		return DROP_IP6_DST_MARTIAN;
	case HOP_MULTICAST:
		return DROP_IP6_MULTICAST;
	case HOP_LOCAL:
		return DROP_LOCAL;
	case HOP_SCOPE:
		return iface_owns(&s->r->port[s->b->in], &dst) ? DROP_LOCAL : DROP_IP6_SCOPE;
	default:
		break;
	}
	if (!s->r->conf.forward6)
		return DROP_IP6_OFF;
	if (ip6_is_linklocal(s->ip + 8))
		return answer6(s, DROP_IP6_SCOPE, ICMP6_UNREACHABLE, BEYOND_SCOPE, 0);
	why = s->ip[6] == 0 ? hopopts6(s) : DROP_NONE;
	return why != DROP_NONE ? why : route6(s, index, out);
}

static enum drop check_eth(const struct slow *s)
{
	if (s->m->data_len < ETH_HDR)
		return DROP_ETH_SHORT;
	if ((s->frame[0] & 1) != 0)
		return DROP_ETH_GROUP;
	if (memcmp(s->frame, s->r->port[s->b->in].mac.b, MAC_LEN) != 0)
		return DROP_ETH_NOT_OURS;
	if ((s->m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0 && (s->m->vlan_tci & VID) != 0)
		return DROP_VLAN_UNKNOWN;
	return DROP_NONE;
}

// A tag of VLAN 0 says a priority and no VLAN (IEEE 802.1Q 6.9): the frame goes on without it.
static bool strip_priority_tag(struct slow *s)
{
	if (s->h.n_vlan != 1 || (s->h.tci[0] & VID) != 0 || load_be16(s->frame + 12) != TYPE_VLAN)
		return false;
	memmove(s->frame + VLAN_HDR, s->frame, 2 * MAC_LEN);
	rte_pktmbuf_adj(s->m, VLAN_HDR);
	s->frame += VLAN_HDR;
	return true;
}

enum drop slow_packet(struct slow *s, uint16_t *out)
{
	enum drop why;

	s->r->counters.slow++;
	if (s->m->nb_segs > 1 && rte_pktmbuf_linearize(s->m) != 0)
		return DROP_BUF_CHAIN;
	s->frame = rte_pktmbuf_mtod(s->m, uint8_t *);
	why = check_eth(s);
	if (why != DROP_NONE)
		return why;
	why = packet_parse(s->frame, s->m->data_len, &s->h);
	if (strip_priority_tag(s))
		why = packet_parse(s->frame, s->m->data_len, &s->h);
	if (s->h.n_vlan > 0 && why != DROP_VLAN_SHORT && why != DROP_VLAN_DEPTH)
		return DROP_VLAN_UNKNOWN;
	// The chain behind the hop-by-hop header is no business of a router (RFC 8200 4).
	s->chain_ok = why == DROP_NONE;
	if (why != DROP_NONE && why != DROP_IP6_EXT)
		return why;
	s->ip = s->frame + s->h.l3;
	switch (s->h.family) {
	case 4:
		return slow4(s, out);
	case 6:
		return slow6(s, out);
	default:
		return DROP_ETH_TYPE;
	}
}

// SPDX-License-Identifier: BSD-2-Clause
#include "router/icmp.h"

#include "base/load.h"
#include "packet/cksum.h"

#include <rte_mbuf.h>
#include <string.h>

enum { ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, ICMP_HDR = 8, IP6_ERROR_MAX = 1280 };
enum { PROTO_ICMP = 1, PROTO_ICMP6 = 58 };
enum {
	TOS_INTERNETWORK = 0xc0,
	TOS_KEPT = 0x1c,
	ND_HOP_LIMIT = 255,
	ND_TARGET_MAC = 2,
	ND_HEADER = 4
};
// Type, code, checksum, reserved; target and destination; the two options' fixed parts.
enum { REDIRECT_HDR = 8 + 16 + 16, OPT_MAC = 8, OPT_HEADER = 8 };

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static struct ip ip4_of(uint32_t v4)
{
	return (struct ip){.family = 4, .v4 = v4};
}

static struct ip ip6_of(const uint8_t *p)
{
	struct ip ip = {.family = 6};

	memcpy(ip.v6.b, p, IP6_LEN);
	return ip;
}

// RFC 1812 4.3.2.7.  Group and broadcast destinations never come this far.
static bool may_answer4(const struct slow *s)
{
	if (s->h.frag == FRAG_LATER)
		return false;
	if (s->h.proto != PROTO_ICMP)
		return true;
	if (s->h.l4_short)
		return false;
	switch (s->h.icmp_type) {
	case ICMP4_UNREACHABLE:
	case 4: // source quench
	case ICMP4_REDIRECT:
	case ICMP4_TIME_EXCEEDED:
	case ICMP4_PARAMETER:
		return false;
	default:
		return true;
	}
}

// RFC 4443 2.4 (e), which does not except later fragments; but one may be a part of an error.
static bool may_answer6(const struct slow *s)
{
	if (!s->chain_ok)
		return false;
	if (s->h.frag == FRAG_LATER)
		return s->h.proto != PROTO_ICMP6 && !packet_is_ext6(s->h.proto);
	if (s->h.proto != PROTO_ICMP6)
		return true;
	return !s->h.l4_short && s->h.icmp_type >= 128 && s->h.icmp_type != ICMP6_REDIRECT;
}

// The next hop towards the source of s->m, or NULL: it cannot be reached.
static const struct hop *way_back(const struct slow *s, const struct ip *to)
{
	const struct router *r = s->r;
	const struct hop *hop;

	if (to->family == 6 && ip6_is_linklocal(to->v6.b)) {
		const struct neigh *nb = neigh_find(&r->neighs, s->b->in, to);

		if (nb == NULL)
			return NULL;
		hop = &r->hops.hop[nb->hop];
	} else {
		hop = &r->hops.hop[route_find(r, to)];
	}
	return hop->kind == HOP_FORWARD ? hop : NULL;
}

// RFC 1812 4.3.2.4: an address of the interface the error leaves by, else any of the box.
static const struct ip *own_address(
	const struct slow *s, const struct hop *hop, const struct ip *to)
{
	const struct router *r = s->r;
	bool from_in = to->family == 4 && r->conf.icmp_reply_from_interface;
	const struct ip *via = &r->hops.via[hop - r->hops.hop];
	const struct ip *own;
	bool via_ll = to->family == 6 && ip6_is_linklocal(via->v6.b);

	if (from_in)
		own = iface_source(r, s->b->in, to);
	else
		own = iface_source(r, hop->port, via_ll ? to : via);
	for (uint16_t p = 0; own == NULL && p < ROUTER_PORTS_MAX; p++)
		own = iface_source(r, p, to);
	return own;
}

static bool within_limit(struct slow *s, struct limit *l)
{
	if (limit_take(l, s->now_ns))
		return true;
	s->r->counters.icmp_limited++;
	return false;
}

// A frame of len bytes with the Ethernet header filled in, or NULL, counted.
static uint8_t *start_frame(
	struct slow *s, const struct hop *hop, unsigned type, unsigned len, struct rte_mbuf **m)
{
	uint8_t *p;

	if (burst_room(s->b) == 0) {
		burst_unmade(s->b, DROP_BURST_FULL);
		return NULL;
	}
	*m = rte_pktmbuf_alloc(s->r->conf.pool);
	p = *m != NULL ? (uint8_t *)rte_pktmbuf_append(*m, (uint16_t)len) : NULL;
	if (p == NULL) {
		rte_pktmbuf_free(*m);
		burst_unmade(s->b, DROP_NO_MBUF);
		return NULL;
	}
	memcpy(p, hop->eth, 2 * MAC_LEN);
	put16(p + 2 * MAC_LEN, type);
	return p;
}

static void finish(struct slow *s, struct rte_mbuf *m, const struct hop *hop)
{
	burst_add(s->b, m, hop->port);
	s->r->counters.icmp_sent++;
}

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

// An IPv4 header without options in front of len bytes of ICMP.
static void fill_ip4(struct slow *s, uint8_t *ip, unsigned len, uint32_t src, uint32_t dst)
{
	memset(ip, 0, IP4_HDR);
	ip[0] = 0x45;
	ip[1] = TOS_INTERNETWORK | (s->ip[1] & TOS_KEPT);
	put16(ip + 2, IP4_HDR + len);
	put16(ip + 4, ++s->r->ip_id);
	ip[8] = s->r->conf.ttl;
	ip[9] = PROTO_ICMP;
	put32(ip + 12, src);
	put32(ip + 16, dst);
	memcpy(ip + 10, &(uint16_t){cksum_ip4(ip, IP4_HDR)}, 2);
}

static void send4(struct slow *s, const struct icmp_error *e, const struct hop *hop,
	const struct ip *own, uint32_t to)
{
	unsigned hlen = (s->ip[0] & 15) * 4u, total = s->h.end - s->h.l3;
	unsigned quote = min(total, max(s->r->conf.icmp_quote_bytes, hlen + 8));
	struct rte_mbuf *m;
	uint8_t *p, *icmp;

	quote = min(quote, hop->mtu - IP4_HDR - ICMP_HDR);
	p = start_frame(s, hop, 0x0800, ETH_HDR + IP4_HDR + ICMP_HDR + quote, &m);
	if (p == NULL)
		return;
	fill_ip4(s, p + ETH_HDR, ICMP_HDR + quote, own->v4, to);
	icmp = p + ETH_HDR + IP4_HDR;
	icmp[0] = e->type;
	icmp[1] = e->code;
	put16(icmp + 2, 0);
	put32(icmp + 4, e->word);
	memcpy(icmp + ICMP_HDR, s->ip, quote);
	memcpy(icmp + 2, &(uint16_t){cksum_finish(cksum_add(0, icmp, ICMP_HDR + quote))}, 2);
	finish(s, m, hop);
}

void icmp4_answer(struct slow *s, const struct icmp_error *e)
{
	struct ip to = ip4_of(load_be32(s->ip + 12));
	const struct hop *hop = may_answer4(s) ? way_back(s, &to) : NULL;
	const struct ip *own = hop != NULL ? own_address(s, hop, &to) : NULL;

	if (own != NULL && within_limit(s, &s->r->icmp4))
		send4(s, e, hop, own, to.v4);
}

void icmp4_redirect(struct slow *s, uint32_t via)
{
	struct icmp_error e = {.type = ICMP4_REDIRECT, .code = 1, .word = via};
	struct ip to = ip4_of(load_be32(s->ip + 12));
	const struct hop *hop = may_answer4(s) ? way_back(s, &to) : NULL;
	const struct ip *own = iface_source(s->r, s->b->in, &to);

	// The host heeds only the router it uses: the address must be the one on its net.
	if (hop != NULL && own != NULL && hop->port == s->b->in && within_limit(s, &s->r->icmp4))
		send4(s, &e, hop, own, to.v4);
}

static void fill_ip6(
	uint8_t *ip, unsigned len, uint8_t hlim, const struct ip6 *src, const struct ip6 *dst)
{
	memset(ip, 0, 8);
	ip[0] = 0x60;
	put16(ip + 4, len);
	ip[6] = PROTO_ICMP6;
	ip[7] = hlim;
	memcpy(ip + 8, src, IP6_LEN);
	memcpy(ip + 24, dst, IP6_LEN);
}

static void sum_icmp6(uint8_t *ip, unsigned len)
{
	uint8_t *icmp = ip + IP6_HDR;

	put16(icmp + 2, 0);
	memcpy(icmp + 2, &(uint16_t){cksum_l4(ip, PROTO_ICMP6, icmp, len)}, 2);
}

void icmp6_answer(struct slow *s, const struct icmp_error *e)
{
	struct ip to = ip6_of(s->ip + 8);
	const struct hop *hop = may_answer6(s) ? way_back(s, &to) : NULL;
	const struct ip *own = hop != NULL ? own_address(s, hop, &to) : NULL;
	unsigned quote = min(s->h.end - s->h.l3, IP6_ERROR_MAX - IP6_HDR - ICMP_HDR);
	struct rte_mbuf *m;
	uint8_t *p, *icmp;

	if (own == NULL || !within_limit(s, &s->r->icmp6))
		return;
	p = start_frame(s, hop, 0x86dd, ETH_HDR + IP6_HDR + ICMP_HDR + quote, &m);
	if (p == NULL)
		return;
	fill_ip6(p + ETH_HDR, ICMP_HDR + quote, s->r->conf.hlim, &own->v6, &to.v6);
	icmp = p + ETH_HDR + IP6_HDR;
	icmp[0] = e->type;
	icmp[1] = e->code;
	put32(icmp + 4, e->word);
	memcpy(icmp + ICMP_HDR, s->ip, quote);
	sum_icmp6(p + ETH_HDR, ICMP_HDR + quote);
	finish(s, m, hop);
}

// RFC 4861 4.5: target and destination, then the target's MAC and the redirected packet, whose
// option counts in units of eight bytes.
static unsigned fill_redirect(
	struct slow *s, uint8_t *icmp, const struct ip6 *via, const struct mac *mac, unsigned quote)
{
	uint8_t *opt = icmp + REDIRECT_HDR;

	memset(icmp, 0, REDIRECT_HDR + OPT_MAC + OPT_HEADER);
	icmp[0] = ICMP6_REDIRECT;
	memcpy(icmp + 8, via, IP6_LEN);
	memcpy(icmp + 24, s->ip + 24, IP6_LEN);
	opt[0] = ND_TARGET_MAC;
	opt[1] = 1;
	memcpy(opt + 2, mac->b, MAC_LEN);
	opt += OPT_MAC;
	opt[0] = ND_HEADER;
	opt[1] = (uint8_t)((OPT_HEADER + quote) / 8);
	memcpy(opt + OPT_HEADER, s->ip, quote);
	return REDIRECT_HDR + OPT_MAC + OPT_HEADER + quote;
}

void icmp6_redirect(struct slow *s, const struct ip6 *via, const struct mac *mac)
{
	enum { FIXED = IP6_HDR + REDIRECT_HDR + OPT_MAC + OPT_HEADER };
	struct ip to = ip6_of(s->ip + 8), ll = {.family = 6, .v6.b = {0xfe, 0x80}};
	const struct hop *hop = may_answer6(s) ? way_back(s, &to) : NULL;
	const struct ip *own = iface_source(s->r, s->b->in, &ll);
	unsigned quote = min(s->h.end - s->h.l3, IP6_ERROR_MAX - FIXED) & ~7u, len;
	struct rte_mbuf *m;
	uint8_t *p;

	if (hop == NULL || own == NULL || hop->port != s->b->in || !within_limit(s, &s->r->icmp6))
		return;
	p = start_frame(s, hop, 0x86dd, ETH_HDR + FIXED + quote, &m);
	if (p == NULL)
		return;
	len = fill_redirect(s, p + ETH_HDR + IP6_HDR, via, mac, quote);
	fill_ip6(p + ETH_HDR, len, ND_HOP_LIMIT, &own->v6, &to.v6);
	sum_icmp6(p + ETH_HDR, len);
	finish(s, m, hop);
}

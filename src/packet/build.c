// SPDX-License-Identifier: BSD-2-Clause
#include "packet/build.h"

#include "packet/cksum.h"

#include <netinet/in.h>
#include <string.h>

static uint8_t *put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v & 0xffff);
}

unsigned build_eth(const struct build *b, uint8_t *p)
{
	uint8_t *at = p;

	memcpy(at, b->dmac.b, MAC_LEN);
	memcpy(at + MAC_LEN, b->smac.b, MAC_LEN);
	at += 2 * MAC_LEN;
	for (unsigned i = 0; i < b->n_vlan; i++) {
		at = put16(at, b->n_vlan == 2 && i == 0 ? 0x88a8 : 0x8100);
		at = put16(at, b->tci[i]);
	}
	at = put16(at, b->src.family == 4 ? 0x0800 : 0x86dd);
	return (unsigned)(at - p);
}

static unsigned build_ip4(const struct build *b, uint8_t *p, unsigned l4_len)
{
	unsigned len = 20u + b->opt_len;
	uint16_t sum;

	p[0] = (uint8_t)(0x40 | len / 4);
	p[1] = b->tos;
	put16(p + 2, len + l4_len);
	put16(p + 4, b->ip_id);
	put16(p + 6, b->ip_off);
	p[8] = b->ttl;
	p[9] = b->proto;
	put16(p + 10, 0);
	put32(p + 12, b->src.v4);
	put32(p + 16, b->dst.v4);
	if (b->opt_len > 0)
		memcpy(p + 20, b->opt, b->opt_len);
	sum = cksum_ip4(p, len);
	memcpy(p + 10, &sum, 2);
	return len;
}

static unsigned build_ip6(const struct build *b, uint8_t *p, unsigned l4_len)
{
	put32(p, 6u << 28 | (uint32_t)b->tos << 20 | (b->flow_label & 0xfffff));
	put16(p + 4, b->opt_len + l4_len);
	p[6] = b->opt_len > 0 ? b->opt_type : b->proto;
	p[7] = b->ttl;
	memcpy(p + 8, b->src.v6.b, IP6_LEN);
	memcpy(p + 24, b->dst.v6.b, IP6_LEN);
	if (b->opt_len > 0)
		memcpy(p + 40, b->opt, b->opt_len);
	return 40u + b->opt_len;
}

unsigned build_ip(const struct build *b, uint8_t *p, unsigned l4_len)
{
	return b->src.family == 4 ? build_ip4(b, p, l4_len) : build_ip6(b, p, l4_len);
}

// Where the checksum lies in the upper-layer header of the protocol; -1: it has none we know.
static int cksum_at(unsigned version, uint8_t proto)
{
	switch (proto) {
	case IPPROTO_TCP:
		return 16;
	case IPPROTO_UDP:
		return 6;
	case IPPROTO_ICMP:
		return version == 4 ? 2 : -1;
	case IPPROTO_ICMPV6:
		return version == 6 ? 2 : -1;
	default:
		return -1;
	}
}

void build_l4_cksum(const void *ip, uint8_t proto, void *l4, unsigned len)
{
	int at = cksum_at(*(const uint8_t *)ip >> 4, proto);
	uint8_t *p = l4;
	uint16_t sum;

	if (at < 0 || len < (unsigned)at + 2)
		return;
	put16(p + at, 0);
	if (proto == IPPROTO_ICMP)
		sum = cksum_finish(cksum_add(0, l4, len)); // RFC 792: no pseudo header
	else
		sum = cksum_l4(ip, proto, l4, len);
	if (proto == IPPROTO_UDP && sum == 0)
		sum = 0xffff;
	memcpy(p + at, &sum, 2);
}

static unsigned l4_header_len(const struct build *b)
{
	if (b->raw || cksum_at(b->src.family, b->proto) < 0)
		return 0;
	return b->proto == IPPROTO_TCP ? 20 : 8;
}

// The header with its checksum left out.
static void build_l4(const struct build *b, uint8_t *p, unsigned len)
{
	switch (b->proto) {
	case IPPROTO_TCP:
		p = put32(put16(put16(p, b->sport), b->dport), b->seq);
		p = put16(put32(p, b->ack), 5u << 12 | b->tcp_flags);
		put32(put16(p, 0xffff), 0); // window; checksum and urgent pointer
		break;
	case IPPROTO_UDP:
		put16(put16(put16(put16(p, b->sport), b->dport), len), 0);
		break;
	default:
		p[0] = b->icmp_type;
		p[1] = b->icmp_code;
		put32(put16(p + 2, 0), b->icmp_rest);
		break;
	}
}

static bool sane(const struct build *b)
{
	if (b->src.family != b->dst.family || b->n_vlan > 2)
		return false;
	if (b->src.family == 4)
		return b->opt_len % 4 == 0 && b->opt_len <= 40;
	return b->src.family == 6 && b->opt_len % 8 == 0;
}

unsigned build_frame(const struct build *b, void *buf, unsigned size)
{
	unsigned l4_hdr = l4_header_len(b), ip_hdr, eth_len, l4_len;
	uint8_t *ip, *l4;

	if (!sane(b) || b->payload_len > UINT16_MAX)
		return 0;
	l4_len = l4_hdr + b->payload_len;
	eth_len = 14u + 4u * b->n_vlan;
	ip_hdr = (b->src.family == 4 ? 20u : 40u) + b->opt_len;
	if ((b->src.family == 4 ? ip_hdr : b->opt_len) + l4_len > UINT16_MAX)
		return 0;
	if (size < eth_len + ip_hdr + l4_len)
		return 0;

	ip = (uint8_t *)buf + build_eth(b, buf);
	l4 = ip + build_ip(b, ip, l4_len);
	if (b->payload_len > 0)
		memcpy(l4 + l4_hdr, b->payload, b->payload_len);
	if (l4_hdr > 0) {
		build_l4(b, l4, l4_len);
		build_l4_cksum(ip, b->proto, l4, l4_len);
	}
	return eth_len + ip_hdr + l4_len;
}

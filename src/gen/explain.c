// SPDX-License-Identifier: BSD-2-Clause
#include "gen/explain.h"

#include "gen/source.h"

enum {
	ETH_MIN = 60,
	OFF_PROTO4 = 23,
	OFF_TTL4 = 22,
	OFF_SUM4 = 24,
	OFF_PROTO6 = 20,
	OFF_TTL6 = 21
};

static bool in(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v >= lo && v <= hi;
}

// Whether an IPv6 address is one of a range: all but the group that counts is the start's.
static bool in_range6(const uint8_t *p, const struct gen_range *r, uint32_t lo, uint32_t hi)
{
	uint8_t fixed[IP6_LEN];

	memcpy(fixed, r->lo.v6.b, IP6_LEN);
	memcpy(fixed + r->group * 2, p + r->group * 2, 2);
	return memcmp(fixed, p, IP6_LEN) == 0 && in(load_be16(p + r->group * 2), lo, hi);
}

static bool addresses_known(
	const struct expect *x, const uint8_t *ip, struct flow lo, struct flow hi)
{
	if (x->conf.family == 4)
		return in(load_be32(ip + 12), lo.saddr, hi.saddr) &&
		       in(load_be32(ip + 16), lo.daddr, hi.daddr);
	return in_range6(ip + 8, &x->conf.src, lo.saddr, hi.saddr) &&
	       in_range6(ip + 24, &x->conf.dst, lo.daddr, hi.daddr);
}

static bool flow_known(const struct expect *x, const uint8_t *f, unsigned len, uint64_t seq)
{
	const uint8_t *ip = f + FRAME_ETH, *udp = f + x->tmpl.headers - 8;
	struct flow lo = x->flows.lo, hi = x->flows.hi, exact;

	if (len < x->tmpl.headers || memcmp(f + 12, x->tmpl.bytes + 12, 2) != 0 ||
		(x->conf.family == 4 ? ip[0] != 0x45 : ip[0] >> 4 != 6) ||
		f[x->conf.family == 4 ? OFF_PROTO4 : OFF_PROTO6] != 17)
		return false;
	// A random end is a function of the number alone.
	flows_at(&x->flows, seq, &exact);
	if (x->conf.random_src) {
		lo.saddr = hi.saddr = exact.saddr;
		lo.sport = hi.sport = exact.sport;
	}
	if (x->conf.random_dst) {
		lo.daddr = hi.daddr = exact.daddr;
		lo.dport = hi.dport = exact.dport;
	}
	return addresses_known(x, ip, lo, hi) && in(load_be16(udp), lo.sport, hi.sport) &&
	       in(load_be16(udp + 2), lo.dport, hi.dport);
}

static bool of_this_run(const struct expect *x, const uint8_t *f, unsigned len)
{
	unsigned off = x->tmpl.headers;

	if (x->tmpl.seq != SEQ_PAYLOAD)
		return true;
	return len >= off + 8 && memcmp(f + off, x->tmpl.bytes + off, 4) == 0;
}

static void make(const struct expect *x, unsigned len, uint64_t seq)
{
	const struct frame_tmpl *t = &x->tmpl;
	struct flow flow;

	flows_at(&x->flows, seq, &flow);
	frame_head(t, &flow, len, x->scratch);
	frame_tail(t, len, x->scratch);
	frame_number(x->scratch, t->seq, t->seq_off, t->udp_cksum_off, seq);
}

// Whether [from, to) is as expected.
static bool same(const struct expect *x, const uint8_t *f, unsigned from, unsigned to)
{
	return memcmp(f + from, x->scratch + from, to - from) == 0;
}

enum fault explain(const struct expect *x, const uint8_t *f, unsigned len, uint64_t seq)
{
	unsigned want = source_len(&x->conf, seq), sum = x->tmpl.udp_cksum_off;
	unsigned ttl = x->conf.family == 4 ? OFF_TTL4 : OFF_TTL6;
	unsigned after = x->conf.family == 4 ? OFF_SUM4 + 2 : OFF_TTL6 + 1;

	if (!flow_known(x, f, len, seq) || !of_this_run(x, f, len))
		return FAULT_FOREIGN;
	// A real port pads a frame to Ethernet's minimum.
	if (len != want && !(want < ETH_MIN && len == ETH_MIN))
		return FAULT_CONTENT;
	make(x, want, seq);
	if ((!x->any_dmac && !same(x, f, 0, MAC_LEN)) ||
		(!x->any_smac && !same(x, f, MAC_LEN, 2 * MAC_LEN)) ||
		!same(x, f, 2 * MAC_LEN, ttl) || !same(x, f, after, sum) ||
		!same(x, f, sum + 2, want) ||
		(x->conf.family == 4 && !same(x, f, ttl + 1, OFF_SUM4)))
		return FAULT_CONTENT;
	if (f[ttl] != x->scratch[ttl])
		return FAULT_TTL;
	if (!same(x, f, sum, sum + 2) || (x->conf.family == 4 && !same(x, f, OFF_SUM4, after)))
		return FAULT_CHECKSUM;
	return FAULT_NONE;
}

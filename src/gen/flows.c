// SPDX-License-Identifier: BSD-2-Clause
#include "gen/flows.h"

static uint32_t counting_part(const struct ip *ip, unsigned group)
{
	if (ip->family == 4)
		return ip->v4;
	return (uint32_t)ip->v6.b[group * 2] << 8 | ip->v6.b[group * 2 + 1];
}

static uint64_t mul_sat(uint64_t a, uint64_t b)
{
	uint64_t r;

	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

void flows_init(struct flows *f, const struct gen_conf *conf)
{
	const struct gen_range *s = &conf->src, *d = &conf->dst;

	*f = (struct flows){
		.family = conf->family,
		.n_saddr = gen_range_addrs(s),
		.n_daddr = gen_range_addrs(d),
		.n_sport = (uint32_t)s->port_hi - s->port_lo + 1,
		.n_dport = (uint32_t)d->port_hi - d->port_lo + 1,
		.random_src = conf->random_src,
		.random_dst = conf->random_dst,
		.seed = conf->seed,
	};
	f->lo = (struct flow){.saddr = counting_part(&s->lo, s->group),
		.daddr = counting_part(&d->lo, d->group),
		.sport = s->port_lo,
		.dport = d->port_lo};
	f->hi = (struct flow){.saddr = f->lo.saddr + (uint32_t)(f->n_saddr - 1),
		.daddr = f->lo.daddr + (uint32_t)(f->n_daddr - 1),
		.sport = s->port_hi,
		.dport = d->port_hi};
	f->n = mul_sat(mul_sat(f->n_saddr, f->n_daddr), mul_sat(f->n_sport, f->n_dport));
}

uint64_t gen_conf_flows(const struct gen_conf *conf)
{
	struct flows f;

	flows_init(&f, conf);
	return f.n;
}

// An address and a port from 64 random bits.  IPv4: first octet 1..223 without 127, so that no
// frame is multicast, loopback or reserved.  No port is 0: filters drop that one.
static void draw(int family, uint64_t r, uint32_t *addr, uint16_t *port)
{
	uint32_t octet = 1 + (uint32_t)((r >> 48) * 222 >> 16);

	*port = (uint16_t)(1 + ((r & 0xffff) * 65535 >> 16));
	if (family == 6) {
		*addr = (uint32_t)(r >> 48);
		return;
	}
	octet += octet >= 127;
	*addr = octet << 24 | (uint32_t)(r >> 16 & 0xffffff);
}

static void randomise(const struct flows *f, uint64_t i, struct flow *flow)
{
	if (f->random_src)
		draw(f->family, flows_mix(f->seed, 2 * i), &flow->saddr, &flow->sport);
	if (f->random_dst)
		draw(f->family, flows_mix(f->seed, 2 * i + 1), &flow->daddr, &flow->dport);
}

void flows_at(const struct flows *f, uint64_t i, struct flow *out)
{
	uint64_t left = i;

	*out = f->lo;
	if (!f->random_src) {
		out->sport = (uint16_t)(f->lo.sport + left % f->n_sport);
		left /= f->n_sport;
		out->saddr = f->lo.saddr + (uint32_t)(left % f->n_saddr);
		left /= f->n_saddr;
	}
	if (!f->random_dst) {
		out->dport = (uint16_t)(f->lo.dport + left % f->n_dport);
		left /= f->n_dport;
		out->daddr = f->lo.daddr + (uint32_t)(left % f->n_daddr);
	}
	randomise(f, i, out);
}

static bool step16(uint16_t *v, uint16_t lo, uint16_t hi)
{
	bool wraps = *v == hi;

	*v = wraps ? lo : (uint16_t)(*v + 1);
	return wraps;
}

static bool step32(uint32_t *v, uint32_t lo, uint32_t hi)
{
	bool wraps = *v == hi;

	*v = wraps ? lo : *v + 1;
	return wraps;
}

void flows_next(const struct flows *f, uint64_t i, struct flow *flow)
{
	bool carry = f->random_src || (step16(&flow->sport, f->lo.sport, f->hi.sport) &&
					      step32(&flow->saddr, f->lo.saddr, f->hi.saddr));

	if (carry && !f->random_dst && step16(&flow->dport, f->lo.dport, f->hi.dport))
		step32(&flow->daddr, f->lo.daddr, f->hi.daddr);
	if (f->random_src || f->random_dst)
		randomise(f, i, flow);
}

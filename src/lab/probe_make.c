// SPDX-License-Identifier: BSD-2-Clause
// probe_make.c - frames from rules.
#include "lab/probe.h"

#include "lab/plan.h"
#include "lab/topo.h"

#include "packet/parse.h"

#include <errno.h>
#include <string.h>

enum {
	P_ICMP = 1,
	P_TCP = 6,
	P_UDP = 17,
	P_ICMP6 = 58,
	ECHO = 8,
	ECHO6 = 128,
	SYN = 2,
	MORE_FRAGMENTS = 0x2000,
	IP6_FRAGMENT_HEADER = 44,
	NO_NEXT_HEADER = 59,
	TTL = 64,
	TRIES_PORTS = 6,   // of these with the traffic's addresses
	TRIES = 16,        // frames tried for a rule that others match first
	TRIES_NONE = 2000, // ... and for a frame that none matches
};

struct maker {
	const struct lab_filter *f;
	const struct probe_way *way;
	struct lab_traffic traffic[2]; // IPv4, IPv6: what a rule leaves open is like this
	struct lab_topo topo;
	bool knows; // topo; else it is that of a box whose first interface the traffic comes in by
	uint64_t random;
};

static uint32_t fill(uint32_t open, uint32_t value, uint32_t mask)
{
	return (open & ~mask) | (value & mask);
}

static void fill_ip(
	const struct ip *open, const uint32_t *value, const uint32_t *mask, struct ip *out)
{
	*out = *open;
	if (open->family == 4) {
		out->v4 = fill(open->v4, value[0], mask[0]);
		return;
	}
	for (unsigned i = 0; i < IP6_LEN; i++) {
		unsigned shift = 24 - i % 4 * 8;

		out->v6.b[i] = (uint8_t)fill(
			open->v6.b[i], value[i / 4] >> shift & 0xff, mask[i / 4] >> shift & 0xff);
	}
}

static uint16_t fill_port(uint16_t open, uint16_t value, uint16_t mask, uint16_t lo, uint16_t hi)
{
	uint16_t port = (uint16_t)fill(open, value, mask);

	return port < lo ? lo : port > hi ? hi : port;
}

// A first fragment: it has the upper-layer header, which rules may look at.
static void make_fragment(struct probe *p)
{
	if (p->b.src.family == 4) {
		p->b.ip_off = MORE_FRAGMENTS;
		p->b.ip_id = 1;
		return;
	}
	memcpy(p->opt, (const uint8_t[]){p->b.proto, 0, 0, 1, 0, 0, 0, 1}, sizeof(p->opt));
	p->b.opt = p->opt;
	p->b.opt_len = sizeof(p->opt);
	p->b.opt_type = IP6_FRAGMENT_HEADER;
}

// Fields of the rule, the rest as `open` has it.
static void from_rule(const struct classify_rule *r, const struct gen_flow *open,
	uint8_t open_proto, struct probe *p)
{
	const struct classify_key *v = &r->value, *m = &r->mask;
	bool v4 = open->src.family == 4;

	p->b = (struct build){.ttl = TTL};
	fill_ip(&open->src, v->src, m->src, &p->b.src);
	fill_ip(&open->dst, v->dst, m->dst, &p->b.dst);
	p->b.proto = (uint8_t)fill(open_proto, v->proto, m->proto);
	p->b.tos = (uint8_t)fill(0, v->tos, m->tos);
	p->b.sport = fill_port(open->sport, v->sport, m->sport, r->sport_lo, r->sport_hi);
	p->b.dport = fill_port(open->dport, v->dport, m->dport, r->dport_lo, r->dport_hi);
	p->b.tcp_flags = (uint8_t)fill(SYN, v->tcp_flags, m->tcp_flags);
	p->b.icmp_type = (uint8_t)fill(v4 ? ECHO : ECHO6, v->icmp_type, m->icmp_type);
	p->b.icmp_code = (uint8_t)fill(0, v->icmp_code, m->icmp_code);
	if ((v->frag & m->frag) != 0)
		make_fragment(p);
}

// Sources no router takes (RFC 1812 5.3.7, RFC 4291), and its own addresses.
static bool source_is_odd(const struct conf *c, const struct ip *ip)
{
	static const uint8_t zero[IP6_LEN - 1];

	if (lab_topo_own(c, ip))
		return true;
	if (ip->family == 4)
		return ip->v4 >> 24 == 0 || ip->v4 >> 24 == 127 || ip->v4 >> 28 >= 0xe;
	return ip->v6.b[0] == 0xff || (ip->v6.b[0] == 0xfe && (ip->v6.b[1] & 0xc0) == 0x80) ||
	       memcmp(ip->v6.b, zero, sizeof(zero)) == 0;
}

// Next headers that are no upper-layer protocol: a frame cannot end in one.
static bool is_extension(const struct build *b)
{
	return b->src.family == 6 && (packet_is_ext6(b->proto) || b->proto == NO_NEXT_HEADER);
}

static bool in_range(const struct gen_range *r, const struct ip *ip)
{
	if (ip->family == 4)
		return ip->v4 >= r->lo.v4 && ip->v4 <= r->hi.v4;
	return ip_equal(ip, &r->lo);
}

// Whether the frame goes through the device, if the rules let it; where to.
static bool crosses(const struct maker *k, struct probe *p)
{
	const struct gen_conf *g = &k->traffic[p->b.src.family == 6].gen;

	if (is_extension(&p->b) || source_is_odd(k->way->conf, &p->b.src))
		return false;
	if (!k->knows)
		return !p->back && in_range(&g->dst, &p->b.dst);
	if (!lab_topo_crosses(
		    k->way->conf, &k->topo, &p->b.dst, p->back, &p->station, &p->has_station))
		return false;
	// Without an entry in the settings the device may know the traffic's own stations.
	return p->has_station || (!p->back && in_range(&g->dst, &p->b.dst));
}

static void judge(const struct maker *k, struct probe *p, struct classify_key *key)
{
	lab_key(&p->b, lab_topo_iport(&k->topo, p->back), key);
	p->first = lab_filter_first(k->f, key);
	p->passes = p->first == k->f->n || k->f->rule[p->first].action == LAB_RULE_PASS;
}

// Another host near by.
static void stray(struct maker *k, struct ip *ip)
{
	uint32_t bits = (uint32_t)plan_random(&k->random);

	if (ip->family == 4) {
		ip->v4 ^= bits & 0xfff;
		return;
	}
	ip->v6.b[14] ^= (uint8_t)bits;
	ip->v6.b[15] ^= (uint8_t)(bits >> 8);
}

// What the rule leaves open, in try number `t`: first the traffic's own first flow, then other ports,
// then other hosts too.
static void open_ends(struct maker *k, int family, bool back, unsigned t, struct gen_flow *open)
{
	const struct gen_conf *g = &k->traffic[family == 6].gen;
	struct gen_flow flow;

	gen_conf_flow(g, t == 0 ? 0 : plan_random(&k->random) % gen_conf_flows(g), &flow);
	*open = flow;
	if (back) {
		open->src = flow.dst;
		open->dst = flow.src;
	}
	if (t >= TRIES_PORTS) {
		stray(k, &open->src);
		stray(k, &open->dst);
	}
	if (t > 0) {
		open->sport = (uint16_t)(1 + plan_random(&k->random) % 65535);
		open->dport = (uint16_t)(1 + plan_random(&k->random) % 65535);
	}
}

// A frame that crosses the device and that rule i matches; if possible as the first one.
static bool make_for(struct maker *k, unsigned i, struct probe *out)
{
	static const uint8_t protos[] = {P_UDP, P_TCP, P_ICMP};
	const struct lab_rule *r = &k->f->rule[i];
	const struct classify_rule *c = &r->match;
	int family = c->mask.family == 0 ? k->way->traffic->family : c->value.family;
	bool found = false;

	if (family != 4 && family != 6)
		return false;
	for (unsigned back = 0; back <= (unsigned)k->way->both_ways; back++)
		for (unsigned t = 0; t < TRIES; t++) {
			struct probe p = {.made_for = i, .back = back == 1};
			struct gen_flow open;
			struct classify_key key;

			open_ends(k, family, p.back, t, &open);
			from_rule(c, &open, protos[t % 3], &p);
			judge(k, &p, &key);
			if (!lab_rule_matches(r, &key) || !crosses(k, &p))
				continue;
			if (!found || p.first == i)
				*out = p;
			found = true;
			if (p.first == i)
				return true;
		}
	return found;
}

static bool make_for_none(struct maker *k, struct probe *out)
{
	static const uint8_t protos[] = {P_UDP, P_TCP, P_ICMP, 47, 253, 50};
	static const struct classify_rule any = {.sport_hi = UINT16_MAX, .dport_hi = UINT16_MAX};

	for (unsigned t = 0; t < TRIES_NONE; t++) {
		struct probe p = {.made_for = k->f->n};
		struct gen_flow open;
		struct classify_key key;

		open_ends(k, k->way->traffic->family, false, t, &open);
		from_rule(&any, &open, protos[t % 6], &p);
		judge(k, &p, &key);
		if (p.first == k->f->n && crosses(k, &p)) {
			*out = p;
			return true;
		}
	}
	return false;
}

static int begin(struct maker *k, struct err *err)
{
	const struct lab_traffic *t = k->way->traffic;

	lab_traffic_default(4, &k->traffic[0]);
	lab_traffic_default(6, &k->traffic[1]);
	k->traffic[t->family == 6] = *t;
	k->random = 1; // the same frames in every experiment
	k->knows = k->way->conf->n_ifaces > 0;
	return k->knows ? lab_topo(k->way->conf, t, &k->topo, err) : 0;
}

int probe_set_make(struct probe_set *out, const struct lab_filter *f, const struct probe_way *way,
	struct err *err)
{
	struct maker k = {.f = f, .way = way, .topo = {.in = 0, .out = 1}};
	unsigned n = f->n < PROBES_MAX ? f->n : PROBES_MAX;
	int rc = begin(&k, err);

	*out = (struct probe_set){.n_rules = n, .iport = lab_topo_iport(&k.topo, false)};
	if (rc != 0)
		return rc;
	for (unsigned j = 0; j < n; j++) {
		unsigned i = n > 1 ? (unsigned)((uint64_t)j * (f->n - 1) / (n - 1)) : 0;
		struct probe *p = &out->probe[out->n];

		if (!make_for(&k, i, p))
			out->n_silent++;
		else if (p->first < f->n && f->rule[p->first].action == LAB_RULE_OTHER)
			out->n_elsewhere++;
		else
			out->n++;
	}
	if (make_for_none(&k, &out->probe[out->n]))
		out->n++;
	return 0;
}

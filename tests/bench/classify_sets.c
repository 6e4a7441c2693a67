// SPDX-License-Identifier: BSD-2-Clause
#include "classify_sets.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ICMP = 1, TCP = 6, UDP = 17 };

const char *const kind_name[KIND_COUNT] = {"chelsio", "hosts", "wild", "ranges"};

uint64_t draw(uint64_t *rnd)
{
	*rnd ^= *rnd << 13;
	*rnd ^= *rnd >> 7;
	*rnd ^= *rnd << 17;
	return *rnd;
}

static uint32_t below(uint64_t *rnd, size_t n)
{
	return (uint32_t)((draw(rnd) >> 16) % n);
}

static void *take(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		err(1, "%zu times %zu bytes", n, size);
	return p;
}

// The rules of the NIC firewall script for a Chelsio T5 that Weir's adapter runs.  What is 0 is not
// looked at.
static const struct chelsio {
	uint8_t proto, frag;
	enum { ANY_IPORT, IPORT0, IPORT1 } iport;
	uint16_t sport, dport, dport_mask; // 0: the whole port
	uint32_t src;
	unsigned src_len;
} chelsio[CHELSIO_RULES] = {
	{.frag = 1},
	{.dport = 0x8000, .dport_mask = 0x8000},
	{.proto = TCP, .iport = IPORT0, .dport = 80},
	{.proto = TCP, .iport = IPORT0, .dport = 443},
	{.proto = UDP, .iport = IPORT0, .dport = 443},
	{.proto = TCP, .iport = IPORT0, .dport = 22, .src = 0x01020304, .src_len = 32},
	{.proto = ICMP, .iport = IPORT0, .src = 0x01020304, .src_len = 32},
	{.proto = UDP, .iport = IPORT0, .sport = 67, .dport = 68},
	{.proto = ICMP, .iport = IPORT1, .src = 0x0a0a0a00, .src_len = 24},
	{.proto = TCP, .iport = IPORT1, .dport = 80, .src = 0x0a0a0a00, .src_len = 24},
	{.proto = TCP, .iport = IPORT1, .dport = 443, .src = 0x0a0a0a00, .src_len = 24},
	{.proto = UDP, .iport = IPORT1, .dport = 53, .src = 0x0a0a0a00, .src_len = 24},
	{.proto = TCP},
	{.proto = UDP},
	{.proto = ICMP},
};

static struct classify_rule any4(void)
{
	return (struct classify_rule){.value.family = 4,
		.mask.family = UINT8_MAX,
		.sport_hi = UINT16_MAX,
		.dport_hi = UINT16_MAX};
}

static void proto_is(struct classify_rule *r, uint8_t proto)
{
	r->value.proto = proto;
	r->mask.proto = UINT8_MAX;
}

static uint32_t prefix(unsigned len)
{
	return len == 0 ? 0 : UINT32_MAX << (32 - len);
}

static void src_is(struct classify_rule *r, uint32_t addr, unsigned len)
{
	r->mask.src[0] = prefix(len);
	r->value.src[0] = addr & prefix(len);
}

static void dst_is(struct classify_rule *r, uint32_t addr, unsigned len)
{
	r->mask.dst[0] = prefix(len);
	r->value.dst[0] = addr & prefix(len);
}

static void sport_is(struct classify_rule *r, uint16_t port)
{
	r->value.sport = port;
	r->mask.sport = UINT16_MAX;
}

static void dport_is(struct classify_rule *r, uint16_t port)
{
	r->value.dport = port;
	r->mask.dport = UINT16_MAX;
}

static struct classify_rule chelsio_rule(const struct chelsio *c)
{
	struct classify_rule r = any4();

	r.value.frag = r.mask.frag = c->frag;
	if (c->proto != 0)
		proto_is(&r, c->proto);
	if (c->iport != ANY_IPORT) {
		r.value.iport = c->iport == IPORT1;
		r.mask.iport = 7;
	}
	if (c->sport != 0)
		sport_is(&r, c->sport);
	if (c->dport != 0)
		dport_is(&r, c->dport);
	if (c->dport_mask != 0)
		r.mask.dport = c->dport_mask;
	src_is(&r, c->src, c->src_len);
	return r;
}

// Clients, servers and services: pools, so that values recur as they do in a real table.
static uint32_t client(uint64_t *rnd, size_t n)
{
	uint64_t x = below(rnd, n / 2 + 16);

	return 0x0a000000 | (uint32_t)((x * 2654435761u >> 4) & 0xffffff);
}

static uint32_t server(uint64_t *rnd, size_t n)
{
	uint64_t x = below(rnd, n / 8 + 8);

	return 0xc6120000 | (uint32_t)((x * 40503u) & 0xffff);
}

static uint16_t service(uint64_t *rnd, unsigned n)
{
	return (uint16_t)(1 + below(rnd, n) * 37 % 10007);
}

static uint8_t tcp_or_udp(uint64_t *rnd)
{
	return below(rnd, 3) != 0 ? TCP : UDP;
}

static struct classify_rule hosts_rule(size_t n, uint64_t *rnd)
{
	struct classify_rule r = any4();
	unsigned shape = below(rnd, 10);

	proto_is(&r, tcp_or_udp(rnd));
	if (shape != 0)
		src_is(&r, client(rnd, n), shape == 1 ? 24 : 32);
	if (shape != 2)
		dst_is(&r, server(rnd, n), 32);
	if (shape == 0 || below(rnd, 5) != 0)
		dport_is(&r, service(rnd, 64));
	return r;
}

// Two of address, address and port are given at least: a rule of one would hide most others.
static struct classify_rule wild_rule(size_t n, uint64_t *rnd)
{
	static const unsigned len[] = {0, 0, 8, 16, 24};
	struct classify_rule r;
	unsigned given;

	do {
		r = any4();
		if (below(rnd, 5) < 3)
			proto_is(&r, tcp_or_udp(rnd));
		src_is(&r, client(rnd, n) ^ below(rnd, 16) << 24, len[below(rnd, 5)]);
		dst_is(&r, server(rnd, n) ^ below(rnd, 16) << 24, len[below(rnd, 5)]);
		if (below(rnd, 5) < 3)
			dport_is(&r, service(rnd, 1000));
		if (below(rnd, 10) == 0)
			sport_is(&r, service(rnd, 16));
		given = (r.mask.src[0] != 0) + (r.mask.dst[0] != 0) + (r.mask.dport != 0);
	} while (given < 2);
	return r;
}

static void some_range(uint16_t *lo, uint16_t *hi, uint64_t *rnd)
{
	unsigned width = 1u << below(rnd, 15);

	*lo = (uint16_t)(1 + below(rnd, 60000));
	width = below(rnd, width) + width / 2;
	*hi = *lo + width > UINT16_MAX ? UINT16_MAX : (uint16_t)(*lo + width);
}

static struct classify_rule ranges_rule(size_t n, uint64_t *rnd)
{
	static const unsigned len[] = {16, 24, 28, 32};
	struct classify_rule r = any4();

	proto_is(&r, tcp_or_udp(rnd));
	src_is(&r, client(rnd, n), len[below(rnd, 4)]);
	dst_is(&r, server(rnd, n), len[below(rnd, 4)]);
	some_range(&r.dport_lo, &r.dport_hi, rnd);
	if (below(rnd, 4) == 0)
		some_range(&r.sport_lo, &r.sport_hi, rnd);
	return r;
}

static struct classify_rule set_rule(enum kind kind, size_t n, uint64_t *rnd)
{
	switch (kind) {
	case KIND_HOSTS:
		return hosts_rule(n, rnd);
	case KIND_WILD:
		return wild_rule(n, rnd);
	case KIND_RANGES:
		return ranges_rule(n, rnd);
	case KIND_CHELSIO:
	case KIND_COUNT:
		break;
	}
	return chelsio_rule(&chelsio[below(rnd, CHELSIO_RULES)]);
}

struct set set_make(enum kind kind, size_t n, uint64_t seed)
{
	struct set s = {.n = n, .kind = kind};
	uint64_t rnd = seed * 2 + 1;

	snprintf(s.name, sizeof(s.name), "%s", kind_name[kind]);
	s.rule = take(n, sizeof(*s.rule));
	for (size_t i = 0; i < n; i++) {
		s.rule[i] = kind == KIND_CHELSIO ? chelsio_rule(&chelsio[i % CHELSIO_RULES])
						 : set_rule(kind, n, &rnd);
		s.rule[i].order = (uint32_t)i * ORDER_STEP;
		s.rule[i].id = (uint32_t)i;
	}
	return s;
}

struct classify_rule set_another(const struct set *s, uint64_t *rnd)
{
	const struct classify_rule *other;
	struct classify_rule r;

	if (s->kind != KIND_COUNT)
		return set_rule(s->kind, s->n, rnd);
	r = s->rule[below(rnd, s->n)];
	other = &s->rule[below(rnd, s->n)];
	r.value.src[0] = other->value.src[0];
	r.mask.src[0] = other->mask.src[0];
	return r;
}

void set_free(struct set *s)
{
	free(s->rule);
}

// A number of lo..hi whose bits under mask are value's.
static uint16_t some_port(uint16_t value, uint16_t mask, uint16_t lo, uint16_t hi, uint64_t *rnd)
{
	uint32_t drawn = lo + below(rnd, (uint32_t)hi - lo + 1u);

	return (uint16_t)(value | (drawn & (uint16_t)~mask));
}

static struct classify_key key_in(const struct classify_rule *r, uint64_t *rnd)
{
	struct classify_key k = {.family = 4};

	k.proto = r->mask.proto != 0 ? r->value.proto : tcp_or_udp(rnd);
	k.frag = r->value.frag;
	k.iport = (uint8_t)(r->value.iport | (below(rnd, 2) & (uint8_t)~r->mask.iport));
	k.src[0] = r->value.src[0] | ((uint32_t)draw(rnd) & ~r->mask.src[0]);
	k.dst[0] = r->value.dst[0] | ((uint32_t)draw(rnd) & ~r->mask.dst[0]);
	if (k.proto == TCP || k.proto == UDP) {
		k.sport = some_port(r->value.sport, r->mask.sport, r->sport_lo, r->sport_hi, rnd);
		k.dport = some_port(r->value.dport, r->mask.dport, r->dport_lo, r->dport_hi, rnd);
	}
	return k;
}

struct classify_key *keys_make(const struct set *s, size_t n, uint64_t seed)
{
	struct classify_key *k = take(n, sizeof(*k));
	uint64_t rnd = seed * 2 + 1;
	struct classify_rule any = any4();

	for (size_t i = 0; i < n; i++)
		k[i] = key_in(below(&rnd, 10) != 0 ? &s->rule[below(&rnd, s->n)] : &any, &rnd);
	return k;
}

static FILE *open_or_exit(const char *path)
{
	FILE *f = fopen(path, "re");

	if (f == NULL)
		err(1, "%s", path);
	return f;
}

static bool filter_read(const char *line, struct classify_rule *r)
{
	unsigned s[5], d[5], sl, sh, dl, dh, proto, mask;

	if (sscanf(line, "@%u.%u.%u.%u/%u %u.%u.%u.%u/%u %u : %u %u : %u %x/%x", &s[0], &s[1],
		    &s[2], &s[3], &s[4], &d[0], &d[1], &d[2], &d[3], &d[4], &sl, &sh, &dl, &dh,
		    &proto, &mask) != 16)
		return false;
	*r = any4();
	src_is(r, s[0] << 24 | s[1] << 16 | s[2] << 8 | s[3], s[4]);
	dst_is(r, d[0] << 24 | d[1] << 16 | d[2] << 8 | d[3], d[4]);
	r->sport_lo = (uint16_t)sl;
	r->sport_hi = (uint16_t)sh;
	r->dport_lo = (uint16_t)dl;
	r->dport_hi = (uint16_t)dh;
	r->mask.proto = (uint8_t)mask;
	r->value.proto = (uint8_t)(proto & mask);
	return true;
}

struct set set_read(const char *path)
{
	struct set s = {.kind = KIND_COUNT};
	FILE *f = open_or_exit(path);
	const char *base = strrchr(path, '/');
	char line[512];
	size_t room = 0;

	snprintf(s.name, sizeof(s.name), "%s", base != NULL ? base + 1 : path);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (s.n == room) {
			room = room * 2 + 1024;
			s.rule = reallocarray(s.rule, room, sizeof(*s.rule));
			if (s.rule == NULL)
				err(1, "%s", path);
		}
		if (!filter_read(line, &s.rule[s.n]))
			errx(1, "%s:%zu: not a ClassBench filter", path, s.n + 1);
		s.rule[s.n].order = (uint32_t)s.n * ORDER_STEP;
		s.rule[s.n].id = (uint32_t)s.n;
		s.n++;
	}
	fclose(f);
	if (s.n == 0)
		errx(1, "%s: no filters", path);
	return s;
}

struct classify_key *keys_read(const char *path, size_t *n)
{
	struct classify_key *k = NULL;
	FILE *f = open_or_exit(path);
	size_t room = 0;
	unsigned src, dst, sport, dport, proto;
	char line[512];

	*n = 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%u %u %u %u %u", &src, &dst, &sport, &dport, &proto) != 5)
			errx(1, "%s:%zu: not a ClassBench header", path, *n + 1);
		if (*n == room) {
			room = room * 2 + 1024;
			k = reallocarray(k, room, sizeof(*k));
			if (k == NULL)
				err(1, "%s", path);
		}
		k[(*n)++] = (struct classify_key){.family = 4,
			.proto = (uint8_t)proto,
			.sport = (uint16_t)sport,
			.dport = (uint16_t)dport,
			.src = {src},
			.dst = {dst}};
	}
	fclose(f);
	if (*n == 0)
		errx(1, "%s: no headers", path);
	return k;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "classify/oracle_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIELD(f)                                                                                   \
	{                                                                                          \
		offsetof(struct classify_key, f), sizeof(((struct classify_key *)0)->f)            \
	}

static const struct field {
	uint8_t at, size;
} fields[] = {
	FIELD(family),
	FIELD(proto),
	FIELD(frag),
	FIELD(iport),
	FIELD(tos),
	FIELD(tcp_flags),
	FIELD(icmp_type),
	FIELD(icmp_code),
	FIELD(sport),
	FIELD(dport),
	FIELD(ethertype),
	FIELD(ivlan),
	FIELD(ovlan),
	FIELD(vnic),
	FIELD(macidx),
	FIELD(vlan_valid),
	FIELD(matchtype),
	FIELD(fcoe),
	FIELD(src),
	FIELD(dst),
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]), SRC = N_FIELDS - 2 };

bool oracle_matches(const struct classify_rule *r, const struct classify_key *k)
{
	const uint8_t *key = (const uint8_t *)k, *mask = (const uint8_t *)&r->mask;
	const uint8_t *value = (const uint8_t *)&r->value;

	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		if ((key[i] & mask[i]) != value[i])
			return false;
	return k->sport >= r->sport_lo && k->sport <= r->sport_hi && k->dport >= r->dport_lo &&
	       k->dport <= r->dport_hi;
}

uint32_t oracle_first(const struct oracle_set *s, const struct classify_key *k)
{
	for (size_t i = 0; i < s->n; i++)
		if (oracle_matches(&s->rule[i], k))
			return s->rule[i].id;
	return CLASSIFY_NONE;
}

size_t oracle_all(const struct oracle_set *s, const struct classify_key *k, uint32_t *ids)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (oracle_matches(&s->rule[i], k))
			ids[n++] = s->rule[i].id;
	return n;
}

uint64_t oracle_seed(void)
{
	static uint64_t seed;
	const char *given = getenv("WEIR_SEED");
	struct timespec now;

	if (seed != 0)
		return seed;
	clock_gettime(CLOCK_REALTIME, &now);
	seed = given != NULL ? strtoull(given, NULL, 0)
			     : (uint64_t)now.tv_sec * 1000003u + now.tv_nsec;
	seed += seed == 0;
	printf("WEIR_SEED=%" PRIu64 "\n", seed);
	return seed;
}

uint64_t oracle_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

unsigned oracle_below(uint64_t *state, unsigned n)
{
	return (unsigned)(oracle_random(state) % n);
}

// Few different numbers, so that the same ones come again.
static void random_value(uint64_t *state, uint8_t *to, unsigned size)
{
	unsigned kind = oracle_below(state, 4);

	for (unsigned i = 0; i < size; i++)
		to[i] = kind == 0 ? (uint8_t)oracle_random(state)
				  : (uint8_t)oracle_below(state, 3) * 0x55;
	if (kind == 1)
		memset(to, 0xff, size);
}

// Exact, a prefix, the bits behind one, or any bits.  Words are in host byte order.
static void random_mask(uint64_t *state, uint8_t *to, const struct field *f)
{
	unsigned kind = oracle_below(state, 6), unit = f->size > 4 ? 4 : f->size;
	unsigned bits = oracle_below(state, f->size * 8 + 1);

	memset(to, 0xff, f->size);
	if (kind < 2)
		return;
	for (unsigned i = 0; i < f->size; i += unit) {
		unsigned here = bits > i * 8 ? bits - i * 8 : 0, width = unit * 8;
		uint32_t rest = here >= width ? 0 : UINT32_MAX >> (32 - width) >> here;
		uint32_t m = kind < 4 ? ~rest : (kind == 4 ? rest : (uint32_t)oracle_random(state));
		uint16_t half = (uint16_t)m;

		if (unit == 4)
			memcpy(to + i, &m, 4);
		else if (unit == 2)
			memcpy(to + i, &half, 2);
		else
			to[i] = (uint8_t)m;
	}
}

static void random_range(uint64_t *state, uint16_t *lo, uint16_t *hi)
{
	static const uint16_t edges[] = {0, 1, 80, 81, 1023, 1024, 32767, 32768, 65534, 65535};
	enum { N = sizeof(edges) / sizeof(edges[0]) };
	bool any = oracle_below(state, 2) == 0;
	uint16_t a = edges[oracle_below(state, N)], b = (uint16_t)oracle_random(state);

	if (oracle_below(state, 2))
		b = edges[oracle_below(state, N)];
	*lo = any ? 0 : (a < b ? a : b);
	*hi = any ? UINT16_MAX : (a < b ? b : a);
}

struct classify_rule oracle_any(uint32_t order, uint32_t id)
{
	return (struct classify_rule){
		.sport_hi = UINT16_MAX, .dport_hi = UINT16_MAX, .order = order, .id = id};
}

uint64_t oracle_fields(uint64_t *state)
{
	uint64_t all = oracle_random(state), some = oracle_random(state) & oracle_random(state);

	return oracle_below(state, 4) ? all & some : UINT64_MAX;
}

struct classify_rule oracle_rule(uint64_t *state, uint64_t which)
{
	struct classify_rule r = oracle_any(0, 0);
	uint8_t *value = (uint8_t *)&r.value, *mask = (uint8_t *)&r.mask;
	unsigned rare = 1 + oracle_below(state, 8);

	for (unsigned i = 0; i < N_FIELDS; i++) {
		const struct field *f = &fields[i];

		if (!(which >> i & 1) || oracle_below(state, rare))
			continue;
		random_value(state, value + f->at, f->size);
		random_mask(state, mask + f->at, f);
		for (unsigned b = 0; b < f->size && oracle_below(state, 64); b++)
			value[f->at + b] &= mask[f->at + b];
	}
	if (which >> 30 & 1)
		random_range(state, &r.sport_lo, &r.sport_hi);
	if (which >> 31 & 1)
		random_range(state, &r.dport_lo, &r.dport_hi);
	if (oracle_below(state, 2) &&
		which >> 32 & 1) { // addresses of one family, as most rules have
		r.mask.family = UINT8_MAX;
		r.value.family = oracle_below(state, 2) ? 4 : 6;
	}
	return r;
}

struct oracle_set oracle_set(uint64_t *state, size_t n)
{
	struct oracle_set s = {malloc((n + 1) * sizeof(*s.rule)), n};
	uint64_t which = oracle_fields(state);
	uint32_t order = oracle_below(state, 3);

	for (size_t i = 0; i < n; i++) {
		s.rule[i] = oracle_rule(state, which);
		s.rule[i].order = order;
		s.rule[i].id = (uint32_t)oracle_random(state) >> 1;
		order += 1 + oracle_below(state, 3);
	}
	return s;
}

void oracle_free(struct oracle_set *s)
{
	free(s->rule);
	*s = (struct oracle_set){0};
}

// Inside or just outside of a rule's range.
static uint16_t near(uint64_t *state, uint16_t value, uint16_t mask, uint16_t lo, uint16_t hi)
{
	uint16_t random = (uint16_t)oracle_random(state);

	switch (oracle_below(state, 6)) {
	case 0:
		return lo;
	case 1:
		return hi;
	case 2:
		return (uint16_t)(lo - 1);
	case 3:
		return (uint16_t)(hi + 1);
	default:
		return (uint16_t)((random & ~mask) | value);
	}
}

struct classify_key oracle_key(uint64_t *state, const struct oracle_set *s)
{
	struct classify_key k;
	uint8_t *key = (uint8_t *)&k;
	const struct classify_rule *r = s->n > 0 ? &s->rule[oracle_below(state, (unsigned)s->n)]
						 : NULL;
	bool zeros = oracle_below(state, 2) == 0;

	for (size_t i = 0; i < sizeof(k); i++)
		key[i] = zeros ? 0 : (uint8_t)oracle_random(state);
	if (r == NULL || oracle_below(state, 16) == 0)
		return k;
	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		key[i] = (key[i] & ~((const uint8_t *)&r->mask)[i]) |
			 ((const uint8_t *)&r->value)[i];
	if (oracle_below(state, 2))
		k.sport = near(state, r->value.sport, r->mask.sport, r->sport_lo, r->sport_hi);
	if (oracle_below(state, 2))
		k.dport = near(state, r->value.dport, r->mask.dport, r->dport_lo, r->dport_hi);
	for (unsigned n = oracle_below(state, 3);
		n-- > 0;) { // one bit, or one more or less, in a field
		const struct field *f = &fields[oracle_below(state, N_FIELDS)];
		unsigned byte = f->at + oracle_below(state, f->size);

		key[byte] = oracle_below(state, 2)
				    ? key[byte] ^ (uint8_t)(1u << oracle_below(state, 8))
				    : (uint8_t)(key[byte] + 1 - 2 * oracle_below(state, 2));
	}
	return k;
}

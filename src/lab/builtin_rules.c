// SPDX-License-Identifier: BSD-2-Clause
// builtin_rules.c - filter scripts made from a fixed seed.
//
// The traffic of all conditions is the same; it is the rules that are placed around it: one rule
// passes it, the first or the last of the list, or is not there; no other rule matches it.
#include "lab/builtin.h"

#include "lab/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEED = 2544 };

struct script {
	FILE *f;
	unsigned made;
	enum builtin_match match;
	const struct gen_conf *traffic;
	struct prefix src, dst;    // smallest ones that hold the traffic
	uint32_t src_net, dst_net; // /17s that the other rules' nets are taken from
	uint64_t random;
};

static struct prefix around(const struct gen_range *r)
{
	struct prefix p = {r->lo, 32};

	while (p.len > 0 && !prefix_contains(&p, &r->hi))
		p.len--;
	prefix_mask(&p);
	return p;
}

static void rule(struct script *s, unsigned idx, const char *words)
{
	fprintf(s->f, "cxgbetool t5nex0 filter %u %s\n", idx, words);
	s->made++;
}

// The one rule for the traffic.
static void permit(struct script *s, unsigned idx)
{
	char src[ADDR_TEXT_MAX], dst[ADDR_TEXT_MAX], words[2 * ADDR_TEXT_MAX + 64];

	snprintf(words, sizeof(words), "sip %s dip %s proto 17 action pass",
		prefix_text(&s->src, src), prefix_text(&s->dst, dst));
	rule(s, idx, words);
}

// A server between two nets: what it offers, who may log in, what its own side may ask for, and no
// other TCP, ICMP or privileged UDP.
static void server(struct script *s)
{
	static const struct {
		unsigned idx;
		const char *words;
	} list[] = {
		{5, "frag 1 action drop"},
		{10, "dport 32768:0x8000 action pass"},
		{20, "iport 0 dport 80 proto 6 action pass"},
		{30, "iport 0 dport 443 proto 6 action pass"},
		{40, "iport 0 dport 443 proto 17 action pass"},
		{50, "iport 0 sip 198.18.200.4 dport 22 proto 6 action pass"},
		{60, "iport 0 sip 198.18.200.4 proto 1 action pass"},
		{70, "iport 0 sport 67 dport 68 proto 17 action pass"},
		{80, "iport 1 sip 198.19.200.0/24 proto 1 action pass"},
		{81, "iport 1 sip 198.19.200.0/24 dport 80 proto 6 action pass"},
		{82, "iport 1 sip 198.19.200.0/24 dport 443 proto 6 action pass"},
		{83, "iport 1 sip 198.19.200.0/24 dport 53 proto 17 action pass"},
		{100, "proto 6 action drop"},
		{101, "proto 1 action drop"},
		{102, "dport 0:0xfc00 proto 17 action drop"},
	};
	unsigned n = sizeof(list) / sizeof(list[0]);

	// The permitting rule takes the place of the one for ICMP from a host, or of the last one.
	if (s->match == MATCH_FIRST)
		permit(s, 0);
	for (unsigned i = 0; i < n; i++) {
		if (s->match == MATCH_FIRST && list[i].idx == 60)
			continue;
		if (s->match == MATCH_LAST && i == n - 1)
			permit(s, 102);
		else
			rule(s, list[i].idx, list[i].words);
	}
}

static uint32_t draw(struct script *s, uint32_t n)
{
	return (uint32_t)(plan_random(&s->random) % n);
}

static bool overlaps(const struct prefix *a, const struct prefix *b)
{
	return prefix_contains(a, &b->addr) || prefix_contains(b, &a->addr);
}

// The /17 for nets beside the traffic's: the upper half of what RFC 2544 sets aside for that side, where
// no address is the router's or next to it; a private one where traffic takes all of that half.
static bool room(const struct prefix *traffic, uint32_t own_half, uint32_t *out)
{
	const uint32_t half[] = {own_half, 0x0a128000, 0xac128000, 0xc0a88000}; // 10.18.128.0 ...

	for (unsigned i = 0; i < sizeof(half) / sizeof(half[0]); i++) {
		struct ip first = {.family = 4, .v4 = half[i]};

		*out = half[i];
		if (traffic->len > 17 || !prefix_contains(traffic, &first))
			return true;
	}
	return false;
}

// A net of `len` bits among those of the /16 that have the bits of base, not around the traffic.
static struct prefix net(struct script *s, uint32_t base, uint8_t len, const struct prefix * not )
{
	struct prefix p;

	do {
		p = (struct prefix){{.family = 4, .v4 = base | draw(s, 65536)}, len};
		prefix_mask(&p);
	} while (overlaps(&p, not ));
	return p;
}

// Destination ports below 1024, not the traffic's.
static unsigned port(struct script *s)
{
	const struct gen_range *r = &s->traffic->dst;
	unsigned p;

	do
		p = 1 + draw(s, 1023);
	while (p >= r->port_lo && p <= r->port_hi && r->port_hi - r->port_lo < 1000);
	return p;
}

static void any_rule(struct script *s, unsigned idx)
{
	static const char *const action[] = {"pass", "drop"};
	char src[ADDR_TEXT_MAX], dst[ADDR_TEXT_MAX], words[2 * ADDR_TEXT_MAX + 80];
	unsigned kind = draw(s, 4), proto = draw(s, 2) == 0 ? 6 : 17;
	// Where nothing but the source counts the nets are small, or they would hide later rules.
	uint8_t least = kind == 2 ? 28 : 24;
	struct prefix a = net(s, s->src_net, (uint8_t)(least + draw(s, 33u - least)), &s->src);
	struct prefix b = net(s, s->dst_net, (uint8_t)(24 + draw(s, 9)), &s->dst);
	const char *what = action[draw(s, 2)];

	prefix_text(&a, src);
	prefix_text(&b, dst);
	if (kind <= 1)
		snprintf(words, sizeof(words), "sip %s dip %s dport %u proto %u action %s", src,
			dst, port(s), proto, what);
	else if (kind == 2)
		snprintf(words, sizeof(words), "sip %s proto %u action %s", src, proto, what);
	else
		snprintf(words, sizeof(words), "dip %s dport %u:0xfff0 proto %u action %s", dst,
			port(s) & 0xfff0u, proto, what);
	rule(s, idx, words);
}

char *builtin_script(
	unsigned n, enum builtin_match match, const struct gen_conf *traffic, struct err *err)
{
	struct script s = {.match = match,
		.traffic = traffic,
		.src = around(&traffic->src),
		.dst = around(&traffic->dst),
		.random = SEED};
	char *text = NULL;
	size_t size = 0;
	bool bad;

	if (!room(&s.src, 0xc6128000, &s.src_net) || !room(&s.dst, 0xc6138000, &s.dst_net)) {
		char out[GEN_RANGE_TEXT_MAX], back[GEN_RANGE_TEXT_MAX];

		err_set(err, EINVAL,
			"traffic from %s to %s leaves no addresses for a built-in filter's other rules",
			gen_range_text(&traffic->src, out), gen_range_text(&traffic->dst, back));
		return NULL;
	}
	s.f = open_memstream(&text, &size);
	bad = s.f == NULL;
	if (!bad && n == 15)
		server(&s);
	for (unsigned i = s.made; i < n && !bad; i++)
		if ((i == 0 && match == MATCH_FIRST) || (i == n - 1 && match == MATCH_LAST))
			permit(&s, i);
		else
			any_rule(&s, i);
	bad = bad || ferror(s.f) != 0;
	if (s.f != NULL && fclose(s.f) != 0)
		bad = true;
	if (!bad)
		return text;
	free(text);
	err_set(err, ENOMEM, "no memory for a filter of %u rules", n);
	return NULL;
}

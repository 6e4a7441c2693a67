// SPDX-License-Identifier: BSD-2-Clause
#include "lab/filter.h"

#include "packet/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	P_ICMP = 1,
	P_TCP = 6,
	P_UDP = 17,
	P_ICMP6 = 58,
	IP_OFF_MASK = 0x1fff,
	IP_FRAGMENT = 0x3fff,
	IP6_FRAGMENT_HEADER = 44
};

void lab_filter_free(struct lab_filter *f)
{
	free(f->script);
	free(f->rule);
	free(f->nft);
	conf_script_free(&f->commands);
	*f = (struct lab_filter){0};
}

bool lab_rule_matches(const struct lab_rule *r, const struct classify_key *k)
{
	const uint8_t *key = (const uint8_t *)k;
	const uint8_t *value = (const uint8_t *)&r->match.value;
	const uint8_t *mask = (const uint8_t *)&r->match.mask;

	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		if ((key[i] & mask[i]) != value[i])
			return false;
	return k->sport >= r->match.sport_lo && k->sport <= r->match.sport_hi &&
	       k->dport >= r->match.dport_lo && k->dport <= r->match.dport_hi;
}

unsigned lab_filter_first(const struct lab_filter *f, const struct classify_key *k)
{
	for (unsigned i = 0; i < f->n; i++)
		if (lab_rule_matches(&f->rule[i], k))
			return i;
	return f->n;
}

// Of words that end at n, so many that no word is cut.
static unsigned whole_words(const char *words, unsigned n)
{
	while (n > 0 && words[n] != ' ')
		n--;
	return n;
}

const char *lab_rule_text(const struct lab_filter *f, unsigned i, char out[LAB_RULE_TEXT])
{
	enum { SHOWN = 96 };
	const struct lab_rule *r;
	unsigned n, len;

	if (i == f->n) {
		snprintf(out, LAB_RULE_TEXT, "no rule");
		return out;
	}
	r = &f->rule[i];
	len = (unsigned)strlen(r->words);
	n = len > SHOWN ? whole_words(r->words, SHOWN) : len;
	snprintf(out, LAB_RULE_TEXT, "rule %u (%.*s%s)", r->idx, (int)n, r->words,
		n < len ? " ..." : "");
	return out;
}

static void words_of(const struct ip *ip, uint32_t out[4])
{
	if (ip->family == 4) {
		out[0] = ip->v4;
		return;
	}
	for (unsigned i = 0; i < IP6_LEN; i++)
		out[i / 4] = out[i / 4] << 8 | ip->v6.b[i];
}

// Whether it is a part of a datagram, and whether it begins with the upper-layer header.
static bool fragment(const struct build *b, bool *later)
{
	const uint8_t *h = b->opt;
	bool v6 = b->src.family == 6;

	if (v6 && (b->opt_type != IP6_FRAGMENT_HEADER || b->opt_len < 8)) {
		*later = false;
		return false;
	}
	*later = v6 ? h[2] != 0 || (h[3] & 0xf8) != 0 : (b->ip_off & IP_OFF_MASK) != 0;
	return v6 || (b->ip_off & IP_FRAGMENT) != 0;
}

void lab_key(const struct build *b, unsigned iport, struct classify_key *out)
{
	bool later, ports = b->proto == P_TCP || b->proto == P_UDP;

	*out = (struct classify_key){.family = b->src.family,
		.proto = b->proto,
		.iport = (uint8_t)iport,
		.tos = b->tos,
		.ethertype = b->src.family == 4 ? 0x0800 : 0x86dd};
	words_of(&b->src, out->src);
	words_of(&b->dst, out->dst);
	out->frag = fragment(b, &later);
	if (later)
		return;
	if (ports) {
		out->vlan_valid = CLASSIFY_HAS_PORTS;
		out->sport = b->sport;
		out->dport = b->dport;
	}
	if (b->proto == P_TCP)
		out->tcp_flags = b->tcp_flags;
	if (b->proto == (b->src.family == 4 ? P_ICMP : P_ICMP6)) {
		out->icmp_type = b->icmp_type;
		out->icmp_code = b->icmp_code;
	}
}

// What all frames of a traffic have, as the generator makes them.
static int frame_of(const struct gen_conf *traffic, struct build *b, struct err *err)
{
	uint8_t head[GEN_HEAD];
	struct hdrs h;
	const uint8_t *ip;
	int rc = gen_conf_head(traffic, 0, head, err);

	if (rc != 0)
		return rc;
	if (packet_parse_head(head, traffic->len < GEN_HEAD ? traffic->len : GEN_HEAD, traffic->len,
		    &h) != DROP_NONE ||
		h.n_vlan != 0)
		return err_set(err, EINVAL, "the traffic's frames are not plain IP");
	ip = head + h.l3;
	*b = (struct build){.proto = h.proto};
	if (h.family == 4) {
		b->tos = ip[1];
		b->ip_off = (uint16_t)(ip[6] << 8 | ip[7]);
	} else {
		b->tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	}
	return 0;
}

int lab_flows_make(struct lab_flows *out, const struct lab_filter *f,
	const struct gen_conf *traffic, unsigned iport, struct err *err)
{
	uint64_t total = gen_conf_flows(traffic);
	struct build b;
	int rc = frame_of(traffic, &b, err);

	*out = (struct lab_flows){.n = total, .all = true};
	if (rc != 0)
		return rc;
	out->rule = calloc(f->n + 1, sizeof(*out->rule));
	if (out->rule == NULL)
		return err_set(err, ENOMEM, "no memory for %u rules", f->n);
	if (total > LAB_FLOWS_MAX) {
		out->n = LAB_FLOWS_MAX;
		out->all = false;
	}
	for (uint64_t i = 0; i < out->n; i++) {
		struct classify_key key;
		struct gen_flow flow;

		gen_conf_flow(traffic, out->all ? i : total / out->n * i, &flow);
		b.src = flow.src;
		b.dst = flow.dst;
		b.sport = flow.sport;
		b.dport = flow.dport;
		lab_key(&b, iport, &key);
		out->rule[lab_filter_first(f, &key)]++;
	}
	return 0;
}

void lab_flows_free(struct lab_flows *f)
{
	free(f->rule);
	*f = (struct lab_flows){0};
}

void lab_flows_hits(
	const struct lab_flows *f, unsigned i, uint64_t offered, uint64_t *least, uint64_t *most)
{
	uint64_t own = f->rule[i], laps = offered / f->n, rest = offered % f->n;

	*least = laps * own + (rest + own > f->n ? rest + own - f->n : 0);
	*most = laps * own + (rest < own ? rest : own);
	if (!f->all) {
		*least = 0;
		*most = offered;
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// export.c - the rules of a card for another firewall: which there are, in which order, what cannot be
// said anywhere.
#include "adapter/export.h"

#include "adapter/names.h"
#include "adapter/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IP_TCP = 6, IP_UDP = 17 };

bool export_any(const uint32_t mask[4])
{
	return (mask[0] | mask[1] | mask[2] | mask[3]) == 0;
}

const char *export_name(const struct export_rule *r, char out[32])
{
	snprintf(out, 32, "%s %u%s", r->f->hash ? "hashfilter" : "filter", r->idx,
		r->f->prio ? " prio 1" : "");
	return out;
}

bool export_refuse(struct export *x, const struct export_rule *r, const char *word, const char *why)
{
	char name[32];

	say_why(x->out, "%s: %s: %s", export_name(r, name), word, why);
	x->n_refused++;
	return false;
}

bool export_plain(struct export *x, const struct export_rule *r)
{
	const struct adapter_filter *f = r->f;
	static const char *const unknown[] = {"ovlan", "pf", "vf", "macidx"};

	for (unsigned i = 0; i < n_fields; i++)
		for (unsigned k = 0; k < sizeof(unknown) / sizeof(unknown[0]); k++)
			if (strcmp(fields[i].name, unknown[k]) == 0 && field_given(f, &fields[i]))
				return export_refuse(x, r, unknown[k], "only the card knows it");
	if (f->steer != STEER_RSS)
		return export_refuse(x, r, f->steer == STEER_RSS_REGION ? "tcbrss" : "queue",
			"receive queues are the card's");
	if (f->report_tid)
		return export_refuse(x, r, "rpttid", "only the card can report it");
	if (f->nat != NAT_NONE)
		return export_refuse(x, r, "nat", "translation is not exported by weir");
	return true;
}

bool export_after_fragments(struct export *x, const struct export_rule *r, const char *who)
{
	const struct adapter_filter *f = r->f;
	char why[160];

	if (!r->with_ports && (f->mask.frag == 0 || f->value.frag != 0))
		return true;
	if (r->family == 0 || x->fragments_done[r->family == 6])
		return true;
	snprintf(why, sizeof(why),
		"%s sees no ports in a datagram's first fragment, and no rule before this one decides "
		"about all IPv%u fragments (\"%sfrag 1 action drop\" would)",
		who, r->family, r->family == 6 ? "type ipv6 " : "");
	return export_refuse(
		x, r, r->with_ports ? (f->mask.dport != 0 ? "dport" : "sport") : "frag", why);
}

bool export_range(uint16_t value, uint16_t mask, uint16_t *lo, uint16_t *hi)
{
	uint16_t free_bits = (uint16_t)~mask;

	*lo = value;
	*hi = value | free_bits;
	return (free_bits & (free_bits + 1u)) == 0;
}

bool export_overlap(const struct export_rule *a, const struct export_rule *b)
{
	const uint8_t *va, *ma, *vb, *mb;
	struct classify_rule ra, rb;

	adapter_rule(a->f, &ra);
	adapter_rule(b->f, &rb);
	va = (const uint8_t *)&ra.value;
	ma = (const uint8_t *)&ra.mask;
	vb = (const uint8_t *)&rb.value;
	mb = (const uint8_t *)&rb.mask;
	for (size_t i = 0; i < sizeof(ra.value); i++)
		if (((va[i] ^ vb[i]) & ma[i] & mb[i]) != 0)
			return false;
	return true;
}

static bool lost_bits(const struct classify_key *v, const struct classify_key *m)
{
	const uint8_t *pv = (const uint8_t *)v, *pm = (const uint8_t *)m;

	for (size_t i = 0; i < sizeof(*v); i++)
		if ((pv[i] & ~pm[i]) != 0)
			return true;
	return false;
}

static bool takes(uint32_t number, uint32_t value, uint32_t mask)
{
	return (number & mask) == value;
}

// What a frame that is not IP has: zeroes.
static bool never_other(const struct export_rule *r)
{
	const struct classify_key *v = &r->f->value;

	return v->proto != 0 || v->tos != 0 || v->frag != 0 || r->with_ports ||
	       !export_any(v->src) || !export_any(v->dst);
}

// IP has its ethertype and is not FCoE; ports are those of TCP and UDP.
static bool never_ip(const struct export_rule *r)
{
	const struct classify_key *v = &r->f->value, *m = &r->f->mask;

	return v->fcoe != 0 ||
	       !takes(r->family == 4 ? 0x0800 : 0x86dd, v->ethertype, m->ethertype) ||
	       (r->with_ports && !takes(IP_TCP, v->proto, m->proto) &&
		       !takes(IP_UDP, v->proto, m->proto));
}

// false: no frame matches it.
static bool rule_make(const struct adapter *a, uint32_t idx, const struct adapter_filter *f,
	struct export_rule *r)
{
	struct classify_rule c;

	adapter_rule(f, &c);
	*r = (struct export_rule){.idx = idx, .f = f, .family = c.value.family};
	r->with_ports = f->mask.sport != 0 || f->mask.dport != 0;
	for (unsigned i = 0; i < a->n_ports; i++)
		if (takes(i, f->value.iport, f->mask.iport))
			r->in_ports |= 1u << i;
	r->on_all_ports = r->in_ports == (1u << a->n_ports) - 1;
	return !lost_bits(&f->value, &f->mask) && r->in_ports != 0 &&
	       !(r->family == 0 ? never_other(r) : never_ip(r));
}

// A rule that no fragment of its family passes by.
static void note_fragments(struct export *x, const struct export_rule *r)
{
	struct adapter_filter all = *r->f;

	if (r->family == 0 || !r->on_all_ports)
		return;
	all.value.frag = all.mask.frag = 0;
	all.mask.iport = all.value.iport = 0;
	if ((r->f->mask.frag == 0 || r->f->value.frag == 1) && filter_criteria(&all) == 0 &&
		!r->with_ports && export_any(r->f->mask.src) && export_any(r->f->mask.dst))
		x->fragments_done[r->family == 6] = true;
}

struct collection {
	const struct adapter *a;
	struct export_rule *rules;
	size_t n;
};

static void collect(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct collection *c = arg;

	(void)hits;
	if (rule_make(c->a, idx, f, &c->rules[c->n]))
		c->n++;
}

static void hand_out(const struct adapter_out *out, char *text)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		if (rest != NULL) // what stands behind the last newline is nothing
			out->line(out->arg, false, line);
}

static void put_all(const struct export_writer *w, struct export *x)
{
	w->begin(x);
	for (x->at = 0; x->at < x->n_rules; x->at++) {
		w->rule(x, &x->rules[x->at]);
		note_fragments(x, &x->rules[x->at]);
	}
	if (w->end != NULL)
		w->end(x);
}

int adapter_export(const struct adapter *a, enum adapter_export_kind kind, char *const *ifaces,
	const struct adapter_out *out)
{
	static const struct export_writer *const writers[] = {
		[EXPORT_NFT] = &export_nft,
		[EXPORT_PF] = &export_pf,
		[EXPORT_TC] = &export_tc,
		[EXPORT_ETHTOOL] = &export_ethtool,
	};
	size_t n = adapter_n_rules(a);
	struct export_rule *rules = calloc(n + 1, sizeof(*rules));
	struct export x = {.a = a, .ifaces = ifaces, .out = out, .rules = rules};
	struct collection c = {.a = a, .rules = rules};
	char *text = NULL;
	size_t len;
	bool whole;

	x.text = rules != NULL ? open_memstream(&text, &len) : NULL;
	whole = x.text != NULL;
	if (whole) {
		adapter_walk(a, collect, &c);
		x.n_rules = c.n;
		put_all(writers[kind], &x);
		whole = ferror(x.text) == 0;
		whole = fclose(x.text) == 0 && whole;
	}
	if (!whole)
		say_why(out, "%s", errno_text(ENOMEM));
	else if (x.n_refused == 0)
		hand_out(out, text);
	else
		say_why(out, "%u rule%s cannot be said there; nothing is exported", x.n_refused,
			x.n_refused == 1 ? "" : "s");
	free(text);
	free(rules);
	return !whole ? ENOMEM : x.n_refused == 0 ? 0 : errno_of_freebsd(ENOTSUP);
}

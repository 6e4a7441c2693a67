// SPDX-License-Identifier: BSD-2-Clause
// text.c - rules back into words.
#include "adapter/words.h"

#include "adapter/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *out;
	size_t size, len;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	size_t room = t->len < t->size ? t->size - t->len : 0;
	va_list ap;

	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(room > 0 ? t->out + t->len : NULL, room, fmt, ap);
	va_end(ap);
}

static void put_fields(struct text *t, const struct adapter_filter *f)
{
	for (unsigned i = 0; i < n_fields; i++) {
		uint32_t value = field_get(&f->value, &fields[i]);
		uint32_t mask = field_get(&f->mask, &fields[i]);

		if (!field_given(f, &fields[i]))
			continue;
		put(t, "%s %u", fields[i].name, value);
		if (mask != field_max(&fields[i]))
			put(t, ":0x%x", mask);
		put(t, " ");
	}
}

struct ip filter_ip(uint8_t family, const uint32_t w[4])
{
	struct ip ip = {.family = family};

	if (family == 4)
		ip.v4 = w[0];
	else
		for (unsigned i = 0; i < IP6_LEN; i++)
			ip.v6.b[i] = (uint8_t)(w[i / 4] >> (24 - i % 4 * 8));
	return ip;
}

unsigned filter_prefix_len(const uint32_t mask[4])
{
	unsigned n = 0;

	for (unsigned i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcount(mask[i]);
	return n;
}

static bool addr_given(const uint32_t value[4], const uint32_t mask[4])
{
	uint32_t any = 0;

	for (unsigned i = 0; i < 4; i++)
		any |= value[i] | mask[i];
	return any != 0;
}

static void put_addr(struct text *t, const char *name, uint8_t family, const uint32_t value[4],
	const uint32_t mask[4])
{
	struct ip ip = filter_ip(family, value);
	unsigned len = filter_prefix_len(mask);
	char text[ADDR_TEXT_MAX];

	if (!addr_given(value, mask))
		return;
	put(t, "%s %s", name, ip_text(&ip, text));
	if (len != (family == 4 ? 32u : 128u))
		put(t, "/%u", len);
	put(t, " ");
}

static void put_switch(struct text *t, const struct adapter_filter *f)
{
	char text[ADDR_TEXT_MAX];

	put(t, " eport %u", f->eport);
	if (f->has_dmac)
		put(t, " dmac %s", mac_text(&f->dmac, text));
	if (f->has_smac)
		put(t, " smac %s", mac_text(&f->smac, text));
	if (f->swapmac)
		put(t, " swapmac 1");
	if (f->vlan == VLAN_REMOVE)
		put(t, " vlan none");
	else if (f->vlan != VLAN_KEEP)
		put(t, " vlan %c%u", f->vlan == VLAN_INSERT ? '+' : '=', f->vlan_id);
	if (f->nat == NAT_NONE)
		return;
	put(t, " nat %s", nat_name(f->nat));
	if (f->nat_dip.family != 0)
		put(t, " nat_dip %s", ip_text(&f->nat_dip, text));
	if (f->nat_sip.family != 0)
		put(t, " nat_sip %s", ip_text(&f->nat_sip, text));
	if (f->nat_dport != 0)
		put(t, " nat_dport %u", f->nat_dport);
	if (f->nat_sport != 0)
		put(t, " nat_sport %u", f->nat_sport);
	if (f->has_natseq)
		put(t, " natseq %u", f->natseq);
	if (f->natflag)
		put(t, " natflag 1");
}

static void put_pass(struct text *t, const struct adapter_filter *f)
{
	if (f->steer == STEER_RSS_REGION)
		put(t, " tcbrss %u", f->queue);
	else if (f->steer != STEER_RSS)
		put(t, " queue %u", f->queue);
	if (f->steer == STEER_HASH)
		put(t, " tcbhash %u", f->queue);
	if (f->report_tid)
		put(t, " rpttid 1");
}

size_t adapter_words(const struct adapter_filter *f, char *out, size_t size)
{
	static const char *const actions[] = {
		[ADAPTER_PASS] = "pass", [ADAPTER_DROP] = "drop", [ADAPTER_SWITCH] = "switch"};
	struct text t = {out, size, 0};

	if (f->value.family == 6)
		put(&t, "type ipv6 ");
	put_fields(&t, f);
	put_addr(&t, "sip", f->value.family, f->value.src, f->mask.src);
	put_addr(&t, "dip", f->value.family, f->value.dst, f->mask.dst);
	put(&t, "action %s", actions[f->action]);
	if (f->action == ADAPTER_SWITCH)
		put_switch(&t, f);
	else if (f->action == ADAPTER_PASS)
		put_pass(&t, f);
	if (f->prio)
		put(&t, " prio 1");
	if (!f->count_hits)
		put(&t, " hitcnts 0");
	return t.len;
}

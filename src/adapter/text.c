// SPDX-License-Identifier: BSD-2-Clause
// text.c - rules back into words.
#include "adapter/words.h"

#include "adapter/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void line_put(struct line *l, const char *fmt, ...)
{
	size_t room = l->len < l->size ? l->size - l->len : 0;
	va_list ap;

	va_start(ap, fmt);
	l->len += (size_t)vsnprintf(room > 0 ? l->out + l->len : NULL, room, fmt, ap);
	va_end(ap);
}

static void put_fields(struct line *l, const struct adapter_filter *f)
{
	for (unsigned i = 0; i < n_fields; i++) {
		uint32_t value = field_get(&f->value, &fields[i]);
		uint32_t mask = field_get(&f->mask, &fields[i]);

		if (!field_given(f, &fields[i]))
			continue;
		line_put(l, "%s %u", fields[i].name, value);
		if (mask != field_max(&fields[i]))
			line_put(l, ":0x%x", mask);
		line_put(l, " ");
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

const char *filter_prefix(
	uint8_t family, const uint32_t value[4], const uint32_t mask[4], char out[ADDR_TEXT_MAX])
{
	struct prefix p = {.addr = filter_ip(family, value)};

	for (unsigned i = 0; i < 4; i++)
		p.len += (uint8_t)__builtin_popcount(mask[i]);
	return p.len == (family == 4 ? 32 : 128) ? ip_text(&p.addr, out) : prefix_text(&p, out);
}

static bool addr_given(const uint32_t value[4], const uint32_t mask[4])
{
	uint32_t any = 0;

	for (unsigned i = 0; i < 4; i++)
		any |= value[i] | mask[i];
	return any != 0;
}

static void put_addr(struct line *l, const char *name, uint8_t family, const uint32_t value[4],
	const uint32_t mask[4])
{
	char text[ADDR_TEXT_MAX];

	if (addr_given(value, mask))
		line_put(l, "%s %s ", name, filter_prefix(family, value, mask, text));
}

static void put_switch(struct line *l, const struct adapter_filter *f)
{
	char text[ADDR_TEXT_MAX];

	line_put(l, " eport %u", f->eport);
	if (f->has_dmac)
		line_put(l, " dmac %s", mac_text(&f->dmac, text));
	if (f->has_smac)
		line_put(l, " smac %s", mac_text(&f->smac, text));
	if (f->swapmac)
		line_put(l, " swapmac 1");
	if (f->vlan == VLAN_REMOVE)
		line_put(l, " vlan none");
	else if (f->vlan != VLAN_KEEP)
		line_put(l, " vlan %c%u", f->vlan == VLAN_INSERT ? '+' : '=', f->vlan_id);
	if (f->nat == NAT_NONE)
		return;
	line_put(l, " nat %s", nat_name(f->nat));
	if (f->nat_dip.family != 0)
		line_put(l, " nat_dip %s", ip_text(&f->nat_dip, text));
	if (f->nat_sip.family != 0)
		line_put(l, " nat_sip %s", ip_text(&f->nat_sip, text));
	if (f->nat_dport != 0)
		line_put(l, " nat_dport %u", f->nat_dport);
	if (f->nat_sport != 0)
		line_put(l, " nat_sport %u", f->nat_sport);
	if (f->has_natseq)
		line_put(l, " natseq %u", f->natseq);
	if (f->natflag)
		line_put(l, " natflag 1");
}

static void put_pass(struct line *l, const struct adapter_filter *f)
{
	if (f->steer == STEER_RSS_REGION)
		line_put(l, " tcbrss %u", f->queue);
	else if (f->steer != STEER_RSS)
		line_put(l, " queue %u", f->queue);
	if (f->steer == STEER_HASH)
		line_put(l, " tcbhash %u", f->queue);
	if (f->report_tid)
		line_put(l, " rpttid 1");
}

size_t adapter_words(const struct adapter_filter *f, char *out, size_t size)
{
	struct line l = {out, size, 0};

	if (f->value.family == 6)
		line_put(&l, "type ipv6 ");
	put_fields(&l, f);
	put_addr(&l, "sip", f->value.family, f->value.src, f->mask.src);
	put_addr(&l, "dip", f->value.family, f->value.dst, f->mask.dst);
	line_put(&l, "action %s", adapter_action_name(f->action));
	if (f->action == ADAPTER_SWITCH)
		put_switch(&l, f);
	else if (f->action == ADAPTER_PASS)
		put_pass(&l, f);
	if (f->prio)
		line_put(&l, " prio 1");
	if (!f->count_hits)
		line_put(&l, " hitcnts 0");
	return l.len;
}

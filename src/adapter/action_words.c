// SPDX-License-Identifier: BSD-2-Clause
// action_words.c - the pairs of a rule that say what becomes of a matched packet.
#include "adapter/filter_words.h"
#include "adapter/names.h"
#include "adapter/nat.h"

#include <errno.h>
#include <string.h>

static const char *const nat_names[] = {
	[NAT_DIP] = "dip",
	[NAT_DIP_DP] = "dip-dp",
	[NAT_DIP_DP_SIP] = "dip-dp-sip",
	[NAT_DIP_DP_SP] = "dip-dp-sp",
	[NAT_SIP_SP] = "sip-sp",
	[NAT_DIP_SIP_SP] = "dip-sip-sp",
	[NAT_ALL] = "all",
};

const char *nat_name(enum adapter_nat nat)
{
	return nat_names[nat];
}

static const char *const action_names[] = {
	[ADAPTER_PASS] = "pass", [ADAPTER_DROP] = "drop", [ADAPTER_SWITCH] = "switch"};

const char *adapter_action_name(enum adapter_action action)
{
	return action_names[action];
}

static enum outcome parse_action(struct parse *p, const char *name, const char *text)
{
	(void)name;
	for (unsigned i = ADAPTER_PASS; i <= ADAPTER_SWITCH; i++)
		if (strcmp(text, action_names[i]) == 0) {
			p->f->action = i;
			return TAKEN;
		}
	say_error(p->out, "invalid action \"%s\"; must be one of \"pass\", \"drop\" or \"switch\"",
		text);
	return REFUSED;
}

static enum outcome parse_nat(struct parse *p, const char *name, const char *text)
{
	(void)name;
	for (unsigned i = NAT_DIP; i <= NAT_ALL; i++)
		if (strcmp(text, nat_names[i]) == 0) {
			p->f->nat = i;
			return TAKEN;
		}
	say_error(p->out,
		"unknown nat type \"%s\"; known types are dip, dip-dp, dip-dp-sip, dip-dp-sp, sip-sp, "
		"dip-sip-sp, and all",
		text);
	return REFUSED;
}

static enum outcome parse_nat_addr(struct parse *p, const char *name, const char *text)
{
	struct prefix prefix;
	enum outcome how = parse_addr(p, name, text, false, &prefix);

	if (how == TAKEN)
		*(name[4] == 'd' ? &p->f->nat_dip : &p->f->nat_sip) = prefix.addr;
	return how;
}

static enum outcome parse_nat_port(struct parse *p, const char *name, const char *text)
{
	uint32_t value, mask;
	enum outcome how = parse_val_mask(p, name, text, false, &value, &mask);

	if (how == TAKEN)
		*(name[4] == 'd' ? &p->f->nat_dport : &p->f->nat_sport) = (uint16_t)parse_cut(
			p, name, value, 16);
	return how;
}

static enum outcome parse_prio(struct parse *p, const char *name, const char *text)
{
	uint32_t value;
	enum outcome how = parse_val(p, name, text, &value);

	if (how != TAKEN)
		return how;
	if (p->hash)
		say_error(p->out, "Hashfilters doesn't support \"prio\"");
	else if (value > 1)
		say_error(p->out, "invalid priority \"%s\"; must be \"0\" or \"1\"", text);
	else {
		p->f->prio = value == 1;
		return TAKEN;
	}
	return REFUSED;
}

static enum outcome parse_mac(struct parse *p, const char *name, const char *text)
{
	bool dst = name[0] == 'd';

	if (strchr(text, '-') != NULL ||
		mac_parse(text, dst ? &p->f->dmac : &p->f->smac, NULL) != 0) {
		say_error(p->out, "invalid %s address \"%s\"", name, text);
		return REFUSED;
	}
	*(dst ? &p->f->has_dmac : &p->f->has_smac) = true;
	return TAKEN;
}

static enum outcome parse_vlan(struct parse *p, const char *name, const char *text)
{
	int64_t id;

	(void)name;
	if (strcmp(text, "none") == 0) {
		p->f->vlan = VLAN_REMOVE;
		p->f->vlan_id = 0;
		return TAKEN;
	}
	if (text[0] != '=' && text[0] != '+') {
		say_error(p->out,
			"unknown vlan parameter \"%s\"; must be one of \"none\", \"=<vlan>\",  \"+<vlan>\"",
			text);
		return REFUSED;
	}
	if (text[1] == '\0' || *number_read(text + 1, &id) != '\0' || id < 0 || id > 4095) {
		say_error(p->out, "invalid vlan \"%s\"", text);
		return REFUSED;
	}
	p->f->vlan = text[0] == '=' ? VLAN_REWRITE : VLAN_INSERT;
	p->f->vlan_id = (uint16_t)id;
	return TAKEN;
}

// Any number switches these on.
static void parse_on(struct parse *p, const char *name, uint32_t value, bool *on)
{
	if (value == 0)
		remark(p->remarks, "\"%s 0\" switches it on, as the card does", name);
	*on = true;
}

static enum outcome parse_number(struct parse *p, const char *name, const char *text)
{
	struct adapter_filter *f = p->f;
	uint32_t v;
	enum outcome how = parse_val(p, name, text, &v);

	if (how != TAKEN)
		return how;
	if (strcmp(name, "hitcnts") == 0)
		f->count_hits = parse_cut(p, name, v, 1) != 0;
	else if (strcmp(name, "rpttid") == 0)
		parse_on(p, name, v, &f->report_tid);
	else if (strcmp(name, "swapmac") == 0)
		parse_on(p, name, v, &f->swapmac);
	else if (strcmp(name, "natflag") == 0)
		parse_on(p, name, v, &f->natflag);
	else if (strcmp(name, "eport") == 0) {
		p->eport = true;
		f->eport = (uint8_t)parse_cut(p, name, v, 2);
	} else if (strcmp(name, "natseq") == 0) {
		f->natseq = v;
		f->has_natseq = v != 0;
	} else if (strcmp(name, "queue") == 0) {
		p->queue = true;
		p->iq = (uint16_t)parse_cut(p, name, v, 10);
	} else if (strcmp(name, "tcbhash") == 0) {
		p->tcbhash = true;
		p->iq = (uint16_t)parse_cut(p, name, v, 10);
	} else {
		p->tcbrss = true;
		p->iq = (uint16_t)((v >> 1) & 0x3ff);
		if (v != p->iq * 2u)
			remark(p->remarks, "tcbrss %u is kept as %u, as the card does", v,
				p->iq * 2u);
	}
	return TAKEN;
}

enum outcome parse_action_pair(struct parse *p, const char *name, const char *text)
{
	static const struct {
		const char *name;
		enum outcome (*parse)(struct parse *p, const char *name, const char *text);
	} params[] = {
		{"action", parse_action},
		{"hitcnts", parse_number},
		{"prio", parse_prio},
		{"rpttid", parse_number},
		{"queue", parse_number},
		{"tcbhash", parse_number},
		{"tcbrss", parse_number},
		{"eport", parse_number},
		{"swapmac", parse_number},
		{"nat", parse_nat},
		{"nat_dip", parse_nat_addr},
		{"nat_sip", parse_nat_addr},
		{"nat_dport", parse_nat_port},
		{"nat_sport", parse_nat_port},
		{"natseq", parse_number},
		{"natflag", parse_number},
		{"dmac", parse_mac},
		{"smac", parse_mac},
		{"vlan", parse_vlan},
	};

	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		if (strcmp(name, params[i].name) == 0)
			return params[i].parse(p, name, text);
	return UNFIT;
}

static bool first_byte(const struct ip *ip)
{
	return ip->family == 4 ? ip->v4 >> 24 != 0 : ip->family == 6 && ip->v6.b[0] != 0;
}

// A mode that rewrites an address writes the unspecified one where no word gave another.
static void nat_addr_settle(struct parse *p, bool rewritten, const char *name, struct ip *ip)
{
	if (!rewritten)
		*ip = (struct ip){0};
	else if (ip->family == 0) {
		ip->family = p->f->value.family;
		remark(p->remarks, "nat %s without %s writes the address %s", nat_names[p->f->nat],
			name, ip->family == 4 ? "0.0.0.0" : "::");
	}
}

static void steer_settle(struct parse *p)
{
	struct adapter_filter *f = p->f;

	if (p->queue)
		f->steer = p->tcbhash ? STEER_HASH : STEER_QUEUE;
	else // a tcbhash of its own steers nowhere: its number is left for the driver to refuse
		f->steer = p->tcbrss && !p->tcbhash ? STEER_RSS_REGION : STEER_RSS;
	f->queue = f->steer == STEER_RSS_REGION ? (uint16_t)(p->iq * 2) : p->iq;
}

int parse_actions_done(struct parse *p)
{
	struct adapter_filter *f = p->f;
	unsigned parts = nat_parts(f->nat);
	uint8_t has = f->value.vlan_valid;

	if (f->action != ADAPTER_SWITCH &&
		(f->eport != 0 || f->has_dmac || f->has_smac || f->vlan != VLAN_KEEP ||
			f->swapmac || f->nat != NAT_NONE))
		return say_error(p->out, "port, dmac, smac, vlan, and nat only make sense with "
					 "\"action switch\"");
	if (f->nat == NAT_NONE &&
		(f->has_natseq || f->natflag || first_byte(&f->nat_dip) ||
			first_byte(&f->nat_sip) || f->nat_dport != 0 || f->nat_sport != 0))
		return say_error(p->out, "nat params only make sense with valid nat mode");
	if (f->action != ADAPTER_PASS && (f->report_tid || p->queue || p->tcbrss))
		return say_error(p->out, "rpttid, queue and tcbhash don't make sense with action "
					 "\"drop\" or \"switch\"");
	if ((has & CLASSIFY_HAS_OVLAN) != 0 && (has & CLASSIFY_HAS_VNIC) != 0)
		return say_error(p->out, "ovlan and vnic_id (pf/vf) are mutually exclusive");
	nat_addr_settle(p, (parts & NAT_PART_DIP) != 0, "nat_dip", &f->nat_dip);
	nat_addr_settle(p, (parts & NAT_PART_SIP) != 0, "nat_sip", &f->nat_sip);
	steer_settle(p);
	if (f->action == ADAPTER_SWITCH && !p->eport)
		remark(p->remarks, "action switch without eport sends to port 0, as the card does");
	return 0;
}

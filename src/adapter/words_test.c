// SPDX-License-Identifier: BSD-2-Clause
// Each row: words in, lines and status out.  The texts are those of FreeBSD's cxgbetool and strerror.
#include "adapter/card_test.h"

#define INVAL       "cxgbetool: CHELSIO_T4_SET_FILTER: Invalid argument\n"
#define SAYS(text)  "cxgbetool: " text "\n"
#define WARNS(text) "cxgbetool: warning: " text "\n"

struct row {
	const char *before; // commands parted by ';' that must work; may be NULL
	const char *words;
	int status;
	const char *err; // what stderr gets
	const char *out; // what stdout gets
};

static void run_rows(const char *nexus, int n_prio, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		struct card *c = card_new(nexus, 1024, n_prio);
		char *before = strdup(r->before != NULL ? r->before : ""), *rest = before, *line;
		int status;

		while ((line = strsep(&rest, ";")) != NULL)
			if (*line != '\0')
				card_must(c, line);
		status = card_do(c, r->words);
		if (status != r->status ||
			strcmp(c->complained, r->err != NULL ? r->err : "") != 0 ||
			strcmp(c->said, r->out != NULL ? r->out : "") != 0)
			fail_msg(
				"%s %s: status %d (%d)\nstderr: %sinstead of: %s\nstdout: %sinstead of: %s",
				nexus, r->words, status, r->status, c->complained,
				r->err != NULL ? r->err : "", c->said,
				r->out != NULL ? r->out : "");
		free(before);
		card_free(c);
	}
}
#define ROWS(nexus, n_prio, rows) run_rows(nexus, n_prio, rows, sizeof(rows) / sizeof((rows)[0]))

static void shape_of_filter(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter", EINVAL, SAYS("filter: no arguments."), NULL},
		{NULL, "hashfilter", EINVAL, SAYS("hashfilter: no arguments."), NULL},
		{NULL, "filter 5", EINVAL, SAYS("set_filter: Invalid argument"), NULL},
		{NULL, "filter 5 proto", EINVAL, SAYS("set_filter: Invalid argument"), NULL},
		{NULL, "filter 5 proto 6 dport", EINVAL, SAYS("no value for \"dport\""), NULL},
		{NULL, "filter five proto 6", EINVAL,
			SAYS("\"five\" is neither an index nor a filter subcommand."), NULL},
		{NULL, "filter -1 proto 6", EINVAL,
			SAYS("\"-1\" is neither an index nor a filter subcommand."), NULL},
		{NULL, "filter 4294967296 proto 6", EINVAL,
			SAYS("\"4294967296\" is neither an index nor a filter subcommand."), NULL},
		{NULL, "filter 4294967295 proto 6", EINVAL,
			WARNS("index 4294967295: indices are below 1024") INVAL, NULL},
		{NULL, "filter 0x10 proto 6", 0, NULL, NULL},
		{"filter 010 proto 6", "filter 8 proto 6", EBUSY,
			SAYS("CHELSIO_T4_SET_FILTER: Device busy"), NULL},
		{NULL, "filter 08 proto 6", EINVAL,
			SAYS("\"08\" is neither an index nor a filter subcommand."), NULL},
		{NULL, "filter 5 colour blue", EINVAL, SAYS("invalid parameter \"colour\""), NULL},
		{NULL, "teleport 5", EINVAL, SAYS("invalid command \"teleport\""), NULL},
		{NULL, "", EINVAL, SAYS("no command"), NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

#define BAD(name, value)                                                                           \
	SAYS("parameter \"" name "\" has bad \"value[:mask]\" " value)                             \
	SAYS("invalid parameter \"" name "\"")

static void numbers(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter 5 dport 80", 0, NULL, NULL},
		{NULL, "filter 5 dport 0x50:0xff", 0, NULL, NULL},
		{NULL, "filter 5 dport 0080", EINVAL, BAD("dport", "0080"), NULL},
		{NULL, "filter 5 dport http", EINVAL, BAD("dport", "http"), NULL},
		{NULL, "filter 5 dport -1", EINVAL, BAD("dport", "-1"), NULL},
		{NULL, "filter 5 dport 4294967296", EINVAL, BAD("dport", "4294967296"), NULL},
		{NULL, "filter 5 dport 99999999999999999999999", EINVAL,
			BAD("dport", "99999999999999999999999"), NULL},
		{NULL, "filter 5 dport 80:", EINVAL, BAD("dport", "80:"), NULL},
		{NULL, "filter 5 dport 80:x", EINVAL, BAD("dport", "80:x"), NULL},
		{NULL, "filter 5 dport 80:-1", EINVAL, BAD("dport", "80:-1"), NULL},
		{NULL, "filter 5 dport 80:0xff:1", EINVAL, BAD("dport", "80:0xff:1"), NULL},
		{NULL, "filter 5 dport ''", EINVAL, BAD("dport", ""), NULL},
		{NULL, "filter 5 dport 0x", EINVAL, BAD("dport", "0x"), NULL},
		{NULL, "filter 5 dport 0b11", EINVAL, BAD("dport", "0b11"), NULL},
		{NULL, "filter 5 sport 1-2", EINVAL, BAD("sport", "1-2"), NULL},
		{NULL, "filter 5 proto tcp", EINVAL, BAD("proto", "tcp"), NULL},
		{NULL, "filter 5 tos x", EINVAL, BAD("tos", "x"), NULL},
		{NULL, "filter 5 frag x", EINVAL, BAD("frag", "x"), NULL},
		{NULL, "filter 5 iport x", EINVAL, BAD("iport", "x"), NULL},
		{NULL, "filter 5 ivlan x", EINVAL, BAD("ivlan", "x"), NULL},
		{NULL, "filter 5 ovlan x", EINVAL, BAD("ovlan", "x"), NULL},
		{NULL, "filter 5 pf x", EINVAL, BAD("pf", "x"), NULL},
		{NULL, "filter 5 vf x", EINVAL, BAD("vf", "x"), NULL},
		{NULL, "filter 5 ethtype x", EINVAL, BAD("ethtype", "x"), NULL},
		{NULL, "filter 5 macidx x", EINVAL, BAD("macidx", "x"), NULL},
		{NULL, "filter 5 matchtype x", EINVAL, BAD("matchtype", "x"), NULL},
		{NULL, "filter 5 fcoe x", EINVAL, BAD("fcoe", "x"), NULL},
		{NULL, "filter 5 hitcnts x", EINVAL,
			SAYS("parameter \"hitcnts\" has bad \"value\" x")
				SAYS("invalid parameter \"hitcnts\""),
			NULL},
		{NULL, "filter 5 vlan 5", EINVAL,
			SAYS("unknown vlan parameter \"5\"; must be one of \"none\", \"=<vlan>\",  "
			     "\"+<vlan>\""),
			NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

static void addresses(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter 5 type ipv5", EINVAL,
			SAYS("invalid type \"ipv5\"; must be one of \"ipv4\" or \"ipv6\""), NULL},
		{NULL, "filter 4 type IPv6", 0, NULL, NULL},
		{NULL, "filter 5 type ipv6 type ipv4", EINVAL,
			SAYS("conflicting IPv4/IPv6 specifications."), NULL},
		{NULL, "filter 5 sip 10.0.0.1 type ipv6", EINVAL,
			SAYS("conflicting IPv4/IPv6 specifications."), NULL},
		{NULL, "filter 5 type ipv6 sip 10.0.0.1", EINVAL,
			SAYS("address 10.0.0.1 is not of expected family IPv6")
				SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.1 dip 2001:db8::1", EINVAL,
			SAYS("address 2001:db8::1 is not of expected family IP")
				SAYS("invalid parameter \"dip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0", EINVAL,
			SAYS("Cannot parse sip IPv4 address 10.0.0")
				SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 5 dip 2001:db8::g/64", EINVAL,
			SAYS("Cannot parse dip IPv6 address 2001:db8::g/64")
				SAYS("invalid parameter \"dip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.0/", EINVAL,
			SAYS("missing address prefix for sip") SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.0/255.0.0.0", EINVAL,
			SAYS("255.0.0.0 is not a valid address prefix")
				SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.0/0x8", EINVAL,
			SAYS("0x8 is not a valid address prefix") SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.0/33", EINVAL,
			SAYS("prefix 33 is too long for an IPv4 address")
				SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "filter 4 dip 2001:db8::/129", EINVAL,
			SAYS("prefix 129 is too long for an IPv6 address")
				SAYS("invalid parameter \"dip\""),
			NULL},
		{NULL, "filter 5 sip 10.0.0.0/010", 0, NULL, NULL},
		{NULL, "filter 5 sip 10.0.0.5/24", 0,
			WARNS("sip has bits outside its mask, so the rule matches no packet"),
			NULL},
		{NULL, "filter 5 dip 10.0.0.5/24", 0,
			WARNS("dip has bits outside its mask, so the rule matches no packet"),
			NULL},
		{NULL, "filter 5 dport 80:0xff00", 0,
			WARNS("dport has bits outside its mask, so the rule matches no packet"),
			NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

static void cut_values_are_told(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter 5 frag 2", 0, WARNS("frag 2 is cut to 1 bit, as the card does: 0"),
			NULL},
		{NULL, "filter 5 dport 65616", 0,
			WARNS("dport 65616 is cut to 16 bits, as the card does: 80"), NULL},
		{NULL, "filter 5 hitcnts 2", 0,
			WARNS("hitcnts 2 is cut to 1 bit, as the card does: 0"), NULL},
		{NULL, "filter 5 proto 6:0x1ff", 0,
			WARNS("the mask of proto is cut to 8 bits, as the card does: 0xff"), NULL},
		{NULL, "filter 5 queue 1025", 0,
			WARNS("queue 1025 is cut to 10 bits, as the card does: 1"), NULL},
		{NULL, "filter 5 tcbrss 5", 0, WARNS("tcbrss 5 is kept as 4, as the card does"),
			NULL},
		{NULL, "filter 5 action switch eport 5", 0,
			WARNS("eport 5 is cut to 2 bits, as the card does: 1"), NULL},
		{NULL, "filter 5 action switch eport 1 swapmac 0", 0,
			WARNS("\"swapmac 0\" switches it on, as the card does"), NULL},
		{NULL, "filter 5 action switch", 0,
			WARNS("action switch without eport sends to port 0, as the card does"),
			NULL},
		{NULL, "filter 5 action switch eport 0", 0, NULL, NULL},
		{NULL, "filter 5 rpttid 0", 0,
			WARNS("\"rpttid 0\" switches it on, as the card does"), NULL},
		{NULL, "filter 5 action switch eport 1 nat dip", 0,
			WARNS("nat dip without nat_dip writes the address 0.0.0.0"), NULL},
		// Nothing is told of a rule that is not taken.
		{NULL, "filter 5 frag 2 colour blue", EINVAL, SAYS("invalid parameter \"colour\""),
			NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

static void actions(void **state)
{
	static const char only_switch[] = SAYS(
		"port, dmac, smac, vlan, and nat only make sense with "
		"\"action switch\"");
	static const char no_nat[] = SAYS("nat params only make sense with valid nat mode");
	static const char no_steer[] = SAYS(
		"rpttid, queue and tcbhash don't make sense with action "
		"\"drop\" or \"switch\"");
	static const struct row rows[] = {
		{NULL, "filter 5 action fly", EINVAL,
			SAYS("invalid action \"fly\"; must be one of \"pass\", \"drop\" or \"switch\""),
			NULL},
		{NULL, "filter 5 prio 2", EINVAL,
			SAYS("invalid priority \"2\"; must be \"0\" or \"1\""), NULL},
		{NULL, "filter 5 prio x", EINVAL,
			SAYS("parameter \"prio\" has bad \"value\" x")
				SAYS("invalid parameter \"prio\""),
			NULL},
		{NULL, "filter 5 action switch dmac 02:00", EINVAL,
			SAYS("invalid dmac address \"02:00\""), NULL},
		{NULL, "filter 5 action switch smac 02-00-00-00-00-01", EINVAL,
			SAYS("invalid smac address \"02-00-00-00-00-01\""), NULL},
		{NULL, "filter 5 action switch vlan =4096", EINVAL, SAYS("invalid vlan \"=4096\""),
			NULL},
		{NULL, "filter 5 action switch vlan +", EINVAL, SAYS("invalid vlan \"+\""), NULL},
		{NULL, "filter 5 action switch vlan =5x", EINVAL, SAYS("invalid vlan \"=5x\""),
			NULL},
		{NULL, "filter 5 action switch eport 1 vlan +0x10", 0, NULL, NULL},
		{NULL, "filter 5 action switch nat sip", EINVAL,
			SAYS("unknown nat type \"sip\"; known types are dip, dip-dp, dip-dp-sip, "
			     "dip-dp-sp, sip-sp, dip-sip-sp, and all"),
			NULL},
		{NULL, "filter 5 action switch nat dip nat_dip 10.0.0.0/8", EINVAL,
			SAYS("mask cannot be provided for maskless specification")
				SAYS("invalid parameter \"nat_dip\""),
			NULL},
		{NULL, "filter 5 action switch nat dip-dp nat_dip 10.0.0.1 nat_dport 80:1", EINVAL,
			SAYS("param nat_dport: mask not allowed for hashfilter or nat params")
				SAYS("invalid parameter \"nat_dport\""),
			NULL},
		{NULL, "filter 4 sip 10.0.0.1 action switch nat dip nat_dip 2001:db8::1", EINVAL,
			SAYS("address 2001:db8::1 is not of expected family IP")
				SAYS("invalid parameter \"nat_dip\""),
			NULL},
		{NULL, "filter 5 eport 1", EINVAL, only_switch, NULL},
		{NULL, "filter 5 action drop dmac 02:00:00:00:00:01", EINVAL, only_switch, NULL},
		{NULL, "filter 5 smac 02:00:00:00:00:01", EINVAL, only_switch, NULL},
		{NULL, "filter 5 vlan none", EINVAL, only_switch, NULL},
		{NULL, "filter 5 swapmac 1", EINVAL, only_switch, NULL},
		{NULL, "filter 5 nat all", EINVAL, only_switch, NULL},
		{NULL, "filter 5 eport 0", 0, NULL, NULL},
		{NULL, "filter 5 natseq 5", EINVAL, no_nat, NULL},
		{NULL, "filter 5 natflag 1", EINVAL, no_nat, NULL},
		{NULL, "filter 5 nat_dip 10.0.0.1", EINVAL, no_nat, NULL},
		{NULL, "filter 5 nat_sip 10.0.0.1", EINVAL, no_nat, NULL},
		{NULL, "filter 5 nat_dport 80", EINVAL, no_nat, NULL},
		{NULL, "filter 5 action switch nat_sport 80", EINVAL, no_nat, NULL},
		{NULL, "filter 5 nat_dip 0.1.2.3", 0, NULL, NULL},
		{NULL, "filter 5 action drop queue 1", EINVAL, no_steer, NULL},
		{NULL, "filter 5 action drop rpttid 1", EINVAL, no_steer, NULL},
		{NULL, "filter 5 action switch tcbrss 2", EINVAL, no_steer, NULL},
		{NULL, "filter 5 ovlan 5 pf 1", EINVAL,
			SAYS("ovlan and vnic_id (pf/vf) are mutually exclusive"), NULL},
		// In this order.
		{NULL, "filter 5 eport 1 natflag 1 ovlan 5 pf 1", EINVAL, only_switch, NULL},
		{NULL, "filter 5 action drop queue 1 ovlan 5 pf 1 natflag 1", EINVAL, no_nat, NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

#define NOT_IN_MODE   SAYS("CHELSIO_T4_SET_FILTER: Argument list too long")
#define BUSY          SAYS("CHELSIO_T4_SET_FILTER: Device busy")
#define MODE_BUSY     SAYS("CHELSIO_T4_SET_FILTER_MODE: Device busy")
#define NOT_SUPPORTED SAYS("CHELSIO_T4_SET_FILTER: Operation not supported")

static void what_the_driver_refuses(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter 1024 proto 6", EINVAL,
			WARNS("index 1024: indices are below 1024") INVAL, NULL},
		{NULL, "filter 1023 proto 6", 0, NULL, NULL},
		{NULL, "filter 1 type ipv6", EINVAL,
			WARNS("index 1: an IPv6 rule begins at a multiple of 4") INVAL, NULL},
		{NULL, "filter 2 type ipv6", EINVAL,
			WARNS("index 2: an IPv6 rule begins at a multiple of 4") INVAL, NULL},
		{NULL, "filter 1020 type ipv6", EINVAL,
			WARNS("index 1020: the last four are out of an IPv6 rule's reach") INVAL,
			NULL}, // the last group of four
		{NULL, "filter 1016 type ipv6", 0, NULL, NULL},
		{"filter 5 proto 6", "filter 5 proto 17", EBUSY, BUSY, NULL},
		{"filter 4 type ipv6", "filter 4 proto 6", EBUSY, BUSY, NULL},
		{"filter 4 type ipv6", "filter 5 proto 6", EBUSY,
			WARNS("index 5 belongs to the IPv6 rule 4") BUSY, NULL},
		{"filter 4 type ipv6", "filter 7 proto 6", EBUSY,
			WARNS("index 7 belongs to the IPv6 rule 4") BUSY, NULL},
		{"filter 4 type ipv6", "filter 8 proto 6", 0, NULL, NULL},
		{"filter 7 proto 6", "filter 4 type ipv6", EBUSY,
			WARNS("an IPv6 rule takes 4 indices, and 7 is in use") BUSY, NULL},
		{"filter 8 proto 6;filter 3 proto 6", "filter 4 type ipv6", 0, NULL, NULL},
		{NULL, "filter 5 tos 4", E2BIG, WARNS("`filter mode` lacks tos") NOT_IN_MODE, NULL},
		{NULL, "filter 5 ethtype 0x806", E2BIG,
			WARNS("`filter mode` lacks ethtype") NOT_IN_MODE, NULL},
		{NULL, "filter 5 macidx 1", E2BIG, WARNS("`filter mode` lacks macidx") NOT_IN_MODE,
			NULL},
		{NULL, "filter 5 ovlan 5", E2BIG, WARNS("`filter mode` lacks ovlan") NOT_IN_MODE,
			NULL},
		{NULL, "filter 5 pf 1", E2BIG, WARNS("pf: `filter mode` lacks vnic_id") NOT_IN_MODE,
			NULL},
		{NULL, "filter 5 vf 1", E2BIG, WARNS("vf: `filter mode` lacks vnic_id") NOT_IN_MODE,
			NULL},
		{"filter 5 proto 6", "filter 5 tos 4", E2BIG,
			WARNS("`filter mode` lacks tos") NOT_IN_MODE, NULL}, // before busy
		{"filter mode ovlan", "filter 5 pf 1", EINVAL,
			WARNS("pf: `filter mode` lacks vnic_id") INVAL, NULL},
		{"filter mode vnic_id", "filter 5 ovlan 1", EINVAL,
			WARNS("`filter mode` lacks ovlan") INVAL, NULL},
		{"filter mode vnic_id", "filter 5 vf 7 pf 1", 0, NULL, NULL},
		{"filter mode tos", "filter 5 proto 6", E2BIG,
			WARNS("`filter mode` lacks proto") NOT_IN_MODE, NULL},
		{NULL, "filter 5 tos 0:0", 0, NULL, NULL}, // a wildcard looks at nothing
		{NULL, "filter 5 iport 2", EINVAL,
			WARNS("iport 2: the card's ports are below 2") INVAL, NULL},
		{NULL, "filter 5 iport 4", EINVAL,
			WARNS("iport 4: the card's ports are below 2") INVAL, NULL},
		{NULL, "filter 5 action switch eport 2", EINVAL,
			WARNS("eport 2: the card's ports are below 2") INVAL, NULL},
		{NULL, "filter 5 tcbhash 5", EINVAL,
			WARNS("tcbhash without queue steers nowhere") INVAL, NULL},
		{NULL, "filter 5 action drop tcbhash 5", EINVAL,
			WARNS("tcbhash without queue steers nowhere") INVAL, NULL},
		{NULL, "filter 5 queue 8", EINVAL,
			SAYS("queue 8: the card has 8 receive queues") INVAL, NULL},
		{NULL, "filter 5 queue 7", 0, NULL, NULL},
		{NULL, "filter 5 tcbrss 8", EINVAL,
			SAYS("tcbrss 8: the card has 8 receive queues") INVAL, NULL},
		{NULL, "filter 5 action switch eport 1 vlan none", 0, NULL, NULL},
	};
	static const struct row t4[] = {
		{NULL, "filter 5 action switch vlan none", 45,
			WARNS("a T4 can insert a VLAN tag, not change one, and has neither swapmac nor nat")
				NOT_SUPPORTED,
			NULL},
		{NULL, "filter 5 action switch vlan =5", 45,
			WARNS("a T4 can insert a VLAN tag, not change one, and has neither swapmac nor nat")
				NOT_SUPPORTED,
			NULL},
		{NULL, "filter 5 action switch swapmac 1", 45,
			WARNS("a T4 can insert a VLAN tag, not change one, and has neither swapmac nor nat")
				NOT_SUPPORTED,
			NULL},
		{NULL, "filter 5 action switch nat all nat_dip 10.0.0.1 nat_sip 10.0.0.2", 45,
			WARNS("a T4 can insert a VLAN tag, not change one, and has neither swapmac nor nat")
				NOT_SUPPORTED,
			NULL},
		{NULL, "filter 5 action switch eport 1 vlan +5", 0, NULL, NULL},
		{NULL, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6", 45,
			WARNS("a T4 has no hash rules") NOT_SUPPORTED, NULL},
		{NULL, "hashfilter mode proto", 45,
			WARNS("a T4 has no hash rules")
				SAYS("CHELSIO_T4_SET_FILTER_MASK: Operation not supported"),
			NULL},
	};
	static const struct row t6[] = {
		{"filter 4 type ipv6", "filter 5 proto 6", EBUSY,
			WARNS("index 5 belongs to the IPv6 rule 4") BUSY, NULL},
		{"filter 4 type ipv6", "filter 6 proto 6", 0, NULL, NULL}, // two entries on a T6
		{NULL, "filter 6 type ipv6", EINVAL,
			WARNS("index 6: an IPv6 rule begins at a multiple of 4") INVAL, NULL},
		{"filter 5 proto 6", "filter 5 proto 6 prio 1", 0, NULL, NULL}, // another region
		{NULL, "filter 63 proto 6 prio 1", 0, NULL, NULL},
		{NULL, "filter 64 proto 6 prio 1", EINVAL,
			WARNS("index 64: indices are below 64 for rules of prio 1") INVAL, NULL},
	};
	static const struct row t6_without[] = {
		{NULL, "filter 5 proto 6 prio 1", 45,
			WARNS("the card has no indices for rules of prio 1") NOT_SUPPORTED, NULL},
		{NULL, "filter 5 proto 6", 0, NULL, NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
	ROWS("t4nex0", 0, t4);
	ROWS("t6nex0", 0, t6);
	ROWS("t6nex0", -1, t6_without);
}

#define GONE SAYS("CHELSIO_T4_DEL_FILTER: Invalid argument")

static void delete_and_list(void **state)
{
	static const struct row rows[] = {
		{"filter 5 proto 6", "filter 5 delete", 0, NULL, NULL},
		{"filter 5 proto 6", "filter 5 clear", 0, NULL, NULL},
		{"filter 5 proto 6;filter 5 delete", "filter 5 proto 6", 0, NULL, NULL},
		{"filter 5 proto 6", "filter 5 delete prio 0", 0, NULL, NULL},
		{"filter 5 proto 6", "filter 5 delete prio 1", 0, NULL, NULL}, // ignored on T4, T5
		{NULL, "filter 5 delete", EINVAL, WARNS("there is no rule 5") GONE, NULL},
		{NULL, "filter 5000 delete", EINVAL, WARNS("there is no rule 5000") GONE, NULL},
		{"filter 4 type ipv6", "filter 5 delete", EINVAL,
			WARNS("index 5 belongs to the IPv6 rule 4") GONE, NULL},
		{"filter 5 proto 6", "filter 5 delete prio", EINVAL,
			SAYS("invalid parameter \"delete\""), NULL},
		{"filter 5 proto 6", "filter 5 delete prio 2", EINVAL,
			SAYS("prio \"2\"; must be \"0\" or \"1\"."), NULL},
		{"filter 5 proto 6", "filter 5 delete port 1", EINVAL,
			SAYS("\"prio\" is the only valid keyword after \"delete\", found \"port\" "
			     "instead."),
			NULL},
		{NULL, "filter list", 0, NULL, NULL},
		{NULL, "filter list all", 0, SAYS("trailing arguments after \"list\" ignored."),
			NULL},
		{NULL, "hashfilter list", 0, NULL, NULL},
	};
	static const struct row t6[] = {
		{"filter 5 proto 6 prio 1", "filter 5 delete", EINVAL,
			WARNS("there is no rule 5") GONE, NULL},
		{"filter 5 proto 6 prio 1", "filter 5 delete prio 1", 0, NULL, NULL},
		{"filter 5 proto 6", "filter 5 delete prio 1", EINVAL,
			WARNS("there is no rule 5 of prio 1") GONE, NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
	ROWS("t6nex0", 0, t6);
}

static void filter_mode(void **state)
{
	static const struct row rows[] = {
		{NULL, "filter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport frag matchtype proto vlan iport fcoe \n"},
		{"filter mode fcoe iport proto tos ipv4 sip", "filter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport proto tos iport fcoe \n"},
		{"filter mode ethtype macidx frag", "filter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport frag macidx ethtype \n"},
		{"filter mode ovlan vlan", "filter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport vlan ovlan \n"},
		{"filter mode vnic_id", "filter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport vnic_id \n"},
		{"filter mode dport", "filter mode", 0, NULL, "ipv4 ipv6 sip dip sport dport \n"},
		{NULL, "filter mode colour proto shape", EINVAL,
			SAYS("\"colour\" is not valid while setting filter mode.")
				SAYS("\"shape\" is not valid while setting filter mode."),
			NULL},
		{NULL, "filter mode vnic_id ovlan", EINVAL,
			SAYS("\"vnic_id\" and \"ovlan\" are mutually exclusive."), NULL},
		{"filter 5 proto 6", "filter mode tos", EBUSY,
			WARNS("the mode cannot change while there are rules") MODE_BUSY, NULL},
		{"filter mode ovlan", "filter mode vnic_id", EBUSY,
			WARNS("ovlan becomes vnic_id by way of a mode without either") MODE_BUSY,
			NULL},
		{"filter mode ovlan;filter mode proto", "filter mode vnic_id", 0, NULL, NULL},
		// 36 bits and no more.
		{NULL, "filter mode vlan ovlan fcoe frag", 0, NULL, NULL},
		{NULL, "filter mode vlan ovlan iport", EINVAL,
			WARNS("these cost 37 bits, of which there are 36")
				SAYS("CHELSIO_T4_SET_FILTER_MODE: Invalid argument"),
			NULL},
		{"filter mode tos proto ethtype iport fcoe", "filter 5 tos 4 ethtype 0x806", 0,
			NULL, NULL},
	};

	(void)state;
	ROWS("t5nex0", 0, rows);
}

#define TUPLE "sip 10.0.0.1 dip 10.0.0.2 sport 1000 dport 80 proto 6"

static void hashfilter(void **state)
{
	static const struct row t6[] = {
		{NULL, "hashfilter " TUPLE, 0, NULL, "0\n"},
		{"hashfilter " TUPLE, "hashfilter " TUPLE, EEXIST,
			SAYS("CHELSIO_T4_SET_FILTER: File exists"), NULL},
		{"hashfilter " TUPLE, "hashfilter " TUPLE " sport 1001", 0, NULL, "1\n"},
		{"hashfilter " TUPLE, "hashfilter 0 delete", 0, NULL, NULL},
		{"hashfilter " TUPLE ";hashfilter 0 clear", "hashfilter " TUPLE, 0, NULL, "0\n"},
		{NULL, "hashfilter 0 delete", EINVAL,
			WARNS("there is no rule 0") SAYS("CHELSIO_T4_DEL_FILTER: Invalid argument"),
			NULL},
		{"hashfilter " TUPLE, "hashfilter 0 delete prio 1", EINVAL,
			SAYS("stray arguments after \"delete\"."), NULL},
		{NULL, "hashfilter 7 " TUPLE, EINVAL,
			WARNS("the card chooses the index of a hash rule") INVAL, NULL},
		{NULL, "hashfilter " TUPLE " prio 1", EINVAL,
			SAYS("Hashfilters doesn't support \"prio\""), NULL},
		{NULL, "hashfilter " TUPLE " dport 80:0xffff", EINVAL,
			SAYS("param dport: mask not allowed for hashfilter or nat params")
				SAYS("invalid parameter \"dport\""),
			NULL},
		{NULL, "hashfilter sip 10.0.0.0/8", EINVAL,
			SAYS("mask cannot be provided for maskless specification")
				SAYS("invalid parameter \"sip\""),
			NULL},
		{NULL, "hashfilter " TUPLE " iport 0", EINVAL,
			WARNS("`hashfilter mode` lacks iport") INVAL, NULL},
		{NULL, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 80", EINVAL,
			WARNS("a hash rule gives all that `hashfilter mode` lists: proto is missing")
				INVAL,
			NULL},
		{NULL, "hashfilter sip 10.0.0.1 sport 1 dport 80 proto 6", EINVAL,
			WARNS("a hash rule gives all that `hashfilter mode` lists: dip is missing")
				INVAL,
			NULL},
		{NULL, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 proto 6", EINVAL,
			WARNS("a hash rule gives all that `hashfilter mode` lists: dport is missing")
				INVAL,
			NULL},
		{"hashfilter " TUPLE,
			"hashfilter sip 2001:db8::1 dip 2001:db8::2 sport 1 dport 2 proto 6", 0,
			NULL, "2\n"},
		{NULL, "hashfilter mode", 0, NULL, "ipv4 ipv6 sip dip sport dport proto \n"},
		{"hashfilter mode iport proto", "hashfilter mode", 0, NULL,
			"ipv4 ipv6 sip dip sport dport proto iport \n"},
		{"hashfilter mode iport proto", "hashfilter " TUPLE " iport 1", 0, NULL, "0\n"},
		{"hashfilter " TUPLE, "hashfilter mode iport", EBUSY,
			WARNS("the mode cannot change while there are hash rules")
				SAYS("CHELSIO_T4_SET_FILTER_MASK: Device busy"),
			NULL},
		{NULL, "hashfilter mode tos", EINVAL,
			WARNS("`filter mode` lacks tos")
				SAYS("CHELSIO_T4_SET_FILTER_MASK: Invalid argument"),
			NULL},
		{"hashfilter " TUPLE, "filter mode proto", EBUSY,
			WARNS("the mode cannot change while there are rules") MODE_BUSY, NULL},
		{"hashfilter " TUPLE ";filter 5 prio 1 proto 6", "filter 5 proto 6", 0, NULL, NULL},
	};
	static const struct row t5[] = {
		{NULL, "hashfilter " TUPLE " fcoe 0", EINVAL,
			WARNS("a T5 does not count hits of hash rules: hitcnts 0 is missing") INVAL,
			NULL}, // cannot count
		{NULL, "hashfilter " TUPLE " fcoe 0 hitcnts 0", 0, NULL, "0\n"},
		{NULL, "hashfilter " TUPLE " hitcnts 0", EINVAL,
			WARNS("a hash rule gives all that `hashfilter mode` lists: fcoe is missing")
				INVAL,
			NULL}, // fcoe is in the mask
		{"hashfilter " TUPLE " fcoe 0 hitcnts 0", "filter 5 proto 6 prio 1", EINVAL,
			SAYS("prio 1: hash rules are there: this one would have to be before them and "
			     "among the others, which it cannot") INVAL,
			NULL},
		{"filter 5 proto 6 prio 1", "hashfilter " TUPLE " fcoe 0 hitcnts 0", EINVAL,
			SAYS("a rule of `prio 1` is there: it would have to be before the hash rules and "
			     "among the others, which it cannot") INVAL,
			NULL},
		{"filter 5 proto 6 prio 1;filter 5 delete", "hashfilter " TUPLE " fcoe 0 hitcnts 0",
			0, NULL, "0\n"},
	};

	(void)state;
	ROWS("t6nex0", 0, t6);
	ROWS("t5nex0", 0, t5);
}

static void other_commands(void **state)
{
	static const struct row rows[] = {
		{NULL, "clearstats 0", 0, NULL, NULL},
		{NULL, "clearstats", EINVAL, SAYS("incorrect number of arguments."), NULL},
		{NULL, "clearstats 0 1", EINVAL, SAYS("incorrect number of arguments."), NULL},
		{NULL, "clearstats p0", EINVAL, SAYS("invalid port id \"p0\""), NULL},
		{NULL, "clearstats 2", EINVAL,
			WARNS("port 2: the card's ports are below 2")
				SAYS("CHELSIO_T4_CLEAR_STATS: Invalid argument"),
			NULL},
		{NULL, "clearstats -1", EINVAL,
			WARNS("port -1: the card's ports are below 2")
				SAYS("CHELSIO_T4_CLEAR_STATS: Invalid argument"),
			NULL},
		{NULL, "clip list", 0, NULL, "IP address                               Users\n"},
		{"clip hold 2001:db8::1;clip hold 2001:db8::1;clip hold fe80::1;clip rel fe80::1",
			"clip list", 0, NULL,
			"IP address                               Users\n"
			"2001:db8::1                                  2\n"},
		{NULL, "clip release 2001:db8::1", ENOENT,
			SAYS("CHELSIO_T4_RELEASE_CLIP_ADDR: No such file or directory"), NULL},
		{NULL, "clip hold", EINVAL, SAYS("incorrect number of arguments."), NULL},
		{NULL, "clip keep ::1", EINVAL,
			SAYS("first argument must be \"hold\" or \"release\""), NULL},
		{NULL, "clip hold 10.0.0.1", EINVAL,
			SAYS("address 10.0.0.1 is not of expected family IPv6"), NULL},
		{NULL, "clip hold fe80::x", EINVAL, SAYS("Cannot parse hold IPv6 address fe80::x"),
			NULL},
		{NULL, "policy /etc/cop", ENODEV,
			SAYS("policy: this card has no TCP offload engine to steer") SAYS(
				"CHELSIO_T4_SET_OFLD_POLICY: Operation not supported by device"),
			NULL},
		{NULL, "loadfw t5fw.bin", 45,
			SAYS("loadfw: this card is software and has no flash")
				SAYS("CHELSIO_T4_LOAD_FW: Operation not supported"),
			NULL},
	};
	static const char *const refused[] = {"sched-class config type packet minmax 1",
		"sched-queue 0 all 1", "tracer 0 tx0", "tracer list", "modinfo 0", "i2c 0 0xa0 0",
		"context egress 0", "tcb 0", "reg 0x9800", "reg32 0x9800=1", "reg64 0", "regdump",
		"memdump 0 4", "dumpstate f", "loadcfg clear", "loadboot clear",
		"loadboot-cfg clear"};
	struct card *c = card_new("t5nex0", 16, 0);

	(void)state;
	ROWS("t5nex0", 0, rows);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(card_do(c, refused[i]), 45);
		assert_non_null(strstr(c->complained, ": Operation not supported\n"));
		assert_non_null(strstr(c->complained, ": this card "));
	}
	card_free(c);
}

static void a_place_may_refuse(void **state)
{
	struct card *c = card_new("t5nex0", 16, 0);

	(void)state;
	card_must(c, "filter 1 proto 6");
	c->refuse = EAGAIN;
	assert_int_equal(card_do(c, "filter 2 proto 6"), 35); // FreeBSD's EAGAIN
	assert_string_equal(c->complained,
		SAYS("the place says no")
			SAYS("CHELSIO_T4_SET_FILTER: Resource temporarily unavailable"));
	c->refuse = EIO;
	assert_int_equal(card_do(c, "filter 1 delete"), EIO);
	c->refuse = 0;
	card_must(c, "filter 2 proto 6");
	card_must(c, "filter 1 delete");
	assert_int_equal(c->n, 1);
	card_free(c);
}

static void nexus_names(void **state)
{
	static const char *const good[] = {"t4nex0", "t5nex0", "t6nex12"};
	static const char *const bad[] = {"", "t5nex", "t5nex0x", "tnex0", "t5nic0", "t7nex0",
		"t3nex0", "t5nex0 ", "x5nex0", "t5nex-1", "t5nex99999999999",
		"t5nex00000000000000000"};
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(adapter_name_check(good[i], &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char want[64];

		snprintf(want, sizeof(want), "invalid nexus \"%s\"", bad[i]);
		assert_int_equal(adapter_name_check(bad[i], &err), -EINVAL);
		assert_memory_equal(err.msg, want, strlen(want));
	}
}

static void lines_of_stdio(void **state)
{
	char *argv[ADAPTER_WORDS_MAX + 1];
	char line[512];
	bool lost;

	(void)state;
	strcpy(line, "  filter\t5  proto 6 \n");
	assert_int_equal(adapter_split(line, argv, &lost), 4);
	assert_string_equal(argv[0], "filter");
	assert_string_equal(argv[3], "6");
	assert_null(argv[4]);
	assert_false(lost);
	strcpy(line, " \t\n");
	assert_int_equal(adapter_split(line, argv, NULL), 0);
	strcpy(line, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
	assert_int_equal(adapter_split(line, argv, &lost), 15);
	assert_false(lost);
	strcpy(line, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16");
	assert_int_equal(adapter_split(line, argv, &lost), 15);
	assert_true(lost);
	memset(line, 'x', 127);
	line[127] = '\n';
	line[128] = '\0';
	assert_int_equal(adapter_split(line, argv, &lost), 1);
	assert_int_equal(strlen(argv[0]), 127);
	assert_false(lost);
	memset(line, 'x', 128);
	line[128] = '\0';
	assert_int_equal(adapter_split(line, argv, &lost), 1);
	assert_int_equal(strlen(argv[0]), 127);
	assert_true(lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shape_of_filter),
		cmocka_unit_test(numbers),
		cmocka_unit_test(addresses),
		cmocka_unit_test(cut_values_are_told),
		cmocka_unit_test(actions),
		cmocka_unit_test(what_the_driver_refuses),
		cmocka_unit_test(delete_and_list),
		cmocka_unit_test(filter_mode),
		cmocka_unit_test(hashfilter),
		cmocka_unit_test(other_commands),
		cmocka_unit_test(a_place_may_refuse),
		cmocka_unit_test(nexus_names),
		cmocka_unit_test(lines_of_stdio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// Rules in the words of other firewalls, and which words those do not have.  That the kernel's nft
// really does the same is for tests/smoke/export_nft.
#include "adapter/card_test.h"

static char eth0[] = "eth0", eth1[] = "eth1";
static char *const ifaces[] = {eth0, eth1};

static int export(struct card *c, enum adapter_export_kind kind)
{
	card_forget(c);
	return adapter_export(c->a, kind, ifaces, &c->out);
}

// The lines that a rule alone gives.
static void gives(
	enum adapter_export_kind kind, const char *mode, const char *words, const char *want)
{
	struct card *c = card_new("t6nex0", 64, 0);
	char line[256];

	if (mode != NULL) {
		snprintf(line, sizeof(line), "filter mode %s", mode);
		card_must(c, line);
	}
	snprintf(line, sizeof(line), "filter 8 %s", words);
	card_must(c, line);
	if (export(c, kind) != 0 || strstr(c->said, want) == NULL)
		fail_msg("%s:\n%s%sdo not hold\n%s", words, c->said, c->complained, want);
	card_free(c);
}

// The word a rule is refused for.  before: a rule at a lower index, or NULL.
static void refuses(enum adapter_export_kind kind, const char *mode, const char *before,
	const char *words, const char *word)
{
	struct card *c = card_new("t6nex0", 64, 0);
	char line[256], want[128];

	if (mode != NULL) {
		snprintf(line, sizeof(line), "filter mode %s", mode);
		card_must(c, line);
	}
	if (before != NULL)
		card_must(c, before);
	snprintf(line, sizeof(line), "filter 8 %s", words);
	card_must(c, line);
	snprintf(want, sizeof(want), "filter 8: %s: ", word);
	if (export(c, kind) != 45 || strstr(c->complained, want) == NULL || c->n_said != 0)
		fail_msg("%s: %s%s", words, c->complained, c->said);
	card_free(c);
}

static void nothing_matches_nothing_said(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	// What the card matches with no frame is left out.
	card_must(c, "filter 1 sip 10.0.0.5/8 queue 1");
	card_must(c, "filter 2 iport 1:4");
	card_must(c, "filter 3 proto 1 dport 80 action switch nat dip");
	card_must(c, "filter 4 fcoe 1 dport 80");
	for (unsigned kind = EXPORT_NFT; kind <= EXPORT_ETHTOOL; kind++) {
		assert_int_equal(export(c, kind), 0);
		assert_null(strstr(c->said, "filter 1"));
		assert_null(strstr(c->said, "filter 2"));
		assert_null(strstr(c->said, "filter 3"));
		assert_null(strstr(c->said, "filter 4"));
	}
	card_free(c);
}

static void nft(void **state)
{
	(void)state;
	gives(EXPORT_NFT, NULL, "iport 0 dport 80 proto 6",
		"\t\tmeta protocol ip iifname { \"eth0\" } ip frag-off & 0x1fff == 0 meta l4proto 6 th dport 80 counter accept comment "
		"\"filter 8\"\n");
	gives(EXPORT_NFT, NULL, "dport 32768:0x8000 action drop hitcnts 0",
		"meta protocol ip ip frag-off & 0x1fff == 0 meta l4proto { 6, 17 } th dport & 0x8000 == 0x8000 drop comment");
	gives(EXPORT_NFT, NULL, "frag 1 action drop",
		"meta protocol ip ip frag-off & 0x3fff != 0 counter drop");
	gives(EXPORT_NFT, NULL, "type ipv6 frag 0 sip 2001:db8::/32 dip ::1",
		"meta protocol ip6 frag frag-off 0 frag more-fragments 0 ip6 saddr 2001:db8::/32 ip6 daddr ::1 counter");
	gives(EXPORT_NFT, NULL, "matchtype 6 ivlan 5:0xfff",
		"@ll,96,16 0x8100 @ll,112,16 & 0xfff == 0x5 meta pkttype broadcast counter");
	gives(EXPORT_NFT, "tos ethtype", "tos 16:0xfc", "@nh,8,8 & 0xfc == 0x10 counter");
	gives(EXPORT_NFT, "tos ethtype", "type ipv6 tos 16", "@nh,0,16 & 0xff0 == 0x100 counter");
	gives(EXPORT_NFT, "tos ethtype", "ethtype 0x806",
		"\t\t meta protocol & 0xffff == 0x806 counter accept");
	gives(EXPORT_NFT, NULL, "action switch eport 1 dmac 2:0:0:0:0:1",
		"ether daddr set 02:00:00:00:00:01 counter fwd to \"eth1\"");
	refuses(EXPORT_NFT, NULL, NULL, "action switch swapmac 1", "swapmac");
	refuses(EXPORT_NFT, NULL, NULL, "action switch vlan none", "vlan");
	refuses(EXPORT_NFT, NULL, NULL, "action switch nat dip nat_dip 10.0.0.1", "nat");
	refuses(EXPORT_NFT, NULL, NULL, "queue 1", "queue");
	refuses(EXPORT_NFT, NULL, NULL, "tcbrss 2", "tcbrss");
	refuses(EXPORT_NFT, NULL, NULL, "rpttid 1", "rpttid");
	refuses(EXPORT_NFT, NULL, NULL, "matchtype 1", "matchtype");
	refuses(EXPORT_NFT, "ovlan macidx", NULL, "ovlan 1", "ovlan");
	refuses(EXPORT_NFT, "ovlan macidx", NULL, "macidx 1", "macidx");
	refuses(EXPORT_NFT, "vnic_id", NULL, "pf 1", "pf");
	refuses(EXPORT_NFT, "vnic_id", NULL, "vf 1", "vf");
}

static void pf(void **state)
{
	(void)state;
	gives(EXPORT_PF, NULL, "frag 1 action drop",
		"block drop in quick on { eth0 eth1 } inet from any to any fragment label \"filter 8\"\n");
	gives(EXPORT_PF, NULL, "iport 1 sip 10.0.10.0/24 proto 1",
		"pass in quick on eth1 inet proto 1 from 10.0.10.0/24 to any no state allow-opts label");
	refuses(EXPORT_PF, NULL, NULL, "dport 80", "dport");
	refuses(EXPORT_PF, NULL, "filter 4 frag 1 iport 0", "sport 80", "sport");
	refuses(EXPORT_PF, NULL, NULL, "frag 0", "frag");
	refuses(EXPORT_PF, NULL, "filter 4 frag 1", "dport 1:1", "dport");
	refuses(EXPORT_PF, "ethtype", NULL, "ethtype 0x806", "ethtype");
	refuses(EXPORT_PF, NULL, NULL, "ivlan 5", "ivlan");
	refuses(EXPORT_PF, NULL, NULL, "action switch", "action switch");
	refuses(EXPORT_PF, NULL, NULL, "proto 6:7", "proto");
	refuses(EXPORT_PF, NULL, NULL, "type ipv6 proto 1", "proto");
	refuses(EXPORT_PF, "tos", NULL, "tos 0", "tos");
	refuses(EXPORT_PF, NULL, NULL, "matchtype 0", "matchtype");
}

static void tc(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	gives(EXPORT_TC, NULL, "iport 1 frag 1 action drop",
		"tc filter add dev eth1 ingress pref 1 protocol ip flower ip_flags frag action drop\n"
		"tc filter add dev eth1 ingress pref 2 protocol 802.1q flower vlan_ethtype ip ip_flags frag "
		"action drop\n");
	gives(EXPORT_TC, NULL, "iport 0 ivlan 5:0xefff proto 89",
		"# filter 8\ntc filter add dev eth0 ingress pref 1 protocol 802.1q flower vlan_ethtype ip "
		"vlan_id 5 vlan_prio 0 ip_proto 0x59 action pass\n");
	gives(EXPORT_TC, NULL, "fcoe 1 iport 0 action switch eport 1 dmac 2:0:0:0:0:1",
		"protocol 0x8906 flower action skbmod set dmac 02:00:00:00:00:01 pipe action mirred egress "
		"redirect dev eth1\n");
	refuses(EXPORT_TC, NULL, NULL, "dport 80", "dport");
	refuses(EXPORT_TC, NULL, "filter 4 type ipv6 frag 1", "dport 80",
		"dport"); // another family
	refuses(EXPORT_TC, NULL, NULL, "ivlan 5", "ivlan");
	refuses(EXPORT_TC, NULL, NULL, "proto 6:7", "proto");
	refuses(EXPORT_TC, "ethtype", NULL, "ethtype 0x9000:0xf000", "ethtype");
	// A port is TCP's and UDP's, tagged or not, in the order of the rules.
	card_must(c, "filter 0 frag 1 action drop");
	card_must(c, "filter 8 iport 0 dport 32768:0x8000");
	assert_int_equal(export(c, EXPORT_TC), 0);
	assert_non_null(strstr(c->said,
		"pref 3 protocol ip flower ip_proto 0x06 dst_port 32768/0x8000 action pass\n"));
	assert_non_null(strstr(c->said, "pref 4 protocol ip flower ip_proto 0x11 dst_port"));
	assert_non_null(
		strstr(c->said, "pref 6 protocol 802.1q flower vlan_ethtype ip ip_proto 0x11"));
	card_free(c);
}

static void ethtool(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	gives(EXPORT_ETHTOOL, NULL, "iport 1 sip 10.0.10.0/24 dport 80 proto 6 action drop",
		"ethtool -N eth1 flow-type tcp4 src-ip 10.0.10.0 m 0.0.0.255 dst-port 0x50 m 0x0 action -1 "
		"loc 0\n");
	gives(EXPORT_ETHTOOL, NULL, "iport 1 proto 6 action drop",
		"ethtool -N eth1 flow-type ip4 l4proto 0x6 m 0x0 action -1 loc 0\n");
	refuses(EXPORT_ETHTOOL, NULL, NULL, "frag 1 action drop", "frag");
	refuses(EXPORT_ETHTOOL, NULL, NULL, "action switch", "action switch");
	card_must(c, "filter 1 dport 80 proto 6");
	card_must(c, "filter 2 proto 17 action drop");
	assert_int_equal(export(c, EXPORT_ETHTOOL), 0); // nothing drops what filter 1 passes
	card_must(c, "filter 3 sip 10.0.0.0/8 action drop");
	assert_int_equal(export(c, EXPORT_ETHTOOL), 45);
	assert_non_null(strstr(c->complained, "filter 1: action pass: "));
	assert_non_null(strstr(c->complained, "filter 3 would drop"));
	card_free(c);
}

static void all_that_is_refused_is_named(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	card_must(c, "filter 1 queue 1");
	card_must(c, "filter 2 prio 1 rpttid 1");
	card_must(c, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6 tcbrss 2");
	assert_int_equal(export(c, EXPORT_NFT), 45);
	assert_string_equal(c->said, "");
	assert_string_equal(c->complained, "filter 2 prio 1: rpttid: only the card can report it\n"
					   "hashfilter 0: tcbrss: receive queues are the card's\n"
					   "filter 1: queue: receive queues are the card's\n"
					   "3 rules cannot be said there; nothing is exported\n");
	card_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_matches_nothing_said),
		cmocka_unit_test(nft),
		cmocka_unit_test(pf),
		cmocka_unit_test(tc),
		cmocka_unit_test(ethtool),
		cmocka_unit_test(all_that_is_refused_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

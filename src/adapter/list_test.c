// SPDX-License-Identifier: BSD-2-Clause
// The listing, byte for byte: the rows of the Chelsio document, and each form a row can take.
#include "adapter/card_test.h"

#define STOCK_HEADER                                                                               \
	" Idx     Hits FCoE Port      vld:VLAN  Prot MPS Frag                  DIP"                \
	"                  SIP     DPORT     SPORT Action\n"
#define ANY4 "   00000000/00000000"
#define NONE "0000/0000"

// A rule of "Chelsio Rules of Engagement": its words, and the columns of its row.
struct rule {
	unsigned idx;
	const char *words;
	uint64_t hits;
	const char *iport, *proto, *frag, *sip, *dport, *sport, *action;
};

#define PASS "Pass: Q=RSS"
static const struct rule document[] = {
	{0, "frag 1 action drop", 0, "0/0", "00/00", "1/1", ANY4, NONE, NONE, "Drop"},
	{10, "action pass dport 32768:0x8000", 1029025, "0/0", "00/00", "0/0", ANY4, "8000/8000",
		NONE, PASS},
	{20, "iport 0 action pass dport 80 proto 6", 0, "0/7", "06/ff", "0/0", ANY4, "0050/ffff",
		NONE, PASS},
	{30, "iport 0 action pass dport 443 proto 6", 0, "0/7", "06/ff", "0/0", ANY4, "01bb/ffff",
		NONE, PASS},
	{40, "iport 0 action pass dport 443 proto 17", 0, "0/7", "11/ff", "0/0", ANY4, "01bb/ffff",
		NONE, PASS},
	{50, "iport 0 action pass sip 192.168.5.4 dport 22 proto 6", 11887, "0/7", "06/ff", "0/0",
		"   c0a80504/ffffffff", "0016/ffff", NONE, PASS},
	{60, "iport 0 action pass sip 192.168.5.4 proto 1", 14, "0/7", "01/ff", "0/0",
		"   c0a80504/ffffffff", NONE, NONE, PASS},
	{70, "iport 0 action pass sport 67 dport 68 proto 17", 286, "0/7", "11/ff", "0/0", ANY4,
		"0044/ffff", "0043/ffff", PASS},
	{80, "iport 1 action pass sip 10.0.10.0/24 proto 1", 0, "1/7", "01/ff", "0/0",
		"   0a000a00/ffffff00", NONE, NONE, PASS},
	{81, "iport 1 action pass sip 10.0.10.0/24 dport 80 proto 6", 620, "1/7", "06/ff", "0/0",
		"   0a000a00/ffffff00", "0050/ffff", NONE, PASS},
	{82, "iport 1 action pass sip 10.0.10.0/24 dport 443 proto 6", 0, "1/7", "06/ff", "0/0",
		"   0a000a00/ffffff00", "01bb/ffff", NONE, PASS},
	{83, "iport 1 action pass sip 10.0.10.0/24 dport 53 proto 17", 3, "1/7", "11/ff", "0/0",
		"   0a000a00/ffffff00", "0035/ffff", NONE, PASS},
	{100, "action drop proto 6", 82735, "0/0", "06/ff", "0/0", ANY4, NONE, NONE, "Drop"},
	{101, "action drop proto 17", 8515, "0/0", "11/ff", "0/0", ANY4, NONE, NONE, "Drop"},
	{102, "action drop proto 1", 6234, "0/0", "01/ff", "0/0", ANY4, NONE, NONE, "Drop"},
};
enum { N_DOCUMENT = sizeof(document) / sizeof(document[0]) };

static void expect(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s:\n%sinstead of\n%s", what, got, want);
}

static void rows_of_the_document(void **state)
{
	struct card *c = card_new("t5nex0", 0, 0);
	char want[8192], words[256];
	size_t n = (size_t)sprintf(want, "%s", STOCK_HEADER);

	(void)state;
	for (unsigned i = 0; i < N_DOCUMENT; i++) {
		const struct rule *r = &document[i];

		sprintf(words, "filter %u %s", r->idx, r->words);
		card_must(c, words);
		c->hits[i] = r->hits; // slots are given out in turn
		n += (size_t)sprintf(want + n,
			"%4u %8llu  0/0  %s 0:0000/0:0000 %s 0/0  %s %s %s %s %s %s\n", r->idx,
			(unsigned long long)r->hits, r->iport, r->proto, r->frag, ANY4, r->sip,
			r->dport, r->sport, r->action);
	}
	card_must(c, "filter list");
	expect("list", c->said, want);
	// With set -e the script of the document stops here when it is run again.
	assert_int_equal(card_do(c, "filter 0 frag 1 action drop"), EBUSY);
	card_free(c);
}

// The script as it stands has other addresses than its listing.
static void script_of_the_document(void **state)
{
	static const struct {
		const char *words, *sip;
	} changed[] = {
		{"filter 50 iport 0 action pass sip 1.2.3.4 dport 22 proto 6",
			" 01020304/ffffffff "},
		{"filter 60 iport 0 action pass sip 1.2.3.4 proto 1", " 01020304/ffffffff "},
		{"filter 80 iport 1 action pass sip 10.10.10.0/24 proto 1", " 0a0a0a00/ffffff00 "},
	};
	struct card *c = card_new("t5nex0", 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		card_must(c, changed[i].words);
		card_must(c, "filter list");
		assert_non_null(strstr(c->said, changed[i].sip));
	}
	card_free(c);
}

#define STOCK "  0/0  0/0 0:0000/0:0000 00/00 0/0  0/0"

static void each_action(void **state)
{
	static const struct {
		const char *words, *text;
	} actions[] = {
		{"action drop", "Drop"},
		{"action pass", "Pass: Q=RSS"},
		{"rpttid 1", "Pass: Q=RSS RptTID"},
		{"prio 1", "Pass: Q=RSS Prio"},
		{"prio 1 rpttid 7", "Pass: Q=RSS Prio RptTID"},
		{"tcbrss 4", "Pass: Q=RSS(region 4)"},
		{"queue 3", "Pass: Q=3(QID)"},
		{"queue 3 tcbhash 5", "Pass: Q=5(hash)"},
		{"action switch", "Switch: port=0"},
		{"action switch eport 1 prio 1", "Switch: port=1 Prio"},
		{"action switch eport 1 vlan none", "Switch: port=1, vlan=none"},
		{"action switch eport 1 vlan +16", "Switch: port=1, vlan=insert(10)"},
		{"action switch eport 1 vlan =4095", "Switch: port=1, vlan=rewrite(fff)"},
		{"action switch dmac 2:0:0:0:0:a1 vlan none",
			"Switch: port=0, dmac=02:00:00:00:00:a1 , l2tidx=0, vlan=none"},
		{"action switch smac 2:0:0:0:0:a1",
			"Switch: port=0, smac=02:00:00:00:00:a1 , smtidx=0"},
		{"action switch dmac 2:0:0:0:0:a1 smac 2:0:0:0:0:a2",
			"Switch: port=0, dmac=02:00:00:00:00:a1 , l2tidx=0, smac=02:00:00:00:00:a2 , "
			"smtidx=0"},
		// What the listing never shows.
		{"action switch swapmac 1 nat all nat_dip 10.0.0.1 nat_sip 10.0.0.2 nat_dport 1 "
		 "nat_sport 2 natseq 3 natflag 1",
			"Switch: port=0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		struct card *c = card_new("t5nex0", 64, 0);
		char words[256], want[512];

		sprintf(words, "filter 7 %s", actions[i].words);
		sprintf(want, "%s   7        0" STOCK " " ANY4 " " ANY4 " " NONE " " NONE " %s\n",
			STOCK_HEADER, actions[i].text);
		card_must(c, words);
		card_must(c, "filter list");
		expect(words, c->said, want);
		card_free(c);
	}
}

// A mode, its titles, a rule, its columns.
static void each_criterion(void **state)
{
	static const struct {
		const char *mode, *title, *words, *columns;
	} all[] = {
		{"fcoe", " FCoE", "fcoe 1", "  1/1"},
		{"iport", " Port", "iport 1:3", "  1/3"},
		{"vnic_id", "   VFvld:PF:VF", "pf 5 vf 18", " 1:5:12/1:7:1fff"},
		{"vnic_id", "   VFvld:PF:VF", "pf 5", " 1:5:00/1:7:00"},
		{"ovlan", "     vld:oVLAN", "ovlan 5:0xfff", " 1:0005/1:0fff"},
		{"vlan", "      vld:VLAN", "ivlan 5", " 1:0005/1:ffff"},
		{"tos", "   TOS", "tos 0x10:0xfc", " 10/fc"},
		{"proto", "  Prot", "proto 17", " 11/ff"},
		{"ethtype", "   EthType", "ethtype 0x806", " 0806/ffff"},
		{"macidx", "  MACIdx", "macidx 3", " 003/1ff"},
		{"matchtype", " MPS", "matchtype 6", " 6/7"},
		{"frag", " Frag", "frag 0", "  0/1"},
		{"frag fcoe matchtype macidx iport", " FCoE Port  MACIdx MPS Frag",
			"iport 1 frag 1 fcoe 0 macidx 2 matchtype 2",
			"  0/1  1/7 002/1ff 2/7  1/1"},
		{"vlan tos proto", "      vld:VLAN   TOS  Prot", "proto 1",
			" 0:0000/0:0000 00/00 01/ff"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct card *c = card_new("t5nex0", 64, 0);
		char words[256], want[512];

		sprintf(words, "filter mode %s", all[i].mode);
		card_must(c, words);
		sprintf(words, "filter 7 %s action drop hitcnts 0", all[i].words);
		card_must(c, words);
		sprintf(want,
			" Idx     Hits%s %20s %20s %9s %9s Action\n   7        -%s %s %s %s %s Drop\n",
			all[i].title, "DIP", "SIP", "DPORT", "SPORT", all[i].columns, ANY4, ANY4,
			NONE, NONE);
		card_must(c, "filter list");
		expect(words, c->said, want);
		card_free(c);
	}
}

static void ipv6_rows_and_wide_numbers(void **state)
{
	struct card *c = card_new("t5nex0", 131072, 0);
	const char *want = STOCK_HEADER
		"   4 123456789" STOCK
		" 20010db8000000000000000000000001/ffffffffffffffffffffffffffffffff"
		" 20010db8000000000000000000000000/ffffffff000000000000000000000000"
		" 0050/ffff 0000/0000 Drop\n"
		"   8        0" STOCK
		" 00000000000000000000000000000000/00000000000000000000000000000000"
		" 00000000000000000000000000000000/00000000000000000000000000000000"
		" 0000/0000 0000/0000 Pass: Q=RSS\n"
		"99999        0" STOCK " " ANY4
		"    0a0a0a05/ffffff00 0000/0000 0000/0000 Pass: Q=RSS\n";

	(void)state;
	card_must(c, "filter 99999 sip 10.10.10.5/24"); // listed as typed, not masked
	card_must(c, "filter 8 type ipv6");
	card_must(c, "filter 4 dip 2001:db8::1 sip 2001:db8::/32 dport 80 action drop");
	c->hits[2] = 123456789;
	card_must(c, "filter list extra words");
	expect("list", c->said, want);
	card_free(c);
}

#define DROP_ROW(idx, proto)                                                                       \
	idx "        0  0/0  0/0 0:0000/0:0000 " proto " 0/0  0/0 " ANY4 " " ANY4                  \
	    " 0000/0000 0000/0000 Drop\n"

static void two_regions_of_a_t6(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	card_must(c, "filter 9 proto 6 action drop");
	card_must(c, "filter list");
	expect("one region", c->said, STOCK_HEADER DROP_ROW("   9", "06/ff"));
	card_must(c, "filter 9 proto 17 action drop prio 1");
	card_must(c, "filter 3 proto 1 action drop prio 1");
	card_must(c, "filter list");
	expect("both", c->said,
		"High Priority TCAM Region:\n" STOCK_HEADER DROP_ROW("   3", "01/ff") DROP_ROW(
			"   9",
			"11/ff") "\nNormal Priority TCAM Region:\n" STOCK_HEADER DROP_ROW("   9",
			"06/ff"));
	card_must(c, "filter 9 delete");
	card_must(c, "filter list");
	expect("the first alone", c->said,
		"High Priority TCAM Region:\n" STOCK_HEADER DROP_ROW("   3", "01/ff")
			DROP_ROW("   9", "11/ff"));
	card_free(c);
}

static void hash_rules_have_the_same_rows(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	card_must(c, "filter 5 proto 6");
	card_must(
		c, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1000 dport 80 proto 6 action drop");
	card_must(c, "hashfilter list");
	expect("list", c->said,
		STOCK_HEADER
		"   0        0  0/0  0/0 0:0000/0:0000 06/ff 0/0  0/0    0a000002/ffffffff"
		"    0a000001/ffffffff 0050/ffff 03e8/ffff Drop\n");
	card_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_the_document),
		cmocka_unit_test(script_of_the_document),
		cmocka_unit_test(each_action),
		cmocka_unit_test(each_criterion),
		cmocka_unit_test(ipv6_rows_and_wide_numbers),
		cmocka_unit_test(two_regions_of_a_t6),
		cmocka_unit_test(hash_rules_have_the_same_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

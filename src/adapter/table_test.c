// SPDX-License-Identifier: BSD-2-Clause
// The table: slots and orders, counters, rules back into words, what a rule matches.
#include "adapter/card_test.h"

#include "adapter/words.h"

#include <time.h>

static uint64_t seed;

static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static uint32_t order_of(const struct card *c, uint32_t slot)
{
	assert_true(c->in_use[slot]);
	return c->order[slot];
}

static void index_is_order(void **state)
{
	struct card *c = card_new("t5nex0", 64, 0);

	(void)state;
	card_must(c, "filter 9 proto 6");
	card_must(c, "filter 3 proto 6 prio 1");
	card_must(c, "filter 5 proto 6");
	card_must(c, "filter 12 type ipv6");
	assert_true(order_of(c, 1) < order_of(c, 2));
	assert_true(order_of(c, 2) < order_of(c, 0));
	assert_true(order_of(c, 0) < order_of(c, 3));
	assert_int_equal(adapter_n_rules(c->a), 4);
	card_free(c);
}

static void hash_rules_stand_between_prio_and_normal(void **state)
{
	struct card *c = card_new("t6nex0", 64, 0);

	(void)state;
	card_must(c, "filter 0 proto 6");
	card_must(c, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6");
	card_must(c, "filter 63 proto 6 prio 1");
	assert_true(order_of(c, 2) < order_of(c, 1));
	assert_true(order_of(c, 1) < order_of(c, 0));
	assert_int_equal(adapter_n_rules(c->a), 3);
	card_free(c);
}

static void slots_are_used_again(void **state)
{
	struct card *c = card_new("t6nex0", 4, 0);

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		card_must(c, "filter 0 proto 6");
		card_must(c, "filter 1 proto 6");
		card_must(c, "filter 1 proto 6 prio 1");
		card_must(c, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport 2 proto 6");
		assert_int_equal(c->n, 4);
		assert_int_equal(card_do(c, "filter 2 proto 6"), ENOMEM);
		assert_string_equal(c->complained,
			"cxgbetool: the card holds 4 rules, hash rules among them, and no more\n"
			"cxgbetool: CHELSIO_T4_SET_FILTER: Cannot allocate memory\n");
		card_must(c, "filter 0 delete");
		card_must(c, "hashfilter 0 delete");
		card_must(c, "filter 1 delete prio 1");
		card_must(c, "filter 1 delete");
		assert_int_equal(c->n, 0);
	}
	card_free(c);
}

static void hash_region_full(void **state)
{
	struct card *c = card_new("t6nex0", 5, 0);
	char words[128];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		sprintf(words, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1 dport %u proto 6",
			i + 1);
		card_must(c, words);
	}
	assert_int_equal(
		card_do(c, "hashfilter sip 1.0.0.1 dip 10.0.0.2 sport 1 dport 1 proto 6"), ENOMEM);
	card_must(c, "hashfilter 1 delete");
	// Two entries in a row, even: there are none.
	assert_int_equal(
		card_do(c, "hashfilter sip 2001:db8::1 dip 2001:db8::2 sport 1 dport 1 proto 6"),
		ENOMEM);
	card_must(c, "hashfilter sip 1.0.0.1 dip 10.0.0.2 sport 1 dport 1 proto 6");
	assert_string_equal(c->said, "1\n");
	card_free(c);
}

static void counters_begin_at_zero(void **state)
{
	struct card *c = card_new("t5nex0", 64, 0);

	(void)state;
	card_must(c, "filter 5 proto 6");
	c->hits[0] = 5000000000;
	card_must(c, "filter list");
	assert_non_null(strstr(c->said, "\n   5 5000000000  0/0"));
	card_must(c, "clearstats 1");
	assert_int_equal(c->cleared[1], 1);
	assert_int_equal(c->cleared[0], 0);
	assert_int_equal(c->hits[0], 5000000000); // not those of filters
	card_must(c, "filter 5 delete");
	card_must(c, "filter 5 proto 6 hitcnts 1");
	card_must(c, "filter list");
	assert_non_null(strstr(c->said, "\n   5        0  0/0"));
	card_free(c);
}

static void count(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	unsigned *n = arg;

	(void)f;
	assert_int_equal(idx, (*n)++);
	assert_int_equal(hits, idx * 3u);
}

static void ten_thousand_rules(void **state)
{
	struct card *c = card_new("t5nex0", 0, 0);
	clock_t begin = clock();
	unsigned n = 0;
	char words[128];

	(void)state;
	for (unsigned i = 10000; i-- > 0;) {
		sprintf(words, "filter %u iport 0 sip 10.%u.%u.0/24 dport %u proto 6 action drop",
			i, i / 250, i % 250, i);
		card_must(c, words);
		c->hits[9999 - i] = i * 3u;
	}
	adapter_each(c->a, false, count, &n);
	assert_int_equal(n, 10000);
	assert_int_equal(adapter_n_rules(c->a), 10000);
	for (unsigned i = 0; i < 10000; i++) {
		sprintf(words, "filter %u delete", i);
		card_must(c, words);
	}
	assert_int_equal(c->n, 0);
	card_must(c, "filter list");
	assert_string_equal(c->said, "");
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10); // no cost by the square
	card_free(c);
}

static void ten_thousand_hash_rules(void **state)
{
	struct card *c = card_new("t6nex0", 0, 0);
	clock_t begin = clock();
	char words[128];

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		sprintf(words, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport %u dport 80 proto 6",
			i + 1);
		card_must(c, words);
		assert_int_equal(atoi(c->said), i);
	}
	assert_int_equal(card_do(c, words), EEXIST);
	for (unsigned i = 0; i < 10000; i++) {
		sprintf(words, "hashfilter %u delete", i);
		card_must(c, words);
	}
	assert_int_equal(c->n, 0);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
	card_free(c);
}

static void parse(const char *words, bool hash, struct adapter_filter *f)
{
	static struct card c;
	struct adapter_out out = {card_line, &c};
	char *line = strdup(words), *rest = line, *word, *argv[64];
	struct remarks remarks = {.len = 0};
	int argc = 0;

	while ((word = strsep(&rest, " ")) != NULL)
		argv[argc++] = word;
	if (filter_parse(argc, argv, hash, f, &remarks, &out) != 0)
		fail_msg("%s: %s", words, c.complained);
	free(line);
}

static void rules_come_back_as_words(void **state)
{
	static const char *const same[] = {
		"iport 0 dport 80 proto 6 action pass",
		"frag 1 action drop",
		"iport 1:0x3 fcoe 0 frag 0 matchtype 6:0x6 macidx 3 ethtype 2054 ivlan 5:0xfff tos 4:0xfc "
		"action drop hitcnts 0",
		"ovlan 5 ivlan 0:0x0 action pass",
		"pf 3 vf 5 action pass",
		"vf 5:0xf action pass",
		"pf 0:0x0 action pass",
		"sport 32768:0x8000 dport 0 action pass",
		"sip 10.0.0.5/8 dip 1.2.3.4 action pass queue 3 tcbhash 3 rpttid 1 prio 1",
		"sip 1.2.3.4/0 action pass tcbrss 4",
		"type ipv6 action drop",
		"type ipv6 sip 2001:db8::/33 dip fe80::1 action pass queue 0",
		"action switch eport 1 dmac 02:00:00:00:00:01 smac 02:00:00:00:00:02 swapmac 1 vlan none",
		"action switch eport 0 vlan +0",
		"action switch eport 0 vlan =4095",
		"action switch eport 1 nat all nat_dip 10.0.0.1 nat_sip 10.0.0.2 nat_dport 80 nat_sport 81 "
		"natseq 4294967295 natflag 1",
		"type ipv6 action switch eport 1 nat dip nat_dip ::",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct adapter_filter f;
		char words[1024];

		parse(same[i], false, &f);
		assert_int_equal(adapter_words(&f, words, sizeof(words)), strlen(same[i]));
		assert_string_equal(words, same[i]);
		assert_int_equal(adapter_words(&f, words, 8), strlen(same[i])); // cut, not overrun
		assert_int_equal(strlen(words), 7);
		assert_int_equal(adapter_words(&f, NULL, 0), strlen(same[i]));
	}
}

static void put_some(char *words, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put_some(char *words, const char *fmt, ...)
{
	va_list ap;

	if (pick(3) != 0)
		return;
	va_start(ap, fmt);
	vsprintf(words + strlen(words), fmt, ap);
	va_end(ap);
}

static void random_words(char *words)
{
	static const char *const nats[] = {
		"dip", "dip-dp", "dip-dp-sip", "dip-dp-sp", "sip-sp", "dip-sip-sp", "all"};
	bool six = pick(3) == 0;

	strcpy(words, six ? "type ipv6" : "type ipv4");
	put_some(words, " iport %u:%u", pick(8), pick(8));
	put_some(words, " fcoe %u", pick(2));
	put_some(words, " frag %u:%u", pick(2), pick(2));
	put_some(words, " matchtype %u", pick(8));
	put_some(words, " macidx %u:0x%x", pick(512), pick(512));
	put_some(words, " ethtype %u", pick(65536));
	put_some(words, " ivlan %u:0x%x", pick(65536), pick(65536));
	put_some(words, " tos %u", pick(256));
	put_some(words, " proto %u:0x%x", pick(256), pick(256));
	put_some(words, " sport %u:0x%x", pick(65536), pick(65536));
	put_some(words, " dport %u", pick(65536));
	if (pick(2) == 0)
		put_some(words, " ovlan %u", pick(65536));
	else {
		put_some(words, " pf %u:%u", pick(8), pick(8));
		put_some(words, " vf %u:%u", pick(8192), pick(8192));
	}
	put_some(words, " sip %s%x/%u", six ? "2001:db8::" : "10.0.0.", pick(10), pick(33));
	put_some(words, " dip %s%x", six ? "fe80::" : "192.168.0.", pick(10));
	put_some(words, " hitcnts %u", pick(2));
	put_some(words, " prio %u", pick(2));
	switch (pick(3)) {
	case 0:
		put_some(words, " action drop");
		break;
	case 1:
		put_some(words, " queue %u", pick(1024));
		put_some(words, " tcbrss %u", pick(2048));
		put_some(words, " rpttid %u", pick(2));
		break;
	default:
		strcat(words, " action switch");
		put_some(words, " eport %u", pick(4));
		put_some(words, " dmac 02:00:00:00:00:%02x", pick(256));
		put_some(words, " smac 02:00:00:00:00:%02x", pick(256));
		put_some(words, " swapmac 1");
		put_some(words, " vlan %c%u", pick(2) ? '=' : '+', pick(4096));
		sprintf(words + strlen(words), " nat %s", nats[pick(7)]);
		put_some(words, " nat_dip %s%u", six ? "::" : "10.0.0.", pick(10));
		put_some(words, " nat_sip %s%u", six ? "::" : "10.0.0.", pick(10));
		put_some(words, " nat_dport %u", pick(65536));
		put_some(words, " nat_sport %u", pick(65536));
		put_some(words, " natseq %u", pick(1000));
		put_some(words, " natflag 1");
	}
}

static void random_rules_come_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char words[1024], again[1024];
		struct adapter_filter f, g;

		random_words(words);
		parse(words, false, &f);
		adapter_words(&f, again, sizeof(again));
		parse(again, false, &g);
		if (memcmp(&f, &g, sizeof(f)) != 0)
			fail_msg("%s came back as %s", words, again);
	}
}

static void a_saved_card_is_the_same(void **state)
{
	struct card *c = card_new("t6nex0", 256, 0), *d = card_new("t6nex0", 256, 0);
	char *saved, *copy, *rest, *line;

	(void)state;
	card_must(c, "filter mode tos proto iport ovlan");
	card_must(c, "hashfilter mode proto iport");
	card_must(c, "filter 9 tos 4 action drop");
	card_must(c, "filter 9 proto 6 prio 1");
	card_must(c, "filter 16 type ipv6 ovlan 5:0xfff hitcnts 0");
	card_must(c, "hashfilter sip 10.0.0.1 dip 10.0.0.2 sport 1000 dport 80 proto 6 iport 1");
	card_must(c, "clip hold 2001:db8::1");
	card_forget(c);
	adapter_save(c->a, &c->out);
	saved = strdup(c->said);
	rest = copy = strdup(saved);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0') {
			assert_memory_equal(line, "cxgbetool t6nex0 ", 17);
			card_must(d, line + 17);
		}
	card_forget(d);
	adapter_save(d->a, &d->out);
	assert_string_equal(d->said, saved);
	assert_non_null(strstr(saved, "\ncxgbetool t6nex0 filter 9 proto 6 action pass prio 1\n"));
	free(copy);
	free(saved);
	card_free(c);
	card_free(d);
}

// classify.h's own equation, a field at a time.
static bool matches(const char *words, const struct classify_key *k)
{
	struct adapter_filter f;
	struct classify_rule r;
	const uint8_t *key = (const uint8_t *)k, *v = (const uint8_t *)&r.value,
		      *m = (const uint8_t *)&r.mask;

	parse(words, false, &f);
	adapter_rule(&f, &r);
	assert_int_equal(r.sport_lo, 0);
	assert_int_equal(r.sport_hi, UINT16_MAX);
	assert_int_equal(r.dport_lo, 0);
	assert_int_equal(r.dport_hi, UINT16_MAX);
	for (size_t i = 0; i < offsetof(struct classify_key, spare); i++)
		if ((key[i] & m[i]) != v[i])
			return false;
	return true;
}

static const struct classify_key tcp = {.family = 4,
	.proto = 6,
	.ethertype = 0x0800,
	.sport = 1000,
	.dport = 80,
	.src = {0x0a000001},
	.dst = {0x0a000002},
	.vlan_valid = CLASSIFY_HAS_PORTS};

static struct classify_key with(void (*change)(struct classify_key *k))
{
	struct classify_key k = tcp;

	change(&k);
	return k;
}

static void to_udp(struct classify_key *k)
{
	k->proto = 17;
}

static void to_icmp(struct classify_key *k)
{
	k->proto = 1;
	k->sport = k->dport = 0;
	k->vlan_valid = 0;
}

static void to_later_fragment(struct classify_key *k)
{
	k->frag = 1;
	k->sport = k->dport = 0;
	k->vlan_valid = 0;
}

static void to_ipv6(struct classify_key *k)
{
	k->family = 6;
	k->ethertype = 0x86dd;
}

static void to_arp(struct classify_key *k)
{
	memset(k, 0, sizeof(*k));
	k->ethertype = 0x0806;
}

static void to_port_0(struct classify_key *k)
{
	k->dport = 0;
}

static void to_tagged_0(struct classify_key *k)
{
	k->vlan_valid |= CLASSIFY_HAS_IVLAN;
}

static void what_a_rule_matches(void **state)
{
	struct classify_key udp = with(to_udp), icmp = with(to_icmp),
			    later = with(to_later_fragment), six = with(to_ipv6),
			    arp = with(to_arp), zero = with(to_port_0), tagged = with(to_tagged_0);

	(void)state;
	// A family always, ipv4 if nothing else is said.
	assert_true(matches("hitcnts 1", &tcp));
	assert_false(matches("hitcnts 1", &six));
	assert_false(matches("hitcnts 1", &arp));
	assert_true(matches("type ipv6", &six));
	assert_false(matches("type ipv6", &tcp));
	// ... but where only other frames can be meant.
	assert_true(matches("ethtype 0x806", &arp));
	assert_false(matches("ethtype 0x806", &tcp));
	assert_true(matches("ethtype 0x800", &tcp));
	assert_false(matches("ethtype 0x86dd", &six)); // of family ipv4
	assert_true(matches("type ipv6 ethtype 0x86dd", &six));
	assert_false(matches("fcoe 1", &tcp));
	assert_true(matches("fcoe 0", &tcp));
	// Ports are those of TCP and UDP.
	assert_true(matches("dport 80", &tcp));
	assert_true(matches("dport 80", &udp));
	assert_false(matches("dport 80", &icmp));
	assert_false(matches("dport 80", &later));
	assert_false(matches("dport 80 proto 17", &tcp));
	assert_true(matches("dport 0:0x8000", &tcp));
	assert_false(matches("dport 0:0x8000", &icmp));
	assert_false(matches("dport 0:0x8000", &later));
	assert_true(matches("dport 0", &zero));
	assert_false(matches("dport 0", &icmp));
	assert_true(matches("dport 0:0 sport 0:0", &icmp)); // looks at no port
	assert_true(matches("sport 1000 dport 80", &tcp));
	assert_true(matches("frag 1", &later));
	assert_false(matches("frag 1", &tcp));
	assert_true(matches("frag 0", &tcp));
	// A tag of 0 is not no tag.
	assert_true(matches("ivlan 0", &tagged));
	assert_false(matches("ivlan 0", &tcp));
	assert_true(matches("ivlan 0:0", &tagged));
	assert_false(matches("ivlan 0:0", &tcp));
	assert_true(matches("proto 6", &tagged));
	// (field & mask) == value, also where value is not within mask.
	assert_true(matches("sip 10.0.0.0/24 dip 10.0.0.2", &tcp));
	assert_false(matches("sip 10.0.0.1/24", &tcp));
	assert_true(matches("sip 0.0.0.0/0", &tcp));
	assert_true(matches("proto 0:0x80", &tcp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(index_is_order),
		cmocka_unit_test(hash_rules_stand_between_prio_and_normal),
		cmocka_unit_test(slots_are_used_again),
		cmocka_unit_test(hash_region_full),
		cmocka_unit_test(counters_begin_at_zero),
		cmocka_unit_test(ten_thousand_rules),
		cmocka_unit_test(ten_thousand_hash_rules),
		cmocka_unit_test(rules_come_back_as_words),
		cmocka_unit_test(random_rules_come_back),
		cmocka_unit_test(a_saved_card_is_the_same),
		cmocka_unit_test(what_a_rule_matches),
	};

	seed = (uint64_t)time(NULL);
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

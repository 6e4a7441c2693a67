// SPDX-License-Identifier: BSD-2-Clause
// The fifteen rules of "Chelsio Unified Wire on FreeBSD", as its script gives them, against frames that
// each of them is about and frames that just miss it, on both ports.
#include "adapter/rig_test.h"

#include "adapter/adapter.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>

static const struct {
	uint32_t idx;
	const char *words;
} rules[] = {
	{0, "filter 0  frag 1 action drop"},
	{10, "filter 10 action pass dport 32768:0x8000"},
	{20, "filter 20 iport 0 action pass dport 80 proto 6"},
	{30, "filter 30 iport 0 action pass dport 443 proto 6"},
	{40, "filter 40 iport 0 action pass dport 443 proto 17"},
	{50, "filter 50 iport 0 action pass sip 1.2.3.4 dport 22 proto 6"},
	{60, "filter 60 iport 0 action pass sip 1.2.3.4 proto 1"},
	{70, "filter 70 iport 0 action pass sport 67 dport 68 proto 17"},
	{80, "filter 80 iport 1 action pass sip 10.10.10.0/24 proto 1"},
	{81, "filter 81 iport 1 action pass sip 10.10.10.0/24 dport 80 proto 6"},
	{82, "filter 82 iport 1 action pass sip 10.10.10.0/24 dport 443 proto 6"},
	{83, "filter 83 iport 1 action pass sip 10.10.10.0/24 dport 53 proto 17"},
	{100, "filter 100 action drop proto 6"},
	{101, "filter 101 action drop proto 17"},
	{102, "filter 102 action drop proto 1"},
};

enum { TCP = 6, UDP = 17, ICMP = 1, ESP = 50, NONE = -1, LAN = 0x0a0a0a05, SSH = 0x01020304 };
enum { ANYONE = 0x08080808, FIRST = 0x2000, LATER = 0x2005 };

// The index of the rule each of the ports' frames hits.
static const struct probe {
	uint8_t proto;
	uint32_t src;
	uint16_t sport, dport, off;
	int hit[2];
} probes[] = {
	// 0: fragments, before everything else
	{TCP, ANYONE, 1, 80, FIRST, {0, 0}},
	{UDP, ANYONE, 1, 40000, LATER, {0, 0}},
	{ICMP, SSH, 0, 0, FIRST, {0, 0}},
	{ESP, ANYONE, 0, 0, LATER, {0, 0}},
	{TCP, ANYONE, 1, 80, 0x4000, {20, 100}}, // DF alone is none
	// 10: the upper ports
	{TCP, ANYONE, 80, 32768, 0, {10, 10}},
	{UDP, ANYONE, 53, 65535, 0, {10, 10}},
	{TCP, ANYONE, 80, 32767, 0, {100, 100}},
	{TCP, ANYONE, 40000, 25, 0, {100, 100}},
	// 20, 30, 40
	{TCP, ANYONE, 1, 80, 0, {20, 100}},
	{UDP, ANYONE, 1, 80, 0, {101, 101}},
	{TCP, ANYONE, 1, 81, 0, {100, 100}},
	{TCP, ANYONE, 1, 443, 0, {30, 100}},
	{UDP, ANYONE, 1, 443, 0, {40, 101}},
	{UDP, ANYONE, 443, 1, 0, {101, 101}},
	// 50, 60
	{TCP, SSH, 1, 22, 0, {50, 100}},
	{TCP, SSH + 1, 1, 22, 0, {100, 100}},
	{TCP, SSH, 1, 23, 0, {100, 100}},
	{UDP, SSH, 1, 22, 0, {101, 101}},
	{ICMP, SSH, 0, 0, 0, {60, 102}},
	{ICMP, SSH - 1, 0, 0, 0, {102, 102}},
	// 70
	{UDP, ANYONE, 67, 68, 0, {70, 101}},
	{UDP, ANYONE, 68, 67, 0, {101, 101}},
	{TCP, ANYONE, 67, 68, 0, {100, 100}},
	// 80 to 83
	{ICMP, LAN, 0, 0, 0, {102, 80}},
	{ICMP, LAN + 0x100, 0, 0, 0, {102, 102}},
	{TCP, LAN, 1, 80, 0, {20, 81}},
	{TCP, LAN, 1, 443, 0, {30, 82}},
	{TCP, LAN, 1, 53, 0, {100, 100}},
	{UDP, LAN, 1, 53, 0, {101, 83}},
	{UDP, LAN - 0x100, 1, 53, 0, {101, 101}},
	{UDP, 0x0a0a0a00, 1, 53, 0, {101, 83}},
	{UDP, 0x0a0a0aff, 1, 53, 0, {101, 83}},
	// 100 to 102
	{TCP, ANYONE, 1, 0, 0, {100, 100}},
	{UDP, ANYONE, 1, 2, 0, {101, 101}},
	{ICMP, ANYONE, 0, 0, 0, {102, 102}},
	// no rule: passes
	{ESP, ANYONE, 0, 0, 0, {NONE, NONE}},
	{47, LAN, 0, 0, 0, {NONE, NONE}},
};

static void say(void *arg, bool to_stderr, const char *text)
{
	(void)arg;
	(void)to_stderr;
	fail_msg("a rule's words: %s", text);
}

static struct adapter *card(struct adapter_path *path)
{
	struct adapter_conf c = {.name = "t5nex0", .n_ports = 2};
	struct adapter_out out = {.line = say};
	struct err err = {0};
	struct adapter *a;

	adapter_path_place(path, &c.place);
	a = adapter_new(&c, &err);
	if (a == NULL)
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		char line[ADAPTER_LINE_MAX + 1], *argv[ADAPTER_WORDS_MAX + 1];
		int argc;

		strcpy(line, rules[i].words);
		argc = adapter_split(line, argv, NULL);
		assert_int_equal(adapter_command(a, argc, argv, &out), 0);
	}
	return a;
}

struct count {
	uint64_t hits[128];
	unsigned n;
};

static void count_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct count *c = arg;

	(void)f;
	c->hits[idx] = hits;
	c->n++;
}

static bool drops_packets(int idx)
{
	return idx == 0 || idx >= 100;
}

// Asking says what the burst will meet, and counts nowhere.
static void ask(const struct adapter *a, const struct frame *f, unsigned in, int hit)
{
	struct adapter_verdict v;
	struct count before = {0}, after = {0};

	adapter_each(a, false, count_rule, &before);
	assert_int_equal(adapter_verdict(a, in, f->b, f->n, &v, NULL), 0);
	adapter_each(a, false, count_rule, &after);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(v.met, hit != NONE);
	assert_int_equal(v.action, hit != NONE && drops_packets(hit) ? ADAPTER_DROP : ADAPTER_PASS);
	if (hit != NONE)
		assert_int_equal(v.idx, hit);
	assert_false(v.hash || v.prio);
}

static void probe(
	struct adapter *a, struct adapter_path *path, const struct build *f, uint16_t in, int hit)
{
	static struct drops drops;
	struct burst b = {.drops = &drops, .in = in, .n = 1};
	struct count before = {0}, after = {0};
	struct frame frame;

	frame.n = build_frame(f, frame.b, sizeof(frame.b));
	assert_true(frame.n > 0);
	ask(a, &frame, in, hit);
	b.pkt[0] = rig_mbuf(&frame, UINT16_MAX);
	adapter_each(a, false, count_rule, &before);
	adapter_in(path, &b);
	adapter_each(a, false, count_rule, &after);
	assert_int_equal(after.n, 15);
	for (int i = 0; i < 128; i++)
		assert_int_equal(after.hits[i] - before.hits[i], i == hit);
	assert_int_equal(b.n_dropped, hit != NONE && drops_packets(hit));
	assert_int_equal(b.n + b.n_dropped, 1);
	rte_pktmbuf_free_bulk(b.pkt, b.n);
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
}

static struct adapter_path *new_path(void)
{
	struct err err = {0};
	struct adapter_path *path = adapter_path_new(0, 2, NULL, &err);

	if (path == NULL)
		fail_msg("%s", err.msg);
	adapter_path_mac(path, 0, &rig_mac);
	adapter_path_mac(path, 1, &rig_mac);
	return path;
}

static void each_rule_is_hit_by_what_it_is_about(void **state)
{
	struct adapter_path *path = new_path();
	struct adapter *a = card(path);
	bool hit[128] = {false};

	(void)state;
	for (unsigned i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		static const uint8_t payload[40];
		const struct probe *p = &probes[i];
		struct build f = {.dmac = rig_mac,
			.src = {.family = 4, .v4 = p->src},
			.dst = {.family = 4, .v4 = 0xc0a80101},
			.ttl = 9,
			.proto = p->proto,
			.raw = (p->off & 0x1fff) != 0,
			.ip_off = p->off,
			.sport = p->sport,
			.dport = p->dport,
			.payload = payload,
			.payload_len = 40};

		for (uint16_t in = 0; in < 2; in++) {
			probe(a, path, &f, in, p->hit[in]);
			if (p->hit[in] != NONE)
				hit[p->hit[in]] = true;
		}
	}
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!hit[rules[i].idx])
			fail_msg("rule %u: no probe hits it", rules[i].idx);
	adapter_free(a);
	adapter_path_free(path);
}

// The family of a rule is IPv4 where none is said, so the document's table lets all of IPv6 pass.
static void ipv6_and_arp_pass(void **state)
{
	struct adapter_path *path = new_path();
	struct adapter *a = card(path);
	struct build f = {.dmac = rig_mac,
		.src = {.family = 6, .v6 = {{0x20, 1}}},
		.dst = {.family = 6, .v6 = {{0x20, 2}}},
		.ttl = 9,
		.proto = TCP,
		.dport = 25};
	static struct drops drops;
	struct burst b = {.drops = &drops, .n = 1};
	struct frame arp = {.n = 60, .b = {[12] = 0x08, 0x06}};

	(void)state;
	probe(a, path, &f, 0, NONE);
	probe(a, path, &f, 1, NONE);
	b.pkt[0] = rig_mbuf(&arp, UINT16_MAX);
	adapter_in(path, &b);
	assert_int_equal(b.n, 1);
	rte_pktmbuf_free(b.pkt[0]);
	adapter_free(a);
	adapter_path_free(path);
}

static void only_frames_by_its_ports_can_be_asked_about(void **state)
{
	struct adapter_path *path = new_path();
	struct adapter *a = card(path);
	struct adapter_conf nowhere = {.name = "t5nex1", .n_ports = 1, .place = adapter_nowhere};
	struct adapter *b = adapter_new(&nowhere, NULL);
	static uint8_t frame[ADAPTER_FRAME_MAX + 1];
	struct adapter_verdict v;
	struct err err = {0};

	(void)state;
	assert_int_equal(adapter_verdict(a, 2, frame, 60, &v, &err), -EINVAL);
	assert_string_equal(err.msg, "port 2: t5nex0 has 2 ports, counted from 0");
	assert_int_equal(adapter_verdict(a, 0, frame, ADAPTER_FRAME_MIN - 1, &v, &err), -EMSGSIZE);
	assert_string_equal(err.msg, "a frame of 13 bytes: 14 to 16384 can be tried");
	assert_int_equal(adapter_verdict(a, 0, frame, ADAPTER_FRAME_MAX + 1, &v, &err), -EMSGSIZE);
	assert_int_equal(adapter_verdict(a, 0, frame, ADAPTER_FRAME_MIN, &v, &err), 0);
	assert_int_equal(adapter_verdict(a, 1, frame, ADAPTER_FRAME_MAX, &v, &err), 0);
	assert_int_equal(adapter_verdict(b, 0, frame, 60, &v, &err), -ENOTSUP);
	assert_string_equal(err.msg, "t5nex1: no packet meets this card");
	adapter_free(b);
	adapter_free(a);
	adapter_path_free(path);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, rig_all_back)
	const struct CMUnitTest tests[] = {
		T(each_rule_is_hit_by_what_it_is_about),
		T(ipv6_and_arp_pass),
		T(only_frames_by_its_ports_can_be_asked_about),
	};

	return cmocka_run_group_tests_name("chelsio", tests, rig_eal, NULL);
}

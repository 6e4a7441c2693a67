// SPDX-License-Identifier: BSD-2-Clause
// Bursts through rules: what becomes of each packet, and what is counted.
#include "adapter/rig_test.h"

#include "adapter/adapter.h"
#include "adapter/key.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = UINT16_MAX, N_PORTS = 3, N_FILTERS = 64 };

static struct adapter_path *path;
static struct adapter_place place;
static struct drops drops;
static struct burst b;

static int start(void **state)
{
	struct err err = {0};

	(void)state;
	path = adapter_path_new(N_FILTERS, N_PORTS, NULL, &err);
	if (path == NULL)
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < N_PORTS; i++)
		adapter_path_mac(path, i, &rig_mac);
	adapter_path_place(path, &place);
	b = (struct burst){.drops = &drops};
	drops = (struct drops){0};
	return 0;
}

static void clear(void)
{
	rte_pktmbuf_free_bulk(b.pkt, b.n);
	rte_pktmbuf_free_bulk(b.dropped, b.n_dropped);
	rte_pktmbuf_free_bulk(b.switched, b.n_switched);
	b.n = b.n_dropped = b.n_switched = 0;
}

static int stop(void **state)
{
	clear();
	adapter_path_free(path);
	return rig_all_back(state);
}

static void add(uint32_t slot, uint32_t order, const struct adapter_filter *f)
{
	struct err err = {0};

	if (place.add(place.state, slot, order, f, &err) != 0)
		fail_msg("%s", err.msg);
}

static void take_out(uint32_t slot, uint32_t order)
{
	struct err err = {0};

	if (place.remove(place.state, slot, order, &err) != 0)
		fail_msg("%s", err.msg);
}

static uint64_t hits(uint32_t slot)
{
	return place.hits(place.state, slot);
}

// Family 4 and a destination port.
static struct adapter_filter rule(enum adapter_action action, uint16_t dport)
{
	return (struct adapter_filter){.action = action,
		.value = {.family = 4, .dport = dport},
		.mask = {.family = 0xff, .dport = 0xffff}};
}

static struct frame udp(uint16_t dport)
{
	struct build r = {.dmac = rig_mac,
		.src = {.family = 4, .v4 = 0x0a000001},
		.dst = {.family = 4, .v4 = 0x0a000002},
		.ttl = 9,
		.proto = 17,
		.sport = 1000,
		.dport = dport};
	struct frame f;

	f.n = build_frame(&r, f.b, sizeof(f.b));
	return f;
}

static void put(uint16_t dport)
{
	struct frame f = udp(dport);

	b.pkt[b.n++] = rig_mbuf(&f, WHOLE);
}

static uint16_t dport_of(const struct rte_mbuf *m)
{
	const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);

	return (uint16_t)(p[36] << 8 | p[37]);
}

static void without_rules_there_is_nothing_to_do(void **state)
{
	struct adapter_filter f = rule(ADAPTER_DROP, 7);

	(void)state;
	assert_false(adapter_path_active(path));
	put(7);
	adapter_in(path, &b);
	assert_int_equal(b.n, 1);
	add(0, 0, &f);
	assert_true(adapter_path_active(path));
	add(1, 1, &f);
	take_out(0, 0);
	assert_true(adapter_path_active(path));
	take_out(1, 1);
	assert_false(adapter_path_active(path));
}

static void each_action_has_its_way(void **state)
{
	struct adapter_filter pass = rule(ADAPTER_PASS, 1), drop = rule(ADAPTER_DROP, 2);
	struct adapter_filter out = rule(ADAPTER_SWITCH, 3), back = rule(ADAPTER_SWITCH, 4);

	(void)state;
	out.eport = 2;
	add(5, 50, &pass);
	add(6, 60, &drop);
	add(7, 70, &out);
	add(8, 80, &back);
	for (unsigned n = 0; n <= BURST_MAX; n++) {
		unsigned want[5] = {0}, live = 0, left = 0;
		uint64_t before[5] = {0, hits(5), hits(6), hits(7), hits(8)};

		for (unsigned i = 0; i < n; i++) {
			put((uint16_t)(i * i % 5));
			want[i * i % 5]++;
		}
		adapter_in(path, &b);
		assert_int_equal(b.n, want[0] + want[1]);
		assert_int_equal(b.n_dropped, want[2]);
		assert_int_equal(b.n_switched, want[3] + want[4]);
		for (unsigned k = 1; k < 5; k++)
			assert_int_equal(hits(4 + k) - before[k], want[k]);
		for (unsigned i = 0; i < n; i++) // in their order
			if (i * i % 5 < 2)
				assert_int_equal(dport_of(b.pkt[live++]), i * i % 5);
			else if (i * i % 5 > 2) {
				assert_int_equal(dport_of(b.switched[left]), i * i % 5);
				assert_int_equal(b.switched_out[left++], i * i % 5 == 3 ? 2 : 0);
			}
		clear();
	}
	assert_int_equal(drops.n[DROP_FILTER], hits(6));
}

static void trains_of_one_rule_are_counted_too(void **state)
{
	static const enum adapter_action actions[] = {ADAPTER_PASS, ADAPTER_DROP, ADAPTER_SWITCH};

	(void)state;
	for (unsigned a = 0; a < 3; a++) {
		struct adapter_filter f = rule(actions[a], 9);
		uint64_t sum = 0;

		add(a, a, &f);
		for (unsigned n = 0; n <= BURST_MAX; n++) {
			for (unsigned i = 0; i < n; i++)
				put(9);
			sum += n;
			adapter_in(path, &b);
			assert_int_equal(hits(a), sum);
			assert_int_equal(b.n, a == 0 ? n : 0);
			assert_int_equal(b.n_dropped, a == 1 ? n : 0);
			assert_int_equal(b.n_switched, a == 2 ? n : 0);
			clear();
		}
		take_out(a, a);
	}
}

static void the_lowest_order_decides(void **state)
{
	struct adapter_filter pass = rule(ADAPTER_PASS, 1), drop = rule(ADAPTER_DROP, 1);

	(void)state;
	add(0, 10, &drop);
	add(1, 5, &pass);
	put(1);
	adapter_in(path, &b);
	assert_int_equal(b.n, 1);
	clear();
	take_out(1, 5);
	put(1);
	adapter_in(path, &b);
	assert_int_equal(b.n, 0);
	assert_int_equal(hits(0), 1);
}

static void a_slot_used_again_counts_from_zero(void **state)
{
	struct adapter_filter f = rule(ADAPTER_PASS, 1), other = rule(ADAPTER_PASS, 2);

	(void)state;
	add(3, 1, &f);
	put(1);
	adapter_in(path, &b);
	assert_int_equal(hits(3), 1);
	take_out(3, 1);
	add(3, 9, &other);
	assert_int_equal(hits(3), 0);
	put(1);
	adapter_in(path, &b);
	assert_int_equal(hits(3), 0);
}

static void ports_have_their_own_rules(void **state)
{
	struct adapter_filter f = rule(ADAPTER_DROP, 1);

	(void)state;
	f.value.iport = 1;
	f.mask.iport = 7;
	add(0, 0, &f);
	for (b.in = 0; b.in < N_PORTS; b.in++) {
		put(1);
		adapter_in(path, &b);
		assert_int_equal(b.n, b.in == 1 ? 0 : 1);
		clear();
	}
}

static void what_cannot_be_switched_is_dropped(void **state)
{
	struct adapter_filter f = rule(ADAPTER_SWITCH, 1);

	(void)state;
	f.vlan = VLAN_INSERT;
	add(0, 0, &f);
	put(1);
	put(1);
	rte_pktmbuf_prepend(b.pkt[0], RTE_PKTMBUF_HEADROOM);
	memmove(rte_pktmbuf_mtod(b.pkt[0], char *),
		rte_pktmbuf_mtod_offset(b.pkt[0], char *, RTE_PKTMBUF_HEADROOM), 42);
	rte_pktmbuf_trim(b.pkt[0], RTE_PKTMBUF_HEADROOM);
	adapter_in(path, &b);
	assert_int_equal(b.n_dropped, 1);
	assert_int_equal(b.n_switched, 1);
	assert_int_equal(drops.n[DROP_SWITCH], 1);
	assert_int_equal(hits(0), 2);
}

static void rules_that_cannot_be_are_refused(void **state)
{
	struct adapter_filter f = rule(ADAPTER_SWITCH, 1);
	struct err err = {0};

	(void)state;
	f.eport = N_PORTS;
	assert_int_equal(place.add(place.state, 0, 0, &f, &err), -EINVAL);
	assert_string_equal(err.msg, "eport 3: there are 3 ports");
	f.eport = 0;
	assert_int_equal(place.add(place.state, N_FILTERS, 0, &f, &err), -EINVAL);
	assert_int_equal(place.remove(place.state, 0, 0, &err), -ENOENT);
	add(0, 0, &f);
	assert_int_equal(place.add(place.state, 1, 0, &f, &err), -EEXIST);
	take_out(0, 0);
	assert_false(adapter_path_active(path));
}

static int cleared = -1;

static void note_port(void *arg, unsigned port)
{
	*(int *)arg = (int)port;
}

static void clearing_a_port_is_passed_on(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(place.clear_stats(place.state, 1, &err), -ENOTSUP);
	adapter_path_clear(path, note_port, &cleared);
	assert_int_equal(place.clear_stats(place.state, 1, &err), 0);
	assert_int_equal(cleared, 1);
	assert_int_equal(place.clear_stats(place.state, N_PORTS, &err), -EINVAL);
}

// Rules of few values, so that random packets meet them.
static void random_rule(struct adapter_filter *f)
{
	*f = (struct adapter_filter){.action = (enum adapter_action)rig_below(3),
		.eport = (uint8_t)rig_below(N_PORTS),
		.value.family = rig_below(2) == 0 ? 4 : 6,
		.mask.family = 0xff};
	if (rig_below(2) == 0) {
		f->mask.proto = 0xff;
		f->value.proto = (const uint8_t[]){1, 6, 17, 58}[rig_below(4)];
	}
	if (rig_below(3) == 0) {
		f->mask.iport = 7;
		f->value.iport = (uint8_t)rig_below(N_PORTS);
	}
	if (rig_below(3) == 0) {
		f->mask.frag = 1;
		f->value.frag = (uint8_t)rig_below(2);
	}
	if (rig_below(3) == 0) {
		f->mask.dport = 0xc000;
		f->value.dport = (uint16_t)(1 + rig_below(3)) << 14;
	}
	if (rig_below(3) == 0) {
		f->mask.src[0] = 0xc0000000;
		f->value.src[0] = (uint32_t)rig_below(4) << 30;
	}
	if (rig_below(6) == 0) {
		f->mask.matchtype = 7;
		f->value.matchtype = (uint8_t)(2 * rig_below(4));
	}
	if (rig_below(8) == 0) {
		f->mask.vlan_valid = f->value.vlan_valid = 1;
		f->mask.ivlan = 0x8000;
	}
}

static bool matches(const struct adapter_filter *f, const struct classify_key *key)
{
	struct classify_rule r;
	const uint8_t *k = (const uint8_t *)key, *v = (const uint8_t *)&r.value;
	const uint8_t *m = (const uint8_t *)&r.mask;

	adapter_rule(f, &r);
	for (unsigned i = 0; i < sizeof(*key); i++)
		if ((k[i] & m[i]) != v[i])
			return false;
	return true;
}

static void random_bursts_meet_the_rules_of_a_list(void **state)
{
	enum { N_RULES = 40 };
	static struct adapter_filter list[N_RULES];
	static struct frame frame;
	static struct recipe r;
	uint64_t mac48 = 0;

	(void)state;
	rig_seed();
	memcpy(&mac48, rig_mac.b, MAC_LEN);
	for (unsigned round = 0; round < 60; round++) {
		uint64_t want[N_RULES] = {0};
		unsigned n_rules = 1 + rig_below(N_RULES);

		for (unsigned i = 0; i < n_rules; i++) {
			random_rule(&list[i]);
			add(i, 3 * i, &list[i]);
		}
		for (unsigned k = 0; k < 20; k++) {
			unsigned n = rig_below(BURST_MAX + 1), fate[4] = {0};

			b.in = (uint16_t)rig_below(N_PORTS);
			for (unsigned i = 0; i < n; i++) {
				struct classify_key key;
				unsigned first = 0;

				rig_recipe(&r, rig_below(2) == 0 ? 4 : 6);
				rig_build(&r, &frame);
				rig_damage(&frame);
				if (frame.n < 14)
					frame.n = 14; // a shorter one cannot be switched
				b.pkt[b.n++] = rig_mbuf(&frame, WHOLE);
				key_slow(&b.pkt[i], 1, b.in, mac48, &key);
				while (first < n_rules && !matches(&list[first], &key))
					first++;
				fate[first < n_rules ? list[first].action : 3]++;
				if (first < n_rules)
					want[first]++;
			}
			adapter_in(path, &b);
			assert_int_equal(b.n, fate[ADAPTER_PASS] + fate[3]);
			assert_int_equal(b.n_dropped, fate[ADAPTER_DROP]);
			assert_int_equal(b.n_switched, fate[ADAPTER_SWITCH]);
			clear();
		}
		for (unsigned i = 0; i < n_rules; i++) {
			assert_int_equal(hits(i), want[i]);
			take_out(i, 3 * i);
		}
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		T(without_rules_there_is_nothing_to_do),
		T(each_action_has_its_way),
		T(trains_of_one_rule_are_counted_too),
		T(the_lowest_order_decides),
		T(a_slot_used_again_counts_from_zero),
		T(ports_have_their_own_rules),
		T(what_cannot_be_switched_is_dropped),
		T(rules_that_cannot_be_are_refused),
		T(clearing_a_port_is_passed_on),
		T(random_bursts_meet_the_rules_of_a_list),
	};

	return cmocka_run_group_tests_name("in", tests, rig_eal, NULL);
}

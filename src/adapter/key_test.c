// SPDX-License-Identifier: BSD-2-Clause
#include "adapter/rig_test.h"

#include "adapter/key.h"
#include "packet/parse.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>

enum { WHOLE = UINT16_MAX, N_BURSTS = 400, IN = 2 };

static uint64_t mac48(void)
{
	uint64_t v = 0;

	memcpy(&v, rig_mac.b, MAC_LEN);
	return v;
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint8_t matchtype_of(const struct frame *f)
{
	static const uint8_t all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

	if (memcmp(f->b, rig_mac.b, 6) == 0)
		return 0;
	if (memcmp(f->b, all, 6) == 0)
		return 6;
	return f->b[0] & 1 ? 2 : 4;
}

// The slow obvious version, of a frame that lies in one piece.
static struct classify_key expected(const struct frame *f)
{
	struct classify_key k = {.iport = IN};
	struct hdrs h;
	enum drop why = packet_parse(f->b, f->n, &h);
	const uint8_t *ip = f->b + h.l3;
	bool broken = why == DROP_IP4_SHORT || why == DROP_IP4_VERSION || why == DROP_IP4_IHL ||
		      why == DROP_IP4_LENGTH || why == DROP_IP6_SHORT || why == DROP_IP6_VERSION ||
		      why == DROP_IP6_LENGTH;
	unsigned len = h.family == 4 ? 4 : 16, src = h.family == 4 ? 12 : 8;

	k.matchtype = why == DROP_ETH_SHORT ? 4 : matchtype_of(f);
	k.macidx = k.matchtype == 0 ? 0 : 0x1ff;
	k.ethertype = h.ethertype;
	k.fcoe = h.ethertype == 0x8906;
	k.ivlan = h.n_vlan == 2 ? h.tci[1] : h.tci[0];
	k.ovlan = h.n_vlan == 2 ? h.tci[0] : 0;
	k.vlan_valid = (uint8_t)((h.n_vlan > 0) | (h.n_vlan > 1) << 1);
	if (h.family == 0 || broken)
		return k;
	k.family = h.family;
	k.proto = h.proto;
	k.tos = h.family == 4 ? ip[1] : (uint8_t)((ip[0] & 15) << 4 | ip[1] >> 4);
	k.frag = h.frag != FRAG_NONE;
	k.sport = h.sport;
	k.dport = h.dport;
	if (h.has_ports)
		k.vlan_valid |= CLASSIFY_HAS_PORTS;
	k.tcp_flags = h.tcp_flags;
	k.icmp_type = h.icmp_type;
	k.icmp_code = h.icmp_code;
	for (unsigned i = 0; i < len; i += 4) {
		k.src[i / 4] = get32(ip + src + i);
		k.dst[i / 4] = get32(ip + src + len + i);
	}
	return k;
}

static void fail_keys(const struct frame *f, const struct classify_key *got)
{
	struct classify_key want = expected(f);

	print_error("frame of %u:", f->n);
	for (unsigned i = 0; i < f->n && i < 100; i++)
		print_error(" %02x", f->b[i]);
	print_error("\n");
	assert_memory_equal(got, &want, sizeof(want));
}

static void random_bursts(key_fn *keys_of, unsigned piece_max)
{
	static struct frame frame[BURST_MAX];
	struct classify_key keys[BURST_MAX];
	struct rte_mbuf *m[BURST_MAX];
	static struct recipe r;
	unsigned plain = 0;

	rig_seed();
	for (unsigned k = 0; k < N_BURSTS; k++) {
		unsigned n = k % (BURST_MAX + 1);

		for (unsigned i = 0; i < n; i++) {
			rig_recipe(&r, rig_below(2) == 0 ? 4 : 6);
			rig_build(&r, &frame[i]);
			if (k % 4 != 0)
				rig_damage(&frame[i]);
			m[i] = rig_mbuf(
				&frame[i], piece_max == WHOLE ? WHOLE : 12 + rig_below(piece_max));
		}
		memset(keys, 0xa5, sizeof(keys));
		keys_of(m, n, IN, mac48(), keys);
		for (unsigned i = 0; i < n; i++) {
			struct classify_key want = expected(&frame[i]);

			if (memcmp(&keys[i], &want, sizeof(want)) != 0)
				fail_keys(&frame[i], &keys[i]);
			plain += want.family != 0;
			rte_pktmbuf_free(m[i]);
		}
	}
	assert_true(plain > N_BURSTS);
}

static void a_key_holds_what_the_parser_reads(void **state)
{
	(void)state;
	random_bursts(key_slow, WHOLE);
}

static void a_key_does_not_depend_on_the_buffers(void **state)
{
	(void)state;
	random_bursts(key_slow, 400);
	random_bursts(key_plain, 100);
}

static void plain_frames_are_read_alike(void **state)
{
	(void)state;
	random_bursts(key_plain, WHOLE);
}

static void plain_frames_are_permuted_alike(void **state)
{
	(void)state;
	if (!key_has_vbmi()) {
		print_message("skipped: this processor has no AVX-512 VBMI\n");
		skip();
	}
	random_bursts(key_vbmi, WHOLE);
	random_bursts(key_vbmi, 100);
}

static struct classify_key key_of(const struct frame *f, uint16_t in)
{
	struct rte_mbuf *m = rig_mbuf(f, WHOLE);
	struct classify_key key[3];

	key_slow(&m, 1, in, mac48(), &key[0]);
	key_plain(&m, 1, in, mac48(), &key[1]);
	key_best()(&m, 1, in, mac48(), &key[2]);
	assert_memory_equal(&key[0], &key[1], sizeof(key[0]));
	assert_memory_equal(&key[0], &key[2], sizeof(key[0]));
	rte_pktmbuf_free(m);
	return key[0];
}

static struct frame udp4(uint8_t n_vlan)
{
	struct build b = {.dmac = rig_mac,
		.n_vlan = n_vlan,
		.tci = {0x6005, 0xe007},
		.src = {.family = 4, .v4 = 0x0a010203},
		.dst = {.family = 4, .v4 = 0xc0a80504},
		.tos = 0xb8,
		.ttl = 9,
		.proto = 17,
		.sport = 53,
		.dport = 40000};
	struct frame f;

	f.n = build_frame(&b, f.b, sizeof(f.b));
	return f;
}

static void numbers_are_in_host_order(void **state)
{
	struct frame f = udp4(0);
	struct classify_key k = key_of(&f, 1);

	(void)state;
	assert_int_equal(k.family, 4);
	assert_int_equal(k.proto, 17);
	assert_int_equal(k.tos, 0xb8);
	assert_int_equal(k.src[0], 0x0a010203);
	assert_int_equal(k.dst[0], 0xc0a80504);
	assert_int_equal(k.sport, 53);
	assert_int_equal(k.dport, 40000);
	assert_int_equal(k.ethertype, 0x0800);
	assert_int_equal(k.iport, 1);
	assert_int_equal(k.vlan_valid, CLASSIFY_HAS_PORTS);
}

static void the_inner_tag_is_the_one_next_to_the_payload(void **state)
{
	struct frame f = udp4(1);
	struct classify_key k = key_of(&f, 0);

	(void)state;
	assert_int_equal(k.ivlan, 0x6005);
	assert_int_equal(k.vlan_valid, CLASSIFY_HAS_IVLAN | CLASSIFY_HAS_PORTS);
	f = udp4(2);
	k = key_of(&f, 0);
	assert_int_equal(k.ivlan, 0xe007);
	assert_int_equal(k.ovlan, 0x6005);
	assert_int_equal(k.dport, 40000);
	assert_int_equal(
		k.vlan_valid, CLASSIFY_HAS_IVLAN | CLASSIFY_HAS_OVLAN | CLASSIFY_HAS_PORTS);
}

static void a_tag_that_the_port_took_off_counts(void **state)
{
	struct frame f = udp4(1);
	struct rte_mbuf *m = rig_mbuf(&f, WHOLE);
	struct classify_key k;

	(void)state;
	m->ol_flags |= RTE_MBUF_F_RX_VLAN_STRIPPED;
	m->vlan_tci = 0x0123;
	key_best()(&m, 1, 0, mac48(), &k);
	assert_int_equal(k.ivlan, 0x6005);
	assert_int_equal(k.ovlan, 0x0123);
	rte_pktmbuf_free(m);
	f = udp4(0);
	m = rig_mbuf(&f, WHOLE);
	m->ol_flags |= RTE_MBUF_F_RX_VLAN_STRIPPED;
	m->vlan_tci = 0x0123;
	key_best()(&m, 1, 0, mac48(), &k);
	assert_int_equal(k.ivlan, 0x0123);
	assert_int_equal(k.vlan_valid, CLASSIFY_HAS_IVLAN | CLASSIFY_HAS_PORTS);
	rte_pktmbuf_free(m);
}

static void fragments_are_parts_of_something_larger(void **state)
{
	static const uint8_t all[8] = {17}, first[8] = {17, 0, 0, 1}, later[8] = {17, 0, 0, 8};
	struct build b = {.dmac = rig_mac,
		.src = {.family = 6, .v6 = {{0x20, 1}}},
		.dst = {.family = 6, .v6 = {{0x20, 2}}},
		.ttl = 9,
		.opt = all,
		.opt_len = 8,
		.opt_type = 44,
		.proto = 17,
		.sport = 53,
		.dport = 40000};
	struct classify_key k;
	struct frame f;

	(void)state;
	f.n = build_frame(&b, f.b, sizeof(f.b));
	k = key_of(&f, 0);
	assert_int_equal(k.frag, 0);
	assert_int_equal(k.dport, 40000);
	b.opt = first;
	f.n = build_frame(&b, f.b, sizeof(f.b));
	k = key_of(&f, 0);
	assert_int_equal(k.frag, 1);
	assert_int_equal(k.dport, 40000);
	b.opt = later;
	f.n = build_frame(&b, f.b, sizeof(f.b));
	k = key_of(&f, 0);
	assert_int_equal(k.frag, 1);
	assert_int_equal(k.proto, 17);
	assert_int_equal(k.dport, 0);
	assert_int_equal(k.vlan_valid, 0);
	f = udp4(0);
	f.b[14 + 6] = 0x20; // MF
	assert_int_equal(key_of(&f, 0).frag, 1);
	assert_int_equal(key_of(&f, 0).sport, 53);
	f.b[14 + 6] = 0x40; // DF
	assert_int_equal(key_of(&f, 0).frag, 0);
	f.b[14 + 6] = 0;
	f.b[14 + 7] = 1; // an offset
	assert_int_equal(key_of(&f, 0).frag, 1);
	assert_int_equal(key_of(&f, 0).sport, 0);
}

// Whatever of its headers a first fragment leaves to the next one: it has no ports, and it is a fragment, so
// that a rule for fragments meets it where those for ports cannot.
static void a_first_fragment_without_ports_is_still_a_fragment(void **state)
{
	static const struct {
		uint8_t next, bytes[24];
		unsigned n; // of payload
	} cut[] = {
		{44, {6, 0, 0, 1}, 8},                         // nothing behind the fragment header
		{44, {6, 0, 0, 1, [8] = 0, 22, 0}, 8 + 3},     // three bytes of TCP
		{44, {60, 0, 0, 1, [8] = 6, 0, 1, 4}, 16},     // options and nothing behind them
		{44, {60, 0, 0, 1, [8] = 6, 1, 1, 12}, 16},    // half of the options
		{44, {60, 0, 0, 1, [8] = 60, 0, 1, 4}, 16},    // a further header is to come
		{60, {44, 0, 1, 4, [8] = 17, 0, 0, 1}, 8 + 8}, // the fragment header behind options
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		struct frame f = {.n = 14 + 40 + cut[i].n};
		struct classify_key k;

		memcpy(f.b, rig_mac.b, MAC_LEN);
		memcpy(f.b + 12, (const uint8_t[]){0x86, 0xdd, 0x60}, 3);
		f.b[14 + 5] = (uint8_t)cut[i].n;
		f.b[14 + 6] = cut[i].next;
		memcpy(f.b + 14 + 40, cut[i].bytes, cut[i].n);
		k = key_of(&f, 0);
		assert_int_equal(k.family, 6);
		assert_int_equal(k.frag, 1);
		assert_int_equal(k.sport | k.dport, 0);
		assert_int_equal(k.vlan_valid, 0);
	}
}

static void a_broken_ip_header_leaves_no_family(void **state)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} broken[] = {{14, 0x65}, {14, 0x44}, {14, 0x4f}, {16, 0x7f}, {17, 19}};
	struct frame f;

	(void)state;
	for (unsigned i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct classify_key k, none = {.ethertype = 0x0800};

		f = udp4(0);
		f.b[broken[i].at] = broken[i].value;
		k = key_of(&f, 0);
		assert_memory_equal(&k, &none, sizeof(k));
	}
}

static void destination_macs_have_match_types(void **state)
{
	struct frame f = udp4(0);

	(void)state;
	assert_int_equal(key_of(&f, 0).matchtype, 0);
	assert_int_equal(key_of(&f, 0).macidx, 0);
	f.b[5] ^= 1;
	assert_int_equal(key_of(&f, 0).matchtype, 4);
	assert_int_equal(key_of(&f, 0).macidx, 0x1ff);
	f.b[0] |= 1;
	assert_int_equal(key_of(&f, 0).matchtype, 2);
	memset(f.b, 0xff, 6);
	assert_int_equal(key_of(&f, 0).matchtype, 6);
	assert_int_equal(key_of(&f, 0).dport, 40000);
}

static void ports_beyond_the_fourth_have_no_number_of_a_port(void **state)
{
	struct frame f = udp4(0);

	(void)state;
	assert_int_equal(key_of(&f, 3).iport, 3);
	for (uint16_t in = 4; in < 16; in++)
		assert_in_range(key_of(&f, in).iport, 4, 7);
}

static void other_frames_have_their_type_alone(void **state)
{
	struct frame f = udp4(0);
	struct classify_key k, want = {.ethertype = 0x8906, .fcoe = 1};

	(void)state;
	f.b[12] = 0x89;
	f.b[13] = 0x06;
	k = key_of(&f, 0);
	assert_memory_equal(&k, &want, sizeof(k));
	f.b[13] = 0x14; // FCoE's initialisation protocol is not FCoE
	k = key_of(&f, 0);
	assert_int_equal(k.fcoe, 0);
	assert_int_equal(k.ethertype, 0x8914);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, rig_all_back)
	const struct CMUnitTest tests[] = {
		T(a_key_holds_what_the_parser_reads),
		T(a_key_does_not_depend_on_the_buffers),
		T(plain_frames_are_read_alike),
		T(plain_frames_are_permuted_alike),
		T(numbers_are_in_host_order),
		T(the_inner_tag_is_the_one_next_to_the_payload),
		T(a_tag_that_the_port_took_off_counts),
		T(fragments_are_parts_of_something_larger),
		T(a_first_fragment_without_ports_is_still_a_fragment),
		T(a_broken_ip_header_leaves_no_family),
		T(destination_macs_have_match_types),
		T(ports_beyond_the_fourth_have_no_number_of_a_port),
		T(other_frames_have_their_type_alone),
	};

	return cmocka_run_group_tests_name("key", tests, rig_eal, NULL);
}

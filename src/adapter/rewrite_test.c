// SPDX-License-Identifier: BSD-2-Clause
// What is rewritten must equal the frame that is built anew from the new fields, bit for bit.
#include "adapter/rig_test.h"

#include "adapter/rewrite.h"

#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>

enum { WHOLE = UINT16_MAX, P_TCP = 6, P_UDP = 17 };

static const struct mac new_dmac = {{2, 1, 1, 1, 1, 1}}, new_smac = {{2, 2, 2, 2, 2, 2}};

static void apply(const struct adapter_filter *f, const struct frame *in, unsigned piece,
	enum drop why, struct frame *out)
{
	struct rte_mbuf *m = rig_mbuf(in, piece);
	struct rewrite r;
	struct err err = {0};
	enum drop got;

	if (rewrite_make(&r, f, &err) != 0)
		fail_msg("%s", err.msg);
	got = rewrite_packet(&r, &m);
	if (got != why)
		fail_msg("dropped for %s, not %s", drop_name(got), drop_name(why));
	rte_mbuf_sanity_check(m, 1);
	rig_read(m, out);
	rte_pktmbuf_free(m);
}

static void print_frame(const char *what, const struct frame *f)
{
	print_error("%s, %u bytes:", what, f->n);
	for (unsigned i = 0; i < f->n && i < 120; i++)
		print_error(" %02x", f->b[i]);
	print_error("\n");
}

static void same_frame(const struct frame *in, const struct frame *got, const struct frame *want)
{
	if (got->n == want->n && memcmp(got->b, want->b, want->n) == 0)
		return;
	print_frame("in", in);
	print_frame("got", got);
	print_frame("want", want);
	fail_msg("not the frame that is built anew");
}

// What each mode writes, as the manual of the tool lists them.
static const struct mode {
	enum adapter_nat nat;
	bool dip, dport, sip, sport;
} modes[] = {
	{NAT_NONE, false, false, false, false},
	{NAT_DIP, true, false, false, false},
	{NAT_DIP_DP, true, true, false, false},
	{NAT_DIP_DP_SIP, true, true, true, false},
	{NAT_DIP_DP_SP, true, true, false, true},
	{NAT_SIP_SP, false, false, true, true},
	{NAT_DIP_SIP_SP, true, false, true, true},
	{NAT_ALL, true, true, true, true},
};

static void random_filter(struct adapter_filter *f, const struct mode *mode, uint8_t family)
{
	struct recipe other;

	rig_recipe(&other, family);
	*f = (struct adapter_filter){.action = ADAPTER_SWITCH,
		.value.family = family,
		.nat = mode->nat,
		.nat_sip = other.b.src,
		.nat_dip = other.b.dst,
		.nat_sport = other.b.sport,
		.nat_dport = other.b.dport,
		.has_dmac = rig_below(2) == 0,
		.has_smac = rig_below(2) == 0,
		.swapmac = rig_below(3) == 0,
		.dmac = new_dmac,
		.smac = new_smac,
		.vlan = (enum adapter_vlan)rig_below(4),
		.vlan_id = (uint16_t)rig_below(4096)};
	// Addresses that are all ones or zero bring out the two zeros of the sum.
	if (rig_below(8) == 0)
		memset(&f->nat_dip.v6, rig_below(2) == 0 ? 0xff : 0, IP6_LEN);
	if (rig_below(8) == 0)
		f->nat_sip.v4 = rig_below(2) == 0 ? UINT32_MAX : 0;
}

static void change_addresses(
	const struct mode *mode, const struct adapter_filter *f, struct build *b)
{
	if (mode->dip)
		b->dst = f->nat_dip;
	if (mode->sip)
		b->src = f->nat_sip;
}

static void change_ports(const struct mode *mode, const struct adapter_filter *f, struct build *b)
{
	if (mode->dport)
		b->dport = f->nat_dport;
	if (mode->sport)
		b->sport = f->nat_sport;
}

static void change_link(const struct adapter_filter *f, struct build *b)
{
	struct mac was = b->dmac;

	if (f->swapmac) {
		b->dmac = b->smac;
		b->smac = was;
	}
	if (f->has_dmac)
		b->dmac = f->dmac;
	if (f->has_smac)
		b->smac = f->smac;
}

// What the filter should make of a packet, but for its tags.
static void change(const struct mode *mode, const struct adapter_filter *f, struct build *b)
{
	change_addresses(mode, f, b);
	change_ports(mode, f, b);
	change_link(f, b);
}

// Tags are compared apart: build.h gives an outer tag of two another type.
static void insert_tag(struct frame *f, uint16_t tci)
{
	memmove(f->b + 16, f->b + 12, f->n - 12);
	memcpy(f->b + 12, "\x81\x00", 2);
	f->b[14] = (uint8_t)(tci >> 8);
	f->b[15] = (uint8_t)tci;
	f->n += 4;
}

static void change_tags(const struct adapter_filter *f, uint8_t n_vlan, struct frame *want)
{
	switch (f->vlan) {
	case VLAN_KEEP:
		break;
	case VLAN_INSERT:
		insert_tag(want, f->vlan_id);
		break;
	case VLAN_REMOVE:
		if (n_vlan == 0)
			break;
		memmove(want->b + 12, want->b + 16, want->n - 16);
		memset(want->b + want->n - 4, 0, 4);
		if (want->n <= 60)
			want->n -= 4; // too short for the wire as it was
		else
			want->n = want->n - 4 < 60 ? 60 : want->n - 4;
		break;
	case VLAN_REWRITE:
		if (n_vlan == 0)
			break;
		want->b[14] = (uint8_t)((want->b[14] & 0xf0) | f->vlan_id >> 8);
		want->b[15] = (uint8_t)f->vlan_id;
		break;
	}
}

static void every_action_gives_the_frame_that_is_built_anew(void **state)
{
	static struct recipe r;
	static struct frame in, want, got;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < 20000; k++) {
		const struct mode *mode = &modes[k % 8];
		uint8_t family = k / 8 % 2 == 0 ? 4 : 6;
		struct adapter_filter f;

		rig_recipe(&r, family);
		random_filter(&f, mode, family);
		rig_build(&r, &in);
		change(mode, &f, &r.b);
		rig_build(&r, &want);
		if (in.n == 60 && f.vlan == VLAN_REMOVE)
			continue; // has its own test
		change_tags(&f, r.b.n_vlan, &want);
		apply(&f, &in, k % 3 == 0 ? 20 + rig_below(100) : WHOLE, DROP_NONE, &got);
		same_frame(&in, &got, &want);
	}
}

// The offset is in units of 8 bytes of the upper-layer packet, which is cut from `whole`.
static void cut(const struct recipe *r, const uint8_t *l4, unsigned len, unsigned off, bool more,
	struct frame *f)
{
	struct build b = r->b;
	uint8_t ext[8] = {b.proto, 0, (uint8_t)(off >> 5), (uint8_t)(off << 3 | more), 0, 0, 0, 7};

	b.raw = true;
	b.payload = l4;
	b.payload_len = len;
	b.opt = NULL;
	b.opt_len = 0;
	if (b.src.family == 4) {
		b.ip_off = (uint16_t)(off | (more ? 0x2000 : 0));
	} else {
		b.opt = ext;
		b.opt_len = 8;
		b.opt_type = 44;
	}
	f->n = build_frame(&b, f->b, sizeof(f->b));
	assert_true(f->n > 0);
}

static void fragments_put_together_are_the_datagram_that_is_built_anew(void **state)
{
	static struct recipe r;
	static struct frame whole, changed, in, want, got;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < 20000; k++) {
		const struct mode *mode = &modes[k % 8];
		uint8_t family = k / 8 % 2 == 0 ? 4 : 6;
		unsigned ip = 14 + (family == 4 ? 20u : 40u), first = 24 + 8 * rig_below(4), len;
		struct adapter_filter f;
		struct recipe r2;

		rig_recipe(&r, family);
		random_filter(&f, mode, family);
		f.vlan = VLAN_KEEP;
		r.b.n_vlan = 0;
		r.b.opt = NULL;
		r.b.opt_len = 0;
		r.b.payload_len = 60 + rig_below(100);
		rig_build(&r, &whole);
		len = whole.n - ip;
		r2 = r;
		r2.b.payload = r.payload;
		change(mode, &f, &r2.b);
		rig_build(&r2, &changed);

		cut(&r, whole.b + ip, first, 0, true, &in);
		cut(&r2, changed.b + ip, first, 0, true, &want);
		apply(&f, &in, WHOLE, DROP_NONE, &got);
		same_frame(&in, &got, &want);
		cut(&r, whole.b + ip + first, len - first, first / 8, false, &in);
		cut(&r2, changed.b + ip + first, len - first, first / 8, false, &want);
		apply(&f, &in, WHOLE, DROP_NONE, &got);
		same_frame(&in, &got, &want);
	}
}

static void plain_udp(struct recipe *r, uint8_t family)
{
	do
		rig_recipe(r, family);
	while (r->b.proto != P_UDP);
	r->b.n_vlan = 0;
	r->b.opt = NULL;
	r->b.opt_len = 0;
	r->b.payload_len = 20;
}

static void no_udp_checksum_stays_none(void **state)
{
	static struct recipe r;
	static struct frame in, want, got;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < 2000; k++) {
		uint8_t family = k % 2 == 0 ? 4 : 6;
		const struct mode *mode = &modes[1 + k % 7];
		unsigned sum = 14 + (family == 4 ? 20 : 40) + 6;
		struct adapter_filter f;

		plain_udp(&r, family);
		random_filter(&f, mode, family);
		f.vlan = VLAN_KEEP;
		rig_build(&r, &in);
		change(mode, &f, &r.b);
		rig_build(&r, &want);
		memset(in.b + sum, 0, 2);
		memset(want.b + sum, 0, 2);
		apply(&f, &in, WHOLE, DROP_NONE, &got);
		same_frame(&in, &got, &want);
	}
}

static void a_udp_checksum_that_becomes_zero_is_written_as_ones(void **state)
{
	static struct recipe r;
	static struct frame in, want, got;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < 200; k++) {
		uint8_t family = k % 2 == 0 ? 4 : 6;
		unsigned sum = 14 + (family == 4 ? 20 : 40) + 6, add;
		struct recipe after;
		struct adapter_filter f;

		plain_udp(&r, family);
		random_filter(&f, &modes[1 + k % 7], family);
		f.vlan = VLAN_KEEP;
		memset(r.payload, 0, 2);
		after = r;
		after.b.payload = after.payload;
		change(&modes[1 + k % 7], &f, &after.b);
		// The checksum that is wanted in the payload makes it ones and zero.
		rig_build(&after, &want);
		add = (unsigned)want.b[sum] << 8 | want.b[sum + 1];
		after.payload[0] = r.payload[0] = (uint8_t)(add >> 8);
		after.payload[1] = r.payload[1] = (uint8_t)add;
		rig_build(&after, &want);
		assert_memory_equal(want.b + sum, "\xff\xff", 2);
		rig_build(&r, &in);
		apply(&f, &in, WHOLE, DROP_NONE, &got);
		same_frame(&in, &got, &want);
	}
}

static void a_checksum_left_to_the_port_gets_the_new_pseudo_header_alone(void **state)
{
	static struct recipe r;
	static struct frame in, got;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < 1000; k++) {
		uint8_t family = k % 2 == 0 ? 4 : 6;
		const struct mode *mode = &modes[1 + k % 7];
		unsigned ip = 14, l4 = ip + (family == 4 ? 20 : 40), src = family == 4 ? 12 : 8;
		struct adapter_filter f;
		struct rewrite rw;
		struct rte_mbuf *m;
		uint64_t sum = 0;
		uint16_t field;

		plain_udp(&r, family);
		random_filter(&f, mode, family);
		f.vlan = VLAN_KEEP;
		for (unsigned after = 0; after < 2; after++) {
			rig_build(&r, &in);
			sum = 17 + in.n - l4;
			for (unsigned i = ip + src; i < l4; i += 2)
				sum += (unsigned)in.b[i] << 8 | in.b[i + 1];
			while (sum > 0xffff)
				sum = (sum & 0xffff) + (sum >> 16);
			if (after == 1)
				break;
			in.b[l4 + 6] = (uint8_t)(sum >> 8);
			in.b[l4 + 7] = (uint8_t)sum;
			m = rig_mbuf(&in, WHOLE);
			change_addresses(mode, &f, &r.b);
			change_ports(mode, &f, &r.b);
		}
		m->ol_flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
		assert_int_equal(rewrite_make(&rw, &f, NULL), 0);
		assert_int_equal(rewrite_packet(&rw, &m), DROP_NONE);
		rig_read(m, &got);
		field = (uint16_t)(got.b[l4 + 6] << 8 | got.b[l4 + 7]);
		assert_int_equal(field % 0xffff, sum % 0xffff);
		assert_memory_equal(got.b + l4, in.b + l4, 4); // the ports
		rte_pktmbuf_free(m);
	}
}

static struct frame tcp4(uint8_t flags, uint32_t seq, unsigned payload)
{
	static const uint8_t zeros[100];
	struct build b = {.dmac = rig_mac,
		.src = {.family = 4, .v4 = 0x0a000001},
		.dst = {.family = 4, .v4 = 0x0a000002},
		.ttl = 9,
		.proto = P_TCP,
		.sport = 1,
		.dport = 2,
		.seq = seq,
		.tcp_flags = flags,
		.payload = zeros,
		.payload_len = payload};
	struct frame f;

	f.n = build_frame(&b, f.b, sizeof(f.b));
	return f;
}

static bool is_translated(const struct adapter_filter *f, const struct frame *in)
{
	struct frame got;

	apply(f, in, WHOLE, DROP_NONE, &got);
	assert_int_equal(got.n, in->n);
	if (memcmp(got.b, in->b, in->n) == 0)
		return false;
	assert_memory_equal(got.b + 14 + 16, "\xc0\x00\x02\x01", 4);
	return true;
}

static void natflag_leaves_the_ends_of_connections_alone(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 4,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 0xc0000201},
		.natflag = true};

	(void)state;
	for (unsigned flags = 0; flags < 256; flags++) {
		struct frame in = tcp4((uint8_t)flags, 1, 0);

		assert_int_equal(is_translated(&f, &in), (flags & 5) == 0);
	}
	f.natflag = false;
	for (unsigned flags = 0; flags < 256; flags++) {
		struct frame in = tcp4((uint8_t)flags, 1, 0);

		assert_true(is_translated(&f, &in));
	}
}

static void natseq_stops_at_its_number(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 4,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 0xc0000201},
		.has_natseq = true,
		.natseq = 1000};
	struct frame in = tcp4(0x10, 900, 99);

	(void)state;
	assert_true(is_translated(&f, &in));
	in = tcp4(0x10, 900, 100);
	assert_false(is_translated(&f, &in));
	in = tcp4(0x10, 1000, 0);
	assert_false(is_translated(&f, &in));
	in = tcp4(0x10, UINT32_MAX, 99);
	assert_false(is_translated(&f, &in));
	f.natseq = 0;
	in = tcp4(0x10, 0, 0);
	assert_false(is_translated(&f, &in));
}

static void icmp_errors_keep_what_they_quote(void **state)
{
	struct frame inner = tcp4(0x10, 1, 0), in, want, got;
	struct build b = {.dmac = rig_mac,
		.src = {.family = 4, .v4 = 0x0a000001},
		.dst = {.family = 4, .v4 = 0x0a000002},
		.ttl = 9,
		.proto = 1,
		.icmp_type = 3,
		.payload = inner.b + 14,
		.payload_len = 28};
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 4,
		.nat = NAT_ALL,
		.nat_dip = {.family = 4, .v4 = 0xc0000201},
		.nat_sip = {.family = 4, .v4 = 0xc0000202}};

	(void)state;
	in.n = build_frame(&b, in.b, sizeof(in.b));
	b.dst = f.nat_dip;
	b.src = f.nat_sip;
	want.n = build_frame(&b, want.b, sizeof(want.b));
	apply(&f, &in, WHOLE, DROP_NONE, &got);
	same_frame(&in, &got, &want);
}

static void a_frame_stays_as_long_as_the_shortest(void **state)
{
	struct adapter_filter remove = {.action = ADAPTER_SWITCH, .vlan = VLAN_REMOVE};
	struct frame in = tcp4(0x10, 1, 0), got;

	(void)state;
	insert_tag(&in, 5); // 58 bytes
	for (unsigned n = 58; n <= 70; n++) {
		memset(in.b + in.n, 0xa5, 20);
		in.n = n;
		apply(&remove, &in, WHOLE, DROP_NONE, &got);
		assert_int_equal(got.n, n < 60 ? n - 4 : n < 64 ? 60 : n - 4);
		assert_memory_equal(got.b + 12, in.b + 16, n - 16);
		for (unsigned i = n - 4; i < got.n; i++)
			assert_int_equal(got.b[i], 0);
	}
}

static void a_tag_the_port_took_off_is_the_outermost(void **state)
{
	static const struct {
		enum adapter_vlan vlan;
		const char *type_on; // from the ethertype on
		unsigned n;
	} wants[] = {
		{VLAN_KEEP, "\x81\x00\x60\x05\x08\x00", 4},
		{VLAN_REMOVE, "\x08\x00\x45", 0},
		{VLAN_REWRITE, "\x81\x00\x61\x23\x08\x00", 4},
		{VLAN_INSERT, "\x81\x00\x01\x23\x81\x00\x60\x05\x08\x00", 8},
	};
	struct frame in = tcp4(0x10, 1, 20), got;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct adapter_filter f = {
			.action = ADAPTER_SWITCH, .vlan = wants[i].vlan, .vlan_id = 0x123};
		struct rte_mbuf *m = rig_mbuf(&in, WHOLE);
		struct rewrite r;

		m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		m->vlan_tci = 0x6005;
		assert_int_equal(rewrite_make(&r, &f, NULL), 0);
		assert_int_equal(rewrite_packet(&r, &m), DROP_NONE);
		rig_read(m, &got);
		assert_int_equal(got.n, in.n + wants[i].n);
		assert_memory_equal(got.b + 12, wants[i].type_on, wants[i].n + 2);
		assert_int_equal(m->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED, 0);
		rte_pktmbuf_free(m);
	}
}

static void buffers_that_others_hold_are_not_written(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 4,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 0xc0000201},
		.has_dmac = true,
		.dmac = new_dmac,
		.vlan = VLAN_INSERT,
		.vlan_id = 7};
	struct frame in = tcp4(0x10, 1, 30), got;

	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		struct rte_mbuf *m = rig_mbuf(&in, WHOLE), *own = m;
		struct rewrite r;

		if (how == 0)
			rte_mbuf_refcnt_update(m, 1);
		else
			own = rte_pktmbuf_clone(m, rig_pool);
		assert_non_null(own);
		assert_int_equal(rewrite_make(&r, &f, NULL), 0);
		assert_int_equal(rewrite_packet(&r, &own), DROP_NONE);
		assert_ptr_not_equal(own, m);
		rig_read(own, &got);
		assert_memory_equal(got.b, new_dmac.b, 6);
		rte_pktmbuf_free(own);
		rig_read(m, &got);
		assert_int_equal(got.n, in.n);
		assert_memory_equal(got.b, in.b, in.n);
		assert_int_equal(rte_mbuf_refcnt_read(m), 1);
		rte_pktmbuf_free(m);
	}
}

static void without_room_before_it_a_frame_gets_no_tag(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH, .vlan = VLAN_INSERT, .vlan_id = 7};
	struct frame in = tcp4(0x10, 1, 30);
	struct rewrite r;

	(void)state;
	assert_int_equal(rewrite_make(&r, &f, NULL), 0);
	for (uint16_t room = 0; room < 8; room++) {
		struct rte_mbuf *m = rig_mbuf(&in, WHOLE);

		m->data_off = room;
		memcpy(rte_pktmbuf_mtod(m, void *), in.b, in.n);
		assert_int_equal(rewrite_packet(&r, &m), room < 4 ? DROP_SWITCH : DROP_NONE);
		rte_pktmbuf_free(m);
	}
}

static void without_buffers_a_shared_packet_is_dropped(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH, .has_dmac = true, .dmac = new_dmac};
	static struct rte_mbuf *all[RIG_POOL];
	struct frame in = tcp4(0x10, 1, 30);
	struct rte_mbuf *m = rig_mbuf(&in, WHOLE);
	struct rewrite r;

	(void)state;
	assert_int_equal(rewrite_make(&r, &f, NULL), 0);
	rte_mbuf_refcnt_update(m, 1);
	assert_int_equal(rte_pktmbuf_alloc_bulk(rig_pool, all, RIG_POOL - 1), 0);
	assert_int_equal(rewrite_packet(&r, &m), DROP_NO_MBUF);
	rte_pktmbuf_free_bulk(all, RIG_POOL - 1);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(m);
}

static void what_cannot_be_translated_is_dropped(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 4,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 0xc0000201}};
	struct adapter_filter macs = {.action = ADAPTER_SWITCH, .swapmac = true};
	struct frame in = tcp4(0x10, 1, 0), got;

	(void)state;
	in.b[17] = 30; // the TCP header is cut off
	apply(&f, &in, WHOLE, DROP_SWITCH, &got);
	in.b[14] = 0x65; // not even IP
	apply(&f, &in, WHOLE, DROP_SWITCH, &got);
	in.n = 13;
	apply(&macs, &in, WHOLE, DROP_SWITCH, &got);
	in.n = 14;
	apply(&macs, &in, WHOLE, DROP_NONE, &got);
	assert_memory_equal(got.b + 6, in.b, 6);
}

static void addresses_of_the_other_family_are_refused(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 6,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 0xc0000201}};
	struct err err = {0};
	struct rewrite r;

	(void)state;
	assert_int_equal(rewrite_make(&r, &f, &err), -22);
	assert_string_equal(err.msg, "nat_dip: an IPv4 address in a rule for IPv6");
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, rig_all_back)
	const struct CMUnitTest tests[] = {
		T(every_action_gives_the_frame_that_is_built_anew),
		T(fragments_put_together_are_the_datagram_that_is_built_anew),
		T(no_udp_checksum_stays_none),
		T(a_udp_checksum_that_becomes_zero_is_written_as_ones),
		T(a_checksum_left_to_the_port_gets_the_new_pseudo_header_alone),
		T(natflag_leaves_the_ends_of_connections_alone),
		T(natseq_stops_at_its_number),
		T(icmp_errors_keep_what_they_quote),
		T(a_frame_stays_as_long_as_the_shortest),
		T(a_tag_the_port_took_off_is_the_outermost),
		T(buffers_that_others_hold_are_not_written),
		T(without_room_before_it_a_frame_gets_no_tag),
		T(without_buffers_a_shared_packet_is_dropped),
		T(what_cannot_be_translated_is_dropped),
		T(addresses_of_the_other_family_are_refused),
	};

	return cmocka_run_group_tests_name("rewrite", tests, rig_eal, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// What a kernel card's program makes of a frame that meets a rule with action switch must be, bit for
// bit, what the router's card makes of it in memory: by the kernel's test-run call, so no frame leaves.
#include "adapter/rig_test.h"

#include "adapter/rewrite.h"
#include "packet/parse.h"
#include "xdp/caps.h"
#include "xdp/shared.h"
#include "xdp/xdp.h"

#include "xdp/card.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CASES = 60000, WHOLE = UINT16_MAX, SHORTEST = 14, LOOPBACK = 1, P_TCP = 6, P_UDP = 17 };

static struct card_bpf *card;
static struct card_set *set;

// One rule that any frame meets.
static int put_rule(void)
{
	struct classify_rule all = {.sport_hi = UINT16_MAX, .dport_hi = UINT16_MAX};
	struct err err = {0};

	if (classify_flat(&all, 1, set->tables, FLAT_SIZE, &err) == 0)
		return 0;
	print_error("%s\n", err.msg);
	return -1;
}

static int put_set(void)
{
	struct bpf_map_create_opts opts = {.sz = sizeof(opts), .map_flags = BPF_F_MMAPABLE};
	int fd = bpf_map_create(
		BPF_MAP_TYPE_ARRAY, "set", sizeof(uint32_t), sizeof(*set), 1, &opts);
	uint32_t zero = 0;

	if (fd < 0)
		return -1;
	set = mmap(NULL, sizeof(*set), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (set == MAP_FAILED)
		return -1;
	return bpf_map_update_elem(bpf_map__fd(card->maps.sets), &zero, &fd, BPF_ANY) != 0
		       ? -1
		       : put_rule();
}

static int put_exits(uint32_t ifindex)
{
	int rc = 0, fd = bpf_map__fd(card->maps.exits);

	for (uint32_t i = 0; i < CARD_PORTS && rc == 0; i++)
		rc = ifindex != 0 ? bpf_map_update_elem(fd, &i, &ifindex, BPF_ANY)
				  : bpf_map_delete_elem(fd, &i);
	return rc;
}

static int set_up(void **state)
{
	card = card_bpf__open_and_load();
	if (card == NULL || put_set() != 0 || put_exits(LOOPBACK) != 0) {
		print_error("the card's program: %s\n", strerror(errno));
		return -1;
	}
	return rig_eal(state);
}

static int tear_down(void **state)
{
	(void)state;
	card_bpf__destroy(card);
	return 0;
}

static uint32_t run(const struct adapter_filter *f, const struct frame *in, struct frame *out)
{
	struct bpf_test_run_opts opts = {.sz = sizeof(opts),
		.data_in = in->b,
		.data_size_in = in->n,
		.data_out = out->b,
		.data_size_out = sizeof(out->b)};
	struct err err = {0};
	int rc;

	if (card_act_make(f, 0, &set->act[0], &err) != 0)
		fail_msg("%s", err.msg);
	rc = bpf_prog_test_run_opts(bpf_program__fd(card->progs.weir_card), &opts);
	if (rc != 0)
		fail_msg("test run of %u bytes: %s", in->n, strerror(-rc));
	out->n = opts.data_size_out;
	return opts.retval;
}

static enum drop reference(
	const struct adapter_filter *f, const struct frame *in, struct frame *out)
{
	struct rte_mbuf *m = rig_mbuf(in, WHOLE);
	struct err err = {0};
	struct rewrite r;
	enum drop why;

	if (rewrite_make(&r, f, &err) != 0)
		fail_msg("%s", err.msg);
	why = rewrite_packet(&r, &m);
	rig_read(m, out);
	rte_pktmbuf_free(m);
	return why;
}

static void print_frame(const char *what, const struct frame *f)
{
	print_error("%s, %u bytes:", what, f->n);
	for (unsigned i = 0; i < f->n && i < 160; i++)
		print_error(" %02x", f->b[i]);
	print_error("\n");
}

static void assert_same(const struct adapter_filter *f, const struct frame *in, enum drop why,
	const struct frame *want)
{
	static struct frame got;
	uint32_t verdict = run(f, in, &got);

	if (why != DROP_NONE && verdict == XDP_DROP)
		return;
	if (why == DROP_NONE && verdict == XDP_REDIRECT && got.n == want->n &&
		memcmp(got.b, want->b, want->n) == 0)
		return;
	print_error("nat %d, family %u, vlan %d %u, natseq %u\n", f->nat, f->value.family, f->vlan,
		f->vlan_id, f->natseq);
	print_frame("in", in);
	print_frame("got", &got);
	print_frame("want", want);
	fail_msg("verdict %u; in memory: %s", verdict, drop_name(why));
}

static struct adapter_filter random_filter(uint8_t family)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH, .value.family = family};
	struct recipe r;

	rig_recipe(&r, family);
	f.nat = (enum adapter_nat)rig_below(8);
	if (rig_below(8) != 0)
		f.nat_sip = r.b.src;
	if (rig_below(8) != 0)
		f.nat_dip = r.b.dst;
	f.nat_sport = rig_below(8) == 0 ? 0 : r.b.sport;
	f.nat_dport = r.b.dport;
	f.vlan = (enum adapter_vlan)rig_below(4);
	f.vlan_id = (uint16_t)rig_below(4096);
	f.swapmac = rig_below(2) == 0;
	f.has_dmac = rig_below(2) == 0;
	f.has_smac = rig_below(2) == 0;
	f.dmac = r.b.smac;
	f.smac = (struct mac){{2, 1, 2, 3, 4, (uint8_t)rig_below(256)}};
	f.eport = (uint8_t)rig_below(CARD_PORTS);
	f.natflag = rig_below(4) == 0;
	f.has_natseq = rig_below(4) == 0;
	// Addresses that are all ones or zero bring out the two zeros of the sum.
	if (rig_below(8) == 0)
		memset(&f.nat_dip.v6, rig_below(2) == 0 ? 0xff : 0, IP6_LEN);
	if (rig_below(8) == 0)
		f.nat_sip.v4 = rig_below(2) == 0 ? UINT32_MAX : 0;
	return f;
}

// Extension headers of 8 or 16 bytes, more than there may be now and then.
static void random_chain(struct recipe *r, uint8_t *opt)
{
	static const uint8_t types[] = {0, 43, 44, 51, 60, 135, 139, 140};
	unsigned n = 1 + (rig_below(8) == 0 ? 7 + rig_below(3) : rig_below(4)), at = 0;
	uint8_t *last = &r->b.opt_type;

	for (unsigned i = 0; i < n; i++) {
		uint8_t type = rig_below(3) == 0 ? types[rig_below(8)] : 60;
		unsigned more = type != 44 && rig_below(3) == 0 ? 1 : 0;

		*last = type;
		last = opt + at;
		for (unsigned k = 1; k < 16; k++)
			opt[at + k] = (uint8_t)rig_below(256);
		opt[at + 1] = (uint8_t)(type == 51 ? 2 * more : more);
		if (type == 44 && rig_below(3) != 0)
			opt[at + 2] = 0;
		if (type == 44 && rig_below(2) == 0)
			opt[at + 3] &= 7;
		at += 8 * (1 + more);
	}
	*last = rig_below(12) == 0 ? 59 : r->b.proto;
	r->b.opt = opt;
	r->b.opt_len = (uint16_t)at;
}

static void random_frame(uint8_t family, struct frame *f)
{
	static const uint16_t offs[] = {0x4000, 0x2000, 0x2001, 1, 0x1fff, 0x8000};
	static struct recipe r;
	uint8_t opt[256];

	rig_recipe(&r, family);
	if (rig_below(3) == 0)
		r.b.n_vlan = (uint8_t)(1 + rig_below(2));
	if (rig_below(4) == 0)
		r.b.payload_len = rig_below(16);
	if (family == 4 && rig_below(3) == 0)
		r.b.ip_off = offs[rig_below(6)];
	if (family == 6 && rig_below(3) == 0)
		random_chain(&r, opt);
	rig_build(&r, f);
	if (r.b.n_vlan != 0 && rig_below(6) == 0)
		memcpy(f->b + 12, "\x91", 2);
	if (r.b.n_vlan != 0 && rig_below(6) == 0) { // one more, maybe a third
		memmove(f->b + 16, f->b + 12, f->n - 12);
		f->n += 4;
	}
	if (rig_below(3) == 0)
		rig_damage(f);
	if (rig_below(10) == 0)
		f->n = SHORTEST + rig_below(f->n < SHORTEST ? 1 : f->n - SHORTEST + 1);
	if (f->n < SHORTEST)
		f->n = SHORTEST; // no device gives less
}

// Where a checksum that covers addresses lies; 0: nowhere.
static unsigned sum_at(const struct frame *f, struct hdrs *h)
{
	if (packet_parse(f->b, f->n, h) != DROP_NONE || h->l4 == 0 || h->l4_short)
		return 0;
	if (h->proto == P_TCP || h->proto == P_UDP)
		return h->l4 + (h->proto == P_TCP ? 16u : 6u);
	return h->family == 6 && h->proto == 58 ? h->l4 + 2u : 0;
}

static unsigned load(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static void store(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

// Makes the checksum none, or one that becomes zero or ones, or leaves it.
static void special_sum(const struct adapter_filter *f, struct frame *in)
{
	static struct frame out;
	unsigned at, moved;
	struct hdrs h;

	at = sum_at(in, &h);
	if (at == 0)
		return;
	switch (rig_below(8)) {
	case 0:
		store(in->b + at, 0);
		break;
	case 1:
		store(in->b + at, 0xffff);
		break;
	case 2: // Another sum moves by as much, modulo 0xffff: this one to zero.
		if (reference(f, in, &out) != DROP_NONE || out.n != in->n)
			break;
		moved = (load(in->b + at) + 0xffff - load(out.b + at)) % 0xffff;
		store(in->b + at, moved);
		break;
	default:
		break;
	}
}

// natseq around the segment's end.
static void near_sequence(struct adapter_filter *f, const struct frame *in)
{
	struct hdrs h;
	unsigned data;

	if (sum_at(in, &h) == 0 || h.proto != P_TCP)
		return;
	data = h.l4 + (in->b[h.l4 + 12] >> 4) * 4u;
	f->natseq = (load(in->b + h.l4 + 4) << 16 | load(in->b + h.l4 + 6)) +
		    (h.end > data ? h.end - data : 0) + rig_below(3) - 1;
}

static void frames_leave_as_the_card_in_memory_makes_them(void **state)
{
	static struct frame in, want;
	unsigned dropped = 0, filled = 0, translated = 0, later = 0, to_zero = 0;

	(void)state;
	rig_seed();
	for (unsigned k = 0; k < CASES; k++) {
		uint8_t family = k % 2 == 0 ? 4 : 6;
		struct adapter_filter f = random_filter(family);
		enum drop why;
		struct hdrs h;

		random_frame(rig_below(20) == 0 ? 10 - family : family, &in);
		near_sequence(&f, &in);
		special_sum(&f, &in);
		why = reference(&f, &in, &want);
		assert_same(&f, &in, why, &want);
		// What has been met at all.
		dropped += why != DROP_NONE;
		if (why != DROP_NONE)
			continue;
		filled += in.n > 60 && in.n < 64 && want.n == 60;
		if (packet_parse(in.b, in.n, &h) != DROP_NONE || f.nat == NAT_NONE)
			continue;
		translated++;
		later += h.frag == FRAG_LATER;
		if (h.proto == P_UDP && sum_at(&want, &h) != 0)
			to_zero += load(want.b + sum_at(&want, &h)) == 0xffff;
	}
	print_message(
		"%u dropped, %u filled up, %u translated, %u of them later fragments, %u with "
		"a sum of ones\n",
		dropped, filled, translated, later, to_zero);
	assert_true(dropped > 500 && filled > 20 && translated > CASES / 2);
	assert_true(later > 500 && to_zero > 100);
}

static struct frame plain(void)
{
	struct recipe r;
	struct frame f;

	do
		rig_recipe(&r, 4);
	while (r.b.n_vlan != 0);
	rig_build(&r, &f);
	return f;
}

static void a_port_that_is_gone_drops(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH, .value.family = 4};
	struct frame in = plain(), out;

	(void)state;
	for (unsigned i = 0; i < CARD_PORTS; i++) {
		f.eport = (uint8_t)i;
		assert_int_equal(run(&f, &in, &out), XDP_REDIRECT);
	}
	assert_int_equal(put_exits(0), 0);
	for (unsigned i = 0; i < CARD_PORTS; i++) {
		f.eport = (uint8_t)i;
		assert_int_equal(run(&f, &in, &out), XDP_DROP);
	}
	assert_int_equal(put_exits(LOOPBACK), 0);
}

static void other_actions_leave_the_frame_alone(void **state)
{
	struct frame in = plain(), out;

	(void)state;
	for (int action = ADAPTER_PASS; action <= ADAPTER_DROP; action++) {
		struct adapter_filter f = {
			.action = (enum adapter_action)action, .value.family = 4};

		assert_int_equal(run(&f, &in, &out), action == ADAPTER_PASS ? XDP_PASS : XDP_DROP);
		assert_int_equal(out.n, in.n);
		assert_memory_equal(out.b, in.b, in.n);
	}
}

static void an_address_of_another_family_is_refused(void **state)
{
	struct adapter_filter f = {.action = ADAPTER_SWITCH,
		.value.family = 6,
		.nat = NAT_DIP,
		.nat_dip = {.family = 4, .v4 = 1}};
	struct card_act act;
	struct err err = {0};

	(void)state;
	assert_int_equal(card_act_make(&f, 0, &act, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nat_dip"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			frames_leave_as_the_card_in_memory_makes_them, rig_all_back),
		cmocka_unit_test(a_port_that_is_gone_drops),
		cmocka_unit_test(other_actions_leave_the_frame_alone),
		cmocka_unit_test(an_address_of_another_family_is_refused),
	};
	const char *missing = caps_missing();

	if (missing != NULL) {
		printf("skipped: %s is missing, without which no program is loaded\n", missing);
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

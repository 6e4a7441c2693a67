// SPDX-License-Identifier: BSD-2-Clause
// Which frames a card with --forward sends on itself, and as what, by the kernel's test run of its
// program: routes, neighbours and switches are those of a namespace made here.
#include "base/addr.h"
#include "lab/netns.h"
#include "packet/build.h"
#include "packet/cksum.h"
#include "xdp/caps.h"
#include "xdp/forward.h"
#include "xdp/shared.h"

#include "veth_tells.h"

#include "xdp/card.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ETH = 14, ETH_MIN = 60, CPUS = 1024 };

static const char world[] =
	"for i in va vb vc; do ip link add $i type veth peer name p$i; ip link set p$i up\n"
	"sysctl -qw net.ipv6.conf.$i.accept_dad=0 net.ipv4.conf.$i.rp_filter=0; done\n"
	"ip link set va address 02:00:00:00:00:0a; ip link set vb address 02:00:00:00:00:0b\n"
	"sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.conf.all.rp_filter=0\n"
	"for i in va vb vc; do ip link set $i up; done\n"
	"ip addr add 198.18.0.1/24 dev va; ip -6 addr add 2001:2::1/64 dev va nodad\n"
	"ip addr add 198.19.0.1/24 dev vb; ip -6 addr add 2001:2:0:8000::1/64 dev vb nodad\n"
	"ip addr add 198.19.128.1/24 dev vc\n"
	"neigh() { ip neigh add $1 lladdr 02:00:00:00:00:$2 dev $3 nud permanent; }\n"
	"neigh 198.18.0.2 a2 va; neigh 198.19.0.2 b2 vb; neigh 198.19.128.2 c2 vc\n"
	"neigh 2001:2::2 a2 va; neigh 2001:2:0:8000::2 b2 vb\n"
	"ip route add 198.18.10.0/24 via 198.18.0.2\n"
	"ip route add 198.19.10.0/24 via 198.19.0.2\n"
	"ip route add 198.19.11.0/24 via 198.19.0.2 mtu lock 1000\n"
	"ip route add 198.19.12.0/24 via 198.18.0.2\n"
	"ip route add 198.19.13.0/24 via 198.19.0.3\n"
	"ip route add blackhole 198.19.14.0/24; ip route add unreachable 198.19.15.0/24\n"
	"ip route add prohibit 198.19.16.0/24; ip route add 198.19.129.0/24 via 198.19.128.2\n"
	"ip route add 198.18.99.0/24 via 198.19.0.2\n"
	"ip -6 route add 2001:2:0:10::/64 via 2001:2::2\n"
	"ip -6 route add 2001:2:0:8010::/64 via 2001:2:0:8000::2\n"
	"ip -6 route add 2001:2:0:8011::/64 via 2001:2:0:8000::2 mtu lock 1300\n"
	"ip -6 route add unreachable 2001:2:0:8015::/64\n";

static struct netns *ns;
static struct card_bpf *card, *strict;
static unsigned a, b;
static struct mac mac_a = {{2, 0, 0, 0, 0, 10}}, mac_b = {{2, 0, 0, 0, 0, 11}};
static struct mac station_a = {{2, 0, 0, 0, 0, 0xa2}}, station_b = {{2, 0, 0, 0, 0, 0xb2}};

static void sh(const char *script)
{
	const char *const argv[] = {"sh", "-ec", script, NULL};
	struct netns_command c = {.name = "set-up", .argv = argv, .timeout_s = 10};
	struct err err = {0};

	if (netns_run(ns, &c, NULL, 0, &err) != 0)
		fail_msg("%s", err.msg);
}

static struct card_bpf *load(bool source_strict)
{
	struct card_port port = {.ifindex = a};
	struct card_bpf *c = card_bpf__open();
	uint32_t zero = 0;
	int set;

	assert_non_null(c);
	c->rodata->forward = true;
	c->rodata->strict = source_strict;
	assert_int_equal(card_bpf__load(c), 0);
	memcpy(&port.mac48, &mac_a, sizeof(mac_a));
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(c->maps.ports), &zero, &port, BPF_ANY), 0);
	assert_int_equal(forward_egress(bpf_map__fd(c->maps.egress), a, false, NULL), 0);
	assert_int_equal(forward_egress(bpf_map__fd(c->maps.egress), b, false, NULL), 0);
	// Without a rule, and all zero, as a card begins.
	set = bpf_map_create(BPF_MAP_TYPE_ARRAY, "set", sizeof(uint32_t), sizeof(struct card_set),
		1,
		&(struct bpf_map_create_opts){
			.sz = sizeof(struct bpf_map_create_opts), .map_flags = BPF_F_MMAPABLE});
	assert_true(set >= 0);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(c->maps.sets), &zero, &set, BPF_ANY), 0);
	close(set);
	return c;
}

static int inside(void *arg)
{
	(void)arg;
	a = if_nametoindex("va");
	b = if_nametoindex("vb");
	card = load(false);
	strict = load(true);
	// An interface has its receive queues made for XDP when a program is there.
	return bpf_xdp_attach(
		(int)a, bpf_program__fd(card->progs.weir_card), XDP_FLAGS_DRV_MODE, NULL);
}

static int set_up(void **state)
{
	struct err err = {0};

	(void)state;
	ns = netns_new(&err);
	if (ns == NULL) {
		print_error("%s\n", err.msg);
		return -1;
	}
	sh(world);
	return netns_call(ns, inside, NULL, &err);
}

static int tear_down(void **state)
{
	(void)state;
	card_bpf__destroy(card);
	card_bpf__destroy(strict);
	netns_free(ns);
	return 0;
}

struct running {
	struct card_bpf *card;
	const uint8_t *frame;
	uint8_t out[4096];
	unsigned len, out_len, verdict;
};

static int run_inside(void *arg)
{
	struct running *r = arg;
	struct xdp_md ctx = {.data_end = r->len, .ingress_ifindex = a};
	struct bpf_test_run_opts o = {.sz = sizeof(o),
		.data_in = r->frame,
		.data_size_in = r->len,
		.data_out = r->out,
		.data_size_out = sizeof(r->out),
		.ctx_in = &ctx,
		.ctx_size_in = sizeof(ctx),
		.repeat = 1};
	int rc = bpf_prog_test_run_opts(bpf_program__fd(r->card->progs.weir_card), &o);

	r->verdict = o.retval;
	r->out_len = o.data_size_out;
	return rc;
}

static struct running run(struct card_bpf *c, const uint8_t *frame, unsigned len)
{
	struct running r = {.card = c, .frame = frame, .len = len};
	struct err err = {0};

	assert_int_equal(netns_call(ns, run_inside, &r, &err), 0);
	return r;
}

static unsigned pad(uint8_t *frame, unsigned len)
{
	if (len >= ETH_MIN)
		return len;
	memset(frame + len, 0, ETH_MIN - len);
	return ETH_MIN;
}

// What a router makes of it, the slow way.
static void forwarded(const uint8_t *in, unsigned len, uint8_t *out)
{
	memcpy(out, in, len);
	memcpy(out, &station_b, 6);
	memcpy(out + 6, &mac_b, 6);
	if (out[ETH] >> 4 == 6) {
		out[ETH + 7]--;
		return;
	}
	out[ETH + 8]--;
	memset(out + ETH + 10, 0, 2);
	uint16_t sum = cksum_ip4(out + ETH, 20);
	memcpy(out + ETH + 10, &sum, 2);
}

static void is_forwarded(const char *what, struct card_bpf *c, const uint8_t *frame, unsigned len)
{
	struct running r = run(c, frame, len);
	uint8_t want[4096];

	if (r.verdict == XDP_PASS) // the one in 1024 that is the kernel's; the next is not
		r = run(c, frame, len);
	forwarded(frame, len, want);
	if (r.verdict != XDP_REDIRECT || r.out_len != len || memcmp(r.out, want, len) != 0)
		fail_msg("%s: verdict %u, %u bytes", what, r.verdict, r.out_len);
}

static void is_kernels(const char *what, struct card_bpf *c, const uint8_t *frame, unsigned len)
{
	struct running r = run(c, frame, len);

	if (r.verdict != XDP_PASS || r.out_len != len || memcmp(r.out, frame, len) != 0)
		fail_msg("%s: verdict %u, %u bytes", what, r.verdict, r.out_len);
}

static struct build plain(const char *src, const char *dst)
{
	struct build f = {.dmac = mac_a,
		.smac = station_a,
		.ttl = 64,
		.proto = 17,
		.sport = 1000,
		.dport = 2000,
		.payload = "1234567890abcdefghij",
		.payload_len = 20};

	assert_int_equal(ip_parse(src, &f.src, NULL), 0);
	assert_int_equal(ip_parse(dst, &f.dst, NULL), 0);
	return f;
}

static struct build plain4(void)
{
	return plain("198.18.10.1", "198.19.10.1");
}

static struct build plain6(void)
{
	return plain("2001:2:0:10::1", "2001:2:0:8010::1");
}

static void passes_on(const char *what, const struct build *f)
{
	uint8_t frame[4096];
	unsigned len = build_frame(f, frame, sizeof(frame));

	assert_true(len > 0);
	is_forwarded(what, card, frame, pad(frame, len));
}

static void leaves(const char *what, const struct build *f)
{
	uint8_t frame[4096];
	unsigned len = build_frame(f, frame, sizeof(frame));

	assert_true(len > 0);
	is_kernels(what, card, frame, pad(frame, len));
}

static void to(bool forwards, const char *src, const char *dst)
{
	struct build f = plain(src, dst);
	char what[160];

	snprintf(what, sizeof(what), "%s to %s", src, dst);
	(forwards ? passes_on : leaves)(what, &f);
}

static void plain_packets_get_a_lower_ttl_and_the_neighbours_mac(void **state)
{
	struct build f = plain4();
	char payload[1472] = {0};

	(void)state;
	passes_on("IPv4", &f);
	for (unsigned ttl = 2; ttl < 256; ttl++) {
		f.ttl = (uint8_t)ttl;
		f.ip_id = (uint16_t)(ttl * 0x3579);
		passes_on("IPv4, any TTL and sum", &f);
	}
	f.payload = payload;
	for (f.payload_len = 0; f.payload_len <= sizeof(payload); f.payload_len++)
		passes_on("IPv4, any length", &f);
	f = plain6();
	passes_on("IPv6", &f);
	f.ttl = 2;
	f.tos = 0xb8;
	f.flow_label = 0xfffff;
	passes_on("IPv6, hop limit 2", &f);
	for (unsigned proto = 0; proto < 256; proto++) {
		f = plain4();
		f.proto = (uint8_t)proto;
		f.icmp_type = 8;
		passes_on("any protocol", &f);
	}
}

static void a_ttl_of_one_is_the_kernels_to_answer(void **state)
{
	struct build f = plain4();

	(void)state;
	for (f.ttl = 0; f.ttl < 2; f.ttl++)
		leaves("IPv4", &f);
	f = plain6();
	for (f.ttl = 0; f.ttl < 2; f.ttl++)
		leaves("IPv6", &f);
}

static void options_are_the_kernels(void **state)
{
	static const uint8_t record[] = {7, 7, 4, 0, 0, 0, 0, 1}, hop[] = {17, 0, 1, 4, 0, 0, 0, 0};
	struct build f = plain4();

	(void)state;
	f.opt = record;
	f.opt_len = sizeof(record);
	leaves("IPv4 options", &f);
	f = plain6();
	f.opt = hop;
	f.opt_len = sizeof(hop);
	f.opt_type = 0;
	leaves("hop-by-hop options", &f);
	f.opt_type = 60;
	passes_on("destination options", &f);
}

static void fragments_go_on_as_they_are(void **state)
{
	static const uint8_t frag[] = {17, 0, 0, 1, 0, 0, 0, 7};
	struct build f = plain4();

	(void)state;
	f.ip_off = 0x2000;
	passes_on("first fragment", &f);
	f.ip_off = 0x0005;
	f.raw = true;
	passes_on("last fragment", &f);
	f = plain6();
	f.opt = frag;
	f.opt_len = sizeof(frag);
	f.opt_type = 44;
	passes_on("IPv6 fragment", &f);
}

static void what_the_next_link_cannot_carry_is_the_kernels(void **state)
{
	struct build f = plain("198.18.10.1", "198.19.11.1");
	char payload[2000] = {0};

	(void)state;
	f.payload = payload;
	f.payload_len = 1000 - 28;
	passes_on("as long as the route's MTU", &f);
	f.payload_len++;
	leaves("a byte longer", &f);
	f.ip_off = 0x4000;
	leaves("and not to be fragmented", &f);
	f = plain("2001:2:0:10::1", "2001:2:0:8011::1");
	f.payload = payload;
	f.payload_len = 1300 - 48;
	passes_on("as long as the IPv6 route's MTU", &f);
	f.payload_len++;
	leaves("a byte longer", &f);
	f = plain4();
	f.payload = payload;
	f.payload_len = 1500 - 28 + 1;
	leaves("longer than the device's MTU", &f);
}

static void the_kernels_own_destinations_stay_there(void **state)
{
	static const char *const own4[] = {"198.18.0.1", "198.19.0.1", "198.19.0.255", "198.19.0.0",
		"255.255.255.255", "224.0.0.5", "127.0.0.1", "169.254.1.1", "0.0.0.0", "240.0.0.1"};
	static const char *const own6[] = {"2001:2::1", "2001:2:0:8000::1",
		"2001:2:0:8000::", "ff02::1", "ff0e::1", "fe80::2", "::1", "::", "::198.19.10.1"};

	(void)state;
	for (unsigned i = 0; i < sizeof(own4) / sizeof(own4[0]); i++)
		to(false, "198.18.10.1", own4[i]);
	for (unsigned i = 0; i < sizeof(own6) / sizeof(own6[0]); i++)
		to(false, "2001:2:0:10::1", own6[i]);
}

static void sources_the_kernel_refuses_stay_there(void **state)
{
	static const char *const bad4[] = {"0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1",
		"255.255.255.255", "169.254.1.1", "198.18.0.1", "198.19.0.1", "203.0.113.1"};
	static const char *const bad6[] = {"::", "::1", "ff02::1", "fe80::2"};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad4) / sizeof(bad4[0]); i++)
		to(false, bad4[i], "198.19.10.1");
	for (unsigned i = 0; i < sizeof(bad6) / sizeof(bad6[0]); i++)
		to(false, bad6[i], "2001:2:0:8010::1");
}

static void a_source_behind_another_port_passes_unless_rp_filter_is_strict(void **state)
{
	struct build f = plain("198.18.99.1", "198.19.10.1");
	uint8_t frame[128];
	unsigned len = pad(frame, build_frame(&f, frame, sizeof(frame)));

	(void)state;
	is_forwarded("loose or off", card, frame, len);
	is_kernels("strict", strict, frame, len);
	f = plain4();
	len = pad(frame, build_frame(&f, frame, sizeof(frame)));
	is_forwarded("strict, the right way", strict, frame, len);
}

static void no_way_is_the_kernels_to_say(void **state)
{
	(void)state;
	to(false, "198.18.10.1", "203.0.113.1");  // no route
	to(false, "198.18.10.1", "198.19.13.1");  // no neighbour
	to(false, "198.18.10.1", "198.19.14.1");  // blackhole
	to(false, "198.18.10.1", "198.19.15.1");  // unreachable
	to(false, "198.18.10.1", "198.19.16.1");  // prohibit
	to(false, "198.18.10.1", "198.19.129.1"); // by an interface that is not the card's
	to(false, "198.18.10.1", "198.19.12.1");  // back by the same interface: a redirect
	to(false, "2001:2:0:10::1", "2001:db8::1");
	to(false, "2001:2:0:10::1", "2001:2:0:8015::1");
	to(false, "2001:2:0:10::1", "2001:2:0:10::2");
}

static void frames_that_are_not_plain_are_the_kernels(void **state)
{
	struct build f = plain4();
	uint8_t frame[256], bad[256];
	unsigned len = build_frame(&f, frame, sizeof(frame));

	(void)state;
	assert_true(len >= ETH_MIN);
	for (unsigned bit = 0; bit < 16; bit++) {
		memcpy(bad, frame, len);
		bad[ETH + 10 + bit / 8] ^= (uint8_t)(1 << bit % 8);
		is_kernels("IPv4 checksum", card, bad, len);
	}
	for (unsigned n = ETH; n < len; n++)
		is_kernels("cut short", card, frame, n);
	is_kernels("bytes behind the packet", card, frame, len + 1);
	memcpy(bad, frame, len);
	bad[ETH] = 0x65;
	is_kernels("version 6 as IPv4", card, bad, len);
	f.dmac.b[5]++;
	leaves("to another station", &f);
	memset(&f.dmac, 0xff, sizeof(f.dmac));
	leaves("a link broadcast", &f);
	f = plain4();
	f.n_vlan = 1;
	f.tci[0] = 5;
	leaves("tagged", &f);
	f = plain4();
	f.proto = 1;
	f.icmp_type = 3;
	leaves("an ICMP error", &f);
	f = plain6();
	f.proto = 58;
	f.icmp_type = 2;
	leaves("an ICMPv6 error", &f);
}

static void forwarding_switched_off_is_honoured(void **state)
{
	(void)state;
	sh("sysctl -qw net.ipv4.conf.va.forwarding=0 net.ipv6.conf.va.forwarding=0");
	to(false, "198.18.10.1", "198.19.10.1");
	to(false, "2001:2:0:10::1", "2001:2:0:8010::1");
	sh("sysctl -qw net.ipv4.conf.va.forwarding=1 net.ipv6.conf.va.forwarding=1");
	to(true, "198.18.10.1", "198.19.10.1");
	to(true, "2001:2:0:10::1", "2001:2:0:8010::1");
}

// Adds up what all CPUs have forwarded that came in by the first port.
static uint64_t count(void)
{
	int n = libbpf_num_possible_cpus();
	struct card_forwarded each[CPUS];
	uint32_t zero = 0;
	uint64_t sum = 0;

	assert_in_range(n, 1, CPUS);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(card->maps.forwarded), &zero, each), 0);
	for (int i = 0; i < n; i++)
		sum += each[i].frames;
	return sum;
}

static void one_frame_in_1024_keeps_the_kernels_neighbour_alive(void **state)
{
	struct build f = plain4();
	uint8_t frame[128];
	unsigned len = pad(frame, build_frame(&f, frame, sizeof(frame))), left = 0;
	uint64_t before = count();

	(void)state;
	for (unsigned i = 0; i < 4 * 1024; i++)
		left += run(card, frame, len).verdict == XDP_PASS;
	// The test may move between CPUs, of which each samples for itself.
	assert_in_range(left, 1, 4 + libbpf_num_possible_cpus());
	assert_int_equal(count() - before, 4 * 1024 - left);
}

// In the namespace, of vb natively.
static int ask_egress(void *arg)
{
	return forward_egress(bpf_map__fd(strict->maps.egress), b, true, arg);
}

static void a_port_whose_frames_nobody_takes_is_not_sent_to(void **state)
{
	struct err err = {0};

	(void)state;
	sh("ethtool -K pvb gro off");
	assert_int_equal(netns_call(ns, ask_egress, &err, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "vb: "));
	sh("ethtool -K pvb gro on");
	if (netns_call(ns, ask_egress, &err, &err) != 0) {
		// No veth is sent to then.
		assert_non_null(strstr(err.msg, "before Linux 6.3"));
		assert_false(veth_tells());
	}
}

static int ask_strict(void *arg)
{
	return forward_strict("va", arg, NULL);
}

static void the_larger_rp_filter_counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		char script[128];
		bool is_strict = i % 2;
		struct err err = {0};

		snprintf(script, sizeof(script),
			"sysctl -qw net.ipv4.conf.all.rp_filter=%u net.ipv4.conf.va.rp_filter=%u",
			i / 3, i % 3);
		sh(script);
		assert_int_equal(netns_call(ns, ask_strict, &is_strict, &err), 0);
		assert_int_equal(is_strict, i == 1 || i == 3 || i == 4);
	}
	sh("sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.va.rp_filter=0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_packets_get_a_lower_ttl_and_the_neighbours_mac),
		cmocka_unit_test(a_ttl_of_one_is_the_kernels_to_answer),
		cmocka_unit_test(options_are_the_kernels),
		cmocka_unit_test(fragments_go_on_as_they_are),
		cmocka_unit_test(what_the_next_link_cannot_carry_is_the_kernels),
		cmocka_unit_test(the_kernels_own_destinations_stay_there),
		cmocka_unit_test(sources_the_kernel_refuses_stay_there),
		cmocka_unit_test(a_source_behind_another_port_passes_unless_rp_filter_is_strict),
		cmocka_unit_test(no_way_is_the_kernels_to_say),
		cmocka_unit_test(frames_that_are_not_plain_are_the_kernels),
		cmocka_unit_test(forwarding_switched_off_is_honoured),
		cmocka_unit_test(a_port_whose_frames_nobody_takes_is_not_sent_to),
		cmocka_unit_test(the_larger_rp_filter_counts),
		cmocka_unit_test(one_frame_in_1024_keeps_the_kernels_neighbour_alive),
	};

	if (geteuid() != 0 || caps_missing() != NULL) {
		printf("skipped: it needs root for network namespaces, and %s for BPF\n",
			caps_missing() != NULL ? caps_missing() : "CAP_BPF");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

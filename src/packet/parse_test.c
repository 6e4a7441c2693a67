// SPDX-License-Identifier: BSD-2-Clause
#include "packet/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A frame that grows by pieces of hex text; blanks and '|' are for the reader.
struct bytes {
	uint8_t b[512];
	unsigned n;
};

static void put(struct bytes *f, const char *hex)
{
	while (*hex != '\0') {
		if (*hex == ' ' || *hex == '|') {
			hex++;
			continue;
		}
		char two[3] = {hex[0], hex[1], 0};

		f->b[f->n++] = (uint8_t)strtoul(two, NULL, 16);
		hex += 2;
	}
}

// Parses a copy of exactly n bytes, so that a sanitizer sees one byte too many.
static enum drop parse_n(const struct bytes *f, unsigned n, struct hdrs *h)
{
	uint8_t *copy = malloc(n == 0 ? 1 : n);
	enum drop why;

	memcpy(copy, f->b, n);
	why = packet_parse(copy + (n == 0), n, h);
	free(copy);
	return why;
}

static enum drop parse_hex(const char *hex, struct hdrs *h)
{
	struct bytes f = {.n = 0};

	put(&f, hex);
	return parse_n(&f, f.n, h);
}

#define MACS    "021122334401 021122334402 "
#define UDP_HDR "1388 0bb8 0008 0000 "
#define ADDRS4  "c6120a02 c6130a02 "
#define ADDRS6  "20010002000000000000000000000002 20010002000080000000000000000002 "

static void udp_in_ipv4(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(parse_hex(MACS "0800 4500001c 00000000 40110000 " ADDRS4 UDP_HDR
					"000000000000000000000000000000000000",
				 &h),
		DROP_NONE);
	assert_int_equal(h.family, 4);
	assert_int_equal(h.ethertype, 0x0800);
	assert_int_equal(h.n_vlan, 0);
	assert_int_equal(h.proto, 17);
	assert_int_equal(h.frag, FRAG_NONE);
	assert_int_equal(h.l3, 14);
	assert_int_equal(h.l4, 34);
	assert_int_equal(h.end, 42); // the padding is not part of the datagram
	assert_int_equal(h.sport, 5000);
	assert_int_equal(h.dport, 3000);
	assert_false(h.ip_options);
	assert_false(h.l4_short);
}

static void tcp_flags_behind_ipv4_options(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(parse_hex(MACS "0800 46000030 00004000 40060000 " ADDRS4 "01010100 "
					"0050 c001 00000001 00000002 50120000 00000000 "
					"01020304",
				 &h),
		DROP_NONE);
	assert_int_equal(h.l4, 38);
	assert_true(h.ip_options);
	assert_int_equal(h.sport, 80);
	assert_int_equal(h.dport, 0xc001);
	assert_int_equal(h.tcp_flags, 0x12);
	assert_int_equal(h.frag, FRAG_NONE); // DF is not fragmentation
}

static void icmp_type_and_code(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(
		parse_hex(MACS "0800 4500001c 00000000 40010000 " ADDRS4 "0304 0000 00000000", &h),
		DROP_NONE);
	assert_int_equal(h.icmp_type, 3);
	assert_int_equal(h.icmp_code, 4);
	assert_int_equal(
		parse_hex(MACS "86dd 60000000 0008 3a 40 " ADDRS6 "8000 0000 00000000", &h),
		DROP_NONE);
	assert_int_equal(h.icmp_type, 128);
	// ICMP for IPv4 inside IPv6 is just another protocol, and the other way round.
	assert_int_equal(
		parse_hex(MACS "86dd 60000000 0008 01 40 " ADDRS6 "0800 0000 00000000", &h),
		DROP_NONE);
	assert_int_equal(h.icmp_type, 0);
	assert_int_equal(h.l4, 54);
}

static void up_to_two_tags_of_three_kinds(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(
		parse_hex(MACS "8100 2064 0800 4500001c 00000000 40110000 " ADDRS4 UDP_HDR, &h),
		DROP_NONE);
	assert_int_equal(h.n_vlan, 1);
	assert_int_equal(h.tci[0], 0x2064);
	assert_int_equal(h.l3, 18);
	assert_int_equal(h.sport, 5000);

	assert_int_equal(
		parse_hex(MACS "88a8 0001 8100 0fff 86dd 60000000 0008 11 40 " ADDRS6 UDP_HDR, &h),
		DROP_NONE);
	assert_int_equal(h.n_vlan, 2);
	assert_int_equal(h.tci[0], 1);
	assert_int_equal(h.tci[1], 0xfff);
	assert_int_equal(h.l3, 22);
	assert_int_equal(h.family, 6);
	assert_int_equal(h.dport, 3000);

	assert_int_equal(parse_hex(MACS "9100 0001 0806 0000", &h), DROP_NONE);
	assert_int_equal(h.family, 0);
	assert_int_equal(h.ethertype, 0x0806);
	assert_int_equal(h.l3, 18);

	assert_int_equal(parse_hex(MACS "8100 0001 8100 0002 8100 0003 0800", &h), DROP_VLAN_DEPTH);
	assert_int_equal(parse_hex(MACS "8100 0001 08", &h), DROP_VLAN_SHORT);
	assert_int_equal(parse_hex(MACS "8100", &h), DROP_VLAN_SHORT);
	assert_int_equal(parse_hex(MACS "88a8 0001 8100", &h), DROP_VLAN_SHORT);
}

static void other_ethertypes_have_no_family(void **state)
{
	const char *frames[] = {MACS "0806 0001", MACS "8847 0000", MACS "0026 aaaa", MACS "88cc"};
	struct hdrs h;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(parse_hex(frames[i], &h), DROP_NONE);
		assert_int_equal(h.family, 0);
		assert_int_equal(h.end, 0);
		assert_int_equal(h.l4, 0);
	}
}

static void wrong_ipv4_lengths_and_versions(void **state)
{
	struct {
		const char *hex;
		enum drop why;
	} t[] = {
		{"45000014 00000000 40000000 c6120a02 c6130a", DROP_IP4_SHORT},
		{"45000014 00000000 40000000 c6120a02 c6130a02", DROP_NONE},
		{"65000014 00000000 40000000 c6120a02 c6130a02", DROP_IP4_VERSION},
		{"05000014 00000000 40000000 c6120a02 c6130a02", DROP_IP4_VERSION},
		{"40000014 00000000 40000000 c6120a02 c6130a02", DROP_IP4_IHL},
		{"44000014 00000000 40000000 c6120a02 c6130a02", DROP_IP4_IHL},
		{"46000018 00000000 40000000 c6120a02 c6130a02", DROP_IP4_SHORT},
		{"46000018 00000000 40000000 c6120a02 c6130a02 010101", DROP_IP4_SHORT},
		{"46000018 00000000 40000000 c6120a02 c6130a02 01010101", DROP_NONE},
		{"46000017 00000000 40000000 c6120a02 c6130a02 01010101", DROP_IP4_LENGTH},
		{"45000013 00000000 40000000 c6120a02 c6130a02", DROP_IP4_LENGTH},
		{"45000000 00000000 40000000 c6120a02 c6130a02", DROP_IP4_LENGTH},
		{"45000015 00000000 40000000 c6120a02 c6130a02", DROP_IP4_LENGTH},
		{"4500ffff 00000000 40000000 c6120a02 c6130a02", DROP_IP4_LENGTH},
	};
	struct hdrs h;

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct bytes f = {.n = 0};

		put(&f, MACS "0800");
		put(&f, t[i].hex);
		assert_int_equal(parse_n(&f, f.n, &h), t[i].why);
		assert_int_equal(h.family, 4);
	}
	assert_int_equal(parse_hex("021122334401 021122334402 08", &h), DROP_ETH_SHORT);
	assert_int_equal(parse_hex("", &h), DROP_ETH_SHORT);
}

static void ipv4_fragments(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(
		parse_hex(MACS "0800 4500001c 00002000 40110000 " ADDRS4 UDP_HDR, &h), DROP_NONE);
	assert_int_equal(h.frag, FRAG_FIRST);
	assert_int_equal(h.sport, 5000);
	assert_int_equal(
		parse_hex(MACS "0800 4500001c 00002001 40110000 " ADDRS4 UDP_HDR, &h), DROP_NONE);
	assert_int_equal(h.frag, FRAG_LATER);
	assert_int_equal(h.l4, 0);
	assert_int_equal(h.sport, 0);
	assert_int_equal(h.proto, 17);
	assert_int_equal(
		parse_hex(MACS "0800 4500001c 00001fff 40110000 " ADDRS4 UDP_HDR, &h), DROP_NONE);
	assert_int_equal(h.frag, FRAG_LATER);
	assert_false(h.l4_short);
}

static void a_cut_upper_header_is_no_reason_to_drop(void **state)
{
	struct hdrs h;

	(void)state;
	// The IP length ends in the UDP header, though the frame goes on.
	assert_int_equal(
		parse_hex(MACS "0800 4500001b 00000000 40110000 " ADDRS4 UDP_HDR, &h), DROP_NONE);
	assert_true(h.l4_short);
	assert_int_equal(h.l4, 34);
	assert_int_equal(h.sport, 5000);
	// 19 of 20 bytes of TCP.
	assert_int_equal(parse_hex(MACS "0800 45000027 00000000 40060000 " ADDRS4
					"0050c001 00000001 00000002 50120000 000000",
				 &h),
		DROP_NONE);
	assert_true(h.l4_short);
	assert_int_equal(h.tcp_flags, 0);
	assert_int_equal(
		parse_hex(MACS "0800 4500001b 00000000 40010000 " ADDRS4 "08000000000000", &h),
		DROP_NONE);
	assert_true(h.l4_short);
	assert_int_equal(h.icmp_type, 0);
	assert_int_equal(parse_hex(MACS "86dd 60000000 0000 11 40 " ADDRS6, &h), DROP_NONE);
	assert_true(h.l4_short);
	assert_int_equal(h.l4, h.end);
}

static void ports_are_read_where_no_more_is_there(void **state)
{
	struct hdrs h;

	(void)state;
	// A first fragment with 8 bytes of TCP.
	assert_int_equal(
		parse_hex(MACS "0800 4500001c 00002000 40060000 " ADDRS4 "c0010017 00000001", &h),
		DROP_NONE);
	assert_true(h.l4_short && h.has_ports);
	assert_int_equal(h.frag, FRAG_FIRST);
	assert_int_equal(h.sport, 0xc001);
	assert_int_equal(h.dport, 23);
	assert_int_equal(
		parse_hex(MACS "0800 45000017 00000000 40060000 " ADDRS4 "c00100", &h), DROP_NONE);
	assert_true(h.l4_short && !h.has_ports);
	assert_int_equal(h.sport, 0);
}

static void wrong_ipv6_lengths_and_versions(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(parse_hex(MACS "86dd 60000000 0000 3b 40 "
					"20010002000000000000000000000002 "
					"200100020000800000000000000000",
				 &h),
		DROP_IP6_SHORT);
	assert_int_equal(parse_hex(MACS "86dd", &h), DROP_IP6_SHORT);
	assert_int_equal(parse_hex(MACS "86dd 40000000 0000 3b 40 " ADDRS6, &h), DROP_IP6_VERSION);
	assert_int_equal(parse_hex(MACS "86dd 60000000 0001 3b 40 " ADDRS6, &h), DROP_IP6_LENGTH);
	assert_int_equal(parse_hex(MACS "86dd 60000000 0001 3b 40 " ADDRS6 "00", &h), DROP_NONE);
	assert_int_equal(parse_hex(MACS "86dd 60000000 0000 3b 40 " ADDRS6 "00", &h), DROP_NONE);
	assert_int_equal(h.end, 54);
	assert_int_equal(h.proto, 59);
	assert_int_equal(h.l4, 0);
	assert_int_equal(
		parse_hex(MACS "86dd 60000000 ffff 3b 40 " ADDRS6 "00", &h), DROP_IP6_LENGTH);
}

// The chain of every kind of header in the order of RFC 8200 4.1.
static void ipv6_extension_headers_are_walked(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(parse_hex(MACS "86dd 60000000 0048 00 40 " ADDRS6 "3c00 0104 00000000 "
					"2b00 0104 00000000 "
					"2c02 0400 00000000 0000000000000000 0000000000000000 "
					"3300 0001 12345678 "
					"1101 0000 00000000 00000000 " UDP_HDR "0000 0000",
				 &h),
		DROP_NONE);
	assert_true(h.ip_options);
	// AH: (1 + 2) * 4 = 12 bytes, so UDP starts at 54 + 8 + 8 + 24 + 8 + 12.
	assert_int_equal(h.l4, 114);
	assert_int_equal(h.proto, 17);
	assert_int_equal(h.frag, FRAG_FIRST);
	assert_int_equal(h.sport, 5000);
}

static void ipv6_fragments(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(
		parse_hex(
			MACS "86dd 60000000 0010 2c 40 " ADDRS6 "1100 0008 00000001 " UDP_HDR, &h),
		DROP_NONE);
	assert_int_equal(h.frag, FRAG_LATER);
	assert_int_equal(h.proto, 17);
	assert_int_equal(h.l4, 0);
	// A later fragment may start inside an extension header; nothing there is looked at.
	assert_int_equal(parse_hex(MACS "86dd 60000000 0010 2c 40 " ADDRS6
					"3c00 0009 00000001 ffffffffffffffff",
				 &h),
		DROP_NONE);
	assert_int_equal(h.proto, 60);
	assert_int_equal(h.l4, 0);
	// RFC 6946: an atomic fragment is a whole packet.
	assert_int_equal(
		parse_hex(
			MACS "86dd 60000000 0010 2c 40 " ADDRS6 "1100 0000 00000001 " UDP_HDR, &h),
		DROP_NONE);
	assert_int_equal(h.frag, FRAG_NONE);
	assert_int_equal(h.sport, 5000);
	// RFC 7112: the first fragment must hold the chain.
	assert_int_equal(parse_hex(MACS "86dd 60000000 0010 2c 40 " ADDRS6
					"3c00 0001 00000001 1101000000000000",
				 &h),
		DROP_IP6_EXT);
	assert_int_equal(parse_hex(MACS "86dd 60000000 0018 2c 40 " ADDRS6 "2c00 0001 00000001 "
					"1100000100000002" UDP_HDR,
				 &h),
		DROP_IP6_EXT);
}

static void malformed_chains_are_dropped(void **state)
{
	const char *bad[] = {
		"0001 00 40 " ADDRS6 "11",                                // one byte of eight
		"0007 3c 40 " ADDRS6 "11000104000000 00",                 // the payload ends inside
		"0008 3c 40 " ADDRS6 "1101010400000000 0000000000000000", // ... longer than payload
		"0000 00 40 " ADDRS6,                                     // nothing at all
		"0010 3c 40 " ADDRS6 "0000010400000000 1100010400000000", // hop-by-hop not first
		"0010 00 40 " ADDRS6 "0000010400000000 1100010400000000", // ... twice
		"0008 33 40 " ADDRS6 "1101000000000000",                  // AH of 12 bytes in 8
		"0008 2b 40 " ADDRS6 "11ff000000000000",                  // 2048 bytes
	};
	struct hdrs h;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bytes f = {.n = 0};

		put(&f, MACS "86dd 60000000");
		put(&f, bad[i]);
		assert_int_equal(parse_n(&f, f.n, &h), DROP_IP6_EXT);
	}
}

static void eight_extension_headers_pass_and_nine_do_not(void **state)
{
	(void)state;
	for (unsigned n = 7; n <= 9; n++) {
		struct bytes f = {.n = 0};
		struct hdrs h;

		put(&f, MACS "86dd 60000000 0050 3c 40 " ADDRS6);
		f.b[19] = (uint8_t)(n * 8 + 8);
		for (unsigned i = 0; i < n; i++)
			put(&f, i == n - 1 ? "1100010400000000" : "3c00010400000000");
		put(&f, UDP_HDR);
		assert_int_equal(
			parse_n(&f, f.n, &h), n <= PARSE_EXT_MAX ? DROP_NONE : DROP_IP6_EXT);
		assert_int_equal(h.sport, n <= PARSE_EXT_MAX ? 5000 : 0);
	}
}

static void mobility_hip_and_shim6_are_upper_layers_when_last(void **state)
{
	const uint8_t protos[] = {135, 139, 140};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bytes f = {.n = 0};
		struct hdrs h;

		put(&f, MACS "86dd 60000000 0010 00 40 " ADDRS6 "0000010400000000 "
			     "3b00050000000000");
		f.b[20] = protos[i];
		f.b[19] = 8;
		f.n -= 8;
		memcpy(f.b + 54, "\x3b\0\5\0\0\0\0", 8);
		assert_int_equal(parse_n(&f, f.n, &h), DROP_NONE);
		assert_int_equal(h.proto, protos[i]);
		assert_int_equal(h.l4, 54);
		f.b[54] = 17;
		f.b[19] = 16;
		put(&f, UDP_HDR);
		assert_int_equal(parse_n(&f, f.n, &h), DROP_NONE);
		assert_int_equal(h.proto, 17);
		assert_int_equal(h.sport, 5000);
	}
}

static void esp_ends_the_chain(void **state)
{
	struct hdrs h;

	(void)state;
	assert_int_equal(parse_hex(MACS "86dd 60000000 0008 32 40 " ADDRS6 "0000000100000001", &h),
		DROP_NONE);
	assert_int_equal(h.proto, 50);
	assert_int_equal(h.l4, 54);
	assert_false(h.l4_short);
}

// Whatever is cut off a good frame, the answer names the header in which it ends.
static void every_cut_of_a_frame_is_noticed(void **state)
{
	struct bytes f = {.n = 0};
	struct hdrs h;

	(void)state;
	put(&f, MACS "8100 0005 86dd 60000000 0018 00 40 " ADDRS6 "3c00010400000000 "
		     "1100010400000000" UDP_HDR);
	assert_int_equal(parse_n(&f, f.n, &h), DROP_NONE);
	for (unsigned n = 0; n < f.n; n++) {
		enum drop want = n < 14   ? DROP_ETH_SHORT
				 : n < 18 ? DROP_VLAN_SHORT
				 : n < 58 ? DROP_IP6_SHORT
					  : DROP_IP6_LENGTH;

		assert_int_equal(parse_n(&f, n, &h), want);
	}
}

// The head of a frame in several buffers: lengths count the whole, headers must be in the head.
static void a_head_is_checked_against_the_whole_frame(void **state)
{
	struct bytes f = {.n = 0};
	struct hdrs h;

	(void)state;
	put(&f, MACS "0800 450003e8 00000000 40110000 " ADDRS4 UDP_HDR);
	assert_int_equal(packet_parse_head(f.b, f.n, 1014, &h), DROP_NONE);
	assert_int_equal(h.end, 1014);
	assert_int_equal(h.sport, 5000);
	assert_int_equal(packet_parse_head(f.b, f.n, 1013, &h), DROP_IP4_LENGTH);
	assert_int_equal(packet_parse_head(f.b, f.n - 1, 1014, &h), DROP_NONE);
	assert_true(h.l4_short);
	assert_int_equal(packet_parse_head(f.b, 33, 1014, &h), DROP_IP4_SHORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(udp_in_ipv4),
		cmocka_unit_test(tcp_flags_behind_ipv4_options),
		cmocka_unit_test(icmp_type_and_code),
		cmocka_unit_test(up_to_two_tags_of_three_kinds),
		cmocka_unit_test(other_ethertypes_have_no_family),
		cmocka_unit_test(wrong_ipv4_lengths_and_versions),
		cmocka_unit_test(ipv4_fragments),
		cmocka_unit_test(a_cut_upper_header_is_no_reason_to_drop),
		cmocka_unit_test(ports_are_read_where_no_more_is_there),
		cmocka_unit_test(wrong_ipv6_lengths_and_versions),
		cmocka_unit_test(ipv6_extension_headers_are_walked),
		cmocka_unit_test(ipv6_fragments),
		cmocka_unit_test(malformed_chains_are_dropped),
		cmocka_unit_test(eight_extension_headers_pass_and_nine_do_not),
		cmocka_unit_test(mobility_hip_and_shim6_are_upper_layers_when_last),
		cmocka_unit_test(esp_ends_the_chain),
		cmocka_unit_test(every_cut_of_a_frame_is_noticed),
		cmocka_unit_test(a_head_is_checked_against_the_whole_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

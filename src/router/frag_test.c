// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/frag.h"

#include "router/rig_test.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <string.h>

enum { L3 = 14, MAX = 256 };

static struct rig rig;

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static struct rte_mbuf *mbuf_of(const struct frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(rig.pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)f->len), f->b, f->len);
	return m;
}

// Puts the pieces together by their offsets, checks each header, and compares with the packet.
static void check_pieces(const struct frame *f, struct rte_mbuf **m, unsigned n, unsigned mtu,
	const uint8_t *later_options, unsigned later_len)
{
	const uint8_t *orig = f->b + L3;
	unsigned hlen = (orig[0] & 15) * 4u, data = get16(orig + 2) - hlen, next = 0;
	unsigned base = (get16(orig + 6) & 0x1fff) * 8;
	static uint8_t whole[65536];

	for (unsigned i = 0; i < n; i++) {
		const uint8_t *p = rte_pktmbuf_mtod(m[i], const uint8_t *), *ip = p + L3;
		unsigned len = get16(ip + 2), h = (ip[0] & 15) * 4u, flags = get16(ip + 6);

		assert_memory_equal(p, f->b, L3);
		assert_int_equal(rte_pktmbuf_pkt_len(m[i]), L3 + len);
		assert_true(len <= mtu);
		assert_int_equal(slow_sum(0, ip, h), 0);
		assert_memory_equal(ip + 4, orig + 4, 2);   // identification
		assert_memory_equal(ip + 8, orig + 8, 2);   // TTL, protocol
		assert_memory_equal(ip + 12, orig + 12, 8); // addresses
		assert_int_equal(ip[1], orig[1]);
		assert_int_equal((flags & 0x1fff) * 8, base + next);
		assert_int_equal(flags & 0x4000, 0);
		if (i == 0) {
			assert_int_equal(h, hlen);
			assert_memory_equal(ip + 20, orig + 20, hlen - 20);
		} else {
			assert_int_equal(h, 20 + later_len);
			assert_memory_equal(ip + 20, later_options, later_len);
		}
		if (i + 1 < n) {
			assert_int_equal((len - h) % 8, 0);
			assert_true(len + 8 > mtu || i == 0); // no piece is smaller than it must be
			assert_true((flags & 0x2000) != 0);
		} else {
			assert_int_equal(flags & 0x2000, get16(orig + 6) & 0x2000);
		}
		memcpy(whole + next, ip + h, len - h);
		next += len - h;
	}
	assert_int_equal(next, data);
	assert_memory_equal(whole, orig + hlen, data);
}

static unsigned cut(const struct frame *f, unsigned mtu, const uint8_t *opt, unsigned opt_len)
{
	struct rte_mbuf *m[1 + MAX];
	int n;

	m[0] = mbuf_of(f);
	n = frag4(m[0], L3, mtu, rig.pool, m + 1, MAX);
	assert_true(n >= 0);
	check_pieces(f, m, 1 + (unsigned)n, mtu, opt, opt_len);
	rte_pktmbuf_free_bulk(m, 1 + (unsigned)n);
	return 1 + (unsigned)n;
}

static void pieces_are_as_large_as_the_mtu_allows(void **state)
{
	struct frame f;

	(void)state;
	// 20 + 8 + 1453 = 1481 bytes: one byte of data too many for 1480.
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 1453);
	assert_int_equal(cut(&f, 1480, NULL, 0), 2);
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 1000);
	// 1008 bytes of data: 976 + 32 at 1000, 5 * 200 + 8 at 220, 21 * 48 at the smallest MTU.
	assert_int_equal(cut(&f, 1000, NULL, 0), 2);
	assert_int_equal(cut(&f, 220, NULL, 0), 6);
	assert_int_equal(cut(&f, 68, NULL, 0), 21);
	assert_int_equal(cut(&f, 75, NULL, 0), 21);
	assert_int_equal(cut(&f, 76, NULL, 0), 18);
}

static void every_length_and_mtu_fits_together(void **state)
{
	struct frame f;

	(void)state;
	for (unsigned mtu = 68; mtu < 130; mtu++) {
		for (unsigned payload = mtu - 28 + 1; payload < 420; payload += 3) {
			frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, payload);
			cut(&f, mtu, NULL, 0);
		}
	}
}

static void a_fragment_keeps_its_offset_and_its_mf_bit(void **state)
{
	struct frame f;

	(void)state;
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 992);
	f.b[L3 + 6] = 0x20; // MF, offset 0x123
	f.b[L3 + 6] |= 1;
	f.b[L3 + 7] = 0x23;
	frame_sum(&f);
	assert_int_equal(cut(&f, 576, NULL, 0), 2);
	f.b[L3 + 6] &= 0x1f; // the last one
	frame_sum(&f);
	assert_int_equal(cut(&f, 576, NULL, 0), 2);
}

static void later_pieces_carry_only_options_to_be_copied(void **state)
{
	// RFC 791: security is copied, record route is not; NOP, NOP.
	static const uint8_t options[] = {
		7, 7, 4, 0, 0, 0, 0, 1, 130, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1};
	static const uint8_t copied[] = {130, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
	struct frame f;

	(void)state;
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 1000);
	frame_options(&f, options, sizeof(options));
	assert_int_equal(cut(&f, 576, copied, sizeof(copied)), 2);
	assert_int_equal(cut(&f, 100, copied, sizeof(copied)), 16);
}

static void without_room_or_buffers_the_packet_stays_whole(void **state)
{
	struct rte_mbuf *m, *out[MAX], *hold[1100];
	unsigned n = 0;
	struct frame f;

	(void)state;
	frame_udp4(&f, "198.18.10.1", "198.19.10.1", 64, 1000);
	m = mbuf_of(&f);
	assert_int_equal(frag4(m, L3, 68, rig.pool, out, 19), -ENOSPC);
	while ((hold[n] = rte_pktmbuf_alloc(rig.pool)) != NULL)
		n++;
	rte_pktmbuf_free_bulk(hold, 19);
	assert_int_equal(frag4(m, L3, 68, rig.pool, out, 20), -ENOMEM);
	rte_pktmbuf_free_bulk(hold + 19, n - 19);
	assert_int_equal(rte_pktmbuf_pkt_len(m), f.len);
	assert_memory_equal(rte_pktmbuf_mtod(m, void *), f.b, f.len);
	assert_int_equal(frag4(m, L3, 68, rig.pool, out, 20), 20);
	rte_pktmbuf_free_bulk(out, 20);
	rte_pktmbuf_free(m);
}

static int start(void **state)
{
	struct router_conf c = {0};

	(void)state;
	rig_start(&rig, &c);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	rig_stop(&rig);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_as_large_as_the_mtu_allows),
		cmocka_unit_test(every_length_and_mtu_fits_together),
		cmocka_unit_test(a_fragment_keeps_its_offset_and_its_mf_bit),
		cmocka_unit_test(later_pieces_carry_only_options_to_be_copied),
		cmocka_unit_test(without_room_or_buffers_the_packet_stays_whole),
	};

	return cmocka_run_group_tests_name("frag", tests, start, stop);
}

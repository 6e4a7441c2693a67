// SPDX-License-Identifier: BSD-2-Clause
// All fields of a plain frame lie in the 64 bytes from its ethertype on, so a key is one permutation
// of these bytes, and constants.
#include "adapter/keyframe.h"

#include <immintrin.h>
#include <stddef.h>

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum { WINDOW = 12, IP = ETH_HDR - WINDOW, L4_4 = IP + IP4_HDR, L4_6 = IP + IP6_HDR };
static_assert(WINDOW + 64 == KEY_READ, "the window is what may be read");
static_assert(sizeof(struct classify_key) == 64, "a key is one register");

// Where each byte of the key comes from in the window, plus FROM; 0: from nowhere.  Numbers are turned
// to little-endian on the way.
enum { FROM = 0x80 };
#define AT(field)         offsetof(struct classify_key, field)
#define BYTE(field, from) [AT(field)] = FROM + (from)
#define WORD(field, from) [AT(field)] = FROM + (from) + 1, [AT(field) + 1] = FROM + (from)
#define LONG(field, from)                                                                          \
	[AT(field)] = FROM + (from) + 3, [AT(field) + 1] = FROM + (from) + 2,                      \
	[AT(field) + 2] = FROM + (from) + 1, [AT(field) + 3] = FROM + (from)
#define IP4_FIELDS                                                                                 \
	BYTE(proto, IP + 9), BYTE(tos, IP + 1), LONG(src[0], IP + 12), LONG(dst[0], IP + 16)
#define IP6_FIELDS                                                                                 \
	BYTE(proto, IP + 6), LONG(src[0], IP + 8), LONG(src[1], IP + 12), LONG(src[2], IP + 16),   \
		LONG(src[3], IP + 20), LONG(dst[0], IP + 24), LONG(dst[1], IP + 28),               \
		LONG(dst[2], IP + 32), LONG(dst[3], IP + 36)
#define PORTS(l4)     WORD(sport, l4), WORD(dport, (l4) + 2)
#define TYPE_CODE(l4) BYTE(icmp_type, l4), BYTE(icmp_code, (l4) + 1)

static const uint8_t pick4[KEY_ODD][64] __attribute__((aligned(64))) = {
	[KEY_OTHER] = {IP4_FIELDS},
	[KEY_ICMP] = {IP4_FIELDS, TYPE_CODE(L4_4)},
	[KEY_UDP] = {IP4_FIELDS, PORTS(L4_4)},
	[KEY_TCP] = {IP4_FIELDS, PORTS(L4_4), BYTE(tcp_flags, L4_4 + 13)},
};

static const uint8_t pick6[KEY_ODD][64] __attribute__((aligned(64))) = {
	[KEY_OTHER] = {IP6_FIELDS},
	[KEY_ICMP] = {IP6_FIELDS, TYPE_CODE(L4_6)},
	[KEY_UDP] = {IP6_FIELDS, PORTS(L4_6)},
	[KEY_TCP] = {IP6_FIELDS, PORTS(L4_6), BYTE(tcp_flags, L4_6 + 13)},
};

#define FIXED4 .family = 4, .ethertype = 0x0800
#define FIXED6 .family = 6, .ethertype = 0x86dd

static const struct classify_key fixed4[KEY_ODD] = {
	[KEY_OTHER] = {FIXED4},
	[KEY_ICMP] = {FIXED4},
	[KEY_UDP] = {FIXED4, .vlan_valid = CLASSIFY_HAS_PORTS},
	[KEY_TCP] = {FIXED4, .vlan_valid = CLASSIFY_HAS_PORTS},
};

static const struct classify_key fixed6[KEY_ODD] = {
	[KEY_OTHER] = {FIXED6},
	[KEY_ICMP] = {FIXED6},
	[KEY_UDP] = {FIXED6, .vlan_valid = CLASSIFY_HAS_PORTS},
	[KEY_TCP] = {FIXED6, .vlan_valid = CLASSIFY_HAS_PORTS},
};

VBMI static inline __m512i picked(const uint8_t *f, const uint8_t *pick)
{
	__m512i from = _mm512_load_si512(pick);

	return _mm512_maskz_permutexvar_epi8(
		_mm512_movepi8_mask(from), from, _mm512_loadu_si512(f + WINDOW));
}

VBMI static inline __m512i or3(__m512i a, __m512i b, __m512i c)
{
	return _mm512_ternarylogic_epi64(a, b, c, 0xfe);
}

VBMI void key_vbmi(struct rte_mbuf *const *pkt, unsigned n, uint16_t in, uint64_t mac48,
	struct classify_key *keys)
{
	const __m512i port = _mm512_maskz_set1_epi8(1ull << AT(iport), (char)key_iport(in));

	for (unsigned i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkt[i];
		const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *), *ip = f + ETH_HDR;
		enum key_l4 kind;
		__m512i key;

		if (__builtin_expect(!key_is_simple(m, mac48), 0))
			goto odd;
		if (load16(f + WINDOW) == TYPE_IP4_BE) {
			kind = key_kind4(f, m->data_len);
			if (__builtin_expect(kind == KEY_ODD, 0))
				goto odd;
			key = _mm512_loadu_si512(&fixed4[kind]);
			key = or3(key, picked(f, pick4[kind]), port);
		} else if (load16(f + WINDOW) == TYPE_IP6_BE) {
			kind = key_kind6(f, m->data_len);
			if (__builtin_expect(kind == KEY_ODD, 0))
				goto odd;
			key = _mm512_loadu_si512(&fixed6[kind]);
			key = _mm512_mask_set1_epi8(
				key, 1ull << AT(tos), (char)(ip[0] << 4 | ip[1] >> 4));
			key = or3(key, picked(f, pick6[kind]), port);
		} else {
			goto odd;
		}
		_mm512_storeu_si512(&keys[i], key);
		continue;
	odd:
		key_parse(m, in, mac48, &keys[i]);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// All fields of a plain IPv4 frame lie in its first 64 bytes, mostly one cache line, so a key is one
// permutation of these bytes, and constants.  In IPv6 a permutation gives all but the traffic class,
// which does not lie on a byte, and the flags of TCP, which lie further behind.
//
// One comparison of the same 64 bytes with those that a plain frame must have tells most of what is
// not plain.
#include "adapter/keyframe.h"

#include <immintrin.h>
#include <stddef.h>

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))

enum { IP = ETH_HDR, L4_4 = IP + IP4_HDR, L4_6 = IP + IP6_HDR, FLAGS_6 = L4_6 + 13 };
static_assert((int)FLAGS_6 < (int)KEY_READ && KEY_READ >= 64, "what is read may be read");
static_assert(sizeof(struct classify_key) == 64, "a key is one register");

// Where each byte of a key comes from: below 64 from constants, of which the first is 0, else from the
// frame.  Numbers are turned to little-endian on the way.
enum constant { C_FAMILY = 1, C_TYPE, C_TYPE_HIGH, C_PORTS, C_IPORT };
enum { F = 64 };
#define AT(field)         offsetof(struct classify_key, field)
#define BYTE(field, from) [AT(field)] = F + (from)
#define WORD(field, from) [AT(field)] = F + (from) + 1, [AT(field) + 1] = F + (from)
#define LONG(field, from)                                                                          \
	[AT(field)] = F + (from) + 3, [AT(field) + 1] = F + (from) + 2,                            \
	[AT(field) + 2] = F + (from) + 1, [AT(field) + 3] = F + (from)
#define ANY                                                                                        \
	[AT(family)] = C_FAMILY, [AT(ethertype)] = C_TYPE, [AT(ethertype) + 1] = C_TYPE_HIGH,      \
	[AT(iport)] = C_IPORT
#define IP4_FIELDS                                                                                 \
	ANY, BYTE(proto, IP + 9), BYTE(tos, IP + 1), LONG(src[0], IP + 12), LONG(dst[0], IP + 16)
#define IP6_FIELDS                                                                                 \
	ANY, BYTE(proto, IP + 6), LONG(src[0], IP + 8), LONG(src[1], IP + 12),                     \
		LONG(src[2], IP + 16), LONG(src[3], IP + 20), LONG(dst[0], IP + 24),               \
		LONG(dst[1], IP + 28), LONG(dst[2], IP + 32), LONG(dst[3], IP + 36)
#define PORTS(l4)     WORD(sport, l4), WORD(dport, (l4) + 2), [AT(vlan_valid)] = C_PORTS
#define TYPE_CODE(l4) BYTE(icmp_type, l4), BYTE(icmp_code, (l4) + 1)

// A key of one kind of packet.
struct shape {
	uint8_t pick[64] __attribute__((aligned(64)));
	uint32_t need;  // the least length that the IP header may give
	uint32_t flags; // IPv6: of the byte at FLAGS_6
};

enum { NEVER = 1 << 20 }; // longer than any packet

// The length is that of the packet.
static const struct shape shape4[] = {
	[KEY_OTHER] = {{IP4_FIELDS}, IP4_HDR, 0},
	[KEY_ICMP] = {{IP4_FIELDS, TYPE_CODE(L4_4)}, IP4_HDR + 8, 0},
	[KEY_UDP] = {{IP4_FIELDS, PORTS(L4_4)}, IP4_HDR + 8, 0},
	[KEY_TCP] = {{IP4_FIELDS, PORTS(L4_4), BYTE(tcp_flags, L4_4 + 13)}, IP4_HDR + 20, 0},
};

// The length is that of the payload.
static const struct shape shape6[] = {
	[KEY_OTHER] = {{IP6_FIELDS}, 0, 0},
	[KEY_ICMP] = {{IP6_FIELDS, TYPE_CODE(L4_6)}, 8, 0},
	[KEY_UDP] = {{IP6_FIELDS, PORTS(L4_6)}, 8, 0},
	[KEY_TCP] = {{IP6_FIELDS, PORTS(L4_6)}, 20, 0xff},
	[KEY_ODD] = {{0}, NEVER, 0},
};

// The bits that tell a plain frame, and what they must be but for the MAC.
static const uint8_t care4[64] __attribute__((aligned(64))) = {0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, [12] = 0xff, 0xff, 0xff, [IP + 6] = 0x3f, 0xff}; // MF and the offset
static const uint8_t want4[64] = {[12] = 0x08, 0x00, 0x45};
static const uint8_t care6[64] __attribute__((aligned(64))) = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, [12] = 0xff, 0xff, 0xf0};
static const uint8_t want6[64] = {[12] = 0x86, 0xdd, 0x60};

VBMI static inline __m512i wanted(const uint8_t *want, uint64_t mac48)
{
	return _mm512_or_si512(_mm512_loadu_si512(want),
		_mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)mac48)));
}

VBMI static inline bool differs(__m512i frame, __m512i want, const uint8_t *care)
{
	return _mm512_test_epi8_mask(_mm512_xor_si512(frame, want), _mm512_load_si512(care)) != 0;
}

VBMI static inline __m512i constants(uint8_t family, uint16_t type, uint16_t in)
{
	const uint8_t c[64] = {[C_FAMILY] = family,
		[C_TYPE] = (uint8_t)type,
		[C_TYPE_HIGH] = (uint8_t)(type >> 8),
		[C_PORTS] = CLASSIFY_HAS_PORTS,
		[C_IPORT] = key_iport(in)};

	return _mm512_loadu_si512(c);
}

VBMI static inline __m512i shaped(__m512i frame, const struct shape *s, __m512i constant)
{
	return _mm512_permutex2var_epi8(constant, _mm512_load_si512(s->pick), frame);
}

// Traffic class and flags, which are neighbours in a key.
VBMI static inline __m512i rest6(const uint8_t *f, const struct shape *s)
{
	uint32_t tos = (uint8_t)(f[IP] << 4 | f[IP + 1] >> 4);

	static_assert(AT(tos) % 4 == 0 && AT(tcp_flags) == AT(tos) + 1, "one word");
	return _mm512_maskz_set1_epi32(1 << AT(tos) / 4, (int)(tos | (f[FLAGS_6] & s->flags) << 8));
}

VBMI void key_vbmi(struct rte_mbuf *const *pkt, unsigned n, uint16_t in, uint64_t mac48,
	struct classify_key *keys)
{
	const __m512i fixed4 = constants(4, 0x0800, in), fixed6 = constants(6, 0x86dd, in);
	const __m512i ip4 = wanted(want4, mac48), ip6 = wanted(want6, mac48);

	for (unsigned i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkt[i];
		const uint8_t *f = rte_pktmbuf_mtod(m, const uint8_t *);
		const struct shape *s;
		__m512i frame, key;
		uint32_t len;

		if (__builtin_expect(!key_is_simple(m), 0))
			goto odd;
		frame = _mm512_loadu_si512(f);
		if (!differs(frame, ip4, care4)) {
			s = &shape4[key_l4_of4[f[IP + 9]]];
			len = load_be16(f + IP + 2);
			if (__builtin_expect(len + ETH_HDR > m->data_len || len < s->need, 0))
				goto odd;
			key = shaped(frame, s, fixed4);
		} else if (!differs(frame, ip6, care6)) {
			s = &shape6[key_l4_of6[f[IP + 6]]];
			len = load_be16(f + IP + 4);
			if (__builtin_expect(
				    len + ETH_HDR + IP6_HDR > m->data_len || len < s->need, 0))
				goto odd;
			key = _mm512_or_si512(shaped(frame, s, fixed6), rest6(f, s));
		} else {
			goto odd;
		}
		_mm512_storeu_si512(&keys[i], key);
		continue;
	odd:
		key_parse(m, in, mac48, &keys[i]);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// keyframe.h - which frames are plain, and how long their headers must be.
//
// The checks may read 68 bytes of any frame; what lies behind its end counts for nothing.
#pragma once

#include "adapter/key.h"
#include "base/load.h"

#include <assert.h>
#include <rte_mbuf.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "header words are read as they lie");

enum { ETH_HDR = 14, IP4_HDR = 20, IP6_HDR = 40, KEY_READ = 68 };

// What the upper-layer header of a plain packet holds for a key.  ODD: it is not plain.
enum key_l4 { KEY_OTHER, KEY_ICMP, KEY_UDP, KEY_TCP, KEY_ODD };

// One frame by packet_parse.
void key_parse(const struct rte_mbuf *m, uint16_t in, uint64_t mac48, struct classify_key *key);

static inline uint8_t key_iport(uint16_t in)
{
	return (uint8_t)(in < 4 ? in : 4 | (in & 3));
}

// One buffer, from which KEY_READ bytes may be read, and no tag was taken off.
static inline bool key_is_simple(const struct rte_mbuf *m)
{
	uint64_t tags = RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ_STRIPPED;

	return m->nb_segs == 1 && (m->ol_flags & tags) == 0 && m->buf_len >= m->data_off + KEY_READ;
}

extern const uint8_t key_l4_of4[256], key_l4_of6[256], key_l4_need[5];

// Of a frame of len bytes whose first bytes are plain: to the port's own MAC, untagged, IPv4 without
// options and not a fragment.
static inline enum key_l4 key_kind4(const uint8_t *f, unsigned len)
{
	const uint8_t *ip = f + ETH_HDR;
	unsigned total = load_be16(ip + 2);
	enum key_l4 kind = (enum key_l4)key_l4_of4[ip[9]];

	if (total + ETH_HDR > len || total < (unsigned)IP4_HDR + key_l4_need[kind])
		return KEY_ODD;
	return kind;
}

// The same of IPv6.
static inline enum key_l4 key_kind6(const uint8_t *f, unsigned len)
{
	const uint8_t *ip = f + ETH_HDR;
	unsigned payload = load_be16(ip + 4);
	enum key_l4 kind = (enum key_l4)key_l4_of6[ip[6]];

	if (payload + IP6_HDR + ETH_HDR > len || payload < key_l4_need[kind])
		return KEY_ODD;
	return kind;
}

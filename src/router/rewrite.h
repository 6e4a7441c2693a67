// SPDX-License-Identifier: BSD-2-Clause
// rewrite.h - what forwarding changes in a packet.
#pragma once

#include "router/hop.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "header words are read as they lie");

// The word with TTL (at least 1), protocol and checksum of an IPv4 header, as it lies in memory, with
// the TTL lowered by one.  RFC 1624 eq. 3 for a word that gets smaller by one in its first byte: the
// checksum grows by one there, with end-around carry.
static inline uint32_t ttl_word_lower(uint32_t w)
{
	return w + 0xffff + ((uint32_t)(w >= 0xfffe0000) << 16);
}

static inline void ttl_lower(uint8_t *ip)
{
	uint32_t w;

	memcpy(&w, ip + 8, sizeof(w));
	w = ttl_word_lower(w);
	memcpy(ip + 8, &w, sizeof(w));
}

static inline void rewrite_eth(uint8_t *frame, const struct hop *hop)
{
	memcpy(frame, hop->eth, 12);
}

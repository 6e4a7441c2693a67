// SPDX-License-Identifier: BSD-2-Clause
// rewrite.h - what forwarding changes in a packet.
#pragma once

#include "router/hop.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "header words are read as they lie");

// Lowers the TTL (at least 1) of the IPv4 header at ip by one.  RFC 1624 eq. 3 for a word that gets
// smaller by one in its TTL byte: the checksum grows by one there, with end-around carry.
static inline void ttl_lower(uint8_t *ip)
{
	uint32_t w; // TTL, protocol and checksum

	memcpy(&w, ip + 8, 4);
	w += 0xffff + ((uint32_t)(w >= 0xfffe0000) << 16);
	memcpy(ip + 8, &w, 4);
}

static inline void rewrite_eth(uint8_t *frame, const struct hop *hop)
{
	memcpy(frame, hop->eth, 12);
}

// SPDX-License-Identifier: BSD-2-Clause
// cksum.h - the Internet checksum: full (RFC 1071) and incremental (RFC 1624 eq. 3).
// Sums are of 16-bit words as they lie in memory, so the results go into headers unswapped.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Unfolded sum of len bytes (an odd last byte counts as padded with 0), to be passed on as `sum`.
uint64_t cksum_add(uint64_t sum, const void *data, unsigned len);

// Folds to 16 bits and complements.
uint16_t cksum_finish(uint64_t sum);

// The IPv4 header checksum over len bytes, taking the field itself as it stands: 0 = correct.
uint16_t cksum_ip4(const void *hdr, unsigned len);

// TCP, UDP, ICMPv6 checksum with the pseudo header of the IPv4 (RFC 768, 9293) or IPv6 (RFC 8200
// 8.1) header at ip; proto is the upper-layer protocol, len its length with header.  A right
// packet gives 0 (its own field is summed too).
uint16_t cksum_l4(const void *ip, uint8_t proto, const void *l4, unsigned len);

// RFC 1624 eq. 3: HC' = ~(~HC + ~m + m').
static inline uint16_t cksum_fix16(uint16_t hc, uint16_t old, uint16_t new)
{
	uint32_t s = (uint16_t)~hc + (uint32_t)(uint16_t)~old + new;

	s = (s & 0xffff) + (s >> 16);
	return (uint16_t) ~(s + (s >> 16));
}

static inline uint16_t cksum_fix32(uint16_t hc, uint32_t old, uint32_t new)
{
	hc = cksum_fix16(hc, (uint16_t)old, (uint16_t) new);
	return cksum_fix16(hc, (uint16_t)(old >> 16), (uint16_t)(new >> 16));
}

// SPDX-License-Identifier: BSD-2-Clause
// icmp.h - ICMP and ICMPv6 errors about packets on the slow path (RFC 792, RFC 1812 4.3, RFC 4443).
#pragma once

#include "router/slow.h"

// What is to be said.  word: the second 32 bits of the ICMP header, host order.
struct icmp_error {
	uint8_t type, code;
	uint32_t word;
};

enum {
	ICMP4_UNREACHABLE = 3,
	ICMP4_REDIRECT = 5,
	ICMP4_TIME_EXCEEDED = 11,
	ICMP4_PARAMETER = 12,
	ICMP6_UNREACHABLE = 1,
	ICMP6_TOO_BIG = 2,
	ICMP6_TIME_EXCEEDED = 3,
	ICMP6_PARAMETER = 4,
	ICMP6_REDIRECT = 137,
};

// Puts the error about s->m behind the burst, if one may be sent at all, there is a way back to
// the source, and the limit allows it.  s->m must be as received, its source not special.
void icmp4_answer(struct slow *s, const struct icmp_error *e);
void icmp6_answer(struct slow *s, const struct icmp_error *e);

// Tells the source that it reaches dst better through `via` (host order) on its own net.
void icmp4_redirect(struct slow *s, uint32_t via);

// The same for IPv6 (RFC 4861 8.2); via is dst itself or the link-local address of a router, mac
// its MAC.
void icmp6_redirect(struct slow *s, const struct ip6 *via, const struct mac *mac);

// SPDX-License-Identifier: BSD-2-Clause
// options.h - IPv4 options (RFC 791 3.1, RFC 1812 4.2.2.1 and 5.2.4, RFC 2113) and IPv6 hop-by-hop
// options (RFC 8200 4.2).
#pragma once

#include "packet/drop.h"

#include <stdbool.h>
#include <stdint.h>

struct router;
struct icmp_error;

// Whether the options of the IPv4 header at ip (whole, its length checked) are sound and may be
// forwarded.  DROP_NONE; or DROP_IP4_OPTION or DROP_IP4_SRCROUTE with *e what to tell the source.
enum drop options_check(const uint8_t *ip, struct icmp_error *e);

// Record route and timestamp of a checked header: own4 (host order) is our address on the egress
// side, ms any clock of milliseconds.  r: whose addresses prespecified timestamps may ask for.
// The header checksum is made right again.
void options_record(const struct router *r, uint8_t *ip, uint32_t own4, uint32_t ms);

// The options of a checked header that later fragments carry, padded to 4 bytes; returns how many.
unsigned options_copied(const uint8_t *ip, uint8_t *out);

// The hop-by-hop header behind the IPv6 header at ip, of which len bytes are there.  DROP_NONE;
// DROP_IP6_EXT if it or one of its options is not all there; DROP_IP6_OPTION if an option we do not
// know says so; *answer then says whether to send *e.
enum drop hopopts_check(const uint8_t *ip, unsigned len, bool *answer, struct icmp_error *e);

// SPDX-License-Identifier: BSD-2-Clause
// addr.h - MAC, IPv4 and IPv6 addresses and prefixes as text.
// The parsers take a whole NUL-terminated word: anything behind the address is an error.
// They return 0, or -EINVAL with a sentence that quotes the word; *out is then untouched.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAC_LEN = 6, IP6_LEN = 16, ADDR_TEXT_MAX = 64 };

struct mac {
	uint8_t b[MAC_LEN]; // in wire order
};

struct ip6 {
	uint8_t b[IP6_LEN]; // in wire order
};

// An address of either family; the family is 4 or 6.
struct ip {
	uint8_t family;
	uint32_t v4; // host byte order
	struct ip6 v6;
};

struct prefix {
	struct ip addr; // host bits as written, not cleared
	uint8_t len;    // 0..32 or 0..128
};

// Six groups of one or two hex digits, separated by ':' (or all by '-').
int mac_parse(const char *text, struct mac *out, struct err *err);

// Four decimal octets 0..255, no leading zeros beyond one digit ("01" is refused: some
// readers take it for octal).  *out is in host byte order.
int ip4_parse(const char *text, uint32_t *out, struct err *err);

// RFC 4291 2.2, without a zone ("%eth0") and without brackets.
int ip6_parse(const char *text, struct ip6 *out, struct err *err);

// Either family, told apart by a ':'.
int ip_parse(const char *text, struct ip *out, struct err *err);

// ADDR/LEN; a bare address gets the full length.
int prefix_parse(const char *text, struct prefix *out, struct err *err);

// A contiguous IPv4 netmask (255.255.255.0 or 0xffffff00) as a prefix length 0..32.
int netmask_parse(const char *text, uint8_t *len, struct err *err);

// Each formats into out (at least ADDR_TEXT_MAX bytes) and returns it.  IPv6 per RFC 5952.
const char *mac_text(const struct mac *mac, char *out);
const char *ip4_text(uint32_t ip_host_order, char *out);
const char *ip6_text(const struct ip6 *ip, char *out);
const char *ip_text(const struct ip *ip, char *out);
const char *prefix_text(const struct prefix *p, char *out);

bool ip_equal(const struct ip *a, const struct ip *b);

// Whether ip lies in p; false if the families differ.
bool prefix_contains(const struct prefix *p, const struct ip *ip);

// Clears the host bits.
void prefix_mask(struct prefix *p);

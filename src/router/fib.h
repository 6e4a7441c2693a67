// SPDX-License-Identifier: BSD-2-Clause
// fib.h - longest-prefix match for IPv4 (RFC 1812 5.2.4.3) and IPv6, for whole bursts.
// One writer; readers may look up meanwhile and see the old or the new next hop.
//
// In 224.0.0.0/3 and ff00::/8 only prefixes entered there are found, never a default route; of those
// that end at the last address, the shorter must be entered before the longer.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct fib4;
struct fib6;

// Sizes of a table, all memory of which is taken when it is made.
struct fib_size {
	unsigned max_routes; // 1..FIB_ROUTES_MAX
	unsigned max_hops;   // next hops are below it; 32767 or less keeps entries at 16 bits
};

enum { FIB_ROUTES_MAX = 4u << 20 };

// Destinations without a route have the next hop `miss`.  NULL with *err set: ENOMEM or EINVAL.
struct fib4 *fib4_new(const struct fib_size *size, uint32_t miss, struct err *err);
void fib4_free(struct fib4 *f);

// addr in host byte order; bits behind len are ignored.  A prefix that is there gets the new next
// hop.  -ENOSPC with a sentence if the table is full; it is then as before.
int fib4_set(struct fib4 *f, uint32_t addr, uint8_t len, uint32_t hop, struct err *err);
void fib4_del(struct fib4 *f, uint32_t addr, uint8_t len);

// Whether exactly this prefix is there.
bool fib4_has(const struct fib4 *f, uint32_t addr, uint8_t len);

// Next hops of n destinations in host byte order.  Cannot fail.
void fib4_lookup(const struct fib4 *f, uint32_t *dst, uint64_t *hop, unsigned n);
uint32_t fib4_find(const struct fib4 *f, uint32_t dst);

struct fib6 *fib6_new(const struct fib_size *size, uint32_t miss, struct err *err);
void fib6_free(struct fib6 *f);
int fib6_set(struct fib6 *f, const struct ip6 *addr, uint8_t len, uint32_t hop, struct err *err);
void fib6_del(struct fib6 *f, const struct ip6 *addr, uint8_t len);
bool fib6_has(const struct fib6 *f, const struct ip6 *addr, uint8_t len);
void fib6_lookup(const struct fib6 *f, struct ip6 *dst, uint64_t *hop, unsigned n);
uint32_t fib6_find(const struct fib6 *f, const struct ip6 *dst);

// SPDX-License-Identifier: BSD-2-Clause
// IPv4 lies in DPDK's DIR24-8 (Gupta, Lin, McKeown 1998): one load by the upper 24 bits, a second for
// prefixes beyond /24.  IPv6 lies in its trie: 24 bits, then 8 a step.  Both are looked up by
// AVX-512 gathers where the processor has them and the process allows 512-bit vectors.
//
// Blocks of 256 entries ("tbl8") hold what lies behind the first 24 bits.  An IPv4 prefix beyond /24
// needs at most one; those are few in large tables.  An IPv6 prefix needs up to 13, but in large
// tables they share most of them: 4 a route held for random ones of 230,000 and a million routes.
#include "router/fib.h"

#include "router/fibtop.h"

#include <errno.h>
#include <rte_fib.h>
#include <rte_fib6.h>
#include <rte_rib.h>
#include <rte_rib6.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANY_SOCKET = -1, TBL8_16BIT_MAX = 32767, HOPS_16BIT_MAX = 32767, DEEP6 = 13, SHARED6 = 4 };
// Up to so many routes a table has blocks for the worst of them.
enum { SMALL4 = 16384, SMALL6 = 1024 };

enum { TOP4 = 3, TOP6 = 8 }; // 224/3, ff00::/8

struct fib4 {
	struct rte_fib *fib;
	struct top top;
};

struct fib6 {
	struct rte_fib6 *fib;
	struct top top;
};

// DPDK wants names that are unique in the process.
static void unique_name(char *out, unsigned size, const char *kind)
{
	static atomic_uint serial;

	snprintf(out, size, "weir_%s_%u", kind, atomic_fetch_add(&serial, 1));
}

static int check_size(const struct fib_size *size, struct err *err)
{
	if (size->max_routes == 0 || size->max_routes > FIB_ROUTES_MAX)
		return err_set(err, EINVAL, "routing table: %u routes: must be 1 to %u",
			size->max_routes, FIB_ROUTES_MAX);
	if (size->max_hops == 0 || size->max_hops > INT32_MAX)
		return err_set(err, EINVAL, "routing table: %u next hops: must be 1 to %d",
			size->max_hops, INT32_MAX);
	return 0;
}

static int full(struct err *err, int family, const char *prefix, int rc)
{
	if (rc == -ENOSPC || rc == -ENOMEM)
		return err_set(err, ENOSPC, "%s: the IPv%d routing table is full", prefix, family);
	return err_set(err, -rc, "%s: the IPv%d routing table refuses it: %s", prefix, family,
		strerror(-rc));
}

// DPDK's own reason, "invalid argument", does not help anybody.
static void no_table(
	struct err *err, int family, const struct fib_size *size, uint64_t n_tbl8, bool small)
{
	uint64_t mb = ((1u << 24) + n_tbl8 * 256) * (small ? 2 : 4) >> 20;

	err_set(err, ENOMEM,
		"no memory for an IPv%d routing table of %u routes (%u MB of packet memory)",
		family, size->max_routes, (unsigned)mb);
}

static uint32_t mask4(uint32_t addr, uint8_t len)
{
	return len == 0 ? 0 : addr & (UINT32_MAX << (32 - len));
}

struct fib4 *fib4_new(const struct fib_size *size, uint32_t miss, struct err *err)
{
	struct rte_fib_conf c = {.type = RTE_FIB_DIR24_8, .default_nh = miss};
	unsigned deep = size->max_routes < SMALL4 ? size->max_routes : SMALL4;
	struct fib4 *f;
	char name[32];

	if (check_size(size, err) != 0)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		err_set(err, ENOMEM, "routing table: out of memory");
		return NULL;
	}
	top_init(&f->top, TOP4);
	c.max_routes = (int)size->max_routes + TOP_MAX;
	c.dir24_8.num_tbl8 = deep + (size->max_routes - deep) / 16;
	c.dir24_8.nh_sz = size->max_hops <= HOPS_16BIT_MAX && c.dir24_8.num_tbl8 <= TBL8_16BIT_MAX
				  ? RTE_FIB_DIR24_8_2B
				  : RTE_FIB_DIR24_8_4B;
	unique_name(name, sizeof(name), "fib4");
	f->fib = rte_fib_create(name, ANY_SOCKET, &c);
	if (f->fib == NULL) {
		no_table(err, 4, size, c.dir24_8.num_tbl8, c.dir24_8.nh_sz == RTE_FIB_DIR24_8_2B);
		free(f);
		return NULL;
	}
	return f;
}

void fib4_free(struct fib4 *f)
{
	if (f == NULL)
		return;
	rte_fib_free(f->fib);
	free(f);
}

// Enters the pieces anew where they changed.
static int apply4(struct fib4 *f)
{
	for (unsigned i = 0; i < f->top.n; i++) {
		int64_t want = top_want(&f->top, i);
		uint32_t addr = (uint32_t)top_byte(i) << 24;
		int rc = 0;

		if (want == f->top.entered[i])
			continue;
		if (want == TOP_NONE)
			rte_fib_delete(f->fib, addr, (uint8_t)(i + 1));
		else
			rc = rte_fib_add(f->fib, addr, (uint8_t)(i + 1), (uint64_t)want);
		if (rc != 0)
			return rc;
		f->top.entered[i] = want;
	}
	return 0;
}

static int set4(struct fib4 *f, uint32_t addr, uint8_t len, int64_t hop)
{
	int64_t *slot = top_slot(&f->top, (uint8_t)(addr >> 24), len), old;
	int rc;

	if (slot == NULL && hop == TOP_NONE)
		return rte_fib_delete(f->fib, addr, len);
	if (slot == NULL)
		return rte_fib_add(f->fib, addr, len, (uint64_t)hop);
	old = *slot;
	*slot = hop;
	rc = apply4(f);
	if (rc != 0) {
		*slot = old;
		apply4(f);
	}
	return rc;
}

int fib4_set(struct fib4 *f, uint32_t addr, uint8_t len, uint32_t hop, struct err *err)
{
	struct prefix p = {.addr = {.family = 4, .v4 = mask4(addr, len)}, .len = len};
	char text[ADDR_TEXT_MAX];
	int rc = set4(f, p.addr.v4, len, hop);

	return rc == 0 ? 0 : full(err, 4, prefix_text(&p, text), rc);
}

void fib4_del(struct fib4 *f, uint32_t addr, uint8_t len)
{
	set4(f, mask4(addr, len), len, TOP_NONE);
}

bool fib4_has(const struct fib4 *f, uint32_t addr, uint8_t len)
{
	uint32_t a = mask4(addr, len);
	struct top top = f->top;
	const int64_t *slot = top_slot(&top, (uint8_t)(a >> 24), len);

	if (slot != NULL)
		return *slot != TOP_NONE;
	return rte_rib_lookup_exact(rte_fib_get_rib(f->fib), a, len) != NULL;
}

void fib4_lookup(const struct fib4 *f, uint32_t *dst, uint64_t *hop, unsigned n)
{
	rte_fib_lookup_bulk(f->fib, dst, hop, (int)n);
}

uint32_t fib4_find(const struct fib4 *f, uint32_t dst)
{
	uint64_t hop = 0;

	fib4_lookup(f, &dst, &hop, 1);
	return (uint32_t)hop;
}

struct fib6 *fib6_new(const struct fib_size *size, uint32_t miss, struct err *err)
{
	struct rte_fib6_conf c = {.type = RTE_FIB6_TRIE, .default_nh = miss};
	unsigned deep = size->max_routes < SMALL6 ? size->max_routes : SMALL6;
	struct fib6 *f;
	char name[32];

	if (check_size(size, err) != 0)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		err_set(err, ENOMEM, "routing table: out of memory");
		return NULL;
	}
	top_init(&f->top, TOP6);
	c.max_routes = (int)size->max_routes + TOP_MAX;
	c.trie.num_tbl8 = DEEP6 * deep + SHARED6 * (size->max_routes - deep);
	c.trie.nh_sz = size->max_hops <= HOPS_16BIT_MAX && c.trie.num_tbl8 <= TBL8_16BIT_MAX
			       ? RTE_FIB6_TRIE_2B
			       : RTE_FIB6_TRIE_4B;
	unique_name(name, sizeof(name), "fib6");
	f->fib = rte_fib6_create(name, ANY_SOCKET, &c);
	if (f->fib == NULL) {
		no_table(err, 6, size, c.trie.num_tbl8, c.trie.nh_sz == RTE_FIB6_TRIE_2B);
		free(f);
		return NULL;
	}
	return f;
}

void fib6_free(struct fib6 *f)
{
	if (f == NULL)
		return;
	rte_fib6_free(f->fib);
	free(f);
}

static int apply6(struct fib6 *f)
{
	for (unsigned i = 0; i < f->top.n; i++) {
		int64_t want = top_want(&f->top, i);
		struct ip6 addr = {.b = {top_byte(i)}};
		int rc = 0;

		if (want == f->top.entered[i])
			continue;
		if (want == TOP_NONE)
			rte_fib6_delete(f->fib, (void *)&addr, (uint8_t)(i + 1));
		else
			rc = rte_fib6_add(f->fib, (void *)&addr, (uint8_t)(i + 1), (uint64_t)want);
		if (rc != 0)
			return rc;
		f->top.entered[i] = want;
	}
	return 0;
}

static int set6(struct fib6 *f, struct ip6 *addr, uint8_t len, int64_t hop)
{
	int64_t *slot = top_slot(&f->top, addr->b[0], len), old;
	int rc;

	if (slot == NULL && hop == TOP_NONE)
		return rte_fib6_delete(f->fib, (void *)addr, len);
	if (slot == NULL)
		return rte_fib6_add(f->fib, (void *)addr, len, (uint64_t)hop);
	old = *slot;
	*slot = hop;
	rc = apply6(f);
	if (rc != 0) {
		*slot = old;
		apply6(f);
	}
	return rc;
}

int fib6_set(struct fib6 *f, const struct ip6 *addr, uint8_t len, uint32_t hop, struct err *err)
{
	struct prefix p = {.addr = {.family = 6, .v6 = *addr}, .len = len};
	char text[ADDR_TEXT_MAX];
	int rc;

	prefix_mask(&p);
	rc = set6(f, &p.addr.v6, len, hop);
	return rc == 0 ? 0 : full(err, 6, prefix_text(&p, text), rc);
}

void fib6_del(struct fib6 *f, const struct ip6 *addr, uint8_t len)
{
	struct prefix p = {.addr = {.family = 6, .v6 = *addr}, .len = len};

	prefix_mask(&p);
	set6(f, &p.addr.v6, len, TOP_NONE);
}

bool fib6_has(const struct fib6 *f, const struct ip6 *addr, uint8_t len)
{
	struct prefix p = {.addr = {.family = 6, .v6 = *addr}, .len = len};
	struct top top = f->top;
	const int64_t *slot;

	prefix_mask(&p);
	slot = top_slot(&top, p.addr.v6.b[0], len);
	if (slot != NULL)
		return *slot != TOP_NONE;
	return rte_rib6_lookup_exact(rte_fib6_get_rib(f->fib), (void *)&p.addr.v6, len) != NULL;
}

void fib6_lookup(const struct fib6 *f, struct ip6 *dst, uint64_t *hop, unsigned n)
{
	rte_fib6_lookup_bulk(f->fib, (void *)dst, hop, (int)n);
}

uint32_t fib6_find(const struct fib6 *f, const struct ip6 *dst)
{
	struct ip6 one = *dst;
	uint64_t hop = 0;

	fib6_lookup(f, &one, &hop, 1);
	return (uint32_t)hop;
}

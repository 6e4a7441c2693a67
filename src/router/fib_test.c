// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/fib.h"

#include "router/rig_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MISS = 7, N_ROUTES = 600, N_LOOKUPS = 20000 };

// The slow version: all routes, the longest that holds the address.
struct entry {
	struct prefix p;
	uint32_t hop;
	bool there;
};

static struct entry entries[N_ROUTES];
static unsigned n_entries;

static uint32_t slow_find(const struct ip *ip)
{
	uint32_t hop = MISS;
	int len = -1;

	for (unsigned i = 0; i < n_entries; i++) {
		const struct entry *e = &entries[i];

		if (e->there && e->p.len > len && prefix_contains(&e->p, ip)) {
			len = e->p.len;
			hop = e->hop;
		}
	}
	return hop;
}

static struct entry *slow_exact(const struct prefix *p)
{
	for (unsigned i = 0; i < n_entries; i++)
		if (entries[i].p.len == p->len && prefix_contains(p, &entries[i].p.addr))
			return &entries[i];
	return NULL;
}

// fib.h: 224.0.0.0/3 and ff00::/8 do not follow shorter prefixes.
static bool reserved(const struct prefix *p)
{
	return p->addr.family == 4 ? p->addr.v4 >> 29 == 7 : p->addr.v6.b[0] == 0xff;
}

// Prefixes that nest: their bits come from few bases.
static struct prefix random_prefix(int family)
{
	static const uint32_t bases[] = {0x0a000000, 0x0a0a0a00, 0xc6120000, 0xdfffff00};
	struct prefix p = {.addr.family = (uint8_t)family};

	if (family == 4) {
		p.addr.v4 = bases[random() % 4] ^
			    (uint32_t)(random() % 8 == 0 ? random() : random() % 1024);
		p.len = (uint8_t)(random() % 33);
	} else {
		p.addr.v6.b[0] = random() % 2 == 0 ? 0x20 : (uint8_t)random();
		p.addr.v6.b[1] = 1;
		for (unsigned i = 2; i < 16; i++)
			p.addr.v6.b[i] = random() % 3 == 0 ? (uint8_t)random() : 0;
		p.len = (uint8_t)(random() % 129);
	}
	if (random() % 8 == 0)
		p.len = (uint8_t)(random() % 9);
	prefix_mask(&p);
	return reserved(&p) ? random_prefix(family) : p;
}

// An address in or near a route.
static struct ip random_address(int family)
{
	struct prefix p = {.addr = entries[(unsigned)random() % n_entries].p.addr};

	if (family == 4)
		p.addr.v4 ^= (uint32_t)random() % (1u << (random() % 32));
	else
		for (unsigned i = (unsigned)random() % 16; i < 16; i++)
			p.addr.v6.b[i] = (uint8_t)random();
	return reserved(&p) ? random_address(family) : p.addr;
}

static void seed(void)
{
	unsigned s = (unsigned)time(NULL);

	if (getenv("SEED") != NULL)
		s = (unsigned)strtoul(getenv("SEED"), NULL, 10);
	printf("SEED=%u\n", s);
	srandom(s);
	n_entries = 0;
}

static void check4(const struct fib4 *f)
{
	uint32_t dst[BURST_MAX];
	uint64_t hop[BURST_MAX];

	for (unsigned i = 0; i < N_LOOKUPS / BURST_MAX; i++) {
		unsigned n = 1 + (unsigned)random() % BURST_MAX;

		for (unsigned k = 0; k < n; k++)
			dst[k] = random_address(4).v4;
		fib4_lookup(f, dst, hop, n);
		for (unsigned k = 0; k < n; k++) {
			struct ip ip = {.family = 4, .v4 = dst[k]};

			assert_int_equal(hop[k], slow_find(&ip));
			assert_int_equal(fib4_find(f, dst[k]), hop[k]);
		}
	}
}

static void check6(const struct fib6 *f)
{
	struct ip6 dst[BURST_MAX];
	uint64_t hop[BURST_MAX];

	for (unsigned i = 0; i < N_LOOKUPS / BURST_MAX; i++) {
		unsigned n = 1 + (unsigned)random() % BURST_MAX;

		for (unsigned k = 0; k < n; k++)
			dst[k] = random_address(6).v6;
		fib6_lookup(f, dst, hop, n);
		for (unsigned k = 0; k < n; k++) {
			struct ip ip = {.family = 6, .v6 = dst[k]};

			assert_int_equal(hop[k], slow_find(&ip));
		}
	}
}

static void set(void *f, const struct prefix *p, uint32_t hop)
{
	struct err err = {0};
	int rc = p->addr.family == 4 ? fib4_set(f, p->addr.v4, p->len, hop, &err)
				     : fib6_set(f, &p->addr.v6, p->len, hop, &err);

	if (rc != 0)
		fail_msg("%s", err.msg);
}

static void del(void *f, const struct prefix *p)
{
	if (p->addr.family == 4)
		fib4_del(f, p->addr.v4, p->len);
	else
		fib6_del(f, &p->addr.v6, p->len);
}

static void fill(void *f, int family)
{
	while (n_entries < N_ROUTES) {
		struct prefix p = random_prefix(family);
		uint32_t hop = 10 + (uint32_t)random() % 1000;
		struct entry *e = slow_exact(&p);

		if (e == NULL)
			e = &entries[n_entries++];
		*e = (struct entry){.p = p, .hop = hop, .there = true};
		set(f, &p, hop);
	}
}

// The entries of a router, above which the default route comes.
static void groups(void *f, int family)
{
	static const char *const text[2][3] = {{"224.0.0.0/4", "240.0.0.0/4", "255.255.255.255"},
		{"ff00::/8", "ff02::/16", "ff00::/9"}};

	for (unsigned i = 0; i < 3; i++) {
		struct prefix p = rig_prefix(text[family == 6][i]);

		set(f, &p, 20 + i);
	}
}

static void remove_half(void *f)
{
	for (unsigned i = 0; i < n_entries; i++) {
		if (random() % 2 == 0)
			continue;
		entries[i].there = false;
		del(f, &entries[i].p);
	}
}

static void ipv4_lookups_find_the_longest_prefix(void **state)
{
	struct fib_size size = {.max_routes = N_ROUTES, .max_hops = 2000};
	struct fib4 *f;

	(void)state;
	seed();
	f = fib4_new(&size, MISS, NULL);
	assert_non_null(f);
	assert_int_equal(fib4_find(f, 0x01020304), MISS);
	groups(f, 4);
	fill(f, 4);
	check4(f);
	remove_half(f);
	check4(f);
	assert_int_equal(fib4_find(f, 0xefffffff), 20);
	assert_int_equal(fib4_find(f, 0xf0000000), 21);
	assert_int_equal(fib4_find(f, 0xfffffffe), 21);
	assert_int_equal(fib4_find(f, 0xffffffff), 22);
	for (unsigned i = 0; i < n_entries; i++)
		assert_int_equal(
			fib4_has(f, entries[i].p.addr.v4, entries[i].p.len), entries[i].there);
	fib4_free(f);
}

static void ipv6_lookups_find_the_longest_prefix(void **state)
{
	struct fib_size size = {.max_routes = N_ROUTES, .max_hops = 2000};
	struct ip group;
	struct fib6 *f;

	(void)state;
	seed();
	f = fib6_new(&size, MISS, NULL);
	assert_non_null(f);
	groups(f, 6);
	fill(f, 6);
	check6(f);
	remove_half(f);
	check6(f);
	group = rig_ip("ff80::1");
	assert_int_equal(fib6_find(f, &group.v6), 20);
	group = rig_ip("ff02::1");
	assert_int_equal(fib6_find(f, &group.v6), 21);
	for (unsigned i = 0; i < n_entries; i++)
		assert_int_equal(
			fib6_has(f, &entries[i].p.addr.v6, entries[i].p.len), entries[i].there);
	fib6_free(f);
}

static void a_table_of_many_next_hops_keeps_them_apart(void **state)
{
	struct fib_size size = {.max_routes = 1000, .max_hops = 1u << 20};
	struct fib4 *f = fib4_new(&size, MISS, NULL);

	(void)state;
	assert_non_null(f);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(fib4_set(f, i << 12, 24, 32700 + i * 1000, NULL), 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(fib4_find(f, i << 12 | 5), 32700 + i * 1000);
	fib4_free(f);
}

static void a_full_table_says_so_and_stays_as_it_was(void **state)
{
	struct fib_size size = {.max_routes = 4, .max_hops = 100};
	struct fib4 *f = fib4_new(&size, MISS, NULL);
	struct fib6 *f6 = fib6_new(&size, MISS, NULL);
	struct err err = {0};
	uint32_t n;

	(void)state;
	assert_non_null(f);
	for (n = 0; n < 100; n++)
		if (fib4_set(f, 0x0a000000 + (n << 8), 32, 10 + n, &err) != 0)
			break;
	assert_in_range(n, 4, 50);
	assert_int_equal(err.code, ENOSPC);
	assert_non_null(strstr(err.msg, "/32: the IPv4 routing table is full"));
	assert_int_equal(fib4_find(f, 0x0a000000 + (n << 8)), MISS);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(fib4_find(f, 0x0a000000 + (i << 8)), 10 + i);
	fib4_free(f);

	for (n = 0; n < 100; n++) {
		struct ip ip = rig_ip("2001:db8::1");

		ip.v6.b[5] = (uint8_t)n;
		if (fib6_set(f6, &ip.v6, 128, 10 + n, &err) != 0)
			break;
	}
	assert_in_range(n, 4, 50);
	assert_int_equal(err.code, ENOSPC);
	for (uint32_t i = 0; i < n; i++) {
		struct ip ip = rig_ip("2001:db8::1");

		ip.v6.b[5] = (uint8_t)i;
		assert_int_equal(fib6_find(f6, &ip.v6), 10 + i);
	}
	fib6_free(f6);
}

static void impossible_sizes_are_refused(void **state)
{
	struct fib_size none = {.max_routes = 0, .max_hops = 10};
	struct fib_size many = {.max_routes = FIB_ROUTES_MAX + 1, .max_hops = 10};
	struct err err = {0};

	(void)state;
	assert_null(fib4_new(&none, MISS, &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(fib6_new(&many, MISS, &err));
	assert_int_equal(err.code, EINVAL);
}

static int start(void **state)
{
	(void)state;
	rig_eal();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_lookups_find_the_longest_prefix),
		cmocka_unit_test(ipv6_lookups_find_the_longest_prefix),
		cmocka_unit_test(a_table_of_many_next_hops_keeps_them_apart),
		cmocka_unit_test(a_full_table_says_so_and_stays_as_it_was),
		cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests_name("fib", tests, start, NULL);
}

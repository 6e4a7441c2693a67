// SPDX-License-Identifier: BSD-2-Clause
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct frame_case *const tables[] = {
	eth_cases,
	ip4_header_cases,
	ip4_address_cases,
	ip4_route_cases,
	ip4_option_cases,
	ip4_size_cases,
	ip4_icmp_cases,
	ip6_header_cases,
	ip6_address_cases,
	ip6_route_cases,
	ip6_ext_cases,
	ip6_icmp_cases,
};

enum { N_TABLES = sizeof(tables) / sizeof(tables[0]) };

struct golden golden[GOLDEN_MAX];
unsigned n_golden;

static void read_case(const struct frame_case *c, struct golden *g)
{
	g->c = c;
	if (!frame_read(c->in, NULL, &g->in))
		fail_msg("%s: the frame in is malformed", c->name);
	for (g->n_out = 0; g->n_out < CASE_OUT_MAX && c->out[g->n_out].text != NULL; g->n_out++) {
		if (!frame_read(c->out[g->n_out].text, &g->in, &g->out[g->n_out]))
			fail_msg("%s: frame %u out is malformed", c->name, g->n_out);
	}
}

int golden_read(void **state)
{
	(void)state;
	for (unsigned t = 0; t < N_TABLES; t++) {
		for (const struct frame_case *c = tables[t]; c->name != NULL; c++) {
			if (n_golden == GOLDEN_MAX)
				return 1;
			read_case(c, &golden[n_golden++]);
		}
	}
	return 0;
}

// One's complement sum by bytes, folded as it goes.
static uint16_t slow_sum(uint16_t sum, const uint8_t *p, unsigned len)
{
	uint32_t s = sum;

	for (unsigned i = 0; i < len; i++) {
		s += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
		if (s > 0xffff)
			s -= 0xffff;
	}
	return (uint16_t)s;
}

// Whether the IPv4 header's sum and that of an ICMP error made by the router are right.
static bool sums_are_right(const struct frame *f)
{
	const uint8_t *ip = f->b + 14;
	unsigned len;

	if (f->n >= 34 && f->b[12] == 0x08 && f->b[13] == 0x00) {
		len = (unsigned)ip[2] << 8 | ip[3];
		if (slow_sum(0, ip, (ip[0] & 15u) * 4) != 0xffff)
			return false;
		return ip[0] != 0x45 || ip[9] != 1 || (ip[6] & 0x3f) != 0 || ip[7] != 0 ||
		       slow_sum(0, ip + 20, len - 20) == 0xffff;
	}
	if (f->n >= 54 && f->b[12] == 0x86 && ip[6] == 58) {
		uint16_t sum = slow_sum(58, ip + 4, 2); // the pseudo header of RFC 8200 8.1

		len = (unsigned)ip[4] << 8 | ip[5];
		return slow_sum(slow_sum(sum, ip + 8, 32), ip + 40, len) == 0xffff;
	}
	return true;
}

static bool frame_matches(const struct frame *got, const struct frame *want)
{
	if (got->n != want->n)
		return false;
	for (unsigned i = 0; i < want->n; i++) {
		if (!want->any[i] && got->b[i] != want->b[i])
			return false;
	}
	return sums_are_right(got);
}

static void print_frame(const char *what, unsigned port, const struct frame *f)
{
	fprintf(stderr, "  %s, port %u, %u bytes%s:", what, port, f->n,
		f->n > 300 ? ", the first 300" : "");
	for (unsigned i = 0; i < f->n && i < 300; i++) {
		fprintf(stderr, "%s",
			i == 14 || i == 34 || i == 54 ? " | "
			: i % 2 == 0                  ? " "
						      : "");
		if (f->any[i])
			fprintf(stderr, "..");
		else
			fprintf(stderr, "%02x", f->b[i]);
	}
	fprintf(stderr, "\n");
}

static void print_drops(const struct outcome *o)
{
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		if (o->drop[i] != 0)
			fprintf(stderr, "  dropped: %s %u\n", drop_name((enum drop)i),
				(unsigned)o->drop[i]);
	}
}

bool golden_matches(const struct golden *g, const struct outcome *o)
{
	if (o->n != g->n_out || o->dropped != (g->c->why != DROP_NONE) ||
		(g->c->why != DROP_NONE && o->drop[g->c->why] != 1))
		return false;
	for (unsigned i = 0; i < o->n; i++) {
		if (o->out[i].port != g->c->out[i].port ||
			!frame_matches(&o->out[i].frame, &g->out[i]))
			return false;
	}
	return true;
}

void golden_print(const struct golden *g, const struct outcome *o)
{
	fprintf(stderr, "%s\n", g->c->name);
	fprintf(stderr, "  wanted: %s\n", drop_name(g->c->why));
	print_drops(o);
	print_frame("in", g->c->port, &g->in);
	for (unsigned i = 0; i < g->n_out; i++)
		print_frame("wanted out", g->c->out[i].port, &g->out[i]);
	for (unsigned i = 0; i < o->n; i++) {
		print_frame("got out", o->out[i].port, &o->out[i].frame);
		if (!sums_are_right(&o->out[i].frame))
			fprintf(stderr, "  ... with a wrong checksum\n");
	}
}

void batch_fill(struct batch *b, enum rig_kind kind, uint16_t port)
{
	const struct golden *fit[GOLDEN_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < n_golden; i++) {
		if (golden[i].c->rig == kind && golden[i].c->port == port)
			fit[n++] = &golden[i];
	}
	b->n = n == 0 ? 0 : (unsigned)rand() % (BURST_MAX + 1);
	for (unsigned i = 0; i < b->n; i++) {
		b->g[i] = fit[(unsigned)rand() % n];
		b->in[i] = b->g[i]->in;
	}
}

// Takes a frame that matches off the outcome; false: there is none.
static bool take(struct outcome *o, uint16_t port, const struct frame *want)
{
	for (unsigned i = 0; i < o->n; i++) {
		if (o->out[i].port == port && frame_matches(&o->out[i].frame, want)) {
			o->out[i] = o->out[--o->n];
			return true;
		}
	}
	return false;
}

void batch_check(const struct batch *b, struct outcome *o)
{
	uint64_t drop[DROP_COUNT] = {0};

	for (unsigned i = 0; i < b->n; i++) {
		const struct golden *g = b->g[i];

		if (g->c->why != DROP_NONE)
			drop[g->c->why]++;
		for (unsigned k = 0; k < g->n_out; k++) {
			if (!take(o, g->c->out[k].port, &g->out[k])) {
				print_frame("missing", g->c->out[k].port, &g->out[k]);
				fail_msg("%s: frame %u is not in the burst", g->c->name, k);
			}
		}
	}
	if (o->n > 0) {
		print_frame("left over", o->out[0].port, &o->out[0].frame);
		fail_msg("%u frames more than wanted", o->n);
	}
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		if (drop[i] != o->drop[i])
			fail_msg("%s: %u dropped, not %u", drop_name((enum drop)i),
				(unsigned)o->drop[i], (unsigned)drop[i]);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// The stage: plain packets of the burst's first family by the fast path, then those of the other
// family, then whatever is left one by one.
#include "packet/burst.h"
#include "router/fast.h"
#include "router/slow.h"

#include <rte_mbuf.h>
#include <string.h>

enum { ETHERTYPE_IP6 = 0xdd86 }; // as it lies in memory

static bool looks_ip6(const struct rte_mbuf *m)
{
	uint16_t type;

	memcpy(&type, rte_pktmbuf_mtod_offset(m, const uint8_t *, 12), 2);
	return type == ETHERTYPE_IP6;
}

// Takes out of the burst what `gone` marks.
static void compact(struct burst *b, uint64_t gone)
{
	unsigned live = 0;

	for (unsigned i = 0; i < b->n; i++)
		if (i >= BURST_MAX || (gone >> i & 1) == 0)
			burst_keep(b, live++, i);
	b->n = live;
}

// Those of left[0..n-1] that are of the other family, by its fast path.  Returns how many are left
// then.
static unsigned other_family(
	const struct router *r, struct burst *b, bool first_is_6, uint8_t *left, unsigned n)
{
	struct rte_mbuf *pkt[BURST_MAX];
	uint8_t of[BURST_MAX], sub_left[BURST_MAX], rest[BURST_MAX];
	unsigned n_other = 0, n_rest = 0, n_sub, k = 0;
	uint16_t out[BURST_MAX];

	for (unsigned i = 0; i < n; i++) {
		of[n_other] = left[i];
		pkt[n_other] = b->pkt[left[i]];
		n_other += looks_ip6(pkt[n_other]) != first_is_6;
	}
	if (n_other == 0)
		return n;
	n_sub = first_is_6 ? fast4(r, b->in, pkt, out, n_other, sub_left)
			   : fast6(r, b->in, pkt, out, n_other, sub_left);

	// What is left now: not of the other family, or left by its fast path too.
	for (unsigned i = 0, j = 0; i < n; i++) {
		bool other = j < n_other && of[j] == left[i];
		bool done = other && !(k < n_sub && sub_left[k] == j);

		if (done)
			b->out[left[i]] = out[j];
		else
			rest[n_rest++] = left[i];
		k += other && !done;
		j += other;
	}
	memcpy(left, rest, n_rest);
	return n_rest;
}

static void one_by_one(
	struct router *r, struct burst *b, const uint8_t *left, unsigned n, uint64_t now_ns)
{
	struct slow s = {.r = r, .b = b, .now_ns = now_ns};
	uint64_t gone = 0;

	for (unsigned i = 0; i < n; i++) {
		enum drop why;

		s.m = b->pkt[left[i]];
		why = slow_packet(&s, &b->out[left[i]]);
		if (why == DROP_NONE)
			continue;
		burst_drop(b, left[i], why);
		gone |= 1ull << left[i];
	}
	if (gone != 0)
		compact(b, gone);
}

void router_forward(struct router *r, struct burst *b, uint64_t now_ns)
{
	uint8_t left[BURST_MAX];
	bool is_6;
	unsigned n;

	if (b->n == 0)
		return;
	is_6 = looks_ip6(b->pkt[0]);
	n = is_6 ? fast6(r, b->in, b->pkt, b->out, b->n, left)
		 : fast4(r, b->in, b->pkt, b->out, b->n, left);
	if (__builtin_expect(n == 0, 1))
		return;
	n = other_family(r, b, is_6, left, n);
	one_by_one(r, b, left, n, now_ns);
}

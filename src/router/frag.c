// SPDX-License-Identifier: BSD-2-Clause
// The header of the later pieces carries only the options with the copied flag.  A packet that is
// itself a fragment keeps its offset and, in its last piece, its MF bit.
#include "router/frag.h"

#include "base/load.h"
#include "packet/cksum.h"
#include "router/options.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <string.h>

enum { MF = 0x2000, OFFSET = 0x1fff, IP4_HDR = 20, IP4_HDR_MAX = 60 };

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

// total bytes with the header; at and more: place in the original packet.
static void finish_header(uint8_t *ip, unsigned total, unsigned offset, unsigned flags)
{
	uint16_t sum;

	put16(ip + 2, total);
	put16(ip + 6, flags | offset);
	put16(ip + 10, 0);
	sum = cksum_ip4(ip, (ip[0] & 15) * 4u);
	memcpy(ip + 10, &sum, 2);
}

// The header of all pieces but the first.
static unsigned later_header(const uint8_t *ip, uint8_t *out)
{
	unsigned len = IP4_HDR;

	memcpy(out, ip, IP4_HDR);
	len += options_copied(ip, out + IP4_HDR);
	out[0] = (uint8_t)(0x40 | len / 4);
	return len;
}

int frag4(struct rte_mbuf *m, unsigned l3, unsigned mtu, struct rte_mempool *pool,
	struct rte_mbuf **out, unsigned max)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *), *ip = frame + l3;
	unsigned hlen = (ip[0] & 15) * 4u, data = load_be16(ip + 2) - hlen,
		 flags = load_be16(ip + 6);
	unsigned first = (mtu - hlen) & ~7u, step, n, later;
	uint8_t head[IP4_HDR_MAX];

	later = later_header(ip, head);
	step = (mtu - later) & ~7u;
	n = (data - first + step - 1) / step;
	if (n > max)
		return -ENOSPC;
	if (rte_pktmbuf_alloc_bulk(pool, out, n) != 0)
		return -ENOMEM;
	for (unsigned i = 0, at = first; i < n; i++, at += step) {
		unsigned part = data - at < step ? data - at : step;
		uint8_t *p = (uint8_t *)rte_pktmbuf_append(out[i], (uint16_t)(l3 + later + part));

		if (p == NULL) {
			rte_pktmbuf_free_bulk(out, n);
			return -ENOMEM;
		}
		memcpy(p, frame, l3);
		memcpy(p + l3, head, later);
		memcpy(p + l3 + later, ip + hlen + at, part);
		finish_header(p + l3, later + part, (flags & OFFSET) + at / 8,
			at + part < data ? MF : flags & MF);
	}
	finish_header(ip, hlen + first, flags & OFFSET, MF);
	m->data_len = (uint16_t)(l3 + hlen + first);
	m->pkt_len = m->data_len;
	return (int)n;
}

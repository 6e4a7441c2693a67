// SPDX-License-Identifier: BSD-2-Clause
#include "buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <rte_mbuf.h>

struct rte_mbuf *buf_of(struct rte_mempool *pool, const struct frame *f, unsigned head)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *tail;
	unsigned first = head < f->n ? head : f->n;

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)first), f->b, first);
	if (first == f->n)
		return m;
	tail = rte_pktmbuf_alloc(pool);
	assert_non_null(tail);
	memcpy(rte_pktmbuf_append(tail, (uint16_t)(f->n - first)), f->b + first, f->n - first);
	assert_int_equal(rte_pktmbuf_chain(m, tail), 0);
	return m;
}

void buf_take(struct rte_mbuf *m, struct frame *f)
{
	const void *at;

	assert_in_range(m->pkt_len, 1, FRAME_BYTES_MAX);
	f->n = m->pkt_len;
	at = rte_pktmbuf_read(m, 0, f->n, f->b);
	assert_non_null(at);
	if (at != f->b)
		memcpy(f->b, at, f->n);
	memset(f->any, 0, sizeof(f->any));
	rte_pktmbuf_free(m);
}

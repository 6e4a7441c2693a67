// SPDX-License-Identifier: BSD-2-Clause
#include "packet/burst.h"

#include <rte_mbuf.h>

uint64_t burst_bytes(struct rte_mbuf *const *pkt, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += pkt[i]->pkt_len;
	return sum;
}

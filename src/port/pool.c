// SPDX-License-Identifier: BSD-2-Clause
#include "port/dpdklog.h"
#include "port/internal.h"

#include <errno.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <stdio.h>

// Each thread keeps up to 1.5 times the cache for itself; two bursts of 64 go through it untouched.
enum { CACHE = 256, FRAME_MIN = 2048, FRAME_MAX = 9600 + 18, VLAN_TAGS = 8 };

struct rte_mempool *port_pool(const char *name, unsigned n, unsigned frame_max, struct err *err)
{
	static unsigned serial;
	unsigned cache = n >= 4 * CACHE ? CACHE : n / 8;
	unsigned room = frame_max + VLAN_TAGS < FRAME_MIN ? FRAME_MIN : frame_max + VLAN_TAGS;
	char unique[RTE_MEMPOOL_NAMESIZE];
	struct rte_mempool *pool;

	if (!env_started()) {
		err_set(err, EINVAL, "pool %s: packet I/O is not started", name);
		return NULL;
	}
	if (n == 0 || frame_max > FRAME_MAX) {
		err_set(err, EINVAL, "pool %s: %u buffers for frames of %u bytes", name, n,
			frame_max);
		return NULL;
	}
	// Names are unique in DPDK, and limited; ours are only for people.
	snprintf(unique, sizeof(unique), "%.12s-%u", name, serial++);
	dpdklog_clear();
	pool = rte_pktmbuf_pool_create(unique, n, cache, 0,
		(uint16_t)(RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(room, 64)), (int)rte_socket_id());
	if (pool == NULL)
		err_set(err, rte_errno != 0 ? rte_errno : ENOMEM,
			"pool %s: no memory for %u buffers of %u bytes (%s)", name, n, room,
			dpdklog_reason());
	return pool;
}

void port_pool_free(struct rte_mempool *pool)
{
	rte_mempool_free(pool);
}

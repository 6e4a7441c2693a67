// SPDX-License-Identifier: BSD-2-Clause
// pools.h - buffers of the tester's two ports.
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct rte_mempool;

struct pools {
	struct rte_mempool *out, *in; // of the port that sends and of the one that receives
	unsigned room;                // the longest frame they hold; 0 = there are none yet
};

// Whether frames of len bytes (without CRC) have room.
static inline bool pools_fit(const struct pools *p, unsigned len)
{
	return p->room > 0 && p->room >= len;
}

// Makes both anew for frames of at least len bytes; no port may use the old ones any more.
// On an error there are none.
int pools_make(struct pools *p, unsigned len, struct err *err);
void pools_free(struct pools *p);

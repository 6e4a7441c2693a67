// SPDX-License-Identifier: BSD-2-Clause
// buf.h - frames in and out of packet buffers.
#pragma once

#include "frames.h"

struct rte_mbuf;
struct rte_mempool;

// The frame in one buffer, or in two of which the first holds `head` bytes if it is longer.
struct rte_mbuf *buf_of(struct rte_mempool *pool, const struct frame *f, unsigned head);

// Reads and frees m.
void buf_take(struct rte_mbuf *m, struct frame *f);

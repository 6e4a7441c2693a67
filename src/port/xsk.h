// SPDX-License-Identifier: BSD-2-Clause
// xsk.h - one AF_XDP socket: one queue of one interface, both directions.
// Receiving and sending may be two threads; each direction is one.
#pragma once

#include "port/port.h"

struct xsk;

enum { XSK_FRAME_MAX = 4096 - 256 }; // the kernel keeps 256 bytes of a page for XDP

// Binds to the queue.  Zero copy where the driver can and native is set.  -EBUSY if another socket
// has the queue, -EPERM, -ENOMEM.  pool: for received frames.
struct xsk *xsk_open(const char *label, int ifindex, unsigned queue, unsigned frame_max,
	struct rte_mempool *pool, struct err *err);
void xsk_close(struct xsk *x);

int xsk_fd(const struct xsk *x);
bool xsk_zero_copy(const struct xsk *x);

// As port_rx() and port_tx().
unsigned xsk_rx(struct xsk *x, struct rte_mbuf **m, unsigned n);
unsigned xsk_tx(struct xsk *x, struct rte_mbuf **m, unsigned n);

// Waits (at most a tenth of a second) until the kernel has taken all frames sent.
void xsk_flush(struct xsk *x);

// Adds its counters.
void xsk_stats(const struct xsk *x, struct port_stats *s);

// SPDX-License-Identifier: BSD-2-Clause
// afp.h - one AF_PACKET socket with a ring each way.
// Receiving and sending may be two threads; each direction is one.
#pragma once

#include "port/port.h"

struct afp;

// Binds to the interface, n_rx and n_tx frames of up to frame_max bytes (without VLAN tags the
// kernel keeps apart).  -EPERM, -ENOMEM.  pool: for received frames.
struct afp *afp_open(const char *label, int ifindex, unsigned frame_max, unsigned n_rx,
	unsigned n_tx, struct rte_mempool *pool, struct err *err);
void afp_close(struct afp *a);

// Lets the n sockets share the interface's frames, a flow always to the same one.
int afp_share(struct afp *const *a, unsigned n, const char *label, struct err *err);

// As port_rx() and port_tx().
unsigned afp_rx(struct afp *a, struct rte_mbuf **m, unsigned n);
unsigned afp_tx(struct afp *a, struct rte_mbuf **m, unsigned n);

// Waits (at most a tenth of a second) until the kernel has taken all frames sent.
void afp_flush(struct afp *a);

// Adds its counters.
void afp_stats(struct afp *a, struct port_stats *s);

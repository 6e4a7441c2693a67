// SPDX-License-Identifier: BSD-2-Clause
// liveport.h - a port's sending queues by live frames.
#pragma once

#include "port/internal.h"

// For an interface that p->iface holds open.  -ENOTSUP, -EOPNOTSUPP, -EPERM ...
struct liveport *liveport_open(struct port *p, struct err *err);
void liveport_close(struct liveport *l);

// Whether frames are known to pass, or only sending would tell: the sentence then says so.
bool liveport_sure(const struct port *p, struct err *err);

unsigned liveport_tx(struct liveport *l, uint16_t queue, struct rte_mbuf **m, unsigned n);
void liveport_stats(const struct liveport *l, struct port_stats *s);

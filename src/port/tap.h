// SPDX-License-Identifier: BSD-2-Clause
// tap.h - a TAP device made here: its other end is the kernel's network stack.
#pragma once

#include "port/port.h"

struct tap;

// Makes the device.  -EEXIST if an interface of that name is there, -EPERM.
struct tap *tap_open(
	const char *label, const char *name, struct rte_mempool *pool, struct err *err);

// The device goes with it.
void tap_close(struct tap *t);

// As port_rx() and port_tx().
unsigned tap_rx(struct tap *t, struct rte_mbuf **m, unsigned n);
unsigned tap_tx(struct tap *t, struct rte_mbuf **m, unsigned n);

// Adds its counters.
void tap_stats(const struct tap *t, struct port_stats *s);

// SPDX-License-Identifier: BSD-2-Clause
// path.h - the order of the stages a burst goes through, per worker.
#pragma once

#include "base/err.h"
#include "packet/drop.h"
#include "port/port.h"

#include <stdint.h>

struct adapter_path;
struct path;
struct router;

enum { PATH_PORTS_MAX = 16 };

enum path_stage { STAGE_RX, STAGE_ADAPTER, STAGE_ROUTER, STAGE_TX, STAGE_COUNT };

struct path_port_counters {
	uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
};

// in = sent + queued + dropped (each reason) + ended here, always.
struct path_counters {
	struct path_port_counters port[PATH_PORTS_MAX];
	uint64_t in;     // received from all ports
	uint64_t made;   // made by the box itself (ICMP errors, further fragments)
	uint64_t sent;   // taken by an egress port
	uint64_t queued; // waiting inside; 0 after path_stop
	uint64_t drop[DROP_COUNT];
	uint64_t busy_cycles, busy_packets; // of loop turns that moved packets
	uint64_t idle_polls, busy_polls;
	struct {
		uint64_t calls, packets, cycles;
	} stage[STAGE_COUNT];
};

// One worker's path over n ports; router port numbers are indices of ports[].
struct path *path_new(
	struct port *const *ports, unsigned n, struct router *router, struct err *err);
void path_free(struct path *p);

// Puts a card before the router; it is not called while it has no rules.  Also while the path runs: a burst meets
// the one that was there or this one, and after the turn that the worker is in no one looks at the former.
void path_set_adapter(struct path *p, struct adapter_path *card);

// One turn: polls every receive queue of every port once and carries the bursts through.  The
// worker's loop.
void path_once(struct path *p);

// Makes the counters of a port begin at 0 again; the sums over all ports go on.  Called by the
// threads that read them, one at a time.
void path_clear_port(struct path *p, unsigned port);

// A copy of the counters; may be called from another thread while the path runs (each figure is
// then at most one turn old).
void path_counters(const struct path *p, struct path_counters *out);

const char *path_stage_name(enum path_stage s);

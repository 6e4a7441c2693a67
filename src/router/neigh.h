// SPDX-License-Identifier: BSD-2-Clause
// neigh.h - who is on which port: addresses of neighbours and their next hops.  Control side, and
// the slow path's look-up of link-local destinations.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct neigh {
	struct ip ip;
	uint16_t port;
	bool known;  // its MAC is; a gateway is entered before
	bool in_fib; // has a host route of its own
	struct mac mac;
	uint32_t hop;
};

// A vector in order of entry, and a hash of indices into it (open addressing, at most half full).
struct neighs {
	struct neigh *v;
	unsigned n, max;
	uint32_t *slot; // index + 1; 0 = free
	unsigned n_slots;
};

void neighs_free(struct neighs *ns);

// NULL if there is none.
struct neigh *neigh_find(const struct neighs *ns, uint16_t port, const struct ip *ip);

// Enters one that is not there.  NULL with *err set: ENOMEM.  Moves the others: pointers to them
// are void.
struct neigh *neigh_enter(
	struct neighs *ns, uint16_t port, const struct ip *ip, uint32_t hop, struct err *err);

// Takes back the last one entered.
void neigh_undo(struct neighs *ns);

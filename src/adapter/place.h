// SPDX-License-Identifier: BSD-2-Clause
// place.h - the inside of struct adapter_path, shared by control (path.c) and worker (in.c).
#pragma once

#include "adapter/adapter.h"
#include "adapter/key.h"
#include "adapter/rewrite.h"

#include <stdatomic.h>

enum { PLACE_PORTS_MAX = 16 };

// What a lookup hands out: the rule's slot and its action, so that passing and dropping need no
// further table.
enum { PLACE_ACTION_BITS = 2 };

static inline uint32_t place_id(uint32_t slot, enum adapter_action action)
{
	return slot << PLACE_ACTION_BITS | (uint32_t)action;
}

static inline uint32_t place_slot(uint32_t id)
{
	return id >> PLACE_ACTION_BITS;
}

static inline enum adapter_action place_action(uint32_t id)
{
	return (enum adapter_action)(id & ((1u << PLACE_ACTION_BITS) - 1));
}

struct adapter_path {
	// Written by control alone.
	struct classify *rules;
	struct rewrite **rewrites; // by slot; NULL where the action is not switch
	key_fn *keys_of;
	uint64_t mac48[PLACE_PORTS_MAX]; // by port
	unsigned n_filters, n_ports;
	void (*clear)(void *arg, unsigned port); // a port's counters
	void *clear_arg;
	// Raised before the first rule is in force and lowered after the last one is out; the worker
	// may see it late by no more than the burst it is in.
	_Atomic unsigned n_rules;

	// Written by the worker alone, but hits[] of a slot no rule has: that is zeroed by control
	// before the slot's next rule is in force.  Readers see each figure whole.
	_Alignas(64) struct classify_key keys[BURST_MAX];
	struct classify_cache *cache;
	uint64_t *hits; // by slot
};

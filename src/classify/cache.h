// SPDX-License-Identifier: BSD-2-Clause
// cache.h - the table of cache.c, private to it.
#pragma once

#include "classify/engine.h"

// 8192 keys take 512 KB; what is not in use of it is not in a CPU's caches either.
enum { CACHE_SETS = 256, CACHE_WAYS = 32, CACHE_SET_SHIFT = 24 };
static_assert(1ull << (32 - CACHE_SET_SHIFT) == CACHE_SETS, "the upper bits of a hash are the set");

// A key and its result in one cache line: the id lies in bytes that are never looked at.
struct cache_entry {
	union {
		struct classify_key key;
		struct {
			uint8_t looked_at[60];
			uint32_t id;
		};
	};
};
static_assert(sizeof(struct cache_entry) == sizeof(struct classify_key), "one line");
static_assert(offsetof(struct classify_key, spare) <= offsetof(struct cache_entry, id), "room");

struct classify_cache {
	const struct classify *rules;
	uint64_t generation; // of the set of rules that the results are of
	unsigned n_keys;     // looked up in this window
	unsigned n_replaced; // results that made room for others in it
	unsigned n_past;     // bursts that still go past the cache
	unsigned turn;       // the next way to be replaced, in whatever set
	// Of the keys in each set, no two the same; 0: nothing is there, whatever the entry holds.
	_Alignas(64) uint16_t sig[CACHE_SETS][CACHE_WAYS];
	// By set and way.  The last one is read and never used.
	_Alignas(64) struct cache_entry entry[CACHE_SETS * CACHE_WAYS + 1];
};

static inline uint32_t cache_set(uint32_t hash)
{
	return hash >> CACHE_SET_SHIFT;
}

// Never 0: cache_find_*() see to that.
static inline uint16_t cache_sig(uint32_t hash)
{
	return (uint16_t)hash;
}

// What is added to the words of a key before they are multiplied.
extern const uint32_t cache_add[sizeof(struct classify_key) / sizeof(uint32_t)];
#define CACHE_MIX 0x9e3779b97f4a7c15u

// Of up to CLASSIFY_BURST keys; each array has room for so many.
struct cache_found {
	uint32_t *ids;    // of the keys that are there; any number for the others
	uint32_t *hash;   // of all
	uint32_t *missed; // the numbers of those that are not there
};

// Returns how many are not there.  Only bytes of keys where mask is 0xff count.
unsigned cache_find_avx2(const struct classify_cache *c, const struct classify_key *mask,
	const struct classify_key *keys, unsigned n, const struct cache_found *f);
unsigned cache_find_avx512(const struct classify_cache *c, const struct classify_key *mask,
	const struct classify_key *keys, unsigned n, const struct cache_found *f);

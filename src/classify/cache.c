// SPDX-License-Identifier: BSD-2-Clause
// cache.c - results of keys that were looked up before.
//
// Traffic mostly consists of some flows at a time, whose keys come again and again.  A key that is
// found here costs 6 cycles, where tables of 1,000 rules take 15 to 21 and of 10,000 up to 50 (TSC of a
// 2.1 GHz EPYC 9005; 2000 flows).  Tables say whether they are worth that (`dear`): not those that
// give the ids of 15 rules in 5 cycles.  The idea is that of Open vSwitch's exact-match cache (Pfaff and
// others, "The Design and Implementation of Open vSwitch", NSDI 2015).
//
// The hash of a key gives a set of 32 places and a signature of 16 bits.  The signatures of a set are
// one cache line; where one is the key's, the entry is compared with the whole key, as far as any
// rule looks at it.  So bytes that no rule looks at, as the flags of TCP mostly, do not matter, and a
// result is right whatever the hash is.  Sets are so large that of 6000 keys few find theirs full.  A
// key with the signature of another takes its place.
//
// The hash is NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC", CRYPTO 1999) with fixed
// numbers: who chooses keys that push each other out gets what the tables cost.
//
// Each set of rules that goes live has a new generation, and for a new one all signatures are
// forgotten: 16 KB.  So what the ids of a removed rule stand for may be freed as without a cache, for a
// reader that was quiet since sees the new generation.
//
// While keys push each other out, the cache costs more than it saves, for a few keys alone cost the
// tables half of what a burst does.  So if of WINDOW keys more than one in 32 took another's place, the
// next PAST bursts go past the cache: 200,000 keys then cost 1 or 2 in 100 more than without.
//
// Without AVX2 the tables are always asked.
#include "classify/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1024, REPLACED_PART = 32, PAST = 8192 };

const uint32_t cache_add[] = {0x243f6a89, 0x85a308d3, 0x13198a2f, 0x03707345, 0xa4093823,
	0x299f31d1, 0x082efa99, 0xec4e6c89, 0x452821e7, 0x38d01377, 0xbe5466cf, 0x34e90c6d,
	0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917};

struct classify_cache *classify_cache_new(const struct classify *c, struct err *err)
{
	struct classify_cache *cache = aligned_alloc(64, sizeof(*cache));

	if (cache == NULL) {
		err_set(err, ENOMEM, "classify: no memory for a cache");
		return NULL;
	}
	memset(cache, 0, sizeof(*cache));
	cache->rules = c;
	return cache;
}

void classify_cache_free(struct classify_cache *cache)
{
	free(cache);
}

// The way that has a signature, or else an empty one; CACHE_WAYS: neither.  Without jumps, so that it
// becomes some vector instructions.
static unsigned way_for(const uint16_t *sigs, uint16_t sig)
{
	int16_t same = 0, empty = 0; // counted from 1

	for (int16_t i = 1; i <= CACHE_WAYS; i++) {
		int16_t is_same = sigs[i - 1] == sig ? i : 0, is_empty = sigs[i - 1] == 0 ? i : 0;

		same = is_same > same ? is_same : same;
		empty = is_empty > empty ? is_empty : empty;
	}
	same = same > 0 ? same : empty;
	return same > 0 ? (unsigned)same - 1 : CACHE_WAYS;
}

static void put(
	struct classify_cache *c, const struct classify_key *key, uint32_t hash, uint32_t id)
{
	uint16_t *sigs = c->sig[cache_set(hash)];
	unsigned way = way_for(sigs, cache_sig(hash));
	struct cache_entry *e;

	if (way == CACHE_WAYS) {
		way = c->turn++ % CACHE_WAYS;
		c->n_replaced++;
	}
	e = &c->entry[cache_set(hash) * CACHE_WAYS + way];
	e->key = *key;
	e->id = id;
	sigs[way] = cache_sig(hash);
}

static void look_up(struct classify_cache *c, const struct classify_side *s,
	const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	_Alignas(64) uint32_t hash[CLASSIFY_BURST], missed[CLASSIFY_BURST], left_id[CLASSIFY_BURST];
	const struct cache_found found = {ids, hash, missed};
	struct classify_key left[CLASSIFY_BURST];
	unsigned m = classify_isa() == CLASSIFY_AVX512
			     ? cache_find_avx512(c, &s->mask, keys, n, &found)
			     : cache_find_avx2(c, &s->mask, keys, n, &found);

	if (m == 0)
		return;
	for (unsigned i = 0; i < m; i++)
		left[i] = keys[missed[i]];
	s->engine->first(s->tables, left, m, left_id);
	for (unsigned i = 0; i < m; i++) {
		ids[missed[i]] = left_id[i];
		put(c, &left[i], hash[missed[i]], left_id[i]);
	}
}

static void judge(struct classify_cache *c, unsigned n)
{
	c->n_keys += n;
	if (c->n_keys < WINDOW)
		return;
	if (c->n_replaced > c->n_keys / REPLACED_PART)
		c->n_past = PAST;
	c->n_keys = c->n_replaced = 0;
}

static bool is_past(struct classify_cache *c)
{
	if (c->n_past == 0)
		return false;
	c->n_past--;
	return true;
}

void classify_cache_first(
	struct classify_cache *c, const struct classify_key *keys, unsigned n, uint32_t *ids)
{
	const struct classify_side *s = classify_live(c->rules);

	if (!s->dear || is_past(c) || classify_isa() == CLASSIFY_SCALAR) {
		s->engine->first(s->tables, keys, n, ids);
		return;
	}
	if (c->generation != s->generation) {
		memset(c->sig, 0, sizeof(c->sig));
		c->generation = s->generation;
	}
	look_up(c, s, keys, n, ids);
	judge(c, n);
}

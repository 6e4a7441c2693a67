// SPDX-License-Identifier: BSD-2-Clause
// What a rule asks of each field.  An address is four fields of 32 bits, each with its own rows: a
// prefix is an exact match of some words, a prefix of one, and nothing of the others, and the rows of
// all are ANDed anyway.  A word whose mask is a prefix of it is a range.  A word with any other mask
// is taken as bytes, for which every mask is cheap.
#include "base/load.h"
#include "classify/bits.h"

#define AT(f, bytes)                                                                               \
	{                                                                                          \
		offsetof(struct classify_key, f), bytes                                            \
	}

// Fields are numbered: the words here, then the bytes of the key in their order.
static const struct {
	uint8_t at, size;
} words[BITS_RANGES] = {
	AT(src[0], 4),
	AT(src[1], 4),
	AT(src[2], 4),
	AT(src[3], 4),
	AT(dst[0], 4),
	AT(dst[1], 4),
	AT(dst[2], 4),
	AT(dst[3], 4),
	AT(sport, 2),
	AT(dport, 2),
	AT(ethertype, 2),
	AT(ivlan, 2),
	AT(ovlan, 2),
	AT(vnic, 2),
	AT(macidx, 2),
};
static_assert(offsetof(struct classify_key, spare) == BITS_BYTES, "all bytes but the spare ones");

enum { SPORT = 8, DPORT = 9 };

unsigned bits_field_at(unsigned field, unsigned *size)
{
	if (field < BITS_RANGES) {
		*size = words[field].size;
		return words[field].at;
	}
	*size = 1;
	return field - BITS_RANGES;
}

static uint32_t load(const struct classify_key *k, unsigned at, unsigned size)
{
	const uint8_t *p = (const uint8_t *)k + at;

	return size == 4 ? load32(p) : load16(p);
}

// A word's part; false: the mask has to be taken as bytes.
static bool range_part(const struct classify_rule *rule, unsigned field, uint32_t lo, uint32_t hi,
	struct bits_part *p)
{
	uint32_t all = words[field].size == 4 ? UINT32_MAX : UINT16_MAX;
	uint32_t value = load(&rule->value, words[field].at, words[field].size);
	uint32_t rest = all & ~load(&rule->mask, words[field].at, words[field].size);
	bool prefix = (rest & (rest + 1)) == 0;

	if (prefix && value > lo)
		lo = value;
	if (prefix && (value | rest) < hi)
		hi = value | rest;
	if (hi == all)
		hi = UINT32_MAX; // the last cell's end; no key has a larger value
	*p = (struct bits_part){.lo = lo, .hi = hi, .any = lo == 0 && hi == UINT32_MAX};
	return prefix;
}

void bits_parts(const struct classify_rule *rule, struct bits_part part[static BITS_FIELDS])
{
	struct bits_part *bytes = part + BITS_RANGES;
	const uint8_t *mask = (const uint8_t *)&rule->mask, *value = (const uint8_t *)&rule->value;

	for (unsigned i = 0; i < BITS_BYTES; i++)
		bytes[i] = (struct bits_part){
			.mask = mask[i], .value = value[i], .any = mask[i] == 0};
	for (unsigned f = 0; f < BITS_RANGES; f++) {
		uint32_t lo = 0, hi = words[f].size == 4 ? UINT32_MAX : UINT16_MAX;

		if (f == SPORT) {
			lo = rule->sport_lo;
			hi = rule->sport_hi;
		} else if (f == DPORT) {
			lo = rule->dport_lo;
			hi = rule->dport_hi;
		}
		if (!range_part(rule, f, lo, hi, &part[f]))
			continue;
		for (unsigned i = 0; i < words[f].size; i++)
			bytes[words[f].at + i] = (struct bits_part){.any = true};
	}
}

bool bits_low_words(const struct classify_rule *rule)
{
	const struct classify_key *m = &rule->mask;

	if (m->family == UINT8_MAX && rule->value.family == 6)
		return false;
	return (m->src[1] | m->src[2] | m->src[3] | m->dst[1] | m->dst[2] | m->dst[3]) != 0;
}

// SplitMix64 of the order, which no two rules share.
uint64_t bits_rule_hash(const struct classify_rule *rule)
{
	uint64_t x = rule->order + 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

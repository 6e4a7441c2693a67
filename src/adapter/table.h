// SPDX-License-Identifier: BSD-2-Clause
// table.h - the card's side that holds rules: regions of indices, slots, the match-field set.
//
// Regions and what comes first.  On a T6 the rules of `prio 1` have a region of their own, which is
// asked before all others.  Then come the hash rules, for they lie among the connection ids, which a
// card asks before its normal filters; then the normal filters.  On a T5 `prio 1` rules share the
// index order with the others, so that "before the hash" and "lowest index first" cannot both hold
// for them: a card that has the one refuses the other.
#pragma once

#include "adapter/adapter.h"

// The match fields that a filter mode switches on, lowest bit first: the order of the listing.
enum criterion {
	C_FCOE,
	C_IPORT,
	C_VNIC, // PF and VF, or the outer VLAN tag
	C_VLAN,
	C_TOS,
	C_PROTO,
	C_ETHTYPE,
	C_MACIDX,
	C_MATCHTYPE,
	C_FRAG,
	C_COUNT,
	C_ALWAYS = C_COUNT
};

// A number of a rule that takes value[:mask].
struct field {
	const char *name;
	uint8_t at; // in struct classify_key
	uint8_t bytes, bits, shift;
	uint8_t has; // CLASSIFY_HAS_*: naming the field also asks for its presence
	enum criterion criterion;
};

extern const struct field fields[];
extern const unsigned n_fields;

uint32_t field_get(const struct classify_key *k, const struct field *f);
void field_set(struct classify_key *k, const struct field *f, uint32_t value);
static inline uint32_t field_max(const struct field *f)
{
	return (1u << f->bits) - 1;
}
// Whether a rule's words named the field, as far as the rule still tells.
bool field_given(const struct adapter_filter *f, const struct field *fd);

// The criteria a rule looks at, as bits 1 << enum criterion.
uint32_t filter_criteria(const struct adapter_filter *f);

struct entry {
	struct adapter_filter f;
	uint32_t idx, slot, order;
	struct entry *next; // of the same bucket of the hash region
};

struct region {
	struct entry **at; // by index
	uint32_t size, count;
	uint32_t end;  // above the highest index in use
	uint32_t base; // orders of this region begin here
};

struct clip {
	struct ip6 ip;
	unsigned users;
};

struct adapter {
	char name[ADAPTER_NAME_MAX + 1];
	unsigned chip; // 4, 5, 6
	unsigned n_ports, n_queues;
	uint32_t mode, hash_mask; // criteria
	bool vnic_is_function;    // C_VNIC stands for PF and VF
	struct region prio, hash, tcam;
	uint32_t n_mixed;      // rules of `prio 1` in the TCAM, for want of a region of their own
	struct entry **bucket; // of the hash region, by its key
	uint32_t n_buckets, hash_hint;
	uint32_t *free_slot, n_free, next_slot, n_slots;
	struct clip *clip;
	size_t n_clip;
	struct adapter_place place;
};

// A driver says no with a number alone.  Where it is the driver of a real card that would, the sentence that
// says why begins so: lines of cxgbetool without this word are those of the original.
#define HINT "warning: "

// Each returns 0 or a positive errno value (Linux's), with a sentence unless the number says it all.
int table_check(const struct adapter *a, uint32_t idx, bool idx_given,
	const struct adapter_filter *f, struct err *err);
// After table_check.  *idx: the index, chosen here for a hash rule.
int table_set(struct adapter *a, uint32_t *idx, const struct adapter_filter *f, struct err *err);
int table_delete(struct adapter *a, uint32_t idx, bool prio, bool hash, struct err *err);
// Puts back a rule that its place has; slots are the caller's.  EINVAL, ENOMEM.
int table_restore(struct adapter *a, const struct adapter_kept *k);
// Whether the table has a region of its own for `prio 1`.
bool table_has_prio(const struct adapter *a);
uint64_t table_hits(const struct adapter *a, const struct entry *e);

// "vlan"; function: that of C_VNIC is "vnic_id", else "ovlan".
const char *mode_criterion(enum criterion c, bool function);

// The stock sets of match fields of a chip.
uint32_t mode_default(void);
uint32_t mode_hash_default(unsigned chip);

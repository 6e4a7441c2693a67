// SPDX-License-Identifier: BSD-2-Clause
// export.h - what the writers for other firewalls share.
//
// A writer puts the lines of one rule at a time, in the order in which the card looks at them, or names
// the word it cannot say.  Frames with at most one VLAN tag and with sound IP headers are what
// "equivalent" is about: the others do not look into further tags as the card does.
#pragma once

#include "adapter/table.h"

#include <stdio.h>

struct export_rule {
	uint32_t idx;
	const struct adapter_filter *f;
	uint8_t family;    // 4, 6; 0: frames that are not IP
	unsigned in_ports; // bits of the card's ports it holds for
	bool on_all_ports;
	bool with_ports; // asks for TCP or UDP
};

struct export
{
	const struct adapter *a;
	char *const *ifaces;
	const struct adapter_out *out;
	FILE *text;
	unsigned n_refused;
	// Whether all fragments of IPv4 and of IPv6 are decided about by the rules so far.
	bool fragments_done[2];
	unsigned n_lines; // of rules written, for writers that number them
	// The rules so far and those to come, for a writer that has to look at both.
	const struct export_rule *rules;
	size_t n_rules, at;
};

struct export_writer {
	void (*begin)(struct export *x);
	void (*rule)(struct export *x, const struct export_rule *r);
	void (*end)(struct export *x); // NULL: nothing to do
};

extern const struct export_writer export_nft, export_pf, export_tc, export_ethtool;

// The word that cannot be said, and why; returns false.
bool export_refuse(
	struct export *x, const struct export_rule *r, const char *word, const char *why);
// "filter 20" or "hashfilter 3"
const char *export_name(const struct export_rule *r, char out[32]);

// Refuses what no writer can say: PF, VF, outer tag, MAC index, steering.
bool export_plain(struct export *x, const struct export_rule *r);
// For firewalls that see no ports in the first fragment of a datagram: a rule with ports, or one for
// unfragmented packets, is only good where the rules before have decided about fragments.
bool export_after_fragments(struct export *x, const struct export_rule *r, const char *who);

// A mask of the upper bits, or none: a port range.  false: it is not one.
bool export_range(uint16_t value, uint16_t mask, uint16_t *lo, uint16_t *hi);
bool export_any(const uint32_t mask[4]);
// Whether a packet can match both.
bool export_overlap(const struct export_rule *a, const struct export_rule *b);

// SPDX-License-Identifier: BSD-2-Clause
// rule.c - a filter as a rule of the classifier.
//
// Left to say beside values and masks: the family, and that ports are those of TCP and UDP.
#include "adapter/adapter.h"

#include <string.h>

static const uint16_t ETHERTYPE_IP4 = 0x0800, ETHERTYPE_IP6 = 0x86dd;

// A rule whose ethertype or FCoE bit no IP frame has is about other frames, whatever its family; every
// rule of a card has one, ipv4 if nothing is said.
static bool only_others(const struct adapter_filter *f)
{
	uint16_t value = f->value.ethertype, mask = f->mask.ethertype;

	if (f->value.fcoe != 0 && f->mask.fcoe != 0)
		return true;
	return mask != 0 && (ETHERTYPE_IP4 & mask) != value && (ETHERTYPE_IP6 & mask) != value;
}

void adapter_rule(const struct adapter_filter *f, struct classify_rule *out)
{
	const struct classify_key *v = &f->value, *m = &f->mask;

	memset(out, 0, sizeof(*out));
	out->value = *v;
	out->mask = *m;
	out->sport_hi = out->dport_hi = UINT16_MAX;
	if (only_others(f))
		out->value.family = out->mask.family = 0;
	// Port 0 in a key also says that there are none.  A rule it does not satisfy is safe from that.
	if ((m->sport != 0 || m->dport != 0) && v->sport == 0 && v->dport == 0) {
		out->value.vlan_valid |= CLASSIFY_HAS_PORTS;
		out->mask.vlan_valid |= CLASSIFY_HAS_PORTS;
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// topo.h - how the tester must be plugged into a box of these settings for a traffic to cross it.
#pragma once

#include "lab/lab.h"

struct lab_topo {
	unsigned in, out;             // indices into conf.ifaces: where frames enter and leave
	struct ip in_hop, out_hop;    // the stations next to the box: gateways, or the first source
				      // and destination themselves
	struct mac in_mac;            // of the neighbour that the sources are behind
	struct mac out_mac;           // of the one the destinations are behind
	bool has_in_mac, has_out_mac; // whether the settings name them (static ARP, NDP)
};

// Follows the routes (longest prefix, FreeBSD's meaning) to the first source and destination.
// -EINVAL with the sentence what is missing: no route, both on one interface, no such interface.
int lab_topo(
	const struct conf *c, const struct lab_traffic *t, struct lab_topo *out, struct err *err);

// Whether the address is one of the box's.
bool lab_topo_own(const struct conf *c, const struct ip *ip);

// Whether a frame to dst that enters where the sources are (where the destinations are, if back) leaves
// on the other side; *known: the settings name the station, which *station gets.
bool lab_topo_crosses(const struct conf *c, const struct lab_topo *t, const struct ip *dst,
	bool back, struct mac *station, bool *known);

// The numbers of the ports in and out on a card in this box: 0 and 1 in the order the settings list
// the two interfaces.
static inline unsigned lab_topo_iport(const struct lab_topo *t, bool out)
{
	return (t->in > t->out) != out;
}

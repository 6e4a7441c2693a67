// SPDX-License-Identifier: BSD-2-Clause
// shared.h - what the programs in the kernel and the commands that load them have in common: the
// layout of their maps.  Host byte order unless said otherwise.
#pragma once

#include "classify/flat.h"

#include <stdint.h>

enum {
	CARD_PORTS = FLAT_PORTS,
	CARD_SLOTS = FLAT_RULES, // of hit counters
	CARD_KEPT = 1 << 20,     // bytes of what commands keep
};

// What a rule says, beside its tables; rule number i of the tables is card_set.act[i].
enum card_action { CARD_PASS, CARD_DROP, CARD_SWITCH };
enum card_vlan { CARD_VLAN_KEEP, CARD_VLAN_REMOVE, CARD_VLAN_INSERT, CARD_VLAN_REWRITE };
enum card_flags {
	CARD_SWAPMAC = 1,
	CARD_DMAC = 2,
	CARD_SMAC = 4,
	CARD_NATSEQ = 8,
	CARD_NATFLAG = 16,
	CARD_SIX = 32, // the rule's family is IPv6
};
enum card_nat { CARD_NAT_DIP = 1, CARD_NAT_DPORT = 2, CARD_NAT_SIP = 4, CARD_NAT_SPORT = 8 };
struct card_act {
	uint32_t slot;  // of its hit counter
	uint8_t action; // enum card_action; what follows is of a switch
	uint8_t eport;
	uint8_t vlan; // enum card_vlan
	uint8_t nat;  // enum card_nat, ored; 0: none
	uint16_t vlan_id;
	uint16_t flags; // enum card_flags
	uint32_t natseq;
	uint16_t sport_be, dport_be;
	uint8_t dmac[6], smac[6];
	uint8_t src[16], dst[16]; // as on the wire; IPv4 in the first 4
};
_Static_assert(sizeof(struct card_act) == 64, "one cache line");

// One set of rules: the value of the only element of an inner map of `sets`.  Never changed once
// it is in force; the programs read the tables and the acts, commands read the rest as well, and map no more of
// each than is used.
struct card_set {
	struct card_act act[FLAT_RULES];
	uint8_t kept[CARD_KEPT]; // struct card_kept of card.h: what the tables were made of
	// struct flat_head and what it leads to.
	uint8_t tables[FLAT_SIZE + FLAT_SLACK];
};

// What a port forwards, on one CPU.
struct card_forwarded {
	uint64_t frames;
	uint64_t until_sample; // so many more, until one is left to the kernel
};

// A port of the card: the element of `ports` with its number.  Its ifindex is in the map `exits` as well,
// by which frames are switched to it.
struct card_port {
	uint32_t ifindex; // 0: there is none
	uint32_t spare;
	uint64_t mac48; // its MAC as the first 48 bits, little end first
};

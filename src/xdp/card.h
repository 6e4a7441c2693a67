// SPDX-License-Identifier: BSD-2-Clause
// card.h - the inside of struct xdp_card.
//
// Pinned in the card's folder:
//	about           what it is: struct card_about
//	sets, hits, ... the maps of card.bpf.c, by their names
//	prog0, ...      the program of each port
//	link0, ...      what attaches it where it is alone on the interface; gone with the pin
//	set             the inner map in force, or
//	next            where a command ended between putting it in force and renaming it
//	spare           the one that was in force before, to be filled for the next change: the kernel takes
//	                milliseconds for a new one.  What is held (xdp_card_hold) never becomes it
#pragma once

#include "xdp/pin.h"
#include "xdp/shared.h"
#include "xdp/xdp.h"

// What lies in card_set.kept.
struct card_kept {
	struct adapter_settings settings;
	uint32_t n_rules;
	uint32_t held;                        // not 0: somebody may want this set back
	uint32_t tables_bytes;                // that are in use
	struct adapter_kept rule[FLAT_RULES]; // in the order in which packets are compared
};
_Static_assert(sizeof(struct card_kept) <= CARD_KEPT, "all rules can be kept");

// Raised with each change of card_about, card_set, or what lies in them.
enum { CARD_FORMAT = 7 };

struct card_about {
	uint32_t format; // these two are the same in all versions
	char version[28];
	uint64_t made_ns;          // clock_ns()
	uint64_t net_dev, net_ino; // the network namespace of its interfaces
	uint32_t n_ports, forward; // forward: 0 or 1
	struct {
		char iface[XDP_IFACE_MAX + 1];
		uint32_t wanted, mode; // enum xdp_mode
		// 0 or 1.  strict: see forward_strict().  fixed: its program cannot change how long
		// a frame is, nor may rules.
		uint32_t strict, fixed;
		uint64_t base[XDP_COUNTS]; // what its counters were when they were cleared
	} port[CARD_PORTS];
};

struct xdp_card {
	char name[ADAPTER_NAME_MAX + 1];
	char dir[PIN_PATH_MAX];
	bool fresh;                            // dir is still new_NAME
	int lock, about_fd, sets, hits, ports; // -1: not open
	struct card_about about;
	struct adapter *a;
	// What xdp_card_publish() brings in force.
	struct card_kept *next;
	bool changed;
	unsigned new_exits; // bits of the ports that rules switch to since xdp_card_warn()
	bool all_new;       // no rule of next has counted before, whatever its slot
	// Of the set in force.
	struct adapter_settings settings;
	bool held;
	bool in_force[CARD_SLOTS];
	uint64_t *counts; // of one slot, one a CPU
	unsigned n_cpus;
	struct xdp_run *run[CARD_PORTS]; // NULL: not needed yet
};

// A closed card.  NULL: no memory.
struct xdp_card *card_new(const char *name, struct err *err);
// The card's table with this card as its place.
int card_adapter(struct xdp_card *c, struct err *err);
int card_about_write(const struct xdp_card *c, struct err *err);
int card_pin(const struct xdp_card *c, int fd, const char *file, struct err *err);

// What place.c does.
// Whether rules that are to be in force change how long frames are.
bool card_resizes(const struct xdp_card *c);
void card_place(struct xdp_card *c, struct adapter_place *out);
// The place's verdict: by a program of its own over the set in force.
int card_verdict(
	void *state, unsigned port, const void *frame, size_t len, uint32_t *slot, struct err *err);
// The set in force: a descriptor, or -errno.
int card_set_fd(const struct xdp_card *c, struct err *err);
// Reads a set into next.
int card_take(struct xdp_card *c, int set_fd, struct err *err);
// Puts a set in force, of which next tells the rules: their counters begin at 0, if in_force
// does not say that they count already.  spare: it is the one that is pinned as that.
int card_force(struct xdp_card *c, int set_fd, bool spare, struct err *err);
// Reads the set in force into next, settings and in_force.
int card_read(struct xdp_card *c, struct err *err);

// One of the card's pins of a port, such as "link"; -1: there is none.
int card_port_pin(const struct xdp_card *c, const char *what, unsigned port);
const char *card_port_path(
	const struct xdp_card *c, const char *what, unsigned port, char out[PIN_PATH_MAX]);
// Where a port is attached.
void card_port_at(const struct xdp_card *c, unsigned port, struct xdp_card_port *out);
// Whether the calling thread is in the network namespace of the card's interfaces.
bool card_is_here(const struct xdp_card *c);

// Of a card that forwards: looks anew which ports frames can leave by; say hears of the others.
int card_egress(const struct xdp_card *c, void (*say)(void *arg, const char *text), void *arg,
	struct err *err);

// -e with "NAME: what: why", and what is missing where it is a privilege.
int card_fail(struct err *err, int e, const char *name, const char *what);

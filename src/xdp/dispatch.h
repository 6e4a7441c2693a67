// SPDX-License-Identifier: BSD-2-Clause
// dispatch.h - a card's port beside other XDP programs: its program as a component of libxdp's dispatcher.
//
// libxdp makes an interface's dispatcher anew for each program that joins or leaves, exchanges the two at
// once, and pins what belongs to it in the folder xdp/dispatch-IFINDEX-PROGRAM/ of bpffs (protocol.org of
// its sources).  There a card's program is known by its maps, which no other card has.  Nothing is written
// down elsewhere, so what a killed command left is found as well.
//
// An interface's number says which one it is in its own network namespace only, and `xdp-loader clean`
// removes the folders of those that it does not find in the one it runs in.  So cards join dispatchers in
// the first namespace alone.
#pragma once

#include "xdp/xdp.h"

#include <stdint.h>

// Of the programs of an interface the one with the lower number is first; xdp-filter has 10 too, other
// programs have 50, if nothing else is said.
enum { DISPATCH_PRIO = 10 };

// Whether cards can join dispatchers here: 0, or -EOPNOTSUPP with the reason, which fits behind "IFACE: ".
int dispatch_can(struct err *why);

// Whether the programs of an interface are in a dispatcher that a card can join; *mode is theirs.
// -EBUSY with a sentence, of which `who` names the program that is there.
int dispatch_joinable(
	const char *iface, uint32_t ifindex, const char *who, enum xdp_mode *mode, struct err *err);

// A port's program, loaded as a component.  NULL with the reason, which fits behind "IFACE: ": the kernel
// does not take it.  fixed: the one that cannot change how long a frame is, which all kernels take.
struct dispatch;
struct dispatch *dispatch_load(
	const struct xdp_card *c, unsigned port, bool fixed, struct err *why);
// Joins the programs of an interface, or is the first; 0 or -errno.
int dispatch_join(struct dispatch *d, uint32_t ifindex, enum xdp_mode mode);
void dispatch_close(struct dispatch *d); // NULL is allowed; what has joined stays

enum dispatch_found {
	DISPATCH_NONE,
	DISPATCH_RUNS,
	DISPATCH_GONE,   // it was there, and the interface is no more
	DISPATCH_UNSEEN, // it may run: the first network namespace cannot be entered
};
// Whether a program of the card is in the dispatcher of an interface; *mode is set if it runs.
enum dispatch_found dispatch_find(const struct xdp_card *c, uint32_t ifindex, enum xdp_mode *mode);

// Takes the card of a folder out of all dispatchers, and what libxdp has pinned for those that no
// interface runs any more.  -errno with a sentence.
int dispatch_leave(const char *dir, struct err *err);
// The latter alone.
int dispatch_sweep(const struct xdp_card *c, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// xdp.h - the card in the kernel: programs on Linux interfaces that hold the rules of adapter/adapter.h,
// and stay when the command that made them has ended.
#pragma once

#include "adapter/adapter.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct card_act;

// What the programs are to do with a frame that the filter matches; slot: of its hit counter.
// With a sentence that names the word: -EOPNOTSUPP, a program in the kernel cannot do it; -EINVAL, an
// address of another family than the rule's.
int card_act_make(
	const struct adapter_filter *f, uint32_t slot, struct card_act *out, struct err *err);

// --- frames through a card's program, by the kernel's test-run call ---

// The program of one port with maps of its own: what it meets counts nowhere, leaves by no port, and
// no card in force takes note of it.
struct xdp_run;

enum { XDP_RUN_MIN = 14 }; // bytes of the shortest frame
#define XDP_RUN_NONE UINT32_MAX

// Frames come in by `port`, whose MAC is the first 48 bits, little end first, of mac48.  No rules yet.
// Takes half a second: the kernel verifies the program.
struct xdp_run *xdp_run_open(unsigned port, uint64_t mac48, struct err *err);
void xdp_run_close(struct xdp_run *r); // NULL is allowed

// The rules from now on: those of a map of a struct card_set, which may be closed afterwards.
int xdp_run_use(struct xdp_run *r, int set_fd, struct err *err);

struct xdp_verdict {
	enum adapter_action action;
	uint32_t
		rule; // its place among those of the set, or XDP_RUN_NONE: the frame passes unmatched
};

// -EMSGSIZE: a frame below XDP_RUN_MIN or above what the kernel takes; -EPROTO: what the program did
// is not what the rule says.
int xdp_run_frame(
	struct xdp_run *r, const void *frame, size_t len, struct xdp_verdict *out, struct err *err);

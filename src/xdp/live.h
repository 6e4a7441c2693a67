// SPDX-License-Identifier: BSD-2-Clause
// live.h - frames from memory to a Linux interface by the kernel's live-frame test run: a program
// of ours makes each frame on a page of the kernel's and redirects it to the device, without a socket,
// a system call a burst or an skb.  Linux 5.18 and newer; a device takes such frames if its driver
// can send for XDP, and a veth if its other end has an XDP program or GRO switched on.
//
// Needs CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON (for the kernel's tracepoints: they alone tell how many
// frames a device took).  Programs and maps go with the process.
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct live;

// The kernel has a page for the frame, its headroom and its own notes.
enum { LIVE_FRAME_MAX = 3072, LIVE_ROWS_MAX = 1 << 16 };

// A call of live_send() costs a third of a millisecond by itself: the kernel patches its own code for a
// program that is to run more than once.  It is a tenth of the time of 65536 small frames.

struct live_conf {
	// The device: an index in the calling thread's namespace, or that of another set of rows.  From
	// then on the thread may be in any namespace.
	unsigned ifindex;
	const struct live *like; // NULL = by ifindex
	unsigned n_rows;         // 1..LIVE_ROWS_MAX
	unsigned frame_max;      // bytes of the longest frame, 14..LIVE_FRAME_MAX
	bool varies; // each row has a length of its own; else all are of frame_max bytes
};

// One thread's.  NULL with *err set: -EPERM (the sentence names the capability), -ENOTSUP (kernel),
// -EMSGSIZE, -ENOMEM.
struct live *live_open(const struct live_conf *conf, struct err *err);
void live_close(struct live *l);

// Row i's frame is at live_rows() + i * live_stride(): room for the longest, and 64 bytes at least.
uint8_t *live_rows(struct live *l);
unsigned live_stride(const struct live *l);

// One a row, if lengths vary: 14..frame_max bytes; else NULL.
uint64_t *live_lengths(struct live *l);

// Frames so far.  tried = taken + full + refused between two calls of live_send().
struct live_counts {
	uint64_t tried;
	uint64_t taken, bytes; // by the device (of a veth: its other end has them)
	uint64_t full;         // the device had no room: lost
	uint64_t
		refused; // it takes no such frames, is down or gone, or the frame is too long: lost
	int error;       // errno of the last one refused; 0 = none was
};

// Also while another thread is in live_send(): one word may then be a bundle older than its neighbour.
void live_counts(const struct live *l, struct live_counts *out);

// Sends n > 0 frames, row `first` and those behind it; row 0 follows the last.  A signal may end it
// early: what was tried tells.  0, or -errno if the kernel did not run the program (-ENOMEM; EINVAL: it
// has no live frames).
int live_send(struct live *l, unsigned first, unsigned n);

// Whether the driver takes live frames.  None leaves: one that is too long must be refused for its
// length and for nothing else.  -EOPNOTSUPP, -ENETDOWN, -EMSGSIZE (mtu is too large to try) or an error
// of live_open().  Since Linux 6.3 a veth's answer is sure; most other drivers, and veth before, only
// refuse when a frame comes.
int live_try(unsigned ifindex, unsigned mtu, struct err *err);

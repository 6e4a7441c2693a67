// SPDX-License-Identifier: BSD-2-Clause
// live_state.h - what the program that makes live frames and its user share.  Plain C types only: it is
// compiled for both.
#pragma once

enum {
	LIVE_HEAD = 64, // bytes of a row that are copied in words; the rest goes by a helper
	LIVE_FLYING =
		64, // a power of two, above the 16 frames that the kernel bundles for a device
	// The kernel's pages (of Linux 6.18) begin a frame 48 bytes into a cache line; so many more, and its
	// headers share one, as those that a NIC has put into memory.
	LIVE_SHIFT = 16,
	LIVE_SPARE = 16, // bytes by which the kernel's buffer exceeds the longest frame
};

// Set before the program is loaded: the kernel compiles only what is in use.
struct live_consts {
	unsigned n_rows;
	unsigned room;     // bytes of the kernel's buffer, without the shift
	unsigned len;      // of all frames; 0 = each row has its own
	unsigned tail_max; // bytes of a row behind its head
};

// Written by the program, read by its user, who sets `at` between two runs.
struct live_state {
	unsigned at;  // the row of the next frame
	unsigned cpu; // where the run is
	// Frames are numbered; those below `first` are decided, those up to `next` wait in the kernel's
	// bundle.  Both wrap.
	unsigned first, next;
	unsigned long long tried, taken;
	unsigned long long bytes;        // of those taken, where lengths vary
	unsigned long long full;         // not taken: the device had no room
	unsigned long long refused;      // not taken: the device takes none, or not this one
	int error;                       // the errno of the last one refused, negative; or 0
	unsigned short len[LIVE_FLYING]; // where lengths vary: of frame i at i % LIVE_FLYING
};

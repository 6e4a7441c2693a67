// SPDX-License-Identifier: BSD-2-Clause
// dispatch_pins.h - what libxdp has pinned for the dispatchers that a card's programs are in.  It is read
// without libxdp, so that commands that only ask do not load it.
#pragma once

#include "xdp/xdp.h"

#include <stdbool.h>
#include <stdint.h>

// The dispatcher of an interface: a folder of pins.
struct dispatch_pins {
	const char *dir;
	uint32_t ifindex, program; // program: the dispatcher's id
};

// The id of a map; 0: it is none.
uint32_t dispatch_map_id(int fd);
// Whether a program has the map.
bool dispatch_has_map(int prog, uint32_t map);

// Calls back for each folder in which a program is that has the map, until one call does not return 0,
// which is then returned.
#define DISPATCH_ANY_MAP UINT32_MAX
int dispatch_pins_each(
	uint32_t map, int (*each)(void *arg, const struct dispatch_pins *p), void *arg);

// Whether there is such a folder.
bool dispatch_pins_any(uint32_t map);

// Removes those folders whose dispatcher no interface runs.
int dispatch_pins_sweep(uint32_t map);

// Whether the interface, in the calling thread's network namespace, runs that dispatcher.
bool dispatch_pins_run(const struct dispatch_pins *p, enum xdp_mode *mode);

// Whether the calling thread is in the first network namespace.
bool dispatch_is_first(void);
// Goes there, to come back from by *way; -errno: it cannot be entered, and there is nowhere to come back from.
int dispatch_go_first(int *way);
void dispatch_come_back(int way);

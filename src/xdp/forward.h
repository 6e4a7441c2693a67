// SPDX-License-Identifier: BSD-2-Clause
// forward.h - what has to be known of an interface before its card forwards.  Each is asked in the calling
// thread's namespace.
#pragma once

#include "base/err.h"

#include <stdbool.h>

// Whether frames may leave by it as XDP sends them: puts it into the program's map of egress ports.
// An interface whose driver would lose them, or may, is refused with the reason, which is no failure: what
// is routed there takes the kernel's way.  To be called when the programs of all ports are attached, as
// some drivers prepare for sending only then.  native: the port's program runs in the driver;
// otherwise the kernel can send by any device.  -EOPNOTSUPP, -ENETDOWN, or what goes wrong.
int forward_egress(int egress_map, unsigned ifindex, bool native, struct err *err);

// Whether the kernel checks by rp_filter that IPv4 sources are behind the interface they come from (1), not
// only somewhere (2) or not at all (0).
int forward_strict(const char *iface, bool *strict, struct err *err);

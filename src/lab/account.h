// SPDX-License-Identifier: BSD-2-Clause
// account.h - a device's account since some moment.
#pragma once

#include "lab/lab.h"

// Takes `before` off; what waits in the device stays, and so do turns and cycles.  Drops that did not
// occur since are left out.
void account_since(struct dut_counters *now, const struct dut_counters *before);

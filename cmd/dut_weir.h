// SPDX-License-Identifier: BSD-2-Clause
// dut_weir.h - Weir's own router in memory as the lab's device under test.
#pragma once

#include "lab/lab.h"

// port_init() must have been told of one worker.  -ENOMEM.
int dut_weir(struct dut *d, struct err *err);
void dut_weir_free(struct dut *d);

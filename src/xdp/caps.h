// SPDX-License-Identifier: BSD-2-Clause
// caps.h - what a process may do with programs for the kernel.
#pragma once

// The first capability of CAP_BPF and CAP_NET_ADMIN that is missing; NULL: none is.
const char *caps_missing(void);

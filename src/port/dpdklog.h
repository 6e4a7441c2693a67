// SPDX-License-Identifier: BSD-2-Clause
// dpdklog.h - what DPDK and its drivers log, kept off the terminal.
#pragma once

// Takes over the log.  Before rte_eal_init().
void dpdklog_start(void);
void dpdklog_stop(void);

// Forgets what was logged so far.
void dpdklog_clear(void);

// The first error logged since: one line without prefix and newline, or "no reason given".  The
// first is nearest to the cause, the later ones only pass it on.  Valid until the next clear.
const char *dpdklog_reason(void);

// SPDX-License-Identifier: BSD-2-Clause
// summary.h - from runs to figures of the arms, comparisons and the verdict.
#pragma once

#include "lab/results.h"

// Bit/s by the packet mix 7 x 40, 4 x 576, 1 x 1500 bytes of IP, as the common estimate has it: with
// 14 bytes of Ethernet header, so 54, 590 and 1514 bytes, and a packet rate that does not depend
// on the length.
double imix_bps(double pps);

// The same on the wire: frames padded to Ethernet's least 60 bytes, and for each 24 more: 4 of CRC,
// 8 of preamble, 12 of gap.
double imix_l1_bps(double pps);

// Fills the arms' figures from the runs, makes all comparisons, the noise floor and the verdict.
// Comparisons: the A/A arm with its twin; each condition with the baseline under the same traffic;
// where no other condition has a traffic of the baseline, that traffic with the baseline's first.
// *r must hold arms, runs, margin and seed.  -ENOMEM.
int lab_summary(struct lab_results *r, struct err *err);

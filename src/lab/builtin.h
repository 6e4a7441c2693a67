// SPDX-License-Identifier: BSD-2-Clause
// builtin.h - the conditions that need no files.
#pragma once

#include "lab/lab.h"

// Which rule the traffic meets.
enum builtin_match { MATCH_FIRST, MATCH_LAST, MATCH_NEVER };

// A script of n rules (15 or more) for a card, the same for the same traffic: 15 have the shape of a
// small server's, of more than 15 each is of one of three kinds, with addresses out of the nets of
// RFC 2544.  The caller frees it.  NULL with *err set: ENOMEM, EINVAL where the traffic's addresses
// leave none for other rules.
char *builtin_script(
	unsigned n, enum builtin_match match, const struct gen_conf *traffic, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// set.h - maps of one struct card_set, and their place in memory.
#pragma once

#include "base/err.h"
#include "xdp/shared.h"

// A new, empty set in a map of the kernel: its file descriptor, or -errno with a sentence.
int card_set_new(struct err *err);
// The set of a map, to be filled while no card has it in force.  Of its acts, of what is kept and of its tables
// only the first so many are mapped, for the kernel takes 2 us for each of all 2,700 pages.  NULL with *err
// set.
struct card_set *card_set_fill(
	int fd, uint32_t acts, size_t kept_bytes, size_t tables_bytes, struct err *err);
// The set of a map that a card may have in force, with all that it is: not to be written.  NULL with *err set.
const struct card_set *card_set_map(int fd, struct err *err);
// NULL is allowed.
void card_set_unmap(const struct card_set *set);

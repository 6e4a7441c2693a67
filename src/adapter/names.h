// SPDX-License-Identifier: BSD-2-Clause
// names.h - names and shapes that more than one writer of rules needs.
#pragma once

#include "adapter/adapter.h"

// "dip-dp-sip"; not for NAT_NONE.
const char *nat_name(enum adapter_nat nat);
// An address of a rule, and how many bits of it count.
struct ip filter_ip(uint8_t family, const uint32_t w[4]);
unsigned filter_prefix_len(const uint32_t mask[4]);

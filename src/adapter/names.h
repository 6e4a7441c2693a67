// SPDX-License-Identifier: BSD-2-Clause
// names.h - names and shapes that more than one writer of rules needs.
#pragma once

#include "adapter/adapter.h"

// Text into out[size], cut there; len is what all of it needs.
struct line {
	char *out;
	size_t size, len;
};
void line_put(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// "dip-dp-sip"; not for NAT_NONE.
const char *nat_name(enum adapter_nat nat);
// An address of a rule, also with how many bits of it count: "10.0.0.0/8", "::1".
struct ip filter_ip(uint8_t family, const uint32_t w[4]);
const char *filter_prefix(
	uint8_t family, const uint32_t value[4], const uint32_t mask[4], char out[ADDR_TEXT_MAX]);

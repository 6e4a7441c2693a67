// SPDX-License-Identifier: BSD-2-Clause
#include "adapter/keyframe.h"

// Bytes of header; less is not plain.
const uint8_t key_l4_need[5] = {[KEY_OTHER] = 0, [KEY_ICMP] = 8, [KEY_UDP] = 8, [KEY_TCP] = 20};

const uint8_t key_l4_of4[256] = {[1] = KEY_ICMP, [6] = KEY_TCP, [17] = KEY_UDP};

// Extension headers, as packet_is_ext6 lists them, are odd.
const uint8_t key_l4_of6[256] = {[6] = KEY_TCP,
	[17] = KEY_UDP,
	[58] = KEY_ICMP,
	[0] = KEY_ODD,
	[43] = KEY_ODD,
	[44] = KEY_ODD,
	[51] = KEY_ODD,
	[60] = KEY_ODD,
	[135] = KEY_ODD,
	[139] = KEY_ODD,
	[140] = KEY_ODD};

// SPDX-License-Identifier: BSD-2-Clause
// veth_tells.h - what tests may expect of the running kernel's veths.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <cmocka.h>

// Whether a veth tells if frames of XDP pass to its other end: from Linux 6.3 on.  Before, neither does weir
// send live frames into one unasked, nor does a native card forward to one.
static inline bool veth_tells(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	assert_int_equal(uname(&u), 0);
	assert_int_equal(sscanf(u.release, "%u.%u", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 3);
}

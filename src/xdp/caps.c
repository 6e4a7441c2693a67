// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/caps.h"

#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// All of them, if the kernel does not say.
static uint64_t effective(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data) != 0)
		return UINT64_MAX;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

bool caps_see_programs(void)
{
	return (effective() >> CAP_SYS_ADMIN & 1) != 0;
}

const char *caps_missing(void)
{
	uint64_t caps = effective();

	// CAP_SYS_ADMIN stands for the two younger ones.
	if ((caps >> CAP_SYS_ADMIN & 1) != 0)
		caps |= UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
	if ((caps >> CAP_BPF & 1) == 0)
		return "CAP_BPF";
	if ((caps >> CAP_NET_ADMIN & 1) == 0)
		return "CAP_NET_ADMIN";
	return (caps >> CAP_PERFMON & 1) == 0 ? "CAP_PERFMON" : NULL;
}

// SPDX-License-Identifier: BSD-2-Clause
// ethdev.h - <rte_ethdev.h>, which draws in <netinet/ip.h> with a `struct ip` that is not
// base/addr.h's.  It goes by another name here.
#pragma once

#define ip netinet_ip
#include <rte_ethdev.h>
#undef ip

// SPDX-License-Identifier: BSD-2-Clause
// adapter_list.h - weir adapter list: all cards there are.
#pragma once

#include <stdbool.h>

int adapter_list(bool json); // an exit status

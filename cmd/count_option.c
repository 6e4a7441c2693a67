// SPDX-License-Identifier: BSD-2-Clause
#include "command.h"

#include "base/text.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>

int count_option(const char *program, const char *name, uint64_t max, uint64_t *out)
{
	struct err err = {0};

	if (text_u64(optarg, max, out, &err) == 0 && *out > 0)
		return 0;
	if (err.code == 0)
		err_set(&err, EINVAL, "'%s' is not above 0", optarg);
	fprintf(stderr, "%s: --%s: %s\n", program, name, err.msg);
	return 2;
}

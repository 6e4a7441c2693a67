// SPDX-License-Identifier: BSD-2-Clause
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int command_run(const struct command *c, int argc, char **argv)
{
	int status = c->run(argc, argv);

	if (status == 0 && (fflush(stdout) != 0 || ferror(stdout))) {
		fprintf(stderr, "weir %s: standard output: %s\n", c->name, strerror(errno));
		return 1;
	}
	return status;
}

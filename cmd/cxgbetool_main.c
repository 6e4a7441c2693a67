// SPDX-License-Identifier: BSD-2-Clause
// cxgbetool_main.c - cxgbetool as a program of its own: a script runs it once for each rule, and most of the
// time of `weir cxgbetool` is the loading of libraries that move packets.
#include "command.h"

int main(int argc, char **argv)
{
	const struct command cxgbetool = {.name = "cxgbetool", .run = cmd_cxgbetool};

	return command_run(&cxgbetool, argc, argv);
}

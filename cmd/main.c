// SPDX-License-Identifier: BSD-2-Clause
// main.c - the table of subcommands, and which of them a link's name means.
#include "command.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"adapter", NULL, "make, list, save and export cards", cmd_adapter},
	{"ctl", NULL, "ask a running router for its counters", cmd_ctl},
	{"cxgbetool", "cxgbetool", "set and list the rules of a card", cmd_cxgbetool},
	{"gen", "pkt-gen", "send, receive and check test traffic", cmd_gen},
	{"lab", NULL, "measure what a router forwards, and compare settings", cmd_lab},
	{"router", NULL, "forward packets as rc.conf and sysctl.conf say", cmd_router},
	{"stat", "ministat", "compare series of measurements", cmd_stat},
	{"top", NULL, "watch what a running router does", cmd_top},
	{"version", NULL, "print the version", cmd_version},
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);

int cmd_version(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "weir: '%s' is one word too many behind version\n", argv[1]);
		return 2;
	}
	puts("weir " WEIR_VERSION);
	return 0;
}

static void usage(FILE *out)
{
	fputs("usage: weir COMMAND [ARGUMENT ...]\n\n", out);
	for (size_t i = 0; i < n_commands; i++) {
		fprintf(out, "  %-9s %s", commands[i].name, commands[i].summary);
		if (commands[i].alias != NULL)
			fprintf(out, " (also as %s)", commands[i].alias);
		putc('\n', out);
	}
	fputs("\n`weir COMMAND --help` tells a command's options; weir(8) is the manual.\n", out);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *self = slash != NULL ? slash + 1 : argv[0];

	for (size_t i = 0; i < n_commands; i++)
		if (commands[i].alias != NULL && strcmp(self, commands[i].alias) == 0)
			return command_run(&commands[i], argc, argv);
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		if (argc > 2) {
			fprintf(stderr,
				"weir: '%s' is one word too many; `weir COMMAND --help` "
				"tells a command's options\n",
				argv[2]);
			return 2;
		}
		usage(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] += 2;
	for (size_t i = 0; i < n_commands; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return command_run(&commands[i], argc - 1, argv + 1);
	fprintf(stderr, "weir: '%s' is not a command; `weir --help` lists them\n", argv[1]);
	return 2;
}

// SPDX-License-Identifier: BSD-2-Clause
// command.h - the subcommands of weir.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command {
	const char *name;
	const char *alias; // name of a link to weir that runs it, or NULL
	const char *summary;
	int (*run)(int argc, char **argv); // argv[0] is the command's name; returns the exit status
};

extern const struct command commands[];
extern const size_t n_commands;

// Runs it.  What it printed must have arrived: a table lost on a full disk is no success, and is told.
int command_run(const struct command *c, int argc, char **argv);

// Whether who started this (nohup) wants it to outlive the terminal.
static inline bool hangup_ignored(void)
{
	struct sigaction a;

	return sigaction(SIGHUP, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

// The signals that end a command that is left running.
static inline void ending_signals(sigset_t *out)
{
	sigemptyset(out);
	sigaddset(out, SIGINT);
	sigaddset(out, SIGTERM);
	if (!hangup_ignored())
		sigaddset(out, SIGHUP);
}

// Reads getopt's argument, a number from 1 to max, of the option --NAME.  0, or 2 when it is none, which
// is then told.
int count_option(const char *program, const char *name, uint64_t max, uint64_t *out);

int cmd_adapter(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_cxgbetool(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_gen(int argc, char **argv);
int cmd_router(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_lab(int argc, char **argv);
int cmd_stat(int argc, char **argv);

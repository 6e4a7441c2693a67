// SPDX-License-Identifier: BSD-2-Clause
// export_rig.h - what the tests of exports with the real tools share: a card that no packet meets, told
// by lines of words, and a network namespace with the two ports p0 and p1, for this process alone.
#pragma once

#include "adapter/adapter.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_PORTS = 2, SKIP = 77 };

static char p0[] = "p0", p1[] = "p1";
static char *const ifaces[N_PORTS] = {p0, p1};

static inline struct adapter *card(unsigned n_filters)
{
	struct adapter_conf conf = {.name = "t5nex0",
		.n_ports = N_PORTS,
		.n_filters = n_filters,
		.place = adapter_nowhere};

	return adapter_new(&conf, NULL);
}

static inline void to_file(void *arg, bool to_stderr, const char *text)
{
	fprintf(to_stderr ? stderr : arg, "%s\n", text);
}

static inline void command(struct adapter *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Words that must be taken.
static inline void command(struct adapter *a, const char *fmt, ...)
{
	struct adapter_out out = {to_file, stdout};
	char line[512], *argv[64], *rest = line, *word;
	int argc = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0')
			argv[argc++] = word;
	if (adapter_command(a, argc, argv, &out) != 0) {
		fprintf(stderr, "refused: %s\n", argv[argc - 1]);
		exit(1);
	}
}

static inline void run(const char *cmd)
{
	if (system(cmd) != 0) {
		fprintf(stderr, "failed: %s\n", cmd);
		exit(1);
	}
}

// Into a namespace of our own; ends the test as skipped where that cannot be, or where the command that
// asks for the tool fails.
static inline void enter(const char *ask, const char *missing)
{
	if (unshare(CLONE_NEWNET) != 0) {
		printf("skipped: no network namespace: %s\n", strerror(errno));
		exit(SKIP);
	}
	if (system(ask) != 0) {
		printf("skipped: there is no %s\n", missing);
		exit(SKIP);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// cxgbetool: the words of FreeBSD's tool, for the card of that name in the kernel or a running router.
#include "client.h"
#include "command.h"

#include "adapter/adapter.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void usage(FILE *out)
{
	fputs("usage: cxgbetool NEXUS COMMAND [WORD ...]\n\n"
	      "NEXUS is a card in the kernel or of a running `weir router`, such as t5nex0.  Commands:\n\n"
	      "  filter IDX PARAMETER VALUE ...      set the rule IDX\n"
	      "  filter IDX delete|clear [prio 0|1]  remove it\n"
	      "  filter list                         list rules and their hits\n"
	      "  filter mode [CRITERION ...]         show or set the fields that rules may name\n"
	      "  hashfilter PARAMETER VALUE ...      set an exact-match rule; prints its index\n"
	      "  hashfilter IDX delete|clear         remove it\n"
	      "  hashfilter list|mode                as above\n"
	      "  clearstats PORT                     zero a port's counters\n"
	      "  clip hold|release IP6, clip list    local IPv6 addresses\n"
	      "  stdio                               read commands from standard input\n\n"
	      "weir-adapter(8) tells the parameters, and what becomes of the other commands.\n",
		out);
}

// adapter WORD ...
static int request(const char *nexus, int argc, char *const *argv)
{
	char *words[CTL_LINE_MAX / 2];

	if ((size_t)argc + 1 >= sizeof(words) / sizeof(words[0])) {
		fputs("cxgbetool: too many words\n", stderr);
		return E2BIG;
	}
	words[0] = (char *)"adapter";
	memcpy(&words[1], argv, (size_t)argc * sizeof(*argv));
	return client_request("cxgbetool", nexus, argc + 1, words, client_print_line, NULL);
}

enum line { LINE_END = -1, LINE_TOO_LONG = -2 };

// One line without its newline; returns its length.  Too long a one is read to its end.
static int read_line(char *out, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = getchar()) != EOF && c != '\n')
		if (n++ < size - 1)
			out[n - 1] = (char)c;
	if (c == EOF && n == 0)
		return LINE_END;
	out[n < size ? n : size - 1] = '\0';
	return n < size ? (int)n : LINE_TOO_LONG;
}

// The status is that of the last command.
static int loop(const char *nexus)
{
	char line[ADAPTER_LINE_MAX + 1], *argv[ADAPTER_WORDS_MAX + 1];
	int status = 0;

	for (;;) {
		bool lost = false;
		int len, argc;

		fputs("> ", stdout);
		fflush(stdout);
		len = read_line(line, sizeof(line));
		if (len == LINE_END)
			break;
		if (len == LINE_TOO_LONG) {
			fprintf(stderr,
				"cxgbetool: a line of more than %d characters was not carried "
				"out\n",
				ADAPTER_LINE_MAX);
			status = E2BIG;
			continue;
		}
		argc = adapter_split(line, argv, &lost);
		if (argc == 0)
			continue;
		if (strcmp(argv[0], "quit") == 0 || strcmp(argv[0], "exit") == 0)
			return status;
		if (lost)
			fprintf(stderr,
				"cxgbetool: warning: the words behind the first %d are left out\n",
				ADAPTER_WORDS_MAX);
		status = request(nexus, argc, argv);
	}
	if (ferror(stdin)) {
		fprintf(stderr, "cxgbetool: standard input: %s\n", strerror(errno));
		return EIO;
	}
	return status;
}

int cmd_cxgbetool(int argc, char **argv)
{
	struct err err = {0};

	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
		usage(stdout);
		return 0;
	}
	if (argc < 3) {
		usage(stderr);
		return EINVAL;
	}
	if (adapter_name_check(argv[1], &err) != 0) {
		fprintf(stderr, "cxgbetool: %s\n", err.msg);
		return EINVAL;
	}
	if (argc == 3 && strcmp(argv[2], "stdio") == 0)
		return loop(argv[1]);
	return request(argv[1], argc - 2, argv + 2);
}

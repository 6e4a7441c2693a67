// SPDX-License-Identifier: BSD-2-Clause
// weir ctl: asks a running router.
#include "client.h"
#include "command.h"
#include "ctl_tables.h"

#include "ctl/ctl.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static void usage(FILE *out)
{
	fputs("usage: weir ctl [--json] [NAME [WORD ...]]\n\n"
	      "Asks the running router NAME; without a name lists those that run.  Words:\n\n"
	      "  stats                   ports, drops and stages (the default)\n"
	      "  drops                   packets dropped, by reason\n"
	      "  stages                  calls, packets and cycles of each stage\n"
	      "  rules [INDEX ...]       rules of the card with their hits\n"
	      "  metrics                 all counters as OpenMetrics text\n"
	      "  info                    version, process and age\n"
	      "  hits                    hits of rules that have any, in brief\n"
	      "  save                    the commands that rebuild the card's rules\n"
	      "  export KIND [IF ...]    the rules for nft, pf, tc or ethtool\n"
	      "  check PORT FRAME ...    what the rules do with frames, as JSON\n"
	      "  adapter WORD ...        a command of cxgbetool\n\n"
	      "  --json                  print objects, one a line, instead of tables\n"
	      "  -h, --help              this text\n",
		out);
}

// Tables want all objects; lines of a command go out as they come.
static void collect(void *arg, json_t *object)
{
	if (json_object_get(object, "type") != NULL)
		client_keep(arg, object);
	else
		client_print_line(NULL, object);
}

static const char *const words[] = {"stats", "drops", "stages", "rules", "metrics", "info", "hits",
	"save", "export", "check", "adapter"};

// No table is no answer to people.
static void say_none(const char *word)
{
	if (strcmp(word, "drops") == 0)
		puts("no packet was dropped");
	else if (strcmp(word, "rules") == 0)
		puts("the card has no rules");
}

static int ask(const char *name, int argc, char **argv, bool json)
{
	json_t *all;
	int status;

	// These are for programs; there is no table of them.
	if (json || strcmp(argv[0], "hits") == 0 || strcmp(argv[0], "check") == 0)
		return client_request("weir ctl", name, argc, argv, client_print_json, NULL);
	all = json_array();
	status = client_request("weir ctl", name, argc, argv, collect, all);
	if (json_array_size(all) > 0)
		ctl_tables(all, stdout);
	else if (status == 0 && argc == 1)
		say_none(argv[0]);
	json_decref(all);
	return status;
}

struct listing {
	unsigned n;
	bool json;
};

static void one_name(void *arg, const char *name)
{
	char *info[] = {(char *)"info"};
	struct listing *l = arg;

	l->n++;
	ask(name, 1, info, l->json);
}

static int list(bool json)
{
	struct listing l = {.json = json};
	struct err err = {0};
	int rc = ctl_each_name(one_name, &l, &err);

	if (rc != 0) {
		fprintf(stderr, "weir ctl: %s\n", err.msg);
		return 1;
	}
	if (l.n == 0)
		client_nobody("weir ctl");
	return l.n == 0;
}

int cmd_ctl(int argc, char **argv)
{
	static const struct option options[] = {{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	char *stats[] = {(char *)"stats"};
	bool json = false;
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (c == 'j') {
			json = true;
			continue;
		}
		if (c == 'h') {
			usage(stdout);
			return 0;
		}
		fputs("weir ctl: `weir ctl --help` lists the options\n", stderr);
		return 2;
	}
	argc -= optind;
	argv += optind;
	if (argc == 0)
		return list(json);
	// The option may also stand last, where people add it.
	if (argc > 1 && strcmp(argv[argc - 1], "--json") == 0) {
		json = true;
		argc--;
	}
	// No card is called so: the name was forgotten.
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(argv[0], words[i]) == 0) {
			fprintf(stderr,
				"weir ctl: '%s' is a word for a router; its name comes first, as in "
				"weir ctl t5nex0 %s\n",
				words[i], words[i]);
			return 2;
		}
	if (argc == 1)
		return ask(argv[0], 1, stats, json);
	return ask(argv[0], argc - 1, argv + 1, json);
}

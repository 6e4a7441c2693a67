// SPDX-License-Identifier: BSD-2-Clause
// weir adapter: cards of running routers, beyond what cxgbetool's words can say.
#include "check.h"
#include "client.h"
#include "command.h"
#include "ctl_tables.h"
#include "router_save.h"
#include "table.h"

#include "base/text.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *out)
{
	fputs("usage: weir adapter list [--json]\n"
	      "       weir adapter rules NAME [INDEX ...] [--json]\n"
	      "       weir adapter save NAME [FILE]\n"
	      "       weir adapter export NAME --nft|--pf|--tc|--ethtool [IF ...]\n"
	      "       weir adapter check NAME CAPTURE [--port N] [--json]\n\n"
	      "Cards of running routers.\n\n"
	      "  list     the cards there are\n"
	      "  rules    a card's rules as words of cxgbetool, with all that its listing leaves\n"
	      "           out: NAT, swapped addresses\n"
	      "  save     the commands that rebuild the rules, to FILE or standard output\n"
	      "  export   the same rules for another firewall, equivalent, or refused by name; IF\n"
	      "           are the interfaces behind the card's ports, in their order\n"
	      "  check    what the rules do with the frames of a capture: a line a frame, with\n"
	      "           its number, pass, drop or switch, and the rule's index or -\n\n"
	      "  --port   the port of the card that the frames come in by (0)\n"
	      "  --json   print objects, one a line, instead of a table\n"
	      "  -h, --help  this text\n",
		out);
}

static int misused(void)
{
	fputs("weir adapter: `weir adapter --help` tells how it is used\n", stderr);
	return 2;
}

static void one_card(void *arg, const char *name)
{
	char *info[] = {(char *)"info"};

	client_request("weir adapter", name, 1, info, client_keep, arg);
}

static void print_cards(const json_t *all)
{
	struct table t;
	const json_t *o, *p;
	size_t i, k;

	table_begin(&t, "lrrl", (const char *[]){"card", "rules", "pid", "ports"});
	json_array_foreach(all, i, o)
	{
		char ports[256] = "";

		json_array_foreach(json_object_get(o, "ports"), k, p)
		{
			size_t at = strlen(ports);

			snprintf(ports + at, sizeof(ports) - at, "%s%s", k > 0 ? " " : "",
				json_string_value(p));
		}
		table_text(&t, ctl_string(o, "name"));
		table_number(&t, ctl_number(o, "rules"));
		table_number(&t, ctl_number(o, "pid"));
		table_text(&t, ports);
	}
	table_end(&t, stdout, 0);
}

static int list(bool json)
{
	json_t *all = json_array();
	struct err err = {0};
	char folder[4096] = "";
	size_t n;

	if (ctl_each_name(one_card, all, &err) != 0) {
		fprintf(stderr, "weir adapter: %s\n", err.msg);
		json_decref(all);
		return 1;
	}
	n = json_array_size(all);
	if (n == 0) {
		ctl_folder(folder, sizeof(folder), NULL);
		fprintf(stderr, "weir adapter: there is no card: no router listens in %s\n",
			folder);
	} else if (json) {
		for (size_t i = 0; i < n; i++)
			client_print_json(NULL, json_array_get(all, i));
	} else {
		print_cards(all);
	}
	json_decref(all);
	return n == 0;
}

static int rules(const char *name, int argc, char **argv, bool json)
{
	json_t *all = json_array();
	int status;

	argv[-1] = (char *)"rules"; // in the place of the name
	status = client_request("weir adapter", name, argc + 1, argv - 1,
		json ? client_print_json : client_keep, json ? NULL : all);
	if (!json) // with those that are there, if one is not
		ctl_tables(all, stdout);
	json_decref(all);
	return status;
}

static void to_file(void *arg, json_t *object)
{
	char *line = ctl_text_get(object, "out");

	if (line != NULL)
		fprintf(arg, "%s\n", line);
	free(line);
}

static int save(const char *name, const char *path)
{
	char *words[] = {(char *)"save"}, *text = NULL;
	struct err err = {0};
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int status = 0, bad = 1;

	if (f != NULL) {
		router_save_head(f, "weir adapter save");
		status = client_request("weir adapter", name, 1, words, to_file, f);
		bad = ferror(f);
		bad |= fclose(f);
	}
	if (status == 0 && bad != 0) {
		fputs("weir adapter: no memory for the rules\n", stderr);
		status = ENOMEM;
	}
	if (status == 0 && path == NULL) {
		fputs(text, stdout);
	} else if (status == 0 && text_write_file(path, text, len, &err) != 0) {
		fprintf(stderr, "weir adapter: %s\n", err.msg);
		status = 1;
	}
	free(text);
	return status;
}

static int export_rules(const char *name, int argc, char **argv)
{
	if (argc < 1 || strncmp(argv[0], "--", 2) != 0) {
		fputs("weir adapter: export: --nft, --pf, --tc or --ethtool is needed\n", stderr);
		return 2;
	}
	argv[0] += 2;
	argv[-1] = (char *)"export";
	return client_request("weir adapter", name, argc + 1, argv - 1, client_print_line, NULL);
}

int cmd_adapter(int argc, char **argv)
{
	bool json = false;

	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
		usage(stdout);
		return 0;
	}
	if (argc >= 2 && strcmp(argv[1], "check") == 0)
		return check_command(argc - 1, argv + 1);
	if (argc > 2 && strcmp(argv[argc - 1], "--json") == 0) {
		json = true;
		argc--;
	}
	if (argc == 2 && strcmp(argv[1], "list") == 0)
		return list(json);
	if (argc >= 3 && strcmp(argv[1], "rules") == 0)
		return rules(argv[2], argc - 3, argv + 3, json);
	if (json)
		return misused();
	if ((argc == 3 || argc == 4) && strcmp(argv[1], "save") == 0)
		return save(argv[2], argc == 4 ? argv[3] : NULL);
	if (argc >= 3 && strcmp(argv[1], "export") == 0)
		return export_rules(argv[2], argc - 3, argv + 3);
	return misused();
}

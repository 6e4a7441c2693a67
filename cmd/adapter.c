// SPDX-License-Identifier: BSD-2-Clause
// weir adapter: cards in the kernel and of running routers, beyond what cxgbetool's words can say.
#include "adapter_list.h"
#include "check.h"
#include "client.h"
#include "command.h"
#include "ctl_tables.h"
#include "kernel.h"
#include "load.h"
#include "router_save.h"

#include "base/text.h"
#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *out)
{
	fputs("usage: weir adapter create NAME IF [IF ...] [--mode native|skb] [--rules FILE] [--forward]\n"
	      "       weir adapter load NAME FILE [--try SECONDS]\n"
	      "       weir adapter attach|delete NAME\n"
	      "       weir adapter list [--json]\n"
	      "       weir adapter rules NAME [INDEX ...] [--json]\n"
	      "       weir adapter save NAME [FILE]\n"
	      "       weir adapter export NAME --nft|--pf|--tc|--ethtool [IF ...]\n"
	      "       weir adapter check NAME CAPTURE [--port N] [--json]\n\n"
	      "Cards in the kernel, and those of running routers.\n\n"
	      "  create   a card in the kernel: its rules meet all frames that come in by the\n"
	      "           interfaces IF, its ports in their order, and stay when the command ends\n"
	      "  load     a script of cxgbetool commands: its rules come in the place of all that a\n"
	      "           card has, at once\n"
	      "  attach   a card again to interfaces that went and are back\n"
	      "  delete   a card in the kernel\n"
	      "  list     the cards there are\n"
	      "  rules    a card's rules as words of cxgbetool, with all that its listing leaves\n"
	      "           out: NAT, swapped addresses\n"
	      "  save     the commands that rebuild the rules, to FILE or standard output\n"
	      "  export   the same rules for another firewall, equivalent, or refused by name; IF\n"
	      "           are the interfaces behind the card's ports, in their order\n"
	      "  check    what the rules do with the frames of a capture: a line a frame, with\n"
	      "           its number, pass, drop or switch, and the rule's index or -\n\n"
	      "  --port   the port of the card that the frames come in by (0)\n"
	      "  --mode   native: in the interface's driver; skb: later, but everywhere.  Without\n"
	      "           it native where the driver can, else skb, which is then told\n"
	      "  --rules  a script of cxgbetool commands, carried out before the first frame\n"
	      "  --forward  what the rules pass on is forwarded at once by the kernel's own routes;\n"
	      "           the kernel's firewall, NAT and traffic control do not see it\n"
	      "  --try    asks whether the rules are to stay, and takes them back unless that is\n"
	      "           confirmed in so many seconds, also if the terminal or the command ends\n"
	      "  --json   print objects, one a line, instead of a table\n"
	      "  -h, --help  this text\n",
		out);
}

static int misused(void)
{
	fputs("weir adapter: `weir adapter --help` tells how it is used\n", stderr);
	return 2;
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
	static const struct {
		const char *word;
		int (*run)(int argc, char **argv);
	} kernel[] = {{"create", kernel_create}, {"load", load_command}, {"attach", kernel_attach},
		{"delete", kernel_delete}};
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
	if (argc >= 2 && !json)
		for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++)
			if (strcmp(argv[1], kernel[i].word) == 0)
				return kernel[i].run(argc - 1, argv + 1);
	if (argc == 2 && strcmp(argv[1], "list") == 0)
		return adapter_list(json);
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

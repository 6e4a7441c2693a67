// SPDX-License-Identifier: BSD-2-Clause
#include "router_opts.h"

#include "command.h"

#include "adapter/adapter.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { MS_MAX = 3600000 };

enum {
	O_CONF = 256,
	O_PORT,
	O_SECONDS,
	O_LOOP,
	O_DRAIN,
	O_JSON,
	O_REPORT,
	O_MEMORY,
	O_NAME,
	O_SAVE,
	O_USER
};

static const struct option long_options[] = {
	{"conf", required_argument, NULL, O_CONF},
	{"port", required_argument, NULL, O_PORT},
	{"seconds", required_argument, NULL, O_SECONDS},
	{"report", required_argument, NULL, O_REPORT},
	{"memory", required_argument, NULL, O_MEMORY},
	{"name", required_argument, NULL, O_NAME},
	{"save", required_argument, NULL, O_SAVE},
	{"user", required_argument, NULL, O_USER},
	{"loop", no_argument, NULL, O_LOOP},
	{"drain", no_argument, NULL, O_DRAIN},
	{"json", no_argument, NULL, O_JSON},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

void router_usage(FILE *out)
{
	fputs("usage: weir router --conf DIR --port IF=PORT [--port IF=PORT ...] [OPTION ...]\n\n"
	      "Forwards IPv4 and IPv6 between ports as rc.conf, sysctl.conf and loader.conf in DIR\n"
	      "say, until it is interrupted; then prints what became of the packets.\n\n"
	      "  --conf DIR      the folder of the configuration files\n"
	      "  --port IF=PORT  the interface IF of the configuration is this port (mem:, pcap:,\n"
	      "                  null, xdp:, afpacket:, tap:, memif:, a PCI address, a Linux name)\n"
	      "  --name CARD     name of the card and of the control socket (t5nex0)\n"
	      "  --save FILE     keep the card's rules in FILE over a restart\n"
	      "  --user NAME     become this user once all is open (as root)\n"
	      "  --seconds N     stop after N seconds\n"
	      "  --drain         stop when all captures have been read\n"
	      "  --loop          repeat captures for ever, from memory\n"
	      "  --report MS     print a line of JSON every MS milliseconds\n"
	      "  --json          print the account as JSON\n"
	      "  --memory MB     memory for buffers and tables (512)\n"
	      "  -h, --help      this text\n",
		out);
}

static int add_port(struct router_options *o, const char *text)
{
	const char *eq = strchr(text, '=');

	if (eq == NULL || eq == text || eq[1] == '\0') {
		fprintf(stderr, "weir router: --port: '%s' is not of the form IF=PORT\n", text);
		return 2;
	}
	if (o->n_ports == PATH_PORTS_MAX) {
		fprintf(stderr, "weir router: --port: more than %d ports\n", PATH_PORTS_MAX);
		return 2;
	}
	o->port[o->n_ports++] = text;
	return 0;
}

static int add_name(struct router_options *o, const char *text)
{
	struct err err = {0};

	if (strlen(text) >= ADAPTER_NAME_MAX || adapter_name_check(text, &err) != 0) {
		fprintf(stderr,
			"weir router: --name: '%s' is no card's name: tCnexN, such as t5nex1\n",
			text);
		return 2;
	}
	o->name = text;
	return 0;
}

static int one_option(struct router_options *o, int c)
{
	switch (c) {
	case O_CONF:
		o->conf_dir = optarg;
		return 0;
	case O_PORT:
		return add_port(o, optarg);
	case O_SECONDS:
		return count_option("weir router", "seconds", UINT32_MAX, &o->seconds);
	case O_REPORT:
		return count_option("weir router", "report", MS_MAX, &o->report_ms);
	case O_MEMORY:
		return count_option("weir router", "memory", 1u << 20, &o->memory_mb);
	case O_NAME:
		return add_name(o, optarg);
	case O_SAVE:
		o->save = optarg;
		return 0;
	case O_USER:
		o->user = optarg;
		return 0;
	case O_LOOP:
		o->loop = true;
		return 0;
	case O_DRAIN:
		o->drain = true;
		return 0;
	case O_JSON:
		o->json = true;
		return 0;
	default:
		fputs("weir router: `weir router --help` lists the options\n", stderr);
		return 2;
	}
}

const char *router_port_text(const struct router_options *o, unsigned i)
{
	return strchr(o->port[i], '=') + 1;
}

bool router_is_capture(const char *name)
{
	return strncmp(name, "pcap:", 5) == 0 && name[5] != ',' && name[5] != '\0';
}

bool router_writes_capture(const char *name)
{
	return strncmp(name, "pcap:", 5) == 0 && strchr(name, ',') != NULL;
}

static bool any_capture(const struct router_options *o)
{
	for (unsigned i = 0; i < o->n_ports; i++)
		if (router_is_capture(router_port_text(o, i)))
			return true;
	return false;
}

int router_parse(struct router_options *o, int argc, char **argv)
{
	int c, rc;

	*o = (struct router_options){.name = "t5nex0"};
	optind = 0;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == 'h')
			return -1;
		rc = one_option(o, c);
		if (rc != 0)
			return rc;
	}
	if (optind < argc) {
		fprintf(stderr, "weir router: '%s' is not an option\n", argv[optind]);
		return 2;
	}
	if (o->conf_dir == NULL || o->n_ports == 0) {
		fputs("weir router: --conf and at least one --port are needed\n", stderr);
		return 2;
	}
	if ((o->drain || o->loop) && !any_capture(o)) {
		fprintf(stderr, "weir router: --%s: no port receives from a capture\n",
			o->drain ? "drain" : "loop");
		return 2;
	}
	// A capture's name is given to it at the end, which another user may not be allowed to.
	for (unsigned i = 0; i < o->n_ports && o->user != NULL; i++)
		if (router_writes_capture(router_port_text(o, i))) {
			fprintf(stderr,
				"weir router: --user: not with a port that writes a capture "
				"(%s)\n",
				o->port[i]);
			return 2;
		}
	if (o->drain && o->loop) {
		fputs("weir router: --drain never ends with --loop\n", stderr);
		return 2;
	}
	return 0;
}

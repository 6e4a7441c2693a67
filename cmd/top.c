// SPDX-License-Identifier: BSD-2-Clause
// weir top: what a running router or a card in the kernel does, again and again.
#include "client.h"
#include "command.h"
#include "top_term.h"
#include "top_view.h"

#include "base/clock.h"
#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTERVAL_MAX = 3600 };

struct options {
	const char *name;
	uint64_t count; // 0: for ever
	uint64_t interval_s;
	bool plain;
};

static void usage(FILE *out)
{
	fputs("usage: weir top [--once | --count N] [--interval S] [NAME]\n\n"
	      "Shows what a running router does: packets a second of each port, drops by reason,\n"
	      "hits of rules, cycles a packet of each stage; of a card in the kernel its ports and\n"
	      "rules.  Without a name: the only one there is.  q or ^C ends, the blank looks at\n"
	      "once.\n\n"
	      "  --once        print one frame as plain text\n"
	      "  --count N     print N frames as plain text\n"
	      "  --interval S  seconds between two looks (1)\n"
	      "  -h, --help    this text\n",
		out);
}

// 0; else the exit status, or -1 for help.
static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {{"once", no_argument, NULL, 'o'},
		{"count", required_argument, NULL, 'c'}, {"interval", required_argument, NULL, 'i'},
		{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int c, rc = 0;

	*o = (struct options){.interval_s = 1};
	optind = 0;
	while (rc == 0 && (c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'o' || c == 'c') {
			if (o->count != 0) {
				fputs("weir top: --once and --count: only one, once\n", stderr);
				return 2;
			}
			o->plain = true;
			o->count = 1;
			if (c == 'c')
				rc = count_option("weir top", "count", UINT32_MAX, &o->count);
		} else if (c == 'i') {
			rc = count_option("weir top", "interval", INTERVAL_MAX, &o->interval_s);
		} else if (c == 'h') {
			return -1;
		} else {
			fputs("weir top: `weir top --help` lists the options\n", stderr);
			return 2;
		}
	}
	if (rc != 0)
		return rc;
	if (optind + 1 < argc) {
		fprintf(stderr, "weir top: '%s' is one name too many\n", argv[optind + 1]);
		return 2;
	}
	o->name = argv[optind];
	return 0;
}

struct names {
	unsigned n;
	char first[CTL_NAME_MAX + 1], all[512];
};

static void one_name(void *arg, const char *name)
{
	struct names *s = arg;
	size_t at = strlen(s->all);

	if (s->n++ == 0)
		snprintf(s->first, sizeof(s->first), "%s", name);
	snprintf(s->all + at, sizeof(s->all) - at, " %s", name);
}

// The name of the only card there is.
static const char *only_name(struct names *s)
{
	struct err err = {0};

	if (xdp_card_each(one_name, s, &err) != 0 || ctl_each_name(one_name, s, &err) != 0) {
		fprintf(stderr, "weir top: %s\n", err.msg);
	} else if (s->n == 0) {
		client_no_card("weir top");
	} else if (s->n > 1) {
		fprintf(stderr, "weir top: which one? There are:%s\n", s->all);
	} else {
		return s->first;
	}
	return NULL;
}

static int draw(const struct options *o, const struct top_sample *before,
	const struct top_sample *now, bool first)
{
	unsigned rows, columns;
	char *text;

	term_size(&rows, &columns);
	text = top_frame(o->name, before, now, rows, columns);
	if (text == NULL)
		return -1;
	if (o->plain) {
		printf("%s%s", first ? "" : "\n", text);
		fflush(stdout);
	} else {
		term_draw(text);
	}
	free(text);
	return ferror(stdout) ? -1 : 0;
}

// Waits for the next look and draws again meanwhile if the size changes.  false: it ends.
static bool pause_between(const struct options *o, const struct top_sample *before,
	const struct top_sample *now, bool drawn)
{
	uint64_t due = clock_ns() + o->interval_s * 1000000000u;

	for (;;) {
		uint64_t at = clock_ns();

		if (at >= due)
			return true;
		switch (term_wait((int)((due - at) / 1000000u) + 1)) {
		case TERM_QUIT:
			return false;
		case TERM_NOW:
			return true;
		case TERM_REDRAW:
			if (drawn)
				draw(o, before, now, true);
			break;
		case TERM_TIME:
			break;
		}
	}
}

static int watch(const struct options *o, struct err *err)
{
	struct top_sample before = {0}, now = {0};
	int status = top_look(o->name, &now, err);

	// A live view is not blank for its first second: it begins with the totals.
	if (status == 0 && !o->plain)
		draw(o, &now, &now, true);
	for (uint64_t i = 0; status == 0 && (o->count == 0 || i < o->count); i++) {
		if (!pause_between(o, i > 0 ? &before : &now, &now, !o->plain))
			break;
		top_forget(&before);
		before = now;
		now = (struct top_sample){0};
		status = top_look(o->name, &now, err);
		if (status == 0 && draw(o, &before, &now, i == 0) != 0)
			break;
	}
	top_forget(&before);
	top_forget(&now);
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct names names = {0};
	struct err err = {0};
	struct options o;
	int status = parse(&o, argc, argv);

	if (status != 0) {
		if (status < 0)
			usage(stdout);
		return status < 0 ? 0 : status;
	}
	if (o.name == NULL)
		o.name = only_name(&names);
	if (o.name == NULL)
		return 1;
	if (!isatty(STDOUT_FILENO))
		o.plain = true;
	if (term_open(!o.plain, &err) != 0) {
		fprintf(stderr, "weir top: %s\n", err.msg);
		return 1;
	}
	status = watch(&o, &err);
	term_close();
	return client_complain("weir top", o.name, status, &err);
}

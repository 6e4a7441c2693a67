// SPDX-License-Identifier: BSD-2-Clause
#include "top_view.h"

#include "client.h"
#include "ctl_tables.h"
#include "table.h"
#include "top_rules.h"

#include "ctl/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_DEFAULT = 10 };

int top_look(const char *name, struct top_sample *out, struct err *err)
{
	char *stats[] = {(char *)"stats"}, *hits[] = {(char *)"hits"};
	int status;

	*out = (struct top_sample){.stats = json_array(), .hits = json_array()};
	status = client_ask(name, 1, stats, client_keep, out->stats, err);
	if (status == 0)
		status = client_ask(name, 1, hits, client_keep, out->hits, err);
	if (status != 0)
		top_forget(out);
	return status;
}

void top_forget(struct top_sample *s)
{
	json_decref(s->stats);
	json_decref(s->hits);
	*s = (struct top_sample){0};
}

// The object of that type, and with that text behind key (NULL: whichever); NULL.
static const json_t *find(const json_t *all, const char *type, const char *key, const char *text)
{
	const json_t *o;
	size_t i;

	json_array_foreach(
		all, i, o) if (strcmp(ctl_string(o, "type"), type) == 0 &&
			       (key == NULL || strcmp(ctl_string(o, key), text) == 0)) return o;
	return NULL;
}

struct view {
	const struct top_sample *before, *now;
	double seconds; // between the two; 0: nothing can be said
	FILE *out;
	unsigned columns;
};

// How much a count grew; what was not there before grew from 0.
static double grown(const json_t *before, const json_t *now, const char *field)
{
	uint64_t a = ctl_number(before, field), b = ctl_number(now, field);

	return b >= a ? (double)(b - a) : 0;
}

static double rate(const struct view *v, const json_t *before, const json_t *now, const char *field)
{
	return v->seconds > 0 ? grown(before, now, field) / v->seconds : 0;
}

// "9999", "12.35 k", "1.23 M"
static const char *human(double n, char *out, size_t size)
{
	static const char units[] = " kMGTP";
	unsigned u = 0;

	while (n >= (u == 0 ? 9999.5 : 999.95) && u + 2 < sizeof(units)) {
		n /= 1000;
		u++;
	}
	if (u == 0)
		snprintf(out, size, "%.0f", n);
	else
		snprintf(out, size, "%.*f %c", n < 100 ? 2 : n < 1000 ? 1 : 0, n, units[u]);
	return out;
}

static void cell(struct table *t, double n)
{
	char text[32];

	table_text(t, human(n, text, sizeof(text)));
}

static bool in_kernel(const json_t *info)
{
	return strcmp(ctl_string(info, "place"), "kernel") == 0;
}

static void head(const struct view *v, const char *name)
{
	const json_t *a = find(v->before->stats, "total", NULL, NULL),
		     *b = find(v->now->stats, "total", NULL, NULL),
		     *info = find(v->now->stats, "info", NULL, NULL);
	uint64_t up = ctl_number(info, "up_ns") / 1000000000u;
	double busy = v->seconds > 0 ? grown(a, b, "busy_cycles") /
					       (double)ctl_number(b, "cycles_per_second") /
					       v->seconds * 100
				     : 0;
	char in[32], sent[32], dropped[32], made[32];

	if (in_kernel(info)) {
		fprintf(v->out, "%s  up %" PRIu64 ":%02u:%02u  in the kernel  %" PRIu64 " rules\n",
			name, up / 3600, (unsigned)(up / 60 % 60), (unsigned)(up % 60),
			ctl_number(info, "rules"));
		return;
	}

	fprintf(v->out,
		"%s  up %" PRIu64 ":%02u:%02u  pid %" PRIu64 "  %" PRIu64
		" rules  worker %.0f %% busy\n",
		name, up / 3600, (unsigned)(up / 60 % 60), (unsigned)(up % 60),
		ctl_number(info, "pid"), ctl_number(info, "rules"), busy > 100 ? 100 : busy);
	fprintf(v->out,
		"packets/s  in %s  made here %s  sent %s  dropped %s;  queued %" PRIu64 "\n",
		human(rate(v, a, b, "in"), in, sizeof(in)),
		human(rate(v, a, b, "made"), made, sizeof(made)),
		human(rate(v, a, b, "sent"), sent, sizeof(sent)),
		human(rate(v, a, b, "dropped"), dropped, sizeof(dropped)), ctl_number(b, "queued"));
}

// One table: its rows are the objects of a type, each beside itself of before.
static void section(const struct view *v, const char *type, const char *key, const char *columns,
	const char *const *heads)
{
	struct table t;
	const json_t *o;
	size_t i;

	table_begin(&t, columns, heads);
	json_array_foreach(v->now->stats, i, o)
	{
		const json_t *was;

		if (strcmp(ctl_string(o, "type"), type) != 0)
			continue;
		was = find(v->before->stats, type, key, ctl_string(o, key));
		table_text(&t, ctl_string(o, key));
		if (strcmp(type, "port") == 0) {
			cell(&t, rate(v, was, o, "rx_packets"));
			cell(&t, rate(v, was, o, "rx_bytes") * 8);
			cell(&t, rate(v, was, o, "tx_packets"));
			cell(&t, rate(v, was, o, "tx_bytes") * 8);
			cell(&t, rate(v, was, o, "rx_missed"));
			cell(&t, rate(v, was, o, "rx_errors") + rate(v, was, o, "tx_errors"));
		} else if (strcmp(type, "stage") == 0) {
			double packets = grown(was, o, "packets");

			cell(&t, rate(v, was, o, "packets"));
			if (packets > 0)
				table_printf(&t, "%.1f", grown(was, o, "cycles") / packets);
			else
				table_text(&t, "-");
		} else {
			cell(&t, rate(v, was, o, "packets"));
			table_number(&t, ctl_number(o, "packets"));
			table_text(&t, ctl_string(o, "text"));
		}
	}
	if (t.n > t.n_columns)
		putc('\n', v->out);
	table_end(&t, v->out, v->columns);
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static double seconds_between(const struct top_sample *before, const struct top_sample *now)
{
	const json_t *a = find(before->stats, "info", NULL, NULL),
		     *b = find(now->stats, "info", NULL, NULL);

	// Another process or card has the name now: its counters began anew.
	if (ctl_number(a, "pid") != ctl_number(b, "pid") ||
		ctl_number(a, "made_ns") != ctl_number(b, "made_ns"))
		return 0;
	if (in_kernel(b))
		return grown(a, b, "ns") / 1e9;
	return grown(find(before->stats, "total", NULL, NULL),
		       find(now->stats, "total", NULL, NULL), "ns") /
	       1e9;
}

char *top_frame(const char *name, const struct top_sample *before, const struct top_sample *now,
	unsigned rows, unsigned columns)
{
	char *text = NULL;
	size_t len;
	struct view v = {.before = before,
		.now = now,
		.seconds = seconds_between(before, now),
		.out = open_memstream(&text, &len),
		.columns = columns};
	unsigned used, n_rules = RULES_DEFAULT;

	if (v.out == NULL)
		return NULL;
	head(&v, name);
	section(&v, "port", "iface", "lrrrrrr",
		(const char *[]){"port", "rx pps", "rx bit/s", "tx pps", "tx bit/s", "missed/s",
			"errors/s"});
	section(&v, "stage", "name", "lrr",
		(const char *[]){"stage", "packets/s", "cycles a packet"});
	section(&v, "drop", "reason", "lrrl", (const char *[]){"dropped", "pps", "total", ""});
	fflush(v.out);
	used = text != NULL ? lines_of(text) : 0;
	if (rows != 0)
		n_rules = rows > used + 2 ? rows - used - 2 : 0;
	top_rules(name, before->hits, now->hits, v.seconds, n_rules, v.out, columns);
	if (fclose(v.out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "ctl_tables.h"

#include "table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

uint64_t ctl_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

const char *ctl_string(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s != NULL ? s : "";
}

static bool is(const json_t *object, const char *type)
{
	return strcmp(ctl_string(object, "type"), type) == 0;
}

// A line between two tables.
static void gap(FILE *out, bool *first)
{
	if (!*first)
		putc('\n', out);
	*first = false;
}

static void info(const json_t *o, FILE *out)
{
	uint64_t s = ctl_number(o, "up_ns") / 1000000000u, rules = ctl_number(o, "rules");

	if (strcmp(ctl_string(o, "place"), "kernel") == 0) {
		fprintf(out, "%s: in the kernel, up %" PRIu64 ":%02u:%02u, %" PRIu64 " rule%s\n",
			ctl_string(o, "name"), s / 3600, (unsigned)(s / 60 % 60),
			(unsigned)(s % 60), rules, rules == 1 ? "" : "s");
		return;
	}
	fprintf(out, "%s: weir %s, pid %" PRIu64 ", up %" PRIu64 ":%02u:%02u, %" PRIu64 " rule%s\n",
		ctl_string(o, "name"), ctl_string(o, "version"), ctl_number(o, "pid"), s / 3600,
		(unsigned)(s / 60 % 60), (unsigned)(s % 60), rules, rules == 1 ? "" : "s");
}

static void total(const json_t *o, FILE *out)
{
	fprintf(out,
		"in %" PRIu64 ", made here %" PRIu64 ", sent %" PRIu64 ", queued %" PRIu64
		", dropped %" PRIu64 "\n",
		ctl_number(o, "in"), ctl_number(o, "made"), ctl_number(o, "sent"),
		ctl_number(o, "queued"), ctl_number(o, "dropped"));
	if (ctl_number(o, "icmp_sent") + ctl_number(o, "icmp_limited") > 0)
		fprintf(out, "ICMP errors: %" PRIu64 " sent, %" PRIu64 " held back by the limit\n",
			ctl_number(o, "icmp_sent"), ctl_number(o, "icmp_limited"));
	if (ctl_number(o, "fragmented") > 0)
		fprintf(out, "fragmented %" PRIu64 " packet%s into %" PRIu64 "\n",
			ctl_number(o, "fragmented"), ctl_number(o, "fragmented") == 1 ? "" : "s",
			ctl_number(o, "fragments"));
}

static void port(struct table *t, const json_t *o)
{
	table_text(t, ctl_string(o, "iface"));
	table_text(t, ctl_string(o, "port"));
	table_number(t, ctl_number(o, "rx_packets"));
	table_number(t, ctl_number(o, "rx_bytes"));
	table_number(t, ctl_number(o, "rx_missed"));
	table_number(t, ctl_number(o, "rx_errors"));
	table_number(t, ctl_number(o, "tx_packets"));
	table_number(t, ctl_number(o, "tx_bytes"));
	table_number(t, ctl_number(o, "tx_errors"));
}

static void drop(struct table *t, const json_t *o)
{
	table_number(t, ctl_number(o, "packets"));
	table_text(t, ctl_string(o, "reason"));
	table_text(t, ctl_string(o, "text"));
}

static void stage(struct table *t, const json_t *o)
{
	uint64_t calls = ctl_number(o, "calls"), packets = ctl_number(o, "packets");

	table_text(t, ctl_string(o, "name"));
	table_number(t, calls);
	table_number(t, packets);
	table_printf(t, "%.1f", calls != 0 ? (double)packets / (double)calls : 0);
	if (packets != 0)
		table_printf(t, "%.1f", (double)ctl_number(o, "cycles") / (double)packets);
	else
		table_text(t, "-");
}

static void rule(struct table *t, const json_t *o)
{
	table_printf(t, "%s%" PRIu64, json_is_true(json_object_get(o, "hash")) ? "hash " : "",
		ctl_number(o, "idx"));
	if (json_is_null(json_object_get(o, "hits")))
		table_text(t, "-");
	else
		table_number(t, ctl_number(o, "hits"));
	table_text(t, ctl_string(o, "words"));
}

void ctl_tables(const json_t *all, FILE *out)
{
	static const struct {
		const char *type, *columns;
		const char *heads[TABLE_COLUMNS];
		void (*row)(struct table *t, const json_t *o);
	} tables[] = {
		{"port", "llrrrrrrr",
			{"interface", "port", "rx packets", "rx bytes", "missed", "errors",
				"tx packets", "tx bytes", "errors"},
			port},
		{"drop", "rll", {"dropped", "reason", ""}, drop},
		{"stage", "lrrrr", {"stage", "calls", "packets", "a call", "cycles a packet"},
			stage},
		{"rule", "rrl", {"index", "hits", "rule"}, rule},
	};
	bool first = true;
	const json_t *o;
	size_t i;

	json_array_foreach(all, i, o)
	{
		if (is(o, "info"))
			info(o, out);
		else if (is(o, "total"))
			total(o, out);
		else
			continue;
		first = false;
	}
	for (size_t k = 0; k < sizeof(tables) / sizeof(tables[0]); k++) {
		struct table t;

		table_begin(&t, tables[k].columns, tables[k].heads);
		json_array_foreach(all, i, o) if (is(o, tables[k].type)) tables[k].row(&t, o);
		if (t.n > t.n_columns)
			gap(out, &first);
		table_end(&t, out, 0);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
#include "adapter_list.h"

#include "client.h"
#include "ctl_tables.h"
#include "kernel.h"
#include "table.h"

#include "ctl/ctl.h"
#include "xdp/xdp.h"

#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512 };

static void router_card(void *arg, const char *name)
{
	char *info[] = {(char *)"info"};
	struct err err = {0};
	int status = ctl_request(name, 1, info, client_keep, arg, &err);

	if (status != 0)
		client_complain("weir adapter", name, status, &err);
}

// A card that cannot be opened is there all the same.
static void kernel_card(void *arg, const char *name)
{
	char *info[] = {(char *)"info"};
	struct err err = {0};

	if (kernel_request(name, 1, info, client_keep, arg, &err) != 0)
		json_array_append_new(arg, json_pack("{s:s, s:s, s:s, s:s}", "type", "info", "name",
						   name, "place", "kernel", "error", err.msg));
}

static void add(char line[LINE_MAX_BYTES], const char *between, const char *text)
{
	size_t at = strlen(line);

	snprintf(line + at, LINE_MAX_BYTES - at, "%s%s", at > 0 ? between : "", text);
}

// The texts of an array; once, if they are all the same and `once` is true.
static void put_texts(struct table *t, const json_t *texts, bool once)
{
	const char *first = json_string_value(json_array_get(texts, 0));
	char line[LINE_MAX_BYTES] = "";
	bool same = once && first != NULL;
	const json_t *p;
	size_t k;

	json_array_foreach(texts, k, p)
	{
		const char *text = json_string_value(p);

		add(line, " ", text != NULL ? text : "-");
		same = same && text != NULL && strcmp(text, first) == 0;
	}
	table_text(t, same ? first : line[0] != '\0' ? line : "-");
}

// "attached", or what is not, by its name; the process of a router.
static void put_state(struct table *t, const json_t *o)
{
	const json_t *ports = json_object_get(o, "ports"), *states = json_object_get(o, "states");
	const char *error = json_string_value(json_object_get(o, "error"));
	char line[LINE_MAX_BYTES] = "";
	const json_t *p;
	size_t k;

	if (error != NULL) {
		table_text(t, error);
		return;
	}
	if (states == NULL) {
		table_printf(t, "pid %llu", (unsigned long long)ctl_number(o, "pid"));
		return;
	}
	json_array_foreach(states, k, p)
	{
		if (strcmp(json_string_value(p), "attached") == 0)
			continue;
		add(line, ", ", json_string_value(json_array_get(ports, k)));
		add(line, ": ", json_string_value(p));
	}
	table_text(t, line[0] != '\0' ? line : "attached");
}

static void print_cards(const json_t *all)
{
	struct table t;
	const json_t *o;
	size_t i;

	table_begin(&t, "llrllll",
		(const char *[]){"card", "place", "rules", "ports", "mode", "programs", "state"});
	json_array_foreach(all, i, o)
	{
		table_text(&t, ctl_string(o, "name"));
		table_text(&t, ctl_string(o, "place"));
		if (json_object_get(o, "rules") != NULL)
			table_number(&t, ctl_number(o, "rules"));
		else
			table_text(&t, "-");
		put_texts(&t, json_object_get(o, "ports"), false);
		put_texts(&t, json_object_get(o, "modes"), true);
		put_texts(&t, json_object_get(o, "programs"), true);
		put_state(&t, o);
	}
	table_end(&t, stdout, 0);
}

int adapter_list(bool json)
{
	json_t *all = json_array();
	struct err err = {0};
	size_t n;

	if (xdp_card_each(kernel_card, all, &err) != 0 ||
		ctl_each_name(router_card, all, &err) != 0) {
		fprintf(stderr, "weir adapter: %s\n", err.msg);
		json_decref(all);
		return 1;
	}
	n = json_array_size(all);
	if (n == 0)
		client_no_card("weir adapter");
	else if (json)
		for (size_t i = 0; i < n; i++)
			client_print_json(NULL, json_array_get(all, i));
	else
		print_cards(all);
	json_decref(all);
	return n == 0;
}

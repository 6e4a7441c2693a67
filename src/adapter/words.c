// SPDX-License-Identifier: BSD-2-Clause
// words.c - which command a line is, and the commands about rules.
#include "adapter/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void tell(const struct remarks *r, const struct adapter_out *out)
{
	for (const char *p = r->text; *p != '\0'; p = strchr(p, '\n') + 1)
		say_error(out, "warning: %.*s", (int)strcspn(p, "\n"), p);
}

static int set(struct adapter *a, bool hash, bool idx_given, uint32_t idx, int argc,
	char *const *argv, const struct adapter_out *out)
{
	struct remarks remarks = {.len = 0};
	struct adapter_filter f;
	struct err err = {0};
	int rc = filter_parse(argc, argv, hash, &f, &remarks, out);

	if (rc != 0)
		return rc;
	rc = table_check(a, idx, idx_given, &f, &err);
	if (rc == 0)
		rc = table_set(a, &idx, &f, &err);
	if (rc != 0)
		return say_refused(out, "SET_FILTER", rc, &err);
	tell(&remarks, out);
	if (hash)
		say(out, "%d", (int)idx);
	return 0;
}

static int delete (struct adapter *a, bool hash, uint32_t idx, int argc, char *const *argv,
	const struct adapter_out *out)
{
	uint32_t prio = 0;
	struct err err = {0};
	int rc;

	if (argc == 3) {
		if (hash)
			return say_error(out, "stray arguments after \"%s\".", argv[0]);
		if (strcmp(argv[1], "prio") != 0)
			return say_error(out,
				"\"prio\" is the only valid keyword after \"%s\", found \"%s\" instead.",
				argv[0], argv[1]);
		if (!number_u32(argv[2], &prio) || prio > 1)
			return say_error(
				out, "%s \"%s\"; must be \"0\" or \"1\".", argv[1], argv[2]);
	}
	rc = table_delete(a, idx, prio == 1, hash, &err);
	return rc == 0 ? 0 : say_refused(out, "DEL_FILTER", rc, &err);
}

static int rules(
	struct adapter *a, bool hash, int argc, char *const *argv, const struct adapter_out *out)
{
	uint32_t idx;

	if (argc == 0)
		return say_error(out, "%sfilter: no arguments.", hash ? "hash" : "");
	if (strcmp(argv[0], "list") == 0) {
		if (argc != 1)
			say_error(out, "trailing arguments after \"list\" ignored.");
		return list_show(a, hash, out);
	}
	if (strcmp(argv[0], "mode") == 0)
		return argc == 1 ? mode_show(a, hash, out)
				 : mode_set(a, hash, argc - 1, argv + 1, out);
	if (!number_u32(argv[0], &idx)) {
		if (hash)
			return set(a, true, false, 0, argc, argv, out);
		return say_error(
			out, "\"%s\" is neither an index nor a filter subcommand.", argv[0]);
	}
	if ((argc == 2 || argc == 4) &&
		(strcmp(argv[1], "delete") == 0 || strcmp(argv[1], "clear") == 0))
		return delete (a, hash, idx, argc - 1, argv + 1, out);
	return set(a, hash, true, idx, argc - 1, argv + 1, out);
}

static int words_filter(
	struct adapter *a, int argc, char *const *argv, const struct adapter_out *out)
{
	return rules(a, false, argc, argv, out);
}

static int words_hashfilter(
	struct adapter *a, int argc, char *const *argv, const struct adapter_out *out)
{
	return rules(a, true, argc, argv, out);
}

struct unsupported {
	const char *name, *request;
	int code;
	const char *why;
};

// What needs a chip.
static const struct unsupported unsupported[] = {
	{"policy", "SET_OFLD_POLICY", ENODEV, "this card has no TCP offload engine to steer"},
	{"sched-class", "SCHED_CLASS", ENOTSUP,
		"this card has no transmit scheduler; tc(8) shapes an interface"},
	{"sched-queue", "SCHED_QUEUE", ENOTSUP,
		"this card has no transmit scheduler; tc(8) shapes an interface"},
	{"tracer", "SET_TRACER", ENOTSUP,
		"this card has no tracers; tcpdump(8) shows a port's packets"},
	{"modinfo", "GET_I2C", ENOTSUP,
		"this card has no module cages; ethtool -m reads an interface's"},
	{"i2c", "GET_I2C", ENOTSUP,
		"this card has no module cages; ethtool -m reads an interface's"},
	{"context", "GET_SGE_CONTEXT", ENOTSUP, "this card is software and has no queue contexts"},
	{"tcb", "GET_MEM", ENOTSUP, "this card is software and has no connection table"},
	{"memdump", "GET_MEM", ENOTSUP, "this card is software and has no memory of its own"},
	{"reg", "GETREG", ENOTSUP, "this card is software and has no registers"},
	{"reg32", "GETREG", ENOTSUP, "this card is software and has no registers"},
	{"reg64", "GETREG", ENOTSUP, "this card is software and has no registers"},
	{"regdump", "REGDUMP", ENOTSUP, "this card is software and has no registers"},
	{"dumpstate", "CUDBG_DUMP", ENOTSUP, "this card is software and has no chip state"},
	{"loadfw", "LOAD_FW", ENOTSUP, "this card is software and has no flash"},
	{"loadcfg", "LOAD_CFG", ENOTSUP, "this card is software and has no flash"},
	{"loadboot", "LOAD_BOOT", ENOTSUP, "this card is software and has no flash"},
	{"loadboot-cfg", "LOAD_BOOTCFG", ENOTSUP, "this card is software and has no flash"},
};

int adapter_command(struct adapter *a, int argc, char *const *argv, const struct adapter_out *out)
{
	static const struct {
		const char *name;
		int (*run)(struct adapter *a, int argc, char *const *argv,
			const struct adapter_out *out);
	} commands[] = {
		{"filter", words_filter},
		{"hashfilter", words_hashfilter},
		{"clearstats", words_clearstats},
		{"clip", words_clip},
	};

	if (argc < 1)
		return say_error(out, "no command");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(a, argc - 1, argv + 1, out);
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++)
		if (strcmp(argv[0], unsupported[i].name) == 0) {
			say_error(out, "%s: %s", argv[0], unsupported[i].why);
			return say_refused(out, unsupported[i].request, unsupported[i].code, NULL);
		}
	return say_error(out, "invalid command \"%s\"", argv[0]);
}

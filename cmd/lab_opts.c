// SPDX-License-Identifier: BSD-2-Clause
// lab_opts.c - the command line of `weir lab`.
#include "lab_cmd.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	O_DUT = 256,
	O_RUNS,
	O_SECONDS,
	O_RATE,
	O_LEN,
	O_LEN6,
	O_SRC,
	O_DST,
	O_SRC6,
	O_DST6,
	O_SEED,
	O_MARGIN,
	O_NAME,
	O_JSON,
	O_CONDITIONS,
	O_BASELINE,
	O_QUICK,
	O_AA,
	O_NO_AA,
	O_SLOWER,
	O_IN,
	O_OUT,
	O_DMAC,
	O_OWNER,
	O_PORTS,
};

static const struct {
	int id;
	const char *name, *arg, *text;
} table[] = {
	{O_DUT, "dut", "weir|linux|xdp|wire", "the device under test (weir)"},
	{'4', NULL, NULL, "IPv4 only"},
	{'6', NULL, NULL, "IPv6 only"},
	{O_RUNS, "runs", "N", "valid runs of each arm (16, or what 75 s allow)"},
	{O_SECONDS, "seconds", "S",
		"length of a run's measured part (0.6; with all built-in filters 0.2)"},
	{O_RATE, "rate", "PPS", "packets a second to offer, 0 = as many as possible (0)"},
	{O_LEN, "len", "BYTES", "IPv4 frame length without CRC (60)"},
	{O_LEN6, "len6", "BYTES", "IPv6 frame length without CRC (62)"},
	{O_SRC, "src", "RANGE", "IPv4 sources (198.18.10.1:2000-198.18.10.100)"},
	{O_DST, "dst", "RANGE", "IPv4 destinations (198.19.10.1:2000-198.19.10.20)"},
	{O_SRC6, "src6", "RANGE", "IPv6 sources ([2001:2:0:1::1]:2000-[2001:2:0:1::14])"},
	{O_DST6, "dst6", "RANGE",
		"IPv6 destinations ([2001:2:0:8001::1]:2000-[2001:2:0:8001::64])"},
	{O_SEED, "seed", "N", "of the order of runs and of the bootstrap (from the clock)"},
	{O_MARGIN, "margin", "PERCENT", "M of \"equivalent within M%\" (2)"},
	{O_CONDITIONS, "conditions", "NAME,...", "only these of DIR, or of those built in"},
	{O_BASELINE, "baseline", "NAME", "the condition the others are compared with"},
	{O_NAME, "name", "NAME", "of the experiment, for the results' folder (lab, or DIR's)"},
	{'o', NULL, "FOLDER", "where results go (runs/TIME-NAME)"},
	{O_JSON, "json", NULL, "print results.json instead of the table"},
	{O_QUICK, "quick", NULL, "8 runs of 0.2 s: a look, not a measurement"},
	{O_NO_AA, "no-aa", NULL, "no A/A arm, so no noise floor"},
	{O_AA, "aa", "N", "N experiments with nothing to find; print the verdicts"},
	{O_SLOWER, "fail-if-slower", "PERCENT", "exit 1 if a condition is proven slower by more"},
	{O_PORTS, "ports", "afpacket|xdp",
		"dut linux, xdp: how the tester sends and receives (xdp)"},
	{O_OUT, "out", "PORT", "dut wire: the port frames leave the tester by"},
	{O_IN, "in", "PORT", "dut wire: the port they come back to"},
	{O_DMAC, "dmac", "MAC", "dut wire: the box's MAC on the side of --out"},
	{O_OWNER, "i-own-this-network", NULL, "allow other than benchmark addresses (RFC 6815)"},
	{'h', "help", NULL, "this text"},
};

enum { N_OPTIONS = sizeof(table) / sizeof(table[0]) };

void lab_cmd_usage(FILE *out)
{
	fputs("usage: weir lab [OPTION ...] [DIR]\n"
	      "       weir lab report FOLDER\n\n"
	      "Measures what a router forwards.  Without DIR: Weir's own router, in memory, with the\n"
	      "settings of the forwarding lab.  DIR holds a folder of settings (rc.conf, sysctl.conf,\n"
	      "loader.conf, setup.sh, cxgbetool.sh) for each condition that is to be compared.\n\n",
		out);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		char left[64];
		int n = 0;

		if (table[i].id < 256)
			n = snprintf(left, sizeof(left), "-%c%s", table[i].id,
				table[i].name != NULL ? ", " : "");
		if (table[i].name != NULL)
			n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s", table[i].name);
		if (table[i].arg != NULL)
			snprintf(left + n, sizeof(left) - (size_t)n, " %s", table[i].arg);
		fprintf(out, "  %-24s %s\n", left, table[i].text);
	}
	fputs("\nExit: 0 done, 3 not valid, 4 command line or settings, 5 not allowed here; with\n"
	      "--fail-if-slower 1 slower, 2 not decided.  weir-lab(8) is the manual.\n",
		out);
}

static const char *name_of(int id)
{
	static char letter[] = "-x";

	for (unsigned i = 0; i < N_OPTIONS; i++)
		if (table[i].id == id && table[i].name != NULL)
			return table[i].name;
	letter[1] = (char)id;
	return letter;
}

static int count(int id, uint64_t min, uint64_t max, uint64_t *out, struct err *err)
{
	if (text_u64(optarg, max, out, err) != 0)
		return err_context(err, "--%s", name_of(id));
	if (*out < min)
		return err_set(err, EINVAL, "--%s: %s is less than %llu", name_of(id), optarg,
			(unsigned long long)min);
	return 0;
}

// A decimal number with a point, in (0, max] (or [0, max]).
static int decimal(int id, bool zero, double max, double *out, struct err *err)
{
	char *end;
	double v = strtod(optarg, &end);

	if (end == optarg || *end != '\0' || strspn(optarg, "0123456789.") != strlen(optarg))
		return err_set(err, EINVAL, "--%s: '%s' is not a number", name_of(id), optarg);
	if (v < 0 || (v == 0 && !zero) || v > max)
		return err_set(err, EINVAL, "--%s: %s is not in the range up to %g", name_of(id),
			optarg, max);
	*out = v;
	return 0;
}

static int word(int id, const char *const *words, unsigned n, unsigned *out, struct err *err)
{
	char known[96] = "";
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		if (strcmp(optarg, words[i]) == 0) {
			*out = i;
			return 0;
		}
	for (unsigned i = 0; i < n && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s",
			i == 0      ? ""
			: i + 1 < n ? ", "
				    : " or ",
			words[i]);
	return err_set(err, EINVAL, "--%s: '%s' is not %s", name_of(id), optarg, known);
}

// The options that are about the device.
static int device_option(struct lab_cmd *c, int id, struct err *err)
{
	static const char *const devices[] = {"weir", "linux", "xdp", "wire"};
	static const char *const ports[] = {"afpacket", "xdp"};
	unsigned v = 0;

	switch (id) {
	case O_DUT:
		if (word(id, devices, 4, &v, err) != 0)
			return -EINVAL;
		c->device = (enum lab_device)v;
		return 0;
	case O_PORTS:
		if (word(id, ports, 2, &v, err) != 0)
			return -EINVAL;
		c->linux_ports = ports[v];
		return 0;
	case O_DMAC:
		c->has_dmac = true;
		return mac_parse(optarg, &c->dmac, err) == 0 ? 0 : err_context(err, "--dmac");
	case O_IN:
		c->in = optarg;
		return 0;
	case O_OUT:
		c->out = optarg;
		return 0;
	case O_OWNER:
		c->owner = true;
		return 0;
	default:
		return 1;
	}
}

// The options that are about the traffic.
static int traffic_option(struct lab_cmd *c, int id, struct err *err)
{
	switch (id) {
	case '4':
		c->only4 = true;
		return 0;
	case '6':
		c->only6 = true;
		return 0;
	case O_RATE:
		return count(id, 0, 10000000000u, &c->rate, err);
	case O_LEN:
		return count(id, 60, GEN_LEN_MAX, &c->len[0], err);
	case O_LEN6:
		return count(id, 62, GEN_LEN_MAX, &c->len[1], err);
	case O_SRC:
	case O_SRC6:
		c->src[id == O_SRC6] = optarg;
		return 0;
	case O_DST:
	case O_DST6:
		c->dst[id == O_DST6] = optarg;
		return 0;
	default:
		return 1;
	}
}

// The options that are about the method.
static int method_option(struct lab_cmd *c, int id, struct err *err)
{
	uint64_t v;
	double d;

	switch (id) {
	case O_RUNS:
		if (count(id, 1, 10000, &v, err) != 0)
			return -EINVAL;
		c->o.n_runs = (unsigned)v;
		return 0;
	case O_AA:
		if (count(id, 1, 10000, &v, err) != 0)
			return -EINVAL;
		c->n_aa = (unsigned)v;
		return 0;
	case O_SECONDS:
		return decimal(id, false, 86400, &c->o.run_s, err);
	case O_SEED:
		return count(id, 1, UINT64_MAX, &c->o.seed, err);
	case O_MARGIN:
		if (decimal(id, false, 50, &d, err) != 0)
			return -EINVAL;
		c->o.margin = d / 100;
		return 0;
	case O_SLOWER:
		if (decimal(id, true, 99, &d, err) != 0)
			return -EINVAL;
		c->fail_if_slower = d / 100;
		return 0;
	case O_NO_AA:
		c->o.no_aa = true;
		return 0;
	case O_QUICK:
		c->quick = true;
		return 0;
	default:
		return 1;
	}
}

static int option(struct lab_cmd *c, int id, char **argv, struct err *err)
{
	int rc;

	if ((id == 'o' || id == O_NAME) && optarg[0] == '\0')
		return err_set(err, EINVAL, "%s: the name is empty", id == 'o' ? "-o" : "--name");
	for (const char *p = id == O_NAME ? optarg : ""; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			return err_set(err, EINVAL, "--name %s: a control character", optarg);
	rc = device_option(c, id, err);
	if (rc == 1)
		rc = traffic_option(c, id, err);
	if (rc == 1)
		rc = method_option(c, id, err);
	if (rc != 1)
		return rc;
	switch (id) {
	case O_CONDITIONS:
		c->only = optarg;
		return 0;
	case O_BASELINE:
		c->baseline = optarg;
		return 0;
	case O_NAME:
		c->o.name = optarg;
		return 0;
	case 'o':
		c->o.folder = optarg;
		return 0;
	case O_JSON:
		c->json = true;
		return 0;
	case 'h':
		c->help = true;
		return 0;
	case ':':
		return err_set(err, EINVAL, "%s needs a value", argv[optind - 1]);
	default:
		return err_set(
			err, EINVAL, "'%s' is not an option; --help lists them", argv[optind - 1]);
	}
}

static int one_traffic(const struct lab_cmd *c, int family, struct lab_traffic *t, struct err *err)
{
	unsigned i = family == 6;

	lab_traffic_default(family, t);
	if (c->len[i] != 0)
		t->gen.len = (uint16_t)c->len[i];
	t->gen.rate_pps = c->rate;
	if (c->src[i] != NULL && gen_range_parse(c->src[i], family, &t->gen.src, err) != 0)
		return err_context(err, "--src%s", i ? "6" : "");
	if (c->dst[i] != NULL && gen_range_parse(c->dst[i], family, &t->gen.dst, err) != 0)
		return err_context(err, "--dst%s", i ? "6" : "");
	return gen_conf_check(&t->gen, err);
}

static int make_traffic(struct lab_cmd *c, struct err *err)
{
	unsigned n = 0;

	if (c->only4 && c->only6)
		return err_set(err, EINVAL, "-4 and -6 exclude each other");
	if (!c->only6 && one_traffic(c, 4, &c->traffic[n++], err) != 0)
		return -EINVAL;
	if (!c->only4 && one_traffic(c, 6, &c->traffic[n++], err) != 0)
		return -EINVAL;
	c->o.traffic = c->traffic;
	c->o.n_traffic = n;
	return 0;
}

// Options that need others, or have no meaning with them.
static int check(const struct lab_cmd *c, struct err *err)
{
	bool wire = c->device == DEVICE_WIRE;

	if (wire && (c->out == NULL || c->in == NULL || !c->has_dmac))
		return err_set(err, EINVAL, "--dut wire needs --out, --in and --dmac");
	if (!wire && (c->out != NULL || c->in != NULL || c->has_dmac))
		return err_set(err, EINVAL, "--out, --in and --dmac are for --dut wire");
	if (c->device != DEVICE_LINUX && c->device != DEVICE_XDP && c->linux_ports != NULL)
		return err_set(err, EINVAL, "--ports is for --dut linux and xdp");
	if (c->n_aa > 0 && (c->o.no_aa || c->fail_if_slower >= 0 || c->json || c->o.folder != NULL))
		return err_set(err, EINVAL,
			"--aa compares nothing and keeps nothing: not with --no-aa, "
			"--fail-if-slower, --json or -o");
	if (c->quick && (c->o.n_runs > 0 || c->o.run_s > 0))
		return err_set(err, EINVAL, "--quick sets --runs and --seconds");
	return 0;
}

// Appends a word in quotes of /bin/sh; returns the new length, which may be more than size.
static size_t quote(char *out, size_t size, size_t at, const char *word)
{
	const char *piece = " '";

	for (;; word++) {
		int n = (int)strcspn(word, "'");

		if (at >= size)
			return at;
		at += (size_t)snprintf(out + at, size - at, "%s%.*s", piece, n, word);
		word += n;
		if (*word == '\0')
			return at < size ? at + (size_t)snprintf(out + at, size - at, "'") : at;
		piece = "'\\''";
	}
}

// The command line, so that it can be given to a shell again.
static void remember(struct lab_cmd *c, int argc, char **argv)
{
	size_t at = (size_t)snprintf(c->command, sizeof(c->command), "weir lab");

	for (int i = 1; i < argc && at + 1 < sizeof(c->command); i++) {
		bool plain = argv[i][0] != '\0';

		for (const char *p = argv[i]; *p != '\0'; p++)
			plain = plain && (isalnum((unsigned char)*p) || strchr("-_./,:=+@%", *p));
		if (plain)
			at += (size_t)snprintf(
				c->command + at, sizeof(c->command) - at, " %s", argv[i]);
		else
			at = quote(c->command, sizeof(c->command), at, argv[i]);
	}
	c->o.command = c->command;
}

static int read_options(struct lab_cmd *c, int argc, char **argv, struct err *err)
{
	struct option longs[N_OPTIONS + 1] = {{0}};
	char shorts[2 * N_OPTIONS + 2] = ":";
	unsigned n = 0;
	int id, rc = 0;

	for (unsigned i = 0; i < N_OPTIONS; i++) {
		if (table[i].id < 256) {
			size_t at = strlen(shorts);

			snprintf(shorts + at, sizeof(shorts) - at, "%c%s", table[i].id,
				table[i].arg != NULL ? ":" : "");
		}
		if (table[i].name != NULL)
			longs[n++] = (struct option){table[i].name,
				table[i].arg != NULL ? required_argument : no_argument, NULL,
				table[i].id};
	}
	optind = 1;
	opterr = 0;
	while (rc == 0 && (id = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
		rc = option(c, id, argv, err);
	return rc;
}

int lab_cmd_parse(struct lab_cmd *c, int argc, char **argv, struct err *err)
{
	int rc;

	*c = (struct lab_cmd){.fail_if_slower = -1};
	remember(c, argc, argv);
	rc = read_options(c, argc, argv, err);
	if (rc != 0 || c->help)
		return rc;
	argc -= optind;
	argv += optind;
	if (argc > 0 && strcmp(argv[0], "report") == 0) {
		if (argc != 2)
			return err_set(err, EINVAL, "report: one results folder is needed");
		if (argv[1][0] == '\0')
			return err_set(
				err, EINVAL, "report: the name of the results folder is empty");
		c->report = argv[1];
		return 0;
	}
	if (argc > 1)
		return err_set(err, EINVAL, "'%s': only one DIR can be given", argv[1]);
	if (argc > 0 && argv[0][0] == '\0')
		return err_set(err, EINVAL, "the name of the folder of conditions is empty");
	c->dir = argc > 0 ? argv[0] : NULL;
	// Without rules, and not to forward, it would be --dut linux under another name.
	if (c->device == DEVICE_XDP && c->dir == NULL)
		return err_set(err, EINVAL,
			"--dut xdp needs a folder of conditions, in which cards have rules");
	rc = check(c, err);
	if (rc == 0)
		rc = make_traffic(c, err);
	return rc;
}

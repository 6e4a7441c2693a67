// SPDX-License-Identifier: BSD-2-Clause
// stat_opts.c - the options of `weir stat`.
//
// Short options, messages and exit codes are those of FreeBSD's ministat; what it lacks has long
// names.
#include "stat_opts.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MIN = 2, WIDTH_MAX = 1 << 20, WIDTH_DEFAULT = 74 };

enum {
	OPT_COMPAT = 256,
	OPT_MODERN,
	OPT_BLOCKS,
	OPT_MARGIN,
	OPT_NOISE,
	OPT_SEED,
	OPT_SMALLER,
	OPT_JSON,
	OPT_HELP
};

static const struct option long_options[] = {
	{"compat", no_argument, NULL, OPT_COMPAT},
	{"modern", no_argument, NULL, OPT_MODERN},
	{"blocks", no_argument, NULL, OPT_BLOCKS},
	{"margin", required_argument, NULL, OPT_MARGIN},
	{"noise", required_argument, NULL, OPT_NOISE},
	{"seed", required_argument, NULL, OPT_SEED},
	{"smaller-is-better", no_argument, NULL, OPT_SMALLER},
	{"json", no_argument, NULL, OPT_JSON},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

static void print_usage(FILE *out)
{
	fputs("Usage: ministat [-Anqs] [-C column] [-c confidence] [-d delimiter(s)] [-w width] "
	      "[file ...]]\n"
	      "\tconfidence = {80%, 90%, 95%, 98%, 99%, 99.5%}\n"
	      "\t-A : print statistics only. suppress the graph.\n"
	      "\t-C : column number to extract (starts and defaults to 1)\n"
	      "\t-d : delimiter(s) string, default to \" \\t\"\n"
	      "\t-n : print summary statistics only, no graph/test\n"
	      "\t-q : suppress printing summary-statistics headers and data-set names\n"
	      "\t-s : print avg/median/stddev bars on separate lines\n"
	      "\t-w : width of graph/test output (default 74 or terminal width)\n",
		out);
}

static void print_help(void)
{
	print_usage(stdout);
	puts("\t--help : print this\n"
	     "\t--compat : keep the original's wrong figures (see ministat(1))\n"
	     "\t--modern : add exact rank tests, intervals and a verdict for each set but the first\n"
	     "With --modern:\n"
	     "\t--blocks : value i of each set belongs to block i (runs taken in turns)\n"
	     "\t--margin percent : an effect within it is no difference that matters (default 2)\n"
	     "\t--noise percent : noise floor; a smaller effect is never a difference (default 0)\n"
	     "\t--seed number : of the bootstrap (default 1)\n"
	     "\t--smaller-is-better : for times and latencies\n"
	     "\t--json : print one JSON object and nothing else");
}

static int whine(const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
	print_usage(stderr);
	return STAT_EXIT_BAD;
}

static int bad_option(const struct stat_opts *o, int c, char **argv)
{
	if (optopt != 0 && optopt < OPT_COMPAT)
		fprintf(stderr, "%s: %s -- %c\n", o->self,
			c == ':' ? "option requires an argument" : "illegal option", optopt);
	else
		fprintf(stderr, "%s: %s -- %s\n", o->self,
			c == ':' ? "option requires an argument" : "illegal option",
			argv[optind - 1] + 2);
	return whine("Unknown option");
}

// strtol as the original calls it: an empty word is 0, a number too large is the largest.
static bool whole(const char *word, long *out)
{
	char *end;

	*out = strtol(word, &end, 10);
	return *end == '\0';
}

static int set_column(struct stat_opts *o)
{
	long v;

	if (!whole(optarg, &v))
		return whine("Invalid column number.");
	if (v <= 0)
		return whine("Column number should be positive.");
	o->column = v > UINT_MAX ? UINT_MAX : (unsigned)v;
	return 0;
}

static int set_confidence(struct stat_opts *o)
{
	char *end;
	double v = strtod(optarg, &end);

	if (*end != '\0')
		return whine("Not a floating point number");
	if (!ministat_has_confidence(v))
		return whine("No support for confidence level");
	o->box.confidence = v;
	return 0;
}

static int set_width(struct stat_opts *o)
{
	long v;

	if (!whole(optarg, &v))
		return whine("Invalid width, not a number.");
	// The original dies of a plot 0 or 1 columns wide.
	if (v < WIDTH_MIN)
		return whine("Unable to move beyond left margin.");
	if (v > WIDTH_MAX)
		return whine("A plot that wide is of no use.");
	o->box.width = (int)v;
	return 0;
}

static int set_percent(const struct stat_opts *o, const char *option, double least, double *out)
{
	char *end;
	double v = strtod(optarg, &end);

	if (end != optarg && *end == '%')
		end++;
	if (end == optarg || *end != '\0' || !(v >= least && v <= 1000)) {
		fprintf(stderr, "%s: --%s %s: not a percentage from %g to 1000\n", o->self, option,
			optarg, least);
		return STAT_EXIT_BAD;
	}
	*out = v / 100;
	return 0;
}

static int set_seed(struct stat_opts *o)
{
	char *end;

	errno = 0;
	o->compare.seed = strtoull(optarg, &end, 10);
	if (*optarg < '0' || *optarg > '9' || *end != '\0' || errno != 0 || o->compare.seed == 0 ||
		o->compare.seed > INT64_MAX) {
		fprintf(stderr, "%s: --seed %s: not a number from 1 to %lld\n", o->self, optarg,
			(long long)INT64_MAX);
		return STAT_EXIT_BAD;
	}
	return 0;
}

static int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = WIDTH_DEFAULT;

	if (!isatty(STDOUT_FILENO))
		return width;
	if (columns != NULL && *columns != '\0')
		width = atoi(columns);
	else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col - 2;
	return width < WIDTH_MIN || width > WIDTH_MAX ? WIDTH_DEFAULT : width;
}

static int set_short(struct stat_opts *o, int c)
{
	o->box_option |= c != 'C' && c != 'd';
	switch (c) {
	case 'A':
		o->box.no_plot = true;
		return 0;
	case 'n':
		o->box.vitals_only = true;
		return 0;
	case 'q':
		o->box.quiet = true;
		return 0;
	case 's':
		o->box.one_bar_line = true;
		return 0;
	case 'C':
		return set_column(o);
	case 'c':
		return set_confidence(o);
	case 'w':
		return set_width(o);
	default:
		if (*optarg == '\0')
			return whine("Can't use empty delimiter string");
		o->delim = optarg;
		return 0;
	}
}

static int set_long(struct stat_opts *o, int c, const char *name)
{
	if (c == OPT_COMPAT || c == OPT_MODERN) {
		o->box.compat |= c == OPT_COMPAT;
		o->modern |= c == OPT_MODERN;
		return 0;
	}
	o->modern_only = name;
	switch (c) {
	case OPT_BLOCKS:
		o->blocks = true;
		return 0;
	case OPT_SMALLER:
		o->compare.smaller_is_better = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_MARGIN:
		return set_percent(o, name, 1e-6, &o->compare.margin);
	case OPT_NOISE:
		return set_percent(o, name, 0, &o->compare.noise);
	default:
		return set_seed(o);
	}
}

// Options that do not go together, and the number of files.
static int check(const struct stat_opts *o, int n_files)
{
	if (o->modern_only != NULL && !o->modern) {
		fprintf(stderr, "%s: --%s goes with --modern\n", o->self, o->modern_only);
		return STAT_EXIT_BAD;
	}
	if (o->json && (o->box_option || o->box.compat)) {
		fprintf(stderr,
			"%s: --json prints no box: -A -c -n -q -s -w and --compat do not go with it\n",
			o->self);
		return STAT_EXIT_BAD;
	}
	if (n_files > MINISTAT_SETS)
		return whine("Too many datasets.");
	if (o->modern && n_files < 2) {
		fprintf(stderr, "%s: --modern compares: it needs two files or more\n", o->self);
		return STAT_EXIT_BAD;
	}
	return 0;
}

int stat_options(struct stat_opts *o, int argc, char **argv, bool *done)
{
	int rc = 0;
	int at = 0;
	int c;

	*o = (struct stat_opts){.column = 1, .delim = " \t"};
	o->self = strcmp(argv[0], "stat") == 0 ? "weir stat" : "ministat";
	opterr = 0;
	while (rc == 0 && (c = getopt_long(argc, argv, ":AC:c:d:nqsw:", long_options, &at)) != -1) {
		*done = c == OPT_HELP;
		if (*done) {
			print_help();
			return 0;
		}
		if (c == '?' || c == ':')
			return bad_option(o, c, argv);
		rc = c < OPT_COMPAT ? set_short(o, c) : set_long(o, c, long_options[at].name);
	}
	if (o->box.width == 0)
		o->box.width = terminal_width();
	return rc != 0 ? rc : check(o, argc - optind);
}

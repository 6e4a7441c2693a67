// SPDX-License-Identifier: BSD-2-Clause
// stat.c - `weir stat`, also as `ministat`: from files to figures.
#include "command.h"
#include "stat_modern.h"
#include "stat_opts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// All files are opened before one is read, as in the original.
static int open_all(const struct stat_opts *o, char **files, unsigned n, int *fd)
{
	for (unsigned i = 0; i < n; i++) {
		fd[i] = strcmp(files[i], "-") == 0 ? STDIN_FILENO
						   : open(files[i], O_RDONLY | O_CLOEXEC);
		if (fd[i] < 0) {
			fprintf(stderr, "%s: Cannot open %s: %s\n", o->self,
				files[i][0] != '\0' ? files[i] : "''", strerror(errno));
			return STAT_EXIT_BAD;
		}
	}
	return 0;
}

static int read_all(
	const struct stat_opts *o, char **files, unsigned n, const int *fd, struct sample *s)
{
	struct err err = {0};

	for (unsigned i = 0; i < n; i++) {
		if (series_read(fd[i], files[i], o->column, o->delim, &s[i], &err) != 0) {
			fprintf(stderr, "%s: %s\n", o->self, err.msg);
			return STAT_EXIT_BAD;
		}
		if (s[i].n < MINISTAT_MIN) {
			fprintf(stderr, "Dataset %s must contain at least 3 data points\n",
				files[i]);
			return STAT_EXIT_BAD;
		}
	}
	return 0;
}

static int show(const struct stat_opts *o, const struct sample *s, unsigned n)
{
	struct comparison c[MINISTAT_SETS];
	struct err err = {0};
	int rc = 0;

	if (o->modern)
		rc = stat_compare(s, n, o->blocks, &o->compare, c, &err);
	if (rc == 0 && !o->json)
		rc = ministat_print(stdout, s, n, &o->box, &err);
	if (rc == 0 && o->modern && !o->json)
		stat_print_text(s, n, c);
	if (rc == 0 && o->json && stat_print_json(s, n, c) != 0)
		rc = err_set(&err, ENOMEM, "no memory for JSON");
	if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		rc = err_set(&err, errno, "standard output: %s", strerror(errno));
	if (rc == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", o->self, err.msg);
	return STAT_EXIT_BAD;
}

int cmd_stat(int argc, char **argv)
{
	static char standard_input[] = "<stdin>";
	char *no_file[] = {standard_input};
	struct stat_opts o;
	struct sample s[MINISTAT_SETS] = {0};
	int fd[MINISTAT_SETS] = {STDIN_FILENO};
	bool done = false;
	char **files = no_file;
	unsigned n = 1;
	int rc = stat_options(&o, argc, argv, &done);

	if (rc != 0 || done)
		return rc;
	if (optind < argc) {
		n = (unsigned)(argc - optind);
		files = argv + optind;
		rc = open_all(&o, files, n, fd);
	}
	if (rc == 0)
		rc = read_all(&o, files, n, fd, s);
	if (rc == 0)
		rc = show(&o, s, n);
	for (unsigned i = 0; i < n; i++)
		series_free(&s[i]);
	return rc;
}

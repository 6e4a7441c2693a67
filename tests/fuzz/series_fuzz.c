// SPDX-License-Identifier: BSD-2-Clause
// Any bytes as a series file, after two that choose column and delimiters: read as by a slow reader
// made of strtok and strtod, and what was read can be shown and compared.
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VALUES_MAX = 4096 };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool blank(char c)
{
	return strchr(" \t\n\v\f\r", c) != NULL;
}

// The value of one line: 1, 0 (there is none) or -1 (bad).
static int slow_line(char *line, unsigned column, const char *delim, double *v)
{
	size_t len = strlen(line);
	char *save, *tok, *end, *comma;

	while (len > 0 && blank(line[len - 1]))
		line[--len] = '\0';
	tok = strtok_r(line, delim, &save);
	for (unsigned i = 1; tok != NULL && *tok != '#' && i < column; i++)
		tok = strtok_r(NULL, delim, &save);
	if (tok == NULL || *tok == '#')
		return 0;
	comma = strchr(tok, ',');
	if (comma != NULL)
		*comma = '.';
	*v = strtod(tok, &end);
	return *end == '\0' && isfinite(*v) ? 1 : -1;
}

// As series_parse; the number of values, or -1.
static int slow_read(char *text, unsigned column, const char *delim, double *v)
{
	int n = 0;

	for (char *line = text, *next; line != NULL; line = next) {
		double value;
		int got;

		next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		got = slow_line(line, column, delim, &value);
		if (got < 0)
			return -1;
		if (got > 0 && n < VALUES_MAX)
			v[n++] = value;
	}
	return n;
}

static void use(const struct sample *s, FILE *out, bool compare_too)
{
	struct sample half = {"half", s->v, s->n / 2};
	const struct sample sets[] = {*s, {"rest", s->v + half.n, s->n - half.n}, half};
	struct ministat_opts o = {.compat = s->n % 2 == 0, .width = 20};
	struct comparison c;
	char text[100];

	if (half.n < MINISTAT_MIN)
		return;
	check(ministat_print(out, sets, 3, &o, NULL) == 0);
	if (!compare_too) // the bootstrap takes a thousand times as long as the rest
		return;
	check(compare(&half, &sets[1], &(struct compare_opts){0}, &c, NULL) == 0);
	check(strlen(verdict_text(&c, text, sizeof(text))) > 0 && strlen(c.why) > 0);
	check(compare_blocks(&half, &half, &(struct compare_opts){0}, &c, NULL) == 0);
	check(c.verdict != FASTER && c.verdict != SLOWER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const delims[] = {" \t", ",", ";:", ".", "1"};
	static FILE *null;
	double *want = malloc(VALUES_MAX * sizeof(*want));
	struct sample s = {0};
	unsigned column;
	const char *delim;
	char *text;
	int n, rc;

	if (null == NULL)
		null = fopen("/dev/null", "w");
	text = size >= 2 && size < VALUES_MAX ? strndup((const char *)data + 2, size - 2) : NULL;
	if (want == NULL || text == NULL || null == NULL) {
		free(want);
		free(text);
		return 0;
	}
	column = 1 + data[0] % 3;
	delim = delims[data[1] % 5];
	rc = series_parse((const char *)data + 2, size - 2, "f", column, delim, &s, NULL);
	// A NUL byte ends the text for the slow reader only.
	if (strlen(text) == size - 2) {
		n = slow_read(text, column, delim, want);
		check((rc == 0) == (n >= 0));
		if (rc == 0)
			check(s.n == (unsigned)n &&
				(n == 0 || memcmp(s.v, want, s.n * sizeof(*want)) == 0));
	}
	if (rc == 0) {
		use(&s, null, data[0] % 32 == 31);
		series_free(&s);
	}
	free(text);
	free(want);
	return 0;
}

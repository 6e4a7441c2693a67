// SPDX-License-Identifier: BSD-2-Clause
// series.c - files of one value a line.
#include "stats/decimal.h"
#include "stats/pages.h"
#include "stats/stats.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 18, FIRST_VALUES = 1 << 12 };

struct reader {
	const char *name;
	unsigned column;
	bool delim[256];
	bool plain; // a line that is nothing but a number needs no splitting
	unsigned long line;
	double *v;
	size_t n, cap;
};

static void reader_init(struct reader *r, const char *name, unsigned column, const char *delim)
{
	*r = (struct reader){.name = name, .column = column};
	r->plain = column == 1 && strpbrk(delim, "0123456789+-.eE") == NULL;
	for (; *delim != '\0'; delim++)
		r->delim[(unsigned char)*delim] = true;
}

static int add(struct reader *r, double v, struct err *err)
{
	if (r->n == r->cap) {
		size_t cap = r->cap == 0 ? FIRST_VALUES : r->cap * 2;
		double *more = cap <= UINT_MAX ? realloc(r->v, cap * sizeof(*more)) : NULL;

		if (more == NULL)
			return err_set(err, ENOMEM, "%s: no memory for line %lu", r->name, r->line);
		pages_ready(more + r->n, (cap - r->n) * sizeof(*more));
		r->v = more;
		r->cap = cap;
	}
	r->v[r->n++] = v;
	return 0;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

// The token in the wanted column of [p, end), or NULL if the line has none; *stop is its end.
static char *token(const struct reader *r, char *p, const char *end, char **stop)
{
	for (unsigned i = 1;; i++) {
		char *q;

		while (p < end && r->delim[(unsigned char)*p])
			p++;
		if (p == end || *p == '#')
			return NULL;
		for (q = p; q < end && !r->delim[(unsigned char)*q]; q++)
			;
		if (i == r->column) {
			*stop = q;
			return p;
		}
		p = q;
	}
}

// One line without its newline; *end may be overwritten.
static int take_line(struct reader *r, char *line, char *end, struct err *err)
{
	char *tok, *stop, *comma, *rest;
	double v;

	r->line++;
	while (end > line && blank(end[-1]))
		end--;
	tok = token(r, line, end, &stop);
	if (tok == NULL)
		return 0;
	*stop = '\0';
	v = decimal_strtod(tok, &rest);
	comma = rest != stop ? memchr(tok, ',', (size_t)(stop - tok)) : NULL;
	if (comma != NULL) { // wherever rest is: nothing of "-,5" is a number
		*comma = '.';
		v = decimal_strtod(tok, &rest);
	}
	if (rest != stop || !isfinite(v))
		return err_set(err, EINVAL, "Invalid data \"%s\" on line %lu in %s", tok, r->line,
			r->name);
	return add(r, v, err);
}

// The whole lines of [p, end); *rest is the beginning of the last, unfinished one.  A byte may be
// written at end.
static int take_lines(struct reader *r, char *p, char *end, char **rest, struct err *err)
{
	int rc = 0;

	*end = '\0'; // no number is read beyond
	while (rc == 0) {
		const char *after;
		double v;
		char *nl;

		if (r->plain && (after = decimal_plain(p, &v)) != NULL && *after == '\n') {
			r->line++;
			rc = add(r, v, err);
			p += after + 1 - p;
			continue;
		}
		nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			break;
		rc = take_line(r, p, nl, err);
		p = nl + 1;
	}
	*rest = p;
	return rc;
}

static int finish(struct reader *r, int rc, struct sample *out)
{
	if (rc != 0) {
		free(r->v);
		return rc;
	}
	*out = (struct sample){.name = r->name, .v = r->v, .n = (unsigned)r->n};
	return 0;
}

// Makes room for another block behind `used` bytes and the NUL that take_line may write.
static int grow(char **buf, size_t *size, size_t used)
{
	char *more;

	if (*size >= used + BLOCK + 1)
		return 0;
	more = realloc(*buf, used * 2 + BLOCK + 1);
	if (more == NULL)
		return -ENOMEM;
	*buf = more;
	*size = used * 2 + BLOCK + 1;
	return 0;
}

int series_read(int fd, const char *name, unsigned column, const char *delim, struct sample *out,
	struct err *err)
{
	struct reader r;
	char *buf = NULL;
	size_t size = 0;
	size_t used = 0;
	int rc = 0;

	reader_init(&r, name, column, delim);
	while (rc == 0) {
		char *rest;
		ssize_t got;

		if (grow(&buf, &size, used) != 0) {
			rc = err_set(err, ENOMEM, "%s: a line too long for memory", name);
			break;
		}
		got = read(fd, buf + used, BLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = err_set(err, errno, "Cannot read %s: %s", name, strerror(errno));
		if (got <= 0)
			break;
		rc = take_lines(&r, buf, buf + used + got, &rest, err);
		used = (size_t)(buf + used + got - rest);
		memmove(buf, rest, used);
	}
	if (rc == 0 && used > 0)
		rc = take_line(&r, buf, buf + used, err);
	free(buf);
	return finish(&r, rc, out);
}

int series_parse(const char *text, size_t len, const char *name, unsigned column, const char *delim,
	struct sample *out, struct err *err)
{
	struct reader r;
	char *buf = malloc(len + 1);
	char *rest;
	int rc;

	if (buf == NULL)
		return err_set(err, ENOMEM, "%s: out of memory", name);
	if (len > 0)
		memcpy(buf, text, len);
	reader_init(&r, name, column, delim);
	rc = take_lines(&r, buf, buf + len, &rest, err);
	if (rc == 0 && rest < buf + len)
		rc = take_line(&r, rest, buf + len, err);
	free(buf);
	return finish(&r, rc, out);
}

void series_free(struct sample *s)
{
	free((double *)(uintptr_t)s->v);
	s->v = NULL;
	s->n = 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// shell.c - one pass over the text, one character of look-ahead.
//
// peek() hides line continuations (a backslash and a newline), which sh removes before it looks
// for tokens.  Only single quotes and comments see the text as it is.
#include "conf/shell.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lex {
	const char *p;
	const char *file; // or a whole "file:line" if line is 0
	unsigned line;
	struct vars *vars, *unset; // NULL: no references here
	struct err *err;
	char *buf; // the word being read, SHELL_VALUE_MAX + 1 bytes
	size_t n;
};

static int fail(const struct lex *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int fail(const struct lex *l, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (l->line == 0)
		return err_set(l->err, EINVAL, "%s: %s", l->file, what);
	return err_set(l->err, EINVAL, "%s:%u: %s", l->file, l->line, what);
}

static char peek(struct lex *l)
{
	while (l->p[0] == '\\' && l->p[1] == '\n') {
		l->p += 2;
		l->line += l->line != 0;
	}
	return *l->p;
}

static void skip(struct lex *l)
{
	if (*l->p == '\n')
		l->line += l->line != 0;
	l->p++;
}

static int put(struct lex *l, const char *s, size_t n)
{
	if (n > SHELL_VALUE_MAX - l->n)
		return fail(l, "the value is longer than 65536 bytes");
	memcpy(l->buf + l->n, s, n);
	l->n += n;
	return 0;
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

// Reads a name into out[max]; the caller has seen its first character.
static int name(struct lex *l, char *out, size_t max)
{
	size_t n = 0;

	while (is_name(peek(l))) {
		if (n + 1 == max)
			return fail(l, "a name is too long");
		out[n++] = *l->p;
		skip(l);
	}
	out[n] = '\0';
	return 0;
}

enum { NAME_MAX_BYTES = 256 };

// Behind a `$`.
static int reference(struct lex *l)
{
	char key[NAME_MAX_BYTES], where[CONF_WHERE_MAX];
	bool brace = peek(l) == '{';
	struct var *v;

	if (l->vars == NULL)
		return fail(l, "a `$` inside of a value's words is not read");
	if (brace)
		skip(l);
	if (!is_name_start(peek(l))) {
		if (brace || (*l->p != '\0' && strchr("(@*#?-$!0123456789", *l->p) != NULL))
			return fail(l, "of the $ forms only $NAME and ${NAME} are read");
		return put(l, "$", 1);
	}
	if (name(l, key, sizeof(key)) != 0)
		return -EINVAL;
	if (brace) {
		if (peek(l) != '}')
			return fail(l, "of the ${...} forms only ${NAME} is read");
		skip(l);
	}
	v = vars_find(l->vars, key);
	if (v != NULL) {
		v->referred = true;
		return put(l, v->value, strlen(v->value));
	}
	where_text(where, l->file, l->line);
	return vars_set(l->unset, key, "", where, l->err);
}

static int single_quoted(struct lex *l)
{
	while (*++l->p != '\'') {
		if (*l->p == '\0')
			return fail(l, "a ' is never closed");
		if (*l->p == '\r')
			return fail(l, "a carriage return: the file has DOS line ends");
		if (put(l, l->p, 1) != 0)
			return -EINVAL;
		if (*l->p == '\n')
			l->line += l->line != 0;
	}
	l->p++;
	return 0;
}

static int double_quoted(struct lex *l)
{
	unsigned opened = l->line;

	skip(l);
	for (;;) {
		char c = peek(l);
		int rc;

		if (c == '\0') {
			l->line = opened;
			return fail(l, "a \" is never closed");
		}
		if (c == '`')
			return fail(l, "a command substitution is not read");
		if (c == '\r')
			return fail(l, "a carriage return: the file has DOS line ends");
		if (c == '\\' && l->p[1] != '\0' && strchr("$`\"\\", l->p[1]) != NULL)
			c = *++l->p;
		else if (c == '$' || c == '"') {
			skip(l);
			if (c == '"')
				return 0;
			if (reference(l) != 0)
				return -EINVAL;
			continue;
		}
		rc = put(l, &c, 1);
		if (rc != 0)
			return rc;
		skip(l);
	}
}

// A piece of a word outside of quotes.
static int bare(struct lex *l, bool at_tilde_place)
{
	char c = peek(l);

	switch (c) {
	case '`':
		return fail(l, "a command substitution is not read");
	case '&':
	case '|':
	case '<':
	case '>':
	case '(':
	case ')':
		return fail(l, "'%c' has a meaning to sh that is not read; quote it", c);
	case '\r':
		return fail(l, "a carriage return: the file has DOS line ends");
	case '~':
		if (at_tilde_place)
			return fail(l, "a ~ for a home directory is not read; quote it");
		break;
	case '$':
		skip(l);
		if (peek(l) == '\'' || peek(l) == '"')
			return fail(l, "the $'...' and $\"...\" quotes are not read");
		return reference(l);
	case '\\':
		if (l->p[1] == '\0')
			return fail(l, "a backslash ends the file");
		skip(l);
		break;
	default:
		break;
	}
	if (put(l, l->p, 1) != 0)
		return -EINVAL;
	skip(l);
	return 0;
}

// One word into l->buf, NUL-terminated; ends before a blank, a newline, a `;` or the end.
static int word(struct lex *l)
{
	bool tilde = true;
	int rc = 0;

	l->n = 0;
	while (rc == 0 && peek(l) != '\0' && strchr(" \t\n;", *l->p) == NULL) {
		bool colon = *l->p == ':';

		if (*l->p == '\'')
			rc = single_quoted(l);
		else if (*l->p == '"')
			rc = double_quoted(l);
		else
			rc = bare(l, tilde);
		tilde = colon;
	}
	l->buf[l->n] = '\0';
	return rc;
}

static int not_assignment(const struct lex *l)
{
	int n = (int)strcspn(l->p, " \t\r\n=;"), shown = n > 60 ? 60 : n + (n == 0);

	if (l->p[n] == '=' && n > 0 && l->p[n - 1] == '+')
		return fail(l, "NAME+=value is not sh; write NAME=\"${NAME} value\"");
	if (l->p[n] == '=' && n > 0)
		return fail(l,
			"'%.*s' is not a variable's name (write each . - / + of an interface's "
			"name as _)",
			shown, l->p);
	return fail(l, "'%.*s' is not an assignment NAME=value", shown, l->p);
}

static int assignment(struct lex *l, size_t *total)
{
	char key[NAME_MAX_BYTES], where[CONF_WHERE_MAX];
	struct lex start;

	(void)peek(l);
	start = *l;
	where_text(where, l->file, l->line);
	if (!is_name_start(*l->p))
		return not_assignment(l);
	if (name(l, key, sizeof(key)) != 0)
		return -EINVAL;
	if (peek(l) != '=')
		return not_assignment(&start);
	skip(l);
	if (word(l) != 0)
		return -EINVAL;
	*total += l->n;
	if (*total > SHELL_FILE_MAX)
		return fail(l, "the values of this file are longer than 16777216 bytes together");
	return vars_set(l->vars, key, l->buf, where, l->err);
}

static int assignments(struct lex *l)
{
	bool some = false; // of the command that a `;` would end
	size_t total = 0;

	for (;;) {
		char c = peek(l);

		if (c == '\0')
			return 0;
		if (c == ' ' || c == '\t') {
			skip(l);
		} else if (c == '#') {
			l->p += strcspn(l->p, "\n");
		} else if (c == '\n' || c == ';') {
			if (c == ';' && !some)
				return fail(l, "a ; with nothing before it");
			skip(l);
			some = false;
		} else {
			int rc = assignment(l, &total);

			if (rc != 0)
				return rc;
			some = true;
		}
	}
}

int shell_read(
	struct vars *v, struct vars *unset, const char *file, const char *text, struct err *err)
{
	struct lex l = {.p = text, .file = file, .line = 1, .vars = v, .unset = unset, .err = err};
	int rc;

	l.buf = malloc(SHELL_VALUE_MAX + 1);
	if (l.buf == NULL)
		return err_set(err, ENOMEM, "out of memory");
	rc = assignments(&l);
	free(l.buf);
	return rc;
}

// A word never gets longer by being unquoted, so the words, each with its NUL, fit beside at most
// strlen / 2 + 1 pointers.
static char **words_block(const char *text, char **bytes, struct err *err)
{
	size_t len = strlen(text), most = len / 2 + 1;
	char **w = malloc(most * sizeof(*w) + len + 2);

	if (w == NULL) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	*bytes = (char *)(w + most);
	return w;
}

int shell_words(
	const char *text, const char *where, char ***words, unsigned *n_words, struct err *err)
{
	struct lex l = {.p = text, .file = where, .err = err};
	char *bytes;
	char **w;
	unsigned n = 0;

	if (strlen(text) > SHELL_VALUE_MAX)
		return err_set(err, EINVAL, "%s: the value is longer than 65536 bytes", where);
	w = words_block(text, &bytes, err);
	if (w == NULL)
		return -ENOMEM;
	for (;;) {
		while (peek(&l) != '\0' && strchr(" \t\n", *l.p) != NULL)
			l.p++;
		if (*l.p == '\0')
			break;
		if (*l.p == '#' || *l.p == ';') {
			fail(&l, "a bare # or ; ends the words early; quote it");
			goto bad;
		}
		l.buf = bytes;
		if (word(&l) != 0)
			goto bad;
		if (*l.p == ';') {
			fail(&l, "a bare # or ; ends the words early; quote it");
			goto bad;
		}
		w[n++] = bytes;
		bytes += l.n + 1;
	}
	*words = w;
	*n_words = n;
	return 0;
bad:
	free(w);
	return -EINVAL;
}

int plain_words(const char *text, char ***words, unsigned *n_words, struct err *err)
{
	char *bytes, *save = NULL;
	char **w = words_block(text, &bytes, err);
	unsigned n = 0;

	if (w == NULL)
		return -ENOMEM;
	strcpy(bytes, text);
	for (char *t = strtok_r(bytes, " \t\n", &save); t != NULL;
		t = strtok_r(NULL, " \t\n", &save))
		w[n++] = t;
	*words = w;
	*n_words = n;
	return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// settings.c - one line at a time; both formats know no continuation.
#include "conf/settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

static const char blanks[] = " \t";

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("._-/%", c) != NULL);
}

static int bad(struct err *err, const char *where, const char *what, const char *text)
{
	return err_set(err, EINVAL, "%s: %.63s: %s", where, text, what);
}

// Reads NAME and the = behind it.  The line is cut behind the name; *value is the rest.
static int name_of(
	char *line, char **value, bool blank_before_equals, const char *where, struct err *err)
{
	size_t n = 0, end;

	while (is_name(line[n]))
		n++;
	end = n + strspn(line + n, blanks);
	if (n == 0 || line[end] != '=')
		return bad(err, where, "not a line NAME=VALUE", line);
	if (end > n && !blank_before_equals)
		return bad(
			err, where, "a blank before the =; FreeBSD would not find the name", line);
	line[n] = '\0';
	*value = line + end + 1 + strspn(line + end + 1, blanks);
	return 0;
}

static void trim_end(char *line)
{
	size_t n = strlen(line);

	while (n > 0 && strchr(blanks, line[n - 1]) != NULL)
		line[--n] = '\0';
}

static int sysctl_line(struct vars *v, char *line, const char *where, struct err *err)
{
	char *out = line, *value;
	size_t n;
	int rc;

	for (const char *in = line; *in != '\0' && *in != '#'; in++) {
		if (in[0] == '\\' && in[1] == '#')
			in++;
		*out++ = *in;
	}
	*out = '\0';
	trim_end(line);
	line += strspn(line, blanks);
	if (*line == '\0')
		return 0;
	rc = name_of(line, &value, false, where, err);
	if (rc != 0)
		return rc;
	n = strlen(value);
	if (*value == '"' || *value == '\'') {
		if (n < 2 || value[n - 1] != *value)
			return bad(err, where, "a quote is never closed", value);
		value[n - 1] = '\0';
		value++;
	}
	return vars_set(v, line, value, where, err);
}

// What stands behind a value: nothing or a comment.
static bool is_rest(const char *text)
{
	text += strspn(text, blanks);
	return *text == '\0' || *text == '#';
}

static int loader_line(struct vars *v, char *line, const char *where, struct err *err)
{
	char *value, *out, *in;
	int rc;

	line += strspn(line, blanks);
	if (*line == '\0' || *line == '#')
		return 0;
	rc = name_of(line, &value, true, where, err);
	if (rc != 0)
		return rc;
	if (strchr(value, '$') != NULL && strchr(value, '$') < value + strcspn(value, "#"))
		return bad(err, where, "references with $ are not read", line);
	if (*value != '"') {
		size_t n = strcspn(value, " \t#\"'");

		if (!is_rest(value + n))
			return bad(
				err, where, "more than one word; put \"\" around the value", value);
		value[n] = '\0';
		return vars_set(v, line, value, where, err);
	}
	out = in = ++value;
	while (*in != '"') {
		if (in[0] == '\\' && (in[1] == '"' || in[1] == '\\'))
			in++;
		if (*in == '\0')
			return bad(err, where, "a \" is never closed", line);
		*out++ = *in++;
	}
	if (!is_rest(in + 1))
		return bad(err, where, "text behind the closing \"", in + 1);
	*out = '\0';
	return vars_set(v, line, value, where, err);
}

static int lines(struct vars *v, const char *file, const char *text,
	int (*one)(struct vars *v, char *line, const char *where, struct err *err), struct err *err)
{
	for (unsigned number = 1; *text != '\0'; number++) {
		char line[LINE_MAX_BYTES], where[CONF_WHERE_MAX];
		size_t n = strcspn(text, "\n");
		int rc;

		where_text(where, file, number);
		if (n >= sizeof(line))
			return err_set(
				err, EINVAL, "%s: longer than %d bytes", where, LINE_MAX_BYTES - 1);
		memcpy(line, text, n);
		line[n] = '\0';
		if (memchr(line, '\r', n) != NULL)
			return err_set(err, EINVAL,
				"%s: a carriage return: the file has DOS line ends", where);
		rc = one(v, line, where, err);
		if (rc != 0)
			return rc;
		text += n + (text[n] == '\n');
	}
	return 0;
}

int sysctl_read(struct vars *v, const char *file, const char *text, struct err *err)
{
	return lines(v, file, text, sysctl_line, err);
}

int loader_read(struct vars *v, const char *file, const char *text, struct err *err)
{
	return lines(v, file, text, loader_line, err);
}

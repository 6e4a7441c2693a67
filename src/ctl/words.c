// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/ctl.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Where reading and writing are; what is written is never longer than what was read.
struct cursor {
	const char *p, *end;
	char *out;
};

// Behind a backslash.
static int escape(struct cursor *c, struct err *err)
{
	static const char from[] = "\"\\nrt", to[] = "\"\\\n\r\t";
	const char *hit;
	int hi, lo;

	if (c->p == c->end)
		return err_set(err, EINVAL, "the line ends inside \"");
	hit = *c->p != '\0' ? strchr(from, *c->p) : NULL;
	if (hit != NULL) {
		*c->out++ = to[hit - from];
		c->p++;
		return 0;
	}
	if (*c->p != 'x' || c->end - c->p < 3)
		return err_set(
			err, EINVAL, "a backslash inside \" is followed by no \\ \" n r t xHH");
	hi = hex_digit(c->p[1]);
	lo = hex_digit(c->p[2]);
	if (hi < 0 || lo < 0 || hi + lo == 0)
		return err_set(err, EINVAL, "\\x needs two hex digits, not both 0");
	*c->out++ = (char)(hi << 4 | lo);
	c->p += 3;
	return 0;
}

static int quoted(struct cursor *c, char quote, struct err *err)
{
	while (c->p < c->end) {
		char ch = *c->p++;

		if (ch == quote)
			return 0;
		if (ch == '\\' && quote == '"') {
			if (escape(c, err) != 0)
				return -EINVAL;
		} else {
			*c->out++ = ch;
		}
	}
	return err_set(err, EINVAL, "the line ends inside %c", quote);
}

static int word(struct cursor *c, struct err *err)
{
	while (c->p < c->end && !is_blank(*c->p)) {
		char ch = *c->p++;

		if (ch != '"' && ch != '\'')
			*c->out++ = ch;
		else if (quoted(c, ch, err) != 0)
			return -EINVAL;
	}
	*c->out++ = '\0';
	return 0;
}

int ctl_words_split(const char *line, size_t len, struct ctl_words *out, struct err *err)
{
	struct cursor c = {.p = line, .end = line + len};
	struct ctl_words w = {0};

	*out = w;
	if (len > CTL_LINE_MAX)
		return err_set(err, EMSGSIZE, "the request is longer than %d bytes", CTL_LINE_MAX);
	if (memchr(line, '\0', len) != NULL || memchr(line, '\n', len) != NULL)
		return err_set(err, EINVAL, "the request holds a NUL or a newline");
	// Each word but the last takes a blank: a byte for its end.
	w.text = malloc(len + 1);
	w.argv = malloc((len / 2 + 2) * sizeof(*w.argv));
	if (w.text == NULL || w.argv == NULL) {
		ctl_words_free(&w);
		return err_set(err, ENOMEM, "no memory for the request");
	}
	c.out = w.text;
	for (;;) {
		while (c.p < c.end && is_blank(*c.p))
			c.p++;
		if (c.p == c.end)
			break;
		w.argv[w.argc++] = c.out;
		if (word(&c, err) != 0) {
			ctl_words_free(&w);
			return -EINVAL;
		}
	}
	w.argv[w.argc] = NULL;
	*out = w;
	return 0;
}

void ctl_words_free(struct ctl_words *w)
{
	free(w->argv);
	free(w->text);
	*w = (struct ctl_words){0};
}

static bool is_plain(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++)
		if ((unsigned char)*text <= ' ' || *text == '"' || *text == '\'' || *text == 0x7f)
			return false;
	return true;
}

static char *put_quoted(char *out, const char *text)
{
	*out++ = '"';
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < ' ' || c == 0x7f) {
			out += sprintf(out, "\\x%02x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			*out++ = '\\';
		*out++ = (char)c;
	}
	*out++ = '"';
	return out;
}

char *ctl_words_join(int argc, char *const *argv)
{
	size_t room = 1;
	char *line, *out;

	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]) * 4 + 3;
	line = out = malloc(room);
	if (line == NULL)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			*out++ = ' ';
		if (is_plain(argv[i]))
			out = stpcpy(out, argv[i]);
		else
			out = put_quoted(out, argv[i]);
	}
	*out = '\0';
	return line;
}

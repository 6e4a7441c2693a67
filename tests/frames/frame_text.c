// SPDX-License-Identifier: BSD-2-Clause
#include "frames.h"

#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c == '\0' ? NULL : strchr(digits, c);

	return at == NULL ? -1 : (int)(at - digits);
}

static bool put(struct frame *f, uint8_t byte, bool any)
{
	if (f->n == FRAME_BYTES_MAX)
		return false;
	f->b[f->n] = byte;
	f->any[f->n++] = any;
	return true;
}

// "{N@S}" behind the brace; returns the text behind it, NULL if malformed.
static const char *put_run(const char *p, struct frame *f)
{
	char *end;
	unsigned long n = strtoul(p, &end, 10), start;

	if (*end != '@')
		return NULL;
	start = strtoul(end + 1, &end, 10);
	for (unsigned long i = 0; i < n; i++) {
		if (!put(f, (uint8_t)(start + i), false))
			return NULL;
	}
	return *end == '}' ? end + 1 : NULL;
}

// "<A:B>" or "<A:>" behind the bracket.
static const char *put_copy(const char *p, const struct frame *in, struct frame *f)
{
	char *end;
	unsigned long from = strtoul(p, &end, 10), to;

	if (*end != ':' || in == NULL)
		return NULL;
	p = end + 1;
	to = strtoul(p, &end, 10);
	if (end == p)
		to = in->n;
	if (*end != '>' || from > to || to > in->n)
		return NULL;
	for (; from < to; from++) {
		if (!put(f, in->b[from], false))
			return NULL;
	}
	return end + 1;
}

// Two hex digits, or two dots.
static const char *put_byte(const char *p, struct frame *f)
{
	int hi = hex_digit(p[0]), lo = p[0] == '\0' ? -1 : hex_digit(p[1]);

	if (p[0] == '.' && p[1] == '.')
		return put(f, 0, true) ? p + 2 : NULL;
	if (hi < 0 || lo < 0)
		return NULL;
	return put(f, (uint8_t)(hi << 4 | lo), false) ? p + 2 : NULL;
}

bool frame_read(const char *text, const struct frame *in, struct frame *out)
{
	out->n = 0;
	for (const char *p = text; *p != '\0';) {
		if (*p == ' ' || *p == '|')
			p++;
		else if (*p == '{')
			p = put_run(p + 1, out);
		else if (*p == '<')
			p = put_copy(p + 1, in, out);
		else
			p = put_byte(p, out);
		if (p == NULL)
			return false;
	}
	return true;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "base/err.h"

#include <stdio.h>
#include <string.h>

// Names of files and words of a line may hold what moves a terminal's cursor, or ends the line.
static void make_one_line(char *s)
{
	for (; *s != '\0'; s++)
		if (*s == '\t')
			*s = ' ';
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	make_one_line(err->msg);
	return -code;
}

int err_context(struct err *err, const char *fmt, ...)
{
	char old[ERR_MSG_MAX];
	size_t n;
	va_list ap;

	if (err == NULL)
		return 0;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", old);
	make_one_line(err->msg);
	return -err->code;
}

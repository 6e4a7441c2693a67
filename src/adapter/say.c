// SPDX-License-Identifier: BSD-2-Clause
// say.c - lines to the caller, and errors in FreeBSD's numbers and words: scripts written for
// cxgbetool compare them.
#include "adapter/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Where the two systems differ.  FreeBSD has one number for ENOTSUP and EOPNOTSUPP, as Linux.
static const struct {
	int code, freebsd;
	const char *text;
} differs[] = {
	{EIO, 5, "Input/output error"},
	{ENXIO, 6, "Device not configured"},
	{EAGAIN, 35, "Resource temporarily unavailable"},
	{EBUSY, 16, "Device busy"},
	{ENODEV, 19, "Operation not supported by device"},
	{EINPROGRESS, 36, "Operation now in progress"},
	{EOPNOTSUPP, 45, "Operation not supported"},
	{EADDRNOTAVAIL, 49, "Can't assign requested address"},
	{ETIMEDOUT, 60, "Operation timed out"},
	{ENOSYS, 78, "Function not implemented"},
};

int errno_of_freebsd(int code)
{
	for (size_t i = 0; i < sizeof(differs) / sizeof(differs[0]); i++)
		if (differs[i].code == code)
			return differs[i].freebsd;
	return code <= 34 ? code : EIO; // 1 to 34 are the same but for EAGAIN's 11
}

const char *errno_text(int code)
{
	for (size_t i = 0; i < sizeof(differs) / sizeof(differs[0]); i++)
		if (differs[i].code == code)
			return differs[i].text;
	return strerror(code);
}

static void line(const struct adapter_out *out, bool to_stderr, const char *prefix, const char *fmt,
	va_list ap)
{
	char text[2048];
	int n = snprintf(text, sizeof(text), "%s", prefix);

	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	out->line(out->arg, to_stderr, text);
}

int say_error(const struct adapter_out *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(out, true, "cxgbetool: ", fmt, ap);
	va_end(ap);
	return EINVAL;
}

void say_why(const struct adapter_out *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(out, true, "", fmt, ap);
	va_end(ap);
}

void say(const struct adapter_out *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(out, false, "", fmt, ap);
	va_end(ap);
}

int say_refused(const struct adapter_out *out, const char *request, int code, const struct err *why)
{
	if (why != NULL && why->msg[0] != '\0')
		say_error(out, "%s", why->msg);
	say_error(out, "CHELSIO_T4_%s: %s", request, errno_text(code));
	return errno_of_freebsd(code);
}

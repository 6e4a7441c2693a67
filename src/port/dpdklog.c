// SPDX-License-Identifier: BSD-2-Clause
#include "port/dpdklog.h"

#include <pthread.h>
#include <rte_log.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_ = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char first[LINE_MAX_];
static FILE *stream;

// Drops the leading "EAL: " or "function(): ", which says nothing to a reader.
static const char *without_prefix(const char *line)
{
	const char *p = strstr(line, ": ");

	while (p != NULL && p - line < 40 && memchr(line, ' ', (size_t)(p - line)) == NULL) {
		line = p + 2;
		p = strstr(line, ": ");
	}
	return line;
}

static ssize_t keep(void *cookie, const char *data, size_t size)
{
	char line[LINE_MAX_];

	(void)cookie;
	snprintf(line, sizeof(line), "%.*s", (int)size, data);
	line[strcspn(line, "\n")] = '\0';
	pthread_mutex_lock(&lock);
	if (first[0] == '\0')
		snprintf(first, sizeof(first), "%s", without_prefix(line));
	pthread_mutex_unlock(&lock);
	return (ssize_t)size;
}

void dpdklog_start(void)
{
	cookie_io_functions_t io = {.write = keep};

	stream = fopencookie(NULL, "w", io);
	if (stream == NULL)
		return;
	setvbuf(stream, NULL, _IOLBF, LINE_MAX_);
	rte_openlog_stream(stream);
}

void dpdklog_stop(void)
{
	if (stream == NULL)
		return;
	// Late messages of driver destructors must not meet a closed stream: it stays open.
	fflush(stream);
	dpdklog_clear();
}

void dpdklog_clear(void)
{
	if (stream != NULL)
		fflush(stream);
	pthread_mutex_lock(&lock);
	first[0] = '\0';
	pthread_mutex_unlock(&lock);
}

const char *dpdklog_reason(void)
{
	if (stream != NULL)
		fflush(stream);
	return first[0] != '\0' ? first : "no reason given";
}

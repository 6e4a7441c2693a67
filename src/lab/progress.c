// SPDX-License-Identifier: BSD-2-Clause
#include "lab/progress.h"

#include <string.h>

void progress_show(const struct progress *p, const char *label)
{
	enum { WIDTH = 24 };
	static const char full[] = "########################";
	double left;
	unsigned filled = 0;

	if (p->out == NULL || p->total == 0)
		return;
	if (p->done == 0)
		left = p->planned_s - p->elapsed_s;
	else
		left = p->elapsed_s / p->done * (p->total - p->done);
	if (p->limit_s > 0 && left > p->limit_s - p->elapsed_s)
		left = p->limit_s - p->elapsed_s;
	if (left < 0)
		left = 0;
	if (p->elapsed_s + left > 0)
		filled = (unsigned)(p->elapsed_s / (p->elapsed_s + left) * WIDTH);

	fprintf(p->out, "\r\033[K[%.*s%*s] %u/%u  %u:%02u left  %s", (int)filled, full,
		(int)(WIDTH - filled), "", p->done, p->total, (unsigned)left / 60,
		(unsigned)left % 60, label);
	fflush(p->out);
}

void progress_end(const struct progress *p)
{
	if (p->out == NULL)
		return;
	fputs("\r\033[K", p->out);
	fflush(p->out);
}

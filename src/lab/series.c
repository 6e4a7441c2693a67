// SPDX-License-Identifier: BSD-2-Clause
// The line-oriented result files.
#include "lab/fields.h"
#include "lab/files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Runs print(f, r, arg) into a string.
static char *text_of(void (*print)(FILE *f, const struct lab_results *r, unsigned arg),
	const struct lab_results *r, unsigned arg)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	print(f, r, arg);
	if (ferror(f) || fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

// Names are made of characters that need no escape in JSON except these two.
static void quote(FILE *f, const char *name)
{
	putc('"', f);
	for (; *name != '\0'; name++) {
		if (*name == '"' || *name == '\\')
			putc('\\', f);
		putc(*name, f);
	}
	putc('"', f);
}

static void samples(FILE *f, const struct lab_results *r, unsigned unused)
{
	(void)unused;
	for (unsigned i = 0; i < r->n_runs; i++)
		for (unsigned j = 0; j < r->run[i].n_windows; j++) {
			const struct lab_run *run = &r->run[i];
			const struct lab_window *w = &run->window[j];

			fprintf(f, "{\"run\":%u,\"block\":%u,\"arm\":", run->number, run->block);
			quote(f, r->arm[run->arm].name);
			fprintf(f,
				",\"valid\":%s,\"interval\":%u,\"start_s\":%.6f,\"seconds\":%.6f,"
				"\"offered\":%" PRIu64 ",\"received\":%" PRIu64
				",\"forwarded\":%" PRIu64 ",\"measured\":%" PRIu64
				",\"work_s\":%.6f,\"pps\":%.1f,\"steady\":%s}\n",
				run->valid ? "true" : "false", j, w->start_s, w->seconds,
				w->offered, w->received, w->forwarded, w->measured, w->work_s,
				w->pps, w->steady ? "true" : "false");
		}
}

char *lab_samples_text(const struct lab_results *r)
{
	return text_of(samples, r, 0);
}

// A field of CSV after RFC 4180.
static void cell(FILE *f, const char *text)
{
	bool plain = strpbrk(text, "\",\r\n") == NULL;

	if (!plain)
		putc('"', f);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	if (!plain)
		putc('"', f);
}

static void metric(
	FILE *f, const struct lab_results *r, const struct lab_run *run, const struct field *field)
{
	const void *at = (const char *)run + field->offset;
	const struct lab_arm *a = &r->arm[run->arm];

	fprintf(f, "%u,%u,", run->number, run->block);
	cell(f, a->name);
	putc(',', f);
	cell(f, a->condition);
	fprintf(f, ",%d,%u,%d,%s,", a->family, run->attempt, run->valid, field->name);
	if (field->type == FIELD_DOUBLE)
		fprintf(f, "%.10g", *(const double *)at);
	else
		fprintf(f, "%" PRIu64, *(const uint64_t *)at);
	fprintf(f, ",%s\n", field->unit);
}

static void csv(FILE *f, const struct lab_results *r, unsigned unused)
{
	(void)unused;
	fputs("run,block,arm,condition,family,attempt,valid,metric,value,unit\n", f);
	for (unsigned i = 0; i < r->n_runs; i++)
		for (unsigned j = 0; j < fields_run.n; j++)
			if (fields_run.field[j].type == FIELD_DOUBLE ||
				fields_run.field[j].type == FIELD_U64)
				metric(f, r, &r->run[i], &fields_run.field[j]);
}

char *lab_csv_text(const struct lab_results *r)
{
	return text_of(csv, r, 0);
}

static void pps(FILE *f, const struct lab_results *r, unsigned arm)
{
	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].arm == arm && r->run[i].valid)
			fprintf(f, "%.1f\n", r->run[i].pps);
}

char *lab_pps_text(const struct lab_results *r, unsigned arm)
{
	return text_of(pps, r, arm);
}

static void boxes(FILE *f, const struct lab_results *r, unsigned unused)
{
	(void)unused;
	for (unsigned i = 0; i < r->n_cmps; i++)
		fprintf(f, "%s%s\n\n", r->cmp[i].ministat != NULL ? r->cmp[i].ministat : "",
			r->cmp[i].sentence);
}

char *lab_ministat_text(const struct lab_results *r)
{
	return text_of(boxes, r, 0);
}

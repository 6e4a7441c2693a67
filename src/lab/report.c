// SPDX-License-Identifier: BSD-2-Clause
// The HTML report: one file without scripts that asks nobody for anything.
#include "lab/report.h"

#include <stdlib.h>

const char *report_kind(const struct lab_results *r, unsigned arm)
{
	for (unsigned i = 0; i < r->n_cmps; i++)
		if (r->cmp[i].b == arm && !r->cmp[i].aa)
			return "other";
	return r->arm[arm].repeat_of_baseline ? "again" : "baseline";
}

static void head(FILE *f, const struct lab_results *r)
{
	fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      // Should text from outside ever get past the escaping, it still cannot load or run.
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		f);
	html_text(f, r->name);
	fputs(" \xe2\x80\x93 weir lab</title>\n<style>\n", f);
	for (unsigned i = 0; report_style[i] != NULL; i++)
		fputs(report_style[i], f);
	fputs("</style></head>\n<body><main>\n<header><span class=\"mark\">weir lab</span> ", f);
	html_text(f, r->name);
	fputs(" <time>", f);
	html_text(f, r->utc);
	fputs("</time></header>\n", f);
}

char *lab_report_html(const struct lab_results *r)
{
	static void (*const sections[])(FILE *, const struct lab_results *) = {report_answer,
		report_setup, report_filters, report_settings, report_arms, report_strip,
		report_series, report_account, report_voids, report_boxes, report_repeat};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int bad;

	if (f == NULL)
		return NULL;
	head(f, r);
	for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		sections[i](f, r);
		putc('\n', f);
	}
	fputs("</main></body></html>\n", f);
	bad = ferror(f);
	if (fclose(f) != 0 || bad) {
		free(text);
		return NULL;
	}
	return text;
}

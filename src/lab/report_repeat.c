// SPDX-License-Identifier: BSD-2-Clause
// ministat's boxes, and how to make all of it again.
#include "lab/report.h"

#include <ctype.h>
#include <inttypes.h>

void report_boxes(FILE *f, const struct lab_results *r)
{
	fputs("<section><h2>ministat</h2>", f);
	if (r->n_cmps == 0)
		fputs("<p>There is nothing to compare.</p>", f);
	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct lab_comparison *c = &r->cmp[i];

		fputs("<figure class=\"ministat\"><figcaption>", f);
		html_text(f, r->arm[c->b].name);
		fputs(" against ", f);
		html_text(f, r->arm[c->a].name);
		fputs("; packets a second</figcaption><pre>", f);
		if (c->ministat != NULL && c->ministat[0] != '\0')
			html_text(f, c->ministat);
		else
			fputs("too few valid runs for a box", f);
		fputs("</pre></figure>", f);
	}
	fputs("</section>", f);
}

// The name of an arm's series in the run folder.
static void pps_file(FILE *f, const struct lab_arm *a)
{
	char name[LAB_NAME_MAX + 8];

	snprintf(name, sizeof(name), "%s.pps", a->name);
	for (char *p = name; *p != '\0'; p++)
		if (isspace((unsigned char)*p) || *p == '/')
			*p = '-';
	html_shell_word(f, name);
}

void report_repeat(FILE *f, const struct lab_results *r)
{
	fputs("<section><h2>Repeat it</h2><p>The experiment; with the seed it has the same order of "
	      "runs:</p><pre class=\"command\">",
		f);
	html_text(f, r->command);
	fprintf(f, "</pre><p>seed <code>0x%" PRIx64 "</code></p>", r->seed);
	if (r->n_cmps > 0) {
		fputs("<p>The comparisons, from the series in the run folder:</p><pre "
		      "class=\"command\">",
			f);
		for (unsigned i = 0; i < r->n_cmps; i++) {
			fputs("weir stat ", f);
			pps_file(f, &r->arm[r->cmp[i].a]);
			putc(' ', f);
			pps_file(f, &r->arm[r->cmp[i].b]);
			putc('\n', f);
		}
		fputs("</pre>", f);
	}
	fputs("<p>This page, from the folder\xe2\x80\x99s results.json:</p><pre "
	      "class=\"command\">weir lab report FOLDER</pre>",
		f);
	fputs("<p>The folder holds the configuration files of each condition in <code>conf</code>, "
	      "every interval in <code>samples.jsonl</code>, and all figures of this page, with "
	      "units, in <code>results.json</code>.</p></section>",
		f);
}

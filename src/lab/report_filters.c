// SPDX-License-Identifier: BSD-2-Clause
// The filters: how many rules, what was probed, and what the rules counted.
#include "lab/report.h"

static void summary(FILE *f, const struct lab_results *r, const struct lab_filtered *t)
{
	fputs("<summary>\xe2\x80\x9c", f);
	html_text(f, r->arm[t->arm].name);
	fputs("\xe2\x80\x9d: ", f);
	html_count(f, t->n_rules);
	fprintf(f, " rule%s, %u probe%s before and after each run", html_s(t->n_rules), t->n_probes,
		html_s(t->n_probes));
	if (t->has_hits) {
		fputs(", ", f);
		html_count(f, t->hits);
		fputs(" hits", f);
	}
	fputs("</summary><p>", f);
	html_count(f, t->n_asked);
	fputs(" of the rules, spread over the list, were to have a probe; for ", f);
	html_count(f, t->n_silent);
	fputs(" no frame that crosses the device matches, ", f);
	html_count(f, t->n_elsewhere);
	fputs(" send theirs elsewhere or change it. The traffic of the valid runs were ", f);
	html_count(f, t->frames);
	fputs(t->has_hits ? " frames." : " frames; this device does not tell which rules they met.",
		f);
	fputs("</p>", f);
}

static void rules(FILE *f, const struct lab_results *r, const struct lab_filtered *t)
{
	unsigned told = 0;

	fputs("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">number<th "
	      "scope=\"col\">rule<th scope=\"col\">flows of the traffic",
		f);
	fputs(t->has_hits ? "<th scope=\"col\">hits<tbody>" : "<tbody>", f);
	for (unsigned i = 0; i < r->n_rules; i++) {
		const struct lab_told_rule *rule = &r->rule[i];

		if (rule->arm != t->arm)
			continue;
		told++;
		fprintf(f, "<tr><th scope=\"row\">%u<td><code>", rule->index);
		html_text(f, rule->words);
		fputs("</code><td>", f);
		html_count(f, rule->flows);
		if (t->has_hits) {
			fputs("<td>", f);
			if (rule->hits == LAB_NOT_COUNTED)
				fputs("not counted", f);
			else
				html_count(f, rule->hits);
		}
	}
	fputs("</table></div>", f);
	if (told < t->n_rules)
		fputs("<p>The first rules of the list, the last one, and those the traffic meets.</p>",
			f);
}

void report_filters(FILE *f, const struct lab_results *r)
{
	if (r->n_filters == 0)
		return;
	fputs("<section><h2>Filters</h2><p>Frames made from the rules themselves go through the device "
	      "before and after the traffic of every run: a run in which one arrives that the rules "
	      "deny, or one does not that they permit, is void",
		f);
	for (unsigned i = 0; i < r->n_filters; i++)
		if (r->filter[i].has_hits) {
			fputs("; so is one whose hit counters are not those of its frames", f);
			break;
		}
	fputs(".</p>", f);
	for (unsigned i = 0; i < r->n_filters; i++) {
		fputs("<details>", f);
		summary(f, r, &r->filter[i]);
		rules(f, r, &r->filter[i]);
		fputs("</details>", f);
	}
	fputs("</section>", f);
}

// SPDX-License-Identifier: BSD-2-Clause
// The machine, the experiment, and what the conditions differ in.
#include "lab/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static void item(FILE *f, const char *name, const char *value)
{
	if (value[0] == '\0')
		return;
	fprintf(f, "<dt>%s<dd>", name);
	html_text(f, value);
}

static void machine(FILE *f, const struct machine *m)
{
	fputs("<dl><dt>processor<dd>", f);
	html_text(f, m->model);
	fprintf(f, ", %u CPU%s online%s", m->n_cpus, html_s(m->n_cpus),
		m->virtualised ? ", virtual machine" : "");
	item(f, "frequency governor", m->governor);
	item(f, "system", m->distro);
	item(f, "kernel", m->kernel);
	fputs("<dt>memory<dd>", f);
	html_count(f, m->memory_mb);
	fputs(" MB, ", f);
	html_count(f, m->huge_pages_free);
	fprintf(f, " huge page%s of %lu KiB free</dl>", html_s(m->huge_pages_free),
		m->huge_page_kb);
}

static void lengths(FILE *f, const struct lab_results *r)
{
	bool first = true;

	for (unsigned i = 0; i < r->n_arms; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i; j++)
			seen |= r->arm[j].family == r->arm[i].family &&
				r->arm[j].frame_len == r->arm[i].frame_len;
		if (seen)
			continue;
		fprintf(f, "%s%u bytes (IPv%d)", first ? "" : ", ", r->arm[i].frame_len,
			r->arm[i].family);
		first = false;
	}
}

static void experiment(FILE *f, const struct lab_results *r)
{
	fputs("<dl>", f);
	item(f, "device", r->dut);
	item(f, "tester", r->tester);
	item(f, "process", r->env);
	fputs("<dt>traffic<dd>", f);
	html_count(f, r->n_flows);
	fputs(" flows; frames of ", f);
	lengths(f, r);
	fputs(", without the 4 bytes of CRC<dt>runs<dd>", f);
	fprintf(f, "%u, each ", r->n_runs);
	html_seconds(f, r->run_seconds);
	fputs(" in intervals of ", f);
	html_seconds(f, r->window_seconds);
	fputs(", the device anew for each; a run\xe2\x80\x99s value is the median of its steady "
	      "intervals",
		f);
	fputs("<dt>order<dd>blocks of one run of every condition, shuffled, every second block "
	      "reversed",
		f);
	fprintf(f, "; seed <code>0x%" PRIx64 "</code>", r->seed);
	item(f, "a rate is", r->basis);
	fputs("<dt>made<dd>", f);
	html_text(f, r->utc);
	fputs(", in ", f);
	html_seconds(f, r->duration_s);
	fputs(", by weir ", f);
	html_text(f, r->version);
	fputs("</dl>", f);
}

void report_setup(FILE *f, const struct lab_results *r)
{
	fputs("<section><h2>Machine and experiment</h2><div class=\"two\">", f);
	machine(f, &r->machine);
	experiment(f, r);
	fputs("</div></section>", f);
}

// --- settings ----------------------------------------------------------------------------------

static const struct lab_setting *setting_of(
	const struct lab_results *r, const char *condition, const struct lab_setting *like)
{
	for (unsigned i = 0; i < r->n_settings; i++) {
		const struct lab_setting *s = &r->setting[i];

		if (strcmp(s->condition, condition) == 0 && strcmp(s->file, like->file) == 0 &&
			strcmp(s->name, like->name) == 0)
			return s;
	}
	return NULL;
}

static const char *baseline_of(const struct lab_results *r)
{
	for (unsigned i = 0; i < r->n_arms; i++)
		if (r->arm[i].baseline)
			return r->arm[i].condition;
	return "";
}

static void cell(FILE *f, const struct lab_setting *s)
{
	if (s == NULL) {
		fputs("<td class=\"none\">not set", f);
		return;
	}
	fputs("<td><pre class=\"value\">", f);
	html_text(f, s->value);
	fputs("</pre>", f);
}

static void row(FILE *f, const char *condition, const struct lab_setting *name,
	const struct lab_setting *before, const struct lab_setting *now)
{
	fputs("<tr><th scope=\"row\">", f);
	html_text(f, condition);
	fputs("<td>", f);
	html_text(f, name->file);
	fputs("<td><code>", f);
	html_text(f, name->name);
	fputs("</code>", f);
	cell(f, before);
	cell(f, now);
}

// The settings of one condition that are not the baseline's; whether there are any.
static bool differences(FILE *f, const struct lab_results *r, const char *base, const char *other)
{
	bool some = false;

	for (unsigned i = 0; i < r->n_settings; i++) {
		const struct lab_setting *s = &r->setting[i];

		if (strcmp(s->condition, other) == 0 && s->differs) {
			row(f, other, s, setting_of(r, base, s), s);
			some = true;
		} else if (strcmp(s->condition, base) == 0 && setting_of(r, other, s) == NULL) {
			row(f, other, s, s, NULL);
			some = true;
		}
	}
	return some;
}

static void all_of(FILE *f, const struct lab_results *r, const char *condition)
{
	fputs("<details><summary>All settings of \xe2\x80\x9c", f);
	html_text(f, condition);
	fputs("\xe2\x80\x9d</summary><div class=\"scroll\" tabindex=\"0\"><table class=\"settings\"><thead><tr>"
	      "<th scope=\"col\">file<th scope=\"col\">name<th scope=\"col\">value<tbody>",
		f);
	for (unsigned i = 0; i < r->n_settings; i++) {
		const struct lab_setting *s = &r->setting[i];

		if (strcmp(s->condition, condition) != 0)
			continue;
		fputs("<tr><td>", f);
		html_text(f, s->file);
		fputs("<td><code>", f);
		html_text(f, s->name);
		fputs("</code>", f);
		cell(f, s);
	}
	fputs("</table></div></details>", f);
}

// Calls with every condition but the baseline, each once.
static bool next_condition(const struct lab_results *r, const char *base, unsigned *i)
{
	for (; *i < r->n_arms; (*i)++) {
		bool seen = strcmp(r->arm[*i].condition, base) == 0;

		for (unsigned j = 0; j < *i; j++)
			seen |= strcmp(r->arm[j].condition, r->arm[*i].condition) == 0;
		if (!seen)
			return true;
	}
	return false;
}

static void notes(FILE *f, const struct lab_results *r)
{
	if (r->n_notes == 0)
		return;
	fputs("<h3>Settings without effect, or with a part of it</h3><div class=\"scroll\" tabindex=\"0\"><table>"
	      "<thead><tr><th scope=\"col\">condition<th scope=\"col\">place<th "
	      "scope=\"col\">setting<th scope=\"col\">why<tbody>",
		f);
	for (unsigned i = 0; i < r->n_notes; i++) {
		fputs("<tr><th scope=\"row\">", f);
		html_text(f, r->note[i].condition);
		fputs("<td>", f);
		html_text(f, r->note[i].where);
		fputs("<td><code>", f);
		html_text(f, r->note[i].what);
		fputs("</code><td>", f);
		html_text(f, r->note[i].why);
	}
	fputs("</table></div>", f);
}

void report_settings(FILE *f, const struct lab_results *r)
{
	const char *base = baseline_of(r);
	unsigned i = 0;

	fputs("<section><h2>Settings</h2>", f);
	if (next_condition(r, base, &i)) {
		fputs("<p>What the conditions set otherwise than the baseline "
		      "\xe2\x80\x9c",
			f);
		html_text(f, base);
		fputs("\xe2\x80\x9d:</p><div class=\"scroll\" tabindex=\"0\"><table class=\"settings\"><thead><tr>"
		      "<th scope=\"col\">condition<th scope=\"col\">file<th scope=\"col\">name"
		      "<th scope=\"col\">baseline<th scope=\"col\">condition<tbody>",
			f);
		for (; next_condition(r, base, &i); i++) {
			if (differences(f, r, base, r->arm[i].condition))
				continue;
			fputs("<tr><th scope=\"row\">", f);
			html_text(f, r->arm[i].condition);
			fputs("<td colspan=\"4\">no difference", f);
		}
		fputs("</table></div>", f);
	}
	all_of(f, r, base);
	notes(f, r);
	fputs("</section>", f);
}

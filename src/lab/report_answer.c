// SPDX-License-Identifier: BSD-2-Clause
// The first thing one reads: the question, and one verdict for each comparison with its interval.
#include "lab/report.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROW_PX = 58 };

static unsigned conditions(const struct lab_results *r, const char **baseline, const char **other)
{
	unsigned n = 0;

	*baseline = *other = "";
	for (unsigned i = 0; i < r->n_arms; i++) {
		bool seen = false;

		for (unsigned j = 0; j < i; j++)
			seen |= strcmp(r->arm[j].condition, r->arm[i].condition) == 0;
		n += !seen;
		if (r->arm[i].baseline)
			*baseline = r->arm[i].condition;
		else
			*other = r->arm[i].condition;
	}
	return n;
}

static void question(FILE *f, unsigned n, const char *a, const char *b)
{
	fputs("<h1>", f);
	if (n <= 1) {
		fputs("How fast does the device forward as \xe2\x80\x9c", f);
		html_text(f, a);
		fputs("\xe2\x80\x9d?", f);
	} else if (n == 2) {
		fputs("Does it forward faster or slower with \xe2\x80\x9c", f);
		html_text(f, b);
		fputs("\xe2\x80\x9d than with \xe2\x80\x9c", f);
		html_text(f, a);
		fputs("\xe2\x80\x9d?", f);
	} else {
		fprintf(f,
			"Which of %u other conditions forward faster or slower than \xe2\x80\x9c",
			n - 1);
		html_text(f, a);
		fputs("\xe2\x80\x9d?", f);
	}
	fputs("</h1>", f);
}

// Class and sign of a verdict: never by colour alone.
static const char *verdict_class(enum verdict v)
{
	static const char *const names[] = {[FASTER] = "faster",
		[SLOWER] = "slower",
		[EQUIVALENT] = "equivalent",
		[INCONCLUSIVE] = "inconclusive",
		[INVALID] = "invalid"};

	return names[v];
}

static const char *verdict_sign(enum verdict v)
{
	static const char *const signs[] = {[FASTER] = "\xe2\x96\xb2",
		[SLOWER] = "\xe2\x96\xbc",
		[EQUIVALENT] = "=",
		[INCONCLUSIVE] = "?",
		[INVALID] = "\xc3\x97"};

	return signs[v];
}

// Effects and intervals of all comparisons, zero, and the margin lie on the axis.
static void scale(struct axis *a, const struct lab_results *r)
{
	double lo = -1.5 * r->margin, hi = 1.5 * r->margin;

	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct comparison *c = &r->cmp[i].c;

		if (c->verdict == INVALID)
			continue;
		lo = fmin(lo, fmin(c->effect, isfinite(c->ci_lo) ? c->ci_lo : lo));
		hi = fmax(hi, fmax(c->effect, isfinite(c->ci_hi) ? c->ci_hi : hi));
	}
	axis_make(a, lo * 100, hi * 100, 6);
}

static void interval(
	FILE *f, const struct axis *a, const struct lab_results *r, const struct comparison *c)
{
	double left = axis_at(a, -100 * r->margin), right = axis_at(a, 100 * r->margin);

	fprintf(f, "<svg class=\"plot\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"",
		ROW_PX);
	fputs("effect ", f);
	html_change(f, c->effect);
	fputs("\">", f);
	fprintf(f,
		"<rect class=\"margin\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"0\" height=\"100%%\"/>",
		left, right - left);
	axis_grid(f, a);
	if (r->has_noise) {
		for (int side = -1; side <= 1; side += 2) {
			double noise = side * 100 * r->noise, x = axis_at(a, noise);

			if (!(noise >= a->lo && noise <= a->hi))
				continue; // an edge must not pass for it
			fprintf(f,
				"<line class=\"noise\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" "
				"y2=\"100%%\"/>",
				x, x);
		}
	}
	if (c->verdict != INVALID && isfinite(c->effect)) {
		const char *class = verdict_class(c->verdict);

		if (isfinite(c->ci_lo) && isfinite(c->ci_hi))
			fprintf(f,
				"<line class=\"ci %s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" "
				"y2=\"50%%\"/>",
				class, axis_at(a, 100 * c->ci_lo), axis_at(a, 100 * c->ci_hi));
		fprintf(f, "<circle class=\"effect %s\" cx=\"%.2f%%\" cy=\"50%%\" r=\"5\"/>", class,
			axis_at(a, 100 * c->effect));
	}
	fputs("</svg>", f);
}

static void row(
	FILE *f, const struct axis *a, const struct lab_results *r, const struct lab_comparison *c)
{
	const struct comparison *s = &c->c;

	fprintf(f, "<div class=\"label%s\"><span class=\"badge %s\">%s ", c->aa ? " aa" : "",
		verdict_class(s->verdict), verdict_sign(s->verdict));
	html_text(f, c->verdict);
	fputs("</span><div><b>", f);
	html_text(f, r->arm[c->b].name);
	fputs("</b> against ", f);
	html_text(f, r->arm[c->a].name);
	fputs(c->aa ? " <small>A/A: the same settings twice</small></div></div>" : "</div></div>",
		f);
	interval(f, a, r, s);
	fputs("<div class=\"number\">", f);
	if (s->verdict != INVALID) {
		fputs("<b>", f);
		html_change(f, s->effect);
		fputs("</b><br><small>", f);
		html_change(f, s->ci_lo);
		fputs(" to ", f);
		html_change(f, s->ci_hi);
		fputs("</small>", f);
	}
	fputs("</div>", f);
}

static void in_words(FILE *f, const struct lab_comparison *c)
{
	fprintf(f, "<li%s>", c->aa ? " class=\"aa\"" : "");
	html_text(f, c->sentence);
	if (c->c.verdict == INVALID) // its sentence holds the rule already
		return;
	fputs("<br><small>Rule: ", f);
	html_text(f, c->c.why);
	if (isfinite(c->c.mde) && c->c.mde > 0) {
		fputs(". Smallest effect this many runs can show: ", f);
		html_percent(f, c->c.mde, 2);
	}
	fputs(".</small>", f);
}

static void comparisons(FILE *f, const struct lab_results *r)
{
	struct axis a;

	scale(&a, r);
	fputs("<div class=\"strips forest\">", f);
	for (unsigned aa = 0; aa < 2; aa++)
		for (unsigned i = 0; i < r->n_cmps; i++)
			if (r->cmp[i].aa == (aa == 1))
				row(f, &a, r, &r->cmp[i]);
	fputs("<div></div>", f);
	axis_labels(f, &a, "difference of the rate, %");
	fputs("<div></div></div><p class=\"key\">Dot and bar: effect and its confidence interval "
	      "\xc2\xb7 <span class=\"swatch margin\"></span> equivalent within \xc2\xb1",
		f);
	html_percent_short(f, r->margin);
	if (r->has_noise) {
		fputs(" \xc2\xb7 <span class=\"swatch noise\"></span> noise floor of this machine "
		      "\xc2\xb1",
			f);
		html_percent(f, r->noise, 2);
	}
	fputs("</p><ul class=\"words\">", f);
	for (unsigned aa = 0; aa < 2; aa++)
		for (unsigned i = 0; i < r->n_cmps; i++)
			if (r->cmp[i].aa == (aa == 1))
				in_words(f, &r->cmp[i]);
	fputs("</ul>", f);
}

// With one condition the rates are the answer.
static void rates(FILE *f, const struct lab_results *r)
{
	for (unsigned i = 0; i < r->n_arms; i++) {
		const struct lab_arm *a = &r->arm[i];

		if (a->repeat_of_baseline || a->n == 0)
			continue;
		fputs("<b>", f);
		html_text(f, a->name);
		fputs(": ", f);
		html_number(f, a->median_pps / 1e6, 3);
		fputs(" Mpps</b> <small>(", f);
		html_number(f, a->min_pps / 1e6, 3);
		fputs(" to ", f);
		html_number(f, a->max_pps / 1e6, 3);
		fprintf(f, " in %u run%s)</small><br>", a->n, html_s(a->n));
	}
}

void report_answer(FILE *f, const struct lab_results *r)
{
	const char *base, *other;
	unsigned n = 0, n_conditions = conditions(r, &base, &other);

	for (unsigned i = 0; i < r->n_cmps; i++)
		n += !r->cmp[i].aa;
	fputs("<section class=\"answer\">", f);
	question(f, n_conditions, base, other);
	if (n < 2) { // of more, each row below says its own
		fputs("<p class=\"verdict\">", f);
		if (n_conditions <= 1)
			rates(f, r);
		html_text(f, r->verdict);
		fputs("</p>", f);
	}
	if (r->n_cmps > 0)
		comparisons(f, r);
	fputs("</section>", f);
}

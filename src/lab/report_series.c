// SPDX-License-Identifier: BSD-2-Clause
// The rate within each run, interval by interval: all runs of a condition over each other, and each
// by itself.  Lines are drawn in a box of 1000 x 1000 that is stretched to the panel.
#include "lab/report.h"

#include <math.h>
#include <stdbool.h>

enum { BOX = 1000, PANEL_PX = 130, MINI_PX = 40 };

struct scale {
	struct axis y;
	double seconds;
};

static double middle(const struct lab_window *w)
{
	return w->start_s + w->seconds / 2;
}

static bool usable(const struct lab_window *w)
{
	return isfinite(w->pps) && isfinite(w->start_s) && isfinite(w->seconds);
}

static void scale_make(struct scale *s, const struct lab_results *r)
{
	double hi = 0;

	s->seconds = 0;
	for (unsigned i = 0; i < r->n_runs; i++) {
		for (unsigned k = 0; k < r->run[i].n_windows; k++) {
			const struct lab_window *w = &r->run[i].window[k];

			if (!usable(w))
				continue;
			hi = fmax(hi, w->pps / 1e6);
			s->seconds = fmax(s->seconds, w->start_s + w->seconds);
		}
	}
	axis_make(&s->y, 0, hi > 0 ? hi : 1, 3);
	if (!(s->seconds > 0))
		s->seconds = 1;
}

static double x_of(const struct scale *s, const struct lab_window *w)
{
	return BOX * middle(w) / s->seconds;
}

static double y_of(const struct scale *s, double mpps)
{
	return BOX - BOX * (mpps - s->y.lo) / (s->y.hi - s->y.lo);
}

// The intervals that count as one path, those that do not as another.
static void lines(FILE *f, const struct scale *s, const struct lab_run *run)
{
	for (unsigned steady = 0; steady < 2; steady++) {
		bool pen = false;

		fprintf(f, "<path class=\"%s%s\" d=\"", steady ? "steady" : "rough",
			run->valid ? "" : " void");
		for (unsigned k = 1; k < run->n_windows; k++) {
			const struct lab_window *a = &run->window[k - 1], *b = &run->window[k];

			if (!usable(a) || !usable(b) || (a->steady && b->steady) != (steady == 1)) {
				pen = false;
				continue;
			}
			if (!pen)
				fprintf(f, "M%.0f %.0f", x_of(s, a), y_of(s, a->pps / 1e6));
			fprintf(f, "L%.0f %.0f", x_of(s, b), y_of(s, b->pps / 1e6));
			pen = true;
		}
		fputs("\"/>", f);
	}
}

static void y_labels(FILE *f, const struct axis *y)
{
	fprintf(f, "<svg class=\"ylabels\" width=\"44\" height=\"%d\" aria-hidden=\"true\">",
		PANEL_PX + 12);
	for (unsigned i = 0; i < y->n; i++)
		fprintf(f, "<text x=\"38\" y=\"%.1f\">%.*f</text>",
			6 + PANEL_PX * (1 - (y->tick[i] - y->lo) / (y->hi - y->lo)) + 4,
			y->decimals, y->tick[i]);
	fputs("</svg>", f);
}

static void box_begin(FILE *f, const struct scale *s, int height)
{
	fprintf(f,
		"<svg class=\"lines\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		height, BOX, BOX);
	for (unsigned i = 0; i < s->y.n; i++)
		fprintf(f, "<path class=\"grid%s\" d=\"M0 %.0fH%d\"/>", i == 0 ? " zero" : "",
			y_of(s, s->y.tick[i]), BOX);
}

static void panel(FILE *f, const struct scale *s, const struct lab_results *r, unsigned arm)
{
	const struct lab_arm *a = &r->arm[arm];

	fprintf(f, "<figure class=\"panel %s\"><figcaption>",
		a->repeat_of_baseline ? "again"
		: a->baseline         ? "baseline"
				      : "other");
	html_text(f, a->name);
	fputs("</figcaption><div class=\"frame\">", f);
	y_labels(f, &s->y);
	fputs("<div class=\"box\">", f);
	box_begin(f, s, PANEL_PX);
	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].arm == arm)
			lines(f, s, &r->run[i]);
	fprintf(f,
		"</svg></div></div><div class=\"xlabels\"><span>0</span><span>seconds since the "
		"run\xe2\x80\x99s first frame</span><span>%.2g</span></div></figure>",
		s->seconds);
}

static void each(FILE *f, const struct scale *s, const struct lab_results *r, unsigned arm)
{
	fputs("<h3>", f);
	html_text(f, r->arm[arm].name);
	fputs("</h3><div class=\"minis\">", f);
	for (unsigned i = 0; i < r->n_runs; i++) {
		const struct lab_run *run = &r->run[i];

		if (run->arm != arm)
			continue;
		fputs("<figure class=\"mini\">", f);
		box_begin(f, s, MINI_PX);
		lines(f, s, run);
		fprintf(f, "</svg><figcaption>run %u: ", run->number);
		if (run->valid)
			html_number(f, run->pps / 1e6, 3);
		else
			fputs("void", f);
		fputs("</figcaption></figure>", f);
	}
	fputs("</div>", f);
}

void report_series(FILE *f, const struct lab_results *r)
{
	struct scale s;

	scale_make(&s, r);
	fputs("<section><h2>Within the runs</h2><p>Mpps in each interval of ", f);
	html_seconds(f, r->window_seconds);
	fputs(", all runs of a condition over each other. Solid: the steady part, which gives the "
	      "run\xe2\x80\x99s value. Dotted: intervals that do not count. Red: void runs. All panels have the "
	      "same scales.</p><div class=\"panels\">",
		f);
	for (unsigned i = 0; i < r->n_arms; i++)
		panel(f, &s, r, i);
	fputs("</div><details><summary>Each run by itself</summary>", f);
	for (unsigned i = 0; i < r->n_arms; i++)
		each(f, &s, r, i);
	fputs("</details></section>", f);
}

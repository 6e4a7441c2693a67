// SPDX-License-Identifier: BSD-2-Clause
// The table of the conditions, and every run as a dot.
#include "lab/report.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { STRIP_PX = 44, DOT_TOP = 8, DOT_SPAN = 28 };

static void figures(FILE *f, const struct lab_arm *a)
{
	if (a->n == 0) {
		fputs("<td colspan=\"8\" class=\"none\">no valid run", f);
		return;
	}
	fputs("<td class=\"strong\">", f);
	html_number(f, a->median_pps / 1e6, 3);
	fputs("<td>", f);
	html_number(f, a->min_pps / 1e6, 3);
	fputs("<td>", f);
	html_number(f, a->max_pps / 1e6, 3);
	fputs("<td>", f);
	if (a->n > 1)
		html_percent(f, a->spread, 1);
	else
		fputs("\xe2\x80\x93", f); // one value has none
	fputs("<td>", f);
	if (a->cycles_per_packet > 0)
		fprintf(f, "%.1f", a->cycles_per_packet);
	else
		fputs("\xe2\x80\x93", f);
	fputs("<td>", f);
	html_percent(f, a->loss, 3);
	fputs("<td>", f);
	html_number(f, a->imix_bps / 1e9, 2);
	fputs("<td>", f);
	html_number(f, a->imix_l1_bps / 1e9, 2);
}

void report_arms(FILE *f, const struct lab_results *r)
{
	fputs("<section><h2>Conditions</h2><div class=\"scroll\" tabindex=\"0\"><table class=\"figures "
	      "arms\"><thead><tr><th class=\"text\" scope=\"col\" rowspan=\"2\">condition<th scope=\"col\" "
	      "rowspan=\"2\">frame<br><small>bytes</small><th scope=\"col\" "
	      "rowspan=\"2\">valid<br>runs<th scope=\"colgroup\" colspan=\"3\">rate, Mpps<th "
	      "scope=\"col\" rowspan=\"2\">spread<th scope=\"col\" rowspan=\"2\">cycles<br>"
	      "<small>a packet</small><th scope=\"col\" rowspan=\"2\">loss<th "
	      "scope=\"colgroup\" colspan=\"2\">IMIX estimate, Gb/s<tr><th "
	      "scope=\"col\">median<th scope=\"col\">min<th scope=\"col\">max<th "
	      "scope=\"col\">frames<th scope=\"col\">wire<tbody>",
		f);
	for (unsigned i = 0; i < r->n_arms; i++) {
		const struct lab_arm *a = &r->arm[i];

		fprintf(f, "<tr class=\"arm %s\"><th scope=\"row\">", report_kind(r, i));
		html_text(f, a->name);
		if (a->repeat_of_baseline)
			fputs(" <small>A/A</small>", f);
		else if (strcmp(report_kind(r, i), "baseline") == 0)
			fputs(" <small>baseline</small>", f);
		fprintf(f, "<td>%u<td>%u", a->frame_len, a->n);
		figures(f, a);
	}
	fputs("</table></div><p class=\"key\">Spread: (max \xe2\x88\x92 min) / median. Loss: "
	      "share of the offered frames that never came back. IMIX estimate from the packet rate: "
	      "PPS \xc2\xb7 (7\xc2\xb7(40+14) + 4\xc2\xb7(576+14) + (1500+14)) / 12 \xc2\xb7 8; "
	      "wire: with frames padded to 60 bytes and 24 more each for CRC, preamble and gap.</p>"
	      "</section>",
		f);
}

// --- strip plot --------------------------------------------------------------------------------

static bool drawable(const struct lab_run *run)
{
	return isfinite(run->pps) && run->pps > 0;
}

static void scale(struct axis *a, const struct lab_results *r)
{
	double lo = INFINITY, hi = 0;

	for (unsigned i = 0; i < r->n_runs; i++) {
		if (!drawable(&r->run[i]))
			continue;
		lo = fmin(lo, r->run[i].pps / 1e6);
		hi = fmax(hi, r->run[i].pps / 1e6);
	}
	if (!(hi > 0))
		hi = 1;
	if (!(lo >= hi / 4)) // the differences are large enough to be seen from zero
		lo = 0;
	axis_make(a, isfinite(lo) ? lo : 0, hi, 6);
}

static void dot(FILE *f, const struct axis *a, const struct lab_run *run, double y)
{
	fprintf(f, "<circle class=\"run%s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"4\"><title>run %u",
		run->valid ? "" : " void", axis_at(a, run->pps / 1e6), y, run->number);
	if (run->valid) {
		fputs(": ", f);
		html_number(f, run->pps / 1e6, 3);
		fputs(" Mpps", f);
	} else {
		fputs(", void", f);
	}
	fputs("</title></circle>", f);
}

static void strip(FILE *f, const struct axis *a, const struct lab_results *r, unsigned arm)
{
	const struct lab_arm *of = &r->arm[arm];
	unsigned n = of->n + of->n_void, k = 0;

	fprintf(f,
		"<svg class=\"plot %s\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"",
		report_kind(r, arm), STRIP_PX);
	html_text(f, of->name);
	fprintf(f, ": %u valid run%s", of->n, html_s(of->n));
	if (of->n > 0) {
		fputs(", median ", f);
		html_number(f, of->median_pps / 1e6, 3);
		fputs(" Mpps", f);
	}
	fputs("\">", f);
	axis_grid(f, a);
	if (of->n > 0) {
		double x = axis_at(a, of->median_pps / 1e6);

		fprintf(f,
			"<line class=\"median\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"2\" y2=\"%d\"/>",
			x, x, STRIP_PX - 2);
	}
	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].arm == arm)
			dot(f, a, &r->run[i],
				DOT_TOP + (n > 1 ? (double)DOT_SPAN * k++ / (n - 1)
						 : DOT_SPAN / 2.0));
	fputs("</svg>", f);
}

void report_strip(FILE *f, const struct lab_results *r)
{
	struct axis a;

	scale(&a, r);
	fputs("<section class=\"whole\"><h2>Every run</h2><div class=\"strips\">", f);
	for (unsigned i = 0; i < r->n_arms; i++) {
		fputs("<div class=\"label\">", f);
		html_text(f, r->arm[i].name);
		fputs("</div>", f);
		strip(f, &a, r, i);
		fputs("<div class=\"number\">", f);
		if (r->arm[i].n > 0)
			html_number(f, r->arm[i].median_pps / 1e6, 3);
		else
			fputs("\xe2\x80\x93", f);
		fputs("</div>", f);
	}
	fputs("<div></div>", f);
	axis_labels(f, &a, "Mpps");
	fputs("<div class=\"number\"><small>median</small></div></div><p class=\"key\"><span "
	      "class=\"swatch dot\"></span> a run (<span class=\"swatch dot base\"></span> of the "
	      "baseline); from top to bottom in the order they were made "
	      "\xc2\xb7 <span class=\"swatch dot void\"></span> a void run, not counted \xc2\xb7 "
	      "<span class=\"swatch median\"></span> median of the valid runs",
		f);
	if (a.lo > 0)
		fprintf(f, ". The axis begins at %.*f Mpps, not at 0", a.decimals, a.lo);
	fputs(".</p></section>", f);
}

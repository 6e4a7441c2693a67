// SPDX-License-Identifier: BSD-2-Clause
#include "lab/report.h"

#include <math.h>

// Room left and right of the limits, in percent, so that dots and numbers at them are whole.
static const double margin = 4;

void axis_make(struct axis *a, double lo, double hi, unsigned ticks)
{
	double rough, unit, step;

	if (!isfinite(lo) || !isfinite(hi) || hi - lo < 1e-12 * fabs(hi) || hi <= lo) {
		double mid = isfinite(lo) ? lo : 0, half = mid != 0 ? fabs(mid) * 0.01 : 1;

		lo = mid - half;
		hi = mid + half;
	}
	rough = (hi - lo) / ticks;
	unit = pow(10, floor(log10(rough)));
	step = unit * (rough <= unit ? 1 : rough <= 2 * unit ? 2 : rough <= 5 * unit ? 5 : 10);
	a->lo = floor(lo / step + 1e-9) * step;
	a->hi = ceil(hi / step - 1e-9) * step;
	a->decimals = (int)-floor(log10(step) + 1e-9);
	if (a->decimals < 0)
		a->decimals = 0;
	a->n = 0;
	for (unsigned i = 0; i < AXIS_TICKS_MAX && a->lo + i * step <= a->hi + step / 2; i++)
		a->tick[a->n++] = a->lo + i * step;
}

double axis_at(const struct axis *a, double v)
{
	double share = (v - a->lo) / (a->hi - a->lo);

	if (!(share >= 0)) // also what is no number
		share = 0;
	if (share > 1)
		share = 1;
	return margin + share * (100 - 2 * margin);
}

void axis_grid(FILE *f, const struct axis *a)
{
	for (unsigned i = 0; i < a->n; i++) {
		double x = axis_at(a, a->tick[i]);

		fprintf(f,
			"<line class=\"grid%s\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"100%%\"/>",
			fabs(a->tick[i]) < 1e-12 ? " zero" : "", x, x);
	}
}

void axis_labels(FILE *f, const struct axis *a, const char *unit)
{
	fputs("<svg class=\"axis\" width=\"100%\" height=\"36\" aria-hidden=\"true\">", f);
	for (unsigned i = 0; i < a->n; i++) {
		double v = fabs(a->tick[i]) < 1e-12 ? 0 : a->tick[i];

		fprintf(f, "<text%s x=\"%.2f%%\" y=\"14\">%s%.*f</text>",
			a->n > 6 && i % 2 == 1 ? " class=\"odd\"" : "", axis_at(a, v),
			v < 0 ? "\xe2\x88\x92" : "", a->decimals, fabs(v));
	}
	fputs("<text class=\"unit\" x=\"50%\" y=\"31\">", f);
	html_text(f, unit);
	fputs("</text></svg>", f);
}

// SPDX-License-Identifier: BSD-2-Clause
// report.h - the parts of the HTML report; private to the report's files.
// Each writes its section to an open stream.  All text from outside goes through html_text().
//
// Plots need no script and fit any width: an SVG without a view box takes the width of its column,
// places are percentages of it, and sizes of dots and letters are pixels.
#pragma once

#include "lab/results.h"

#include <stdint.h>
#include <stdio.h>

// --- report_html.c: text and numbers ---

// Escaped for text and for quoted attributes.  Bytes that are no UTF-8, control characters and
// those that turn the direction of text become U+FFFD.
void html_text(FILE *f, const char *text);

// As one word for /bin/sh, escaped for HTML.
void html_shell_word(FILE *f, const char *text);

void html_count(FILE *f, uint64_t n);                   // 1 234 567, narrow blanks
void html_number(FILE *f, double v, int decimals);      // "n/a" if it is no number
void html_percent_short(FILE *f, double share);         // 2 %, 0.5 %
void html_percent(FILE *f, double share, int decimals); // 1.50 %, "n/a" if it is no number
void html_change(FILE *f, double share);                // +1.50 % or a true minus sign
void html_seconds(FILE *f, double s);                   // 0.6 s, 1 min 20 s

// "run" or "runs".
const char *html_s(uint64_t n);

// Class of an arm: "other" if it is compared with another condition or traffic, "again" for the A/A
// arm, else "baseline".
const char *report_kind(const struct lab_results *r, unsigned arm);

extern const char *const report_style[]; // pieces; NULL ends them

// --- report_axis.c: scales ---

enum { AXIS_TICKS_MAX = 12 };

struct axis {
	double lo, hi;
	double tick[AXIS_TICKS_MAX];
	unsigned n;
	int decimals; // that the ticks need
};

// From values lo..hi to round limits with about `ticks` steps.
void axis_make(struct axis *a, double lo, double hi, unsigned ticks);

// Percent of the width; values outside are put on the edge.
double axis_at(const struct axis *a, double v);

// Vertical lines at the ticks, as long as the plot is high.
void axis_grid(FILE *f, const struct axis *a);

// The ticks' numbers below a plot, and the unit.
void axis_labels(FILE *f, const struct axis *a, const char *unit);

// --- the sections ---

void report_answer(FILE *f, const struct lab_results *r);   // report_answer.c
void report_setup(FILE *f, const struct lab_results *r);    // report_setup.c
void report_filters(FILE *f, const struct lab_results *r);  // report_filters.c
void report_settings(FILE *f, const struct lab_results *r); // report_setup.c
void report_arms(FILE *f, const struct lab_results *r);     // report_arms.c
void report_strip(FILE *f, const struct lab_results *r);    // report_arms.c
void report_series(FILE *f, const struct lab_results *r);   // report_series.c
void report_account(FILE *f, const struct lab_results *r);  // report_account.c
void report_voids(FILE *f, const struct lab_results *r);    // report_account.c
void report_boxes(FILE *f, const struct lab_results *r);    // report_repeat.c
void report_repeat(FILE *f, const struct lab_results *r);   // report_repeat.c

// SPDX-License-Identifier: BSD-2-Clause
// report.c - pkt-gen's lines.  Scripts split them on single spaces and count fields, so a blank
// more or less is an error.
#include "gen/gen.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { SCALED_MAX = 40, FRAMING_BYTES = 24 };

// "1.126 M" or, plain, "1126000 "; the word that follows is glued to it.
static const char *scaled(double v, unsigned flags, char out[SCALED_MAX])
{
	static const char *const unit[] = {"", "K", "M", "G", "T"};
	unsigned i = 0;

	if (flags & REPORT_PLAIN) {
		snprintf(out, SCALED_MAX, "%.0f ", v);
		return out;
	}
	for (; v >= 1000 && i < 4; i++)
		v /= 1000;
	snprintf(out, SCALED_MAX, "%.3f %s", v, unit[i]);
	return out;
}

static void remember(struct report_history *h, double pps)
{
	if (pps == 0)
		return;
	h->pps[h->next] = pps;
	h->next = (h->next + 1) % REPORT_HISTORY;
	if (h->n < REPORT_HISTORY)
		h->n++;
}

static void spread(const struct report_history *h, double *mean, double *deviation)
{
	double sum = 0, squares = 0;

	*mean = *deviation = 0;
	if (h->n == 0)
		return;
	for (unsigned i = 0; i < h->n; i++)
		sum += h->pps[i];
	*mean = sum / h->n;
	for (unsigned i = 0; i < h->n; i++)
		squares += (h->pps[i] - *mean) * (h->pps[i] - *mean);
	*deviation = sqrt(squares / h->n);
}

static uint64_t bytes_on_wire(uint64_t bytes, uint64_t packets, unsigned flags)
{
	return bytes + (flags & REPORT_FRAMING ? FRAMING_BYTES * packets : 0);
}

const char *report_interval_text(const struct report_interval *i, unsigned flags,
	struct report_history *h, char out[REPORT_LINE_MAX])
{
	double usec = (double)i->usec, pps = round((double)i->packets * 1e6 / usec);
	double bps = 8e6 * (double)bytes_on_wire(i->bytes, i->packets, flags) / usec;
	double batch = i->events != 0 ? (double)i->packets / (double)i->events : 0, mean, deviation;
	char a[SCALED_MAX], b[SCALED_MAX], c[SCALED_MAX], d[SCALED_MAX], e[SCALED_MAX];
	char middle[2 * SCALED_MAX + 20] = "";

	remember(h, pps);
	if (flags & REPORT_SPREAD) {
		spread(h, &mean, &deviation);
		snprintf(middle, sizeof(middle), "[avg/std %s/%s pps] ", scaled(mean, flags, d),
			scaled(deviation, flags, e));
	}
	snprintf(out, REPORT_LINE_MAX,
		"%spps %s(%spkts %sbps in %llu usec) %.2f avg_batch %llu min_space",
		scaled(pps, flags, a), middle, scaled((double)i->packets, flags, b),
		scaled(bps, flags, c), (unsigned long long)i->usec, batch,
		(unsigned long long)i->min_space);
	return out;
}

const char *report_total_text(
	const struct report_total *t, unsigned flags, char out[2 * REPORT_LINE_MAX])
{
	char a[SCALED_MAX], b[SCALED_MAX], c[SCALED_MAX];
	double seconds = t->seconds > 0 ? t->seconds : 1e-9;
	double bits = 8 * (double)t->bytes / seconds;
	double raw = 8 * (double)bytes_on_wire(t->bytes, t->packets, flags) / seconds;

	if (t->packets == 0) {
		snprintf(out, 2 * REPORT_LINE_MAX, "%s nothing.\n", t->verb);
		return out;
	}
	snprintf(out, 2 * REPORT_LINE_MAX,
		"%s %llu packets %llu bytes %llu events %llu bytes each in %.2f seconds.\n"
		"Speed: %spps Bandwidth: %sbps (raw %sbps). Average batch: %.2f pkts\n",
		t->verb, (unsigned long long)t->packets, (unsigned long long)t->bytes,
		(unsigned long long)t->events, (unsigned long long)(t->bytes / t->packets),
		t->seconds, scaled((double)t->packets / seconds, flags, a), scaled(bits, flags, b),
		scaled(raw, flags, c), t->events != 0 ? (double)t->packets / (double)t->events : 0);
	return out;
}

const char *report_prefix(
	uint64_t seconds, unsigned usec, const char *function, int line, char out[REPORT_LINE_MAX])
{
	snprintf(out, REPORT_LINE_MAX, "%03u.%06u %s [%d] ", (unsigned)(seconds % 1000), usec,
		function, line);
	return out;
}

const char *report_rtt_text(const struct rtt *r, char out[REPORT_LINE_MAX])
{
	uint64_t mean = r->count != 0 ? r->sum_ns / r->count : 0;
	uint64_t min = r->count != 0 ? r->min_ns : 0;

	snprintf(out, REPORT_LINE_MAX, "count %llu RTT: min %llu av %llu ns",
		(unsigned long long)r->count, (unsigned long long)min, (unsigned long long)mean);
	return out;
}

const char *report_rtt_histogram(const struct rtt *r, char *out, size_t size)
{
	unsigned lo = 0, hi = RTT_BUCKETS - 1;
	size_t n;

	while (lo < hi && r->bucket[lo] == 0)
		lo++;
	while (hi > lo && r->bucket[hi] == 0)
		hi--;
	n = (size_t)snprintf(out, size, "k: %llu .. %llu\n\t", 1ull << lo, 1ull << hi);
	for (unsigned k = lo; k <= hi && n < size; k++)
		n += (size_t)snprintf(
			out + n, size - n, "%5llu ", (unsigned long long)r->bucket[k]);
	return out;
}

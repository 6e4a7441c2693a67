// SPDX-License-Identifier: BSD-2-Clause
// Where the frames went, and which runs do not count.
#include "lab/losses.h"
#include "lab/report.h"

#include <stdbool.h>
#include <string.h>

// Sums over the valid runs of an arm.
struct sums {
	uint64_t offered, received, refused, tester_missed;
	uint64_t in, made, sent, queued, dropped;
	uint64_t bad;
	struct lab_drop drop[LAB_DROPS_MAX * 2];
	unsigned n_drops;
};

static void add_drop(struct sums *s, const struct lab_drop *d)
{
	unsigned i = 0;

	s->dropped += d->n;
	while (i < s->n_drops && strcmp(s->drop[i].name, d->name) != 0)
		i++;
	if (i == LAB_DROPS_MAX * 2)
		return;
	if (i == s->n_drops) {
		s->drop[i] = *d;
		s->n_drops++;
	} else {
		s->drop[i].n += d->n;
	}
}

static void sum(const struct lab_results *r, unsigned arm, struct sums *s)
{
	*s = (struct sums){0};
	for (unsigned i = 0; i < r->n_runs; i++) {
		const struct lab_run *run = &r->run[i];

		if (run->arm != arm || !run->valid)
			continue;
		s->offered += run->offered;
		s->received += run->received;
		s->refused += run->refused;
		s->tester_missed += run->tester_missed;
		s->in += run->dut_in;
		s->made += run->dut_made;
		s->sent += run->dut_sent;
		s->queued += run->dut_queued;
		s->bad += run->bad_ttl + run->bad_checksum + run->bad_content + run->duplicate +
			  run->foreign;
		for (unsigned k = 0; k < run->n_drops && k < LAB_DROPS_MAX; k++)
			add_drop(s, &run->drop[k]);
	}
}

static void count_cell(FILE *f, uint64_t n)
{
	fputs("<td>", f);
	html_count(f, n);
}

static void reasons(FILE *f, const struct sums *s)
{
	fputs("<td class=\"text reasons\">", f);
	if (s->n_drops == 0)
		fputs("none", f);
	for (unsigned i = 0; i < s->n_drops; i++) {
		fputs(i == 0 ? "<code>" : "<br><code>", f);
		html_text(f, s->drop[i].name);
		fputs("</code> ", f);
		html_count(f, s->drop[i].n);
	}
}

static void device(FILE *f, const struct sums *s)
{
	uint64_t entered = s->in + s->made, left = s->sent + s->queued + s->dropped;

	if (s->in == 0 && s->sent == 0) {
		fputs("<td colspan=\"6\" class=\"none\">the device keeps no account", f);
		return;
	}
	count_cell(f, s->in);
	count_cell(f, s->made);
	count_cell(f, s->sent);
	count_cell(f, s->queued);
	reasons(f, s);
	if (entered == left) {
		fputs("<td class=\"text\">adds up", f);
	} else {
		fputs("<td class=\"text\">", f);
		html_count(f, entered > left ? entered - left : left - entered);
		fputs(entered > left ? " kept by the device" : " more out than in", f);
	}
}

static void losses(FILE *f, const struct lab_results *r, unsigned arm)
{
	struct arm_losses l;

	arm_losses(r, arm, &l);
	if (l.unreached > 0) {
		fputs("<br>Of what <b>", f);
		html_text(f, r->arm[arm].name);
		fputs("</b> lost, ", f);
		html_percent(f, (double)l.unreached / (double)l.lost, 1);
		fputs(" never reached the device.", f);
	}
	if (l.reordered > 0) {
		fputs("<br>Of <b>", f);
		html_text(f, r->arm[arm].name);
		fputs("</b>, ", f);
		html_count(f, l.reordered);
		fputs(" frames came behind a later one of their flow (reordered, RFC 4737); they "
		      "count as forwarded.",
			f);
	}
}

void report_account(FILE *f, const struct lab_results *r)
{
	fputs("<section><h2>Where the frames went</h2><div class=\"scroll\" tabindex=\"0\"><table class=\"figures "
	      "account\"><thead><tr><th class=\"text\" scope=\"col\" rowspan=\"2\">condition<th "
	      "scope=\"colgroup\" colspan=\"4\">tester, frames<th scope=\"colgroup\" "
	      "colspan=\"6\">device, frames<tr><th scope=\"col\">offered<th "
	      "scope=\"col\">back<th scope=\"col\">lost<th scope=\"col\">missed<br><small>by the "
	      "tester</small><th scope=\"col\">in<th scope=\"col\">made<th scope=\"col\">sent<th "
	      "scope=\"col\">queued<th class=\"text\" scope=\"col\">dropped, by reason<th "
	      "class=\"text\" scope=\"col\">balance<tbody>",
		f);
	for (unsigned i = 0; i < r->n_arms; i++) {
		struct sums s;

		sum(r, i, &s);
		fputs("<tr><th scope=\"row\">", f);
		html_text(f, r->arm[i].name);
		count_cell(f, s.offered);
		count_cell(f, s.received);
		count_cell(f, s.offered > s.received ? s.offered - s.received : 0);
		count_cell(f, s.tester_missed);
		device(f, &s);
	}
	fputs("</table></div><p class=\"key\">Sums over the valid runs. Balance: in + made = sent + "
	      "queued + dropped. Offered are frames the tester\xe2\x80\x99s port took.",
		f);
	for (unsigned i = 0; i < r->n_arms; i++)
		losses(f, r, i);
	fputs("</p></section>", f);
}

// --- validity ----------------------------------------------------------------------------------

static void void_row(FILE *f, const struct lab_results *r, const struct lab_run *run)
{
	fprintf(f, "<tr class=\"void\"><th scope=\"row\">%u<td class=\"text\">", run->number);
	html_text(f, r->arm[run->arm].name);
	fprintf(f, "<td>%u<td>%u<td class=\"text\"><code>", run->block + 1, run->attempt);
	html_text(f, run->gate);
	fputs("</code><td class=\"text\">", f);
	html_text(f, run->why);
}

void report_voids(FILE *f, const struct lab_results *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_runs; i++)
		n += !r->run[i].valid;
	fputs("<section><h2>Validity</h2><p>A run counts only if every frame that came back is of "
	      "this run, came once, unchanged, with its TTL or hop limit one lower and a right "
	      "checksum; no more came back than was sent; the device\xe2\x80\x99s account adds up; "
	      "the tester lost nothing and offered what it should; and enough intervals are steady. "
	      "A run that fails is void: shown, made again, never averaged.</p>",
		f);
	if (n == 0) {
		fprintf(f, "<p><b>All %u run%s passed every gate.</b></p></section>", r->n_runs,
			html_s(r->n_runs));
		return;
	}
	fprintf(f, "<p><b>%u of %u runs %s void.</b></p>", n, r->n_runs, n == 1 ? "is" : "are");
	fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"figures\"><thead><tr><th class=\"text\" scope=\"col\">run<th "
	      "scope=\"col\" class=\"text\">condition<th scope=\"col\">block<th "
	      "scope=\"col\">attempt<th scope=\"col\" class=\"text\">gate<th scope=\"col\" "
	      "class=\"text\">reason<tbody>",
		f);
	for (unsigned i = 0; i < r->n_runs; i++)
		if (!r->run[i].valid)
			void_row(f, r, &r->run[i]);
	fputs("</table></div></section>", f);
}

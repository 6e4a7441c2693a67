// SPDX-License-Identifier: BSD-2-Clause
// The results as text.
#include "lab/files.h"
#include "lab/losses.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_setup(FILE *out, const struct lab_results *r)
{
	const struct machine *m = &r->machine;

	fprintf(out, "weir lab %s: %s, %s\n", r->version, r->name, r->utc);
	fprintf(out, "machine   %s, %u CPUs%s, %s, %s\n", m->model, m->n_cpus,
		m->virtualised ? ", virtual" : "", m->distro, m->kernel);
	fprintf(out, "device    %s\n", r->dut);
	fprintf(out, "tester    %s\n", r->tester);
	if (r->env[0] != '\0')
		fprintf(out, "memory    %s\n", r->env);
	fprintf(out, "traffic   %" PRIu64 " flows; %u runs; seed 0x%" PRIx64 "\n", r->n_flows,
		r->n_runs, r->seed);
	fprintf(out, "Mpps is   %s\n\n", r->basis);
}

static unsigned name_width(const struct lab_results *r)
{
	size_t width = strlen("condition");

	for (unsigned i = 0; i < r->n_arms; i++)
		if (strlen(r->arm[i].name) > width)
			width = strlen(r->arm[i].name);
	return (unsigned)width;
}

static void print_arm(FILE *out, const struct lab_arm *a, int width, bool work)
{
	if (a->n == 0) {
		fprintf(out, "%-*s  %5u %3u  no valid run\n", width, a->name, a->frame_len, a->n);
		return;
	}
	fprintf(out, "%-*s  %5u %3u %8.3f %8.3f %8.3f", width, a->name, a->frame_len, a->n,
		a->median_pps / 1e6, a->min_pps / 1e6, a->max_pps / 1e6);
	if (a->n > 1)
		fprintf(out, " %7.1f", a->spread * 100);
	else
		fprintf(out, " %7s", "-"); // one value has none
	if (work)
		fprintf(out, " %8.1f %5.0f %8.3f", a->cycles_per_packet, a->work_share * 100,
			a->received_pps / 1e6);
	fprintf(out, " %8.4f %8.2f %8.2f\n", a->loss * 100, a->imix_bps / 1e9,
		a->imix_l1_bps / 1e9);
}

static void print_arms(FILE *out, const struct lab_results *r)
{
	int w = (int)name_width(r);
	bool work = false;

	for (unsigned i = 0; i < r->n_arms; i++)
		work = work || r->arm[i].cycles_per_packet > 0;
	fprintf(out, "%-*s  %5s %3s %8s %8s %8s %7s%s %8s %8s %8s\n", w, "condition", "frame", "n",
		"median", "min", "max", "spread", work ? "   cycles  core   passed" : "", "loss",
		"IMIX", "IMIX L1");
	fprintf(out, "%-*s  %5s %3s %8s %8s %8s %7s%s %8s %8s %8s\n", w, "", "bytes", "", "Mpps",
		"Mpps", "Mpps", "%", work ? "  /packet     %     Mpps" : "", "%", "Gb/s", "Gb/s");
	for (unsigned i = 0; i < r->n_arms; i++)
		print_arm(out, &r->arm[i], w, work);
	if (work)
		fputs("core: share of its time the forwarding core worked; passed: through the bench by "
		      "the wall clock.\n",
			out);
	fputs("IMIX: estimate from the packet rate, PPS*(7*(40+14)+4*(576+14)+(1500+14))/12*8;\n"
	      "IMIX L1: with frames padded to 60 bytes and 24 more for CRC, preamble and gap.\n",
		out);
}

// What the loss column does not tell: whose loss it was, and what came, but late.
static void print_losses(FILE *out, const struct lab_results *r)
{
	const char *between = "of the loss, this never reached the device: ", *end = "";

	for (unsigned i = 0; i < r->n_arms; i++) {
		struct arm_losses l;

		arm_losses(r, i, &l);
		if (l.unreached == 0)
			continue;
		fprintf(out, "%s%s %.1f %%", between, r->arm[i].name,
			100.0 * (double)l.unreached / (double)l.lost);
		between = ", ";
		end = ".\n";
	}
	fputs(end, out);
	for (unsigned i = 0; i < r->n_arms; i++) {
		struct arm_losses l;

		arm_losses(r, i, &l);
		if (l.reordered > 0)
			fprintf(out,
				"reordered: %" PRIu64 " of %" PRIu64
				" frames of %s came behind a later "
				"one of their flow\n(RFC 4737); they count as forwarded.\n",
				l.reordered, l.received, r->arm[i].name);
	}
}

// "12 unsteady, 3 generator-limited"; whether all of these come of a busy machine.
static bool print_void_reasons(FILE *out, const struct lab_results *r)
{
	const char *between = "";
	bool busy = true;

	for (unsigned i = 0; i < r->n_runs; i++) {
		const char *gate = r->run[i].gate;
		unsigned n = 0;
		bool told = r->run[i].valid;

		for (unsigned j = 0; j < r->n_runs; j++) {
			bool same = !r->run[j].valid && strcmp(r->run[j].gate, gate) == 0;

			n += same;
			told = told || (same && j < i);
		}
		if (told)
			continue;
		fprintf(out, "%s%u %s", between, n, gate);
		between = ", ";
		busy = busy &&
		       (strcmp(gate, "unsteady") == 0 || strcmp(gate, "generator-limited") == 0 ||
			       strcmp(gate, "tester-drops") == 0);
	}
	return busy;
}

static void print_voids(FILE *out, const struct lab_results *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_runs; i++)
		n += !r->run[i].valid;
	if (n == 0)
		return;
	fprintf(out, "\n%u of %u runs %s void and not counted: ", n, r->n_runs,
		n == 1 ? "is" : "are");
	if (print_void_reasons(out, r) && 2 * n > r->n_runs)
		fputs(".  The machine was busy: an idle one,\nor more runs (--runs), give more "
		      "valid ones.\n",
			out);
	else
		fputs(".\n", out);
	for (unsigned i = 0; i < r->n_runs; i++) {
		const struct lab_run *run = &r->run[i];

		if (!run->valid)
			fprintf(out, "  run %u (%s, block %u, attempt %u): %s: %s\n", run->number,
				r->arm[run->arm].name, run->block, run->attempt, run->gate,
				run->why);
	}
}

static void print_notes(FILE *out, const struct lab_results *r)
{
	if (r->n_notes > 0)
		fputs("\nSettings without effect, or with a part of it:\n", out);
	for (unsigned i = 0; i < r->n_notes; i++)
		fprintf(out, "  %s: %s: %s\n", r->note[i].where, r->note[i].what, r->note[i].why);
}

// What to do where nothing was decided.
static void print_more_runs(FILE *out, const struct lab_results *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->n_cmps; i++)
		any = any || (!r->cmp[i].aa && r->cmp[i].c.verdict == INCONCLUSIVE);
	if (any)
		fputs("\nInconclusive: so many runs prove neither a difference nor its absence; more "
		      "of them\n(--runs) or longer ones (--seconds) tell more.\n",
			out);
}

static uint64_t told_hits(const struct lab_told_rule *r)
{
	return r->hits == LAB_NOT_COUNTED ? 0 : r->hits;
}

static void print_filters(FILE *out, const struct lab_results *r, int width)
{
	if (r->n_filters == 0)
		return;
	fputs("\nFilters: frames made from the rules go through the device before and after every run; those\n"
	      "denied must not arrive, those permitted must.\n",
		out);
	fprintf(out, "%-*s  %6s %6s %14s %14s  %s\n", width, "condition", "rules", "probes",
		"frames", "hits", "most hits");
	for (unsigned i = 0; i < r->n_filters; i++) {
		const struct lab_filtered *f = &r->filter[i];
		const struct lab_told_rule *most = NULL;

		fprintf(out, "%-*s  %6u %6u %14" PRIu64, width, r->arm[f->arm].name, f->n_rules,
			f->n_probes, f->frames);
		if (!f->has_hits) {
			fprintf(out, " %14s\n", "not counted");
			continue;
		}
		for (unsigned j = 0; j < r->n_rules; j++)
			if (r->rule[j].arm == f->arm && r->rule[j].flows > 0 &&
				(most == NULL || told_hits(&r->rule[j]) > told_hits(most)))
				most = &r->rule[j];
		fprintf(out, " %14" PRIu64, f->hits);
		if (most != NULL)
			fprintf(out, "  %u: %s\n", most->index, most->words);
		else
			fputs("  the traffic meets no rule\n", out);
	}
}

// What the figures of the verdicts are; of invalid ones there are none.
static void print_method(FILE *out, const struct lab_results *r)
{
	unsigned i = 0;

	while (i < r->n_cmps && (r->cmp[i].c.verdict == INVALID || r->cmp[i].test[0] == '\0'))
		i++;
	if (i < r->n_cmps)
		fprintf(out,
			"change: median over pairs of neighbouring runs; p: %s, after Holm's "
			"correction.\nA difference needs a p below %g.\n",
			r->cmp[i].test, VERDICT_ALPHA_PERCENT / 100.0);
}

// One line each, for there are many.
static void print_verdicts(FILE *out, const struct lab_results *r, int width)
{
	fprintf(out, "\n%-*s  %-*s  %8s %18s %8s  %s\n", width, "condition", width, "against",
		"change %", "95 % interval", "p", "verdict");
	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct lab_comparison *c = &r->cmp[i];
		char interval[40] = "";

		if (c->c.verdict == INVALID) {
			fprintf(out, "%-*s  %-*s  %36s  %s: %s\n", width, r->arm[c->b].name, width,
				r->arm[c->a].name, "", c->verdict, c->c.why);
			continue;
		}
		if (isfinite(c->c.ci_lo) && isfinite(c->c.ci_hi))
			snprintf(interval, sizeof(interval), "%+.2f to %+.2f",
				text_shown(c->c.ci_lo * 100, 2), text_shown(c->c.ci_hi * 100, 2));
		fprintf(out, "%-*s  %-*s  %+8.2f %18s %8.2g  %s%s\n", width, r->arm[c->b].name,
			width, r->arm[c->a].name, text_shown(c->c.effect * 100, 2), interval,
			c->c.p_adjusted, c->aa ? "A/A: " : "", c->verdict);
	}
	print_method(out, r);
	fputs("The boxes of ministat are in compare.ministat and in report.html.\n", out);
}

static void print_all(FILE *out, const struct lab_results *r, const char *folder)
{
	print_setup(out, r);
	print_arms(out, r);
	print_losses(out, r);
	if (r->has_noise)
		fprintf(out, "\nNoise floor of this machine (A/A, same settings twice): %.2f %%\n",
			r->noise * 100);
	print_filters(out, r, (int)name_width(r));
	print_voids(out, r);
	print_notes(out, r);
	if (r->n_cmps > LAB_COMPARISONS_FEW)
		print_verdicts(out, r, (int)name_width(r));
	for (unsigned i = 0; i < r->n_cmps && r->n_cmps <= LAB_COMPARISONS_FEW; i++)
		fprintf(out, "\n%s%s%s\n", r->cmp[i].ministat != NULL ? r->cmp[i].ministat : "",
			r->cmp[i].aa ? "A/A: " : "", r->cmp[i].sentence);
	print_more_runs(out, r);
	if (folder != NULL && folder[0] != '\0')
		fprintf(out, "\nresults: %s", folder);
	fprintf(out, "\nverdict: %s\n", r->verdict);
}

// Names, settings and files that were tampered with must not speak to the terminal.
static char *text_of(const struct lab_results *r, const char *folder)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool bad;

	if (f == NULL)
		return NULL;
	print_all(f, r, folder);
	bad = ferror(f) != 0;
	if (fclose(f) != 0 || bad) {
		free(text);
		return NULL;
	}
	for (char *p = text; *p != '\0'; p++)
		if (((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
			*p = '?';
	return text;
}

char *lab_report_text(const struct lab_results *r)
{
	return text_of(r, NULL);
}

void lab_print(FILE *out, const struct lab_results *r, const char *folder)
{
	char *text = text_of(r, folder);

	fputs(text != NULL ? text : "weir lab: no memory for the table\n", out);
	free(text);
}

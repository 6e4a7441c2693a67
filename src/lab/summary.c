// SPDX-License-Identifier: BSD-2-Clause
#include "lab/summary.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double imix_bps(double pps)
{
	return pps * (7 * (40 + 14) + 4 * (576 + 14) + (1500 + 14)) / 12 * 8;
}

double imix_l1_bps(double pps)
{
	return pps * (7 * (60 + 24) + 4 * (590 + 24) + (1514 + 24)) / 12 * 8;
}

// One figure of the arm's valid runs, in the order of their blocks.
static unsigned collect(const struct lab_results *r, unsigned arm, size_t offset, double *v)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].arm == arm && r->run[i].valid)
			memcpy(&v[n++], (const char *)&r->run[i] + offset, sizeof(*v));
	return n;
}

static double median_of(const struct lab_results *r, unsigned arm, size_t offset, double *v)
{
	struct sample s = {"", v, collect(r, arm, offset, v)};

	return s.n > 0 ? sample_median(&s) : 0;
}

static void arm_fill(struct lab_results *r, unsigned i, double *v)
{
	struct lab_arm *a = &r->arm[i];
	struct sample s = {a->name, v, collect(r, i, offsetof(struct lab_run, pps), v)};
	uint64_t offered = 0, received = 0;

	a->n = s.n;
	a->n_void = 0;
	for (unsigned j = 0; j < r->n_runs; j++) {
		if (r->run[j].arm != i)
			continue;
		a->n_void += !r->run[j].valid;
		if (r->run[j].valid) {
			offered += r->run[j].offered;
			received += r->run[j].received + r->run[j].tester_missed;
		}
	}
	if (s.n == 0)
		return;
	a->median_pps = sample_median(&s);
	a->min_pps = sample_min(&s);
	a->max_pps = sample_max(&s);
	a->mean_pps = sample_mean(&s);
	a->stddev_pps = s.n > 1 ? sample_stddev(&s) : 0;
	a->spread = a->median_pps > 0 ? (a->max_pps - a->min_pps) / a->median_pps : 0;
	a->loss = offered > received ? (double)(offered - received) / (double)offered : 0;
	a->imix_bps = imix_bps(a->median_pps);
	a->imix_l1_bps = imix_l1_bps(a->median_pps);
	a->cycles_per_packet = median_of(r, i, offsetof(struct lab_run, cycles_per_packet), v);
	a->received_pps = median_of(r, i, offsetof(struct lab_run, received_pps), v);
	a->work_share = median_of(r, i, offsetof(struct lab_run, work_share), v);
}

static const struct lab_run *run_in_block(const struct lab_results *r, unsigned arm, unsigned block)
{
	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].arm == arm && r->run[i].block == block && r->run[i].valid)
			return &r->run[i];
	return NULL;
}

static int ministat_box(struct lab_results *r, struct lab_comparison *c, double *v, struct err *err)
{
	const struct ministat_opts opts = {0};
	struct sample s[2];
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	struct err why = {0};
	int rc = 0;

	if (out == NULL)
		return err_set(err, ENOMEM, "no memory for a comparison");
	s[0] = (struct sample){
		r->arm[c->a].name, v, collect(r, c->a, offsetof(struct lab_run, pps), v)};
	v += s[0].n;
	s[1] = (struct sample){
		r->arm[c->b].name, v, collect(r, c->b, offsetof(struct lab_run, pps), v)};
	if (s[0].n >= MINISTAT_MIN && s[1].n >= MINISTAT_MIN)
		rc = ministat_print(out, s, 2, &opts, &why);
	if (fclose(out) != 0 || text == NULL)
		rc = -ENOMEM;
	if (rc != 0) {
		free(text);
		return err_set(err, -rc, "ministat: %s", why.msg);
	}
	c->ministat = text;
	return 0;
}

static int compare_arms(struct lab_results *r, struct lab_comparison *c, double *v, struct err *err)
{
	const struct compare_opts opts = {.margin = r->margin,
		.noise = c->aa || !r->has_noise ? 0 : r->noise,
		.seed = r->seed};
	struct sample a = {r->arm[c->a].name, v, 0}, b = {r->arm[c->b].name, v + r->n_runs, 0};
	unsigned blocks = 0;

	for (unsigned i = 0; i < r->n_runs; i++)
		if (r->run[i].block + 1 > blocks)
			blocks = r->run[i].block + 1;
	for (unsigned block = 0; block < blocks; block++) {
		const struct lab_run *x = run_in_block(r, c->a, block);
		const struct lab_run *y = run_in_block(r, c->b, block);

		if (x == NULL || y == NULL)
			continue;
		v[a.n++] = x->pps;
		v[r->n_runs + b.n++] = y->pps;
	}
	c->n_blocks = a.n;
	if (compare_blocks(&a, &b, &opts, &c->c, err) != 0)
		return -err->code;
	snprintf(c->test, sizeof(c->test), "%s", c->c.test != NULL ? c->c.test : "");
	return ministat_box(r, c, v, err);
}

// The arm that arm i is to be compared with; r->n_arms = none.
static unsigned partner(const struct lab_results *r, unsigned i)
{
	const struct lab_arm *a = &r->arm[i];
	bool alone = true; // no other condition is measured with this traffic

	for (unsigned j = 0; j < r->n_arms; j++)
		alone = alone && (r->arm[j].family != a->family ||
					 strcmp(r->arm[j].condition, a->condition) == 0);
	for (unsigned j = 0; j < r->n_arms; j++) {
		const struct lab_arm *b = &r->arm[j];

		if (j == i || b->repeat_of_baseline || !b->baseline)
			continue;
		if (a->repeat_of_baseline || !a->baseline) {
			if (a->family == b->family)
				return j;
		} else if (alone && j < i) {
			return j;
		}
	}
	return r->n_arms;
}

// Too few pairs of runs: whose fault it is, and what voided most of that arm's runs.
static void blame(const struct lab_results *r, struct lab_comparison *c)
{
	const struct lab_arm *arm = &r->arm[r->arm[c->b].n <= r->arm[c->a].n ? c->b : c->a];
	char runs[96] = "no valid run";
	unsigned most = 0;
	const char *gate = NULL;

	if (c->n_blocks >= COMPARE_MIN)
		return;
	for (unsigned i = 0; i < r->n_runs; i++) {
		unsigned n = 0;

		for (unsigned j = 0; j < r->n_runs; j++)
			n += &r->arm[r->run[j].arm] == arm && !r->run[j].valid &&
			     strcmp(r->run[j].gate, r->run[i].gate) == 0;
		if (n > most) {
			most = n;
			gate = r->run[i].gate;
		}
	}
	if (arm->n > 0)
		snprintf(runs, sizeof(runs), "%u valid run%s, and a verdict needs at least %d",
			arm->n, arm->n == 1 ? "" : "s", COMPARE_MIN);
	if (arm->n >= COMPARE_MIN)
		snprintf(c->c.why, sizeof(c->c.why), "only %u blocks have a valid run of both",
			c->n_blocks);
	else if (gate != NULL)
		snprintf(c->c.why, sizeof(c->c.why), "%.80s: %s (%u void: %s)", arm->name, runs,
			arm->n_void, gate);
	else
		snprintf(c->c.why, sizeof(c->c.why), "%.80s: %s", arm->name, runs);
}

static void sentence(const struct lab_results *r, struct lab_comparison *c)
{
	const struct comparison *s = &c->c;
	const char *a = r->arm[c->a].name, *b = r->arm[c->b].name;
	char interval[96] = "no interval", floor[64] = "", level[32] = "";

	if (s->verdict == INVALID)
		blame(r, c);
	verdict_text(s, c->verdict, sizeof(c->verdict));
	if (s->verdict == INVALID) {
		snprintf(c->sentence, sizeof(c->sentence), "%s against %s: %s: %s", b, a,
			c->verdict, s->why);
		return;
	}
	if (isfinite(s->ci_lo) && isfinite(s->ci_hi))
		snprintf(interval, sizeof(interval), "%.0f %% interval %+.2f to %+.2f %%",
			s->confidence * 100, text_shown(s->ci_lo * 100, 2),
			text_shown(s->ci_hi * 100, 2));
	if (!c->aa && r->has_noise)
		snprintf(floor, sizeof(floor), "; noise floor %.2f %%", r->noise * 100);
	if (s->verdict == INCONCLUSIVE && !(s->p_adjusted < VERDICT_ALPHA_PERCENT / 100.0))
		snprintf(level, sizeof(level), ", not below %g", VERDICT_ALPHA_PERCENT / 100.0);
	snprintf(c->sentence, sizeof(c->sentence),
		"%s forwards %+.2f %% against %s (%s; medians of %u neighbouring runs each; %s, p = "
		"%.2g%s%s): %s",
		b, text_shown(s->effect * 100, 2), a, interval, c->n_blocks, c->test, s->p_adjusted,
		level, floor, c->verdict);
}

// What two arms of the same condition differ by, with the interval's end farther from zero.
static void noise_floor(struct lab_results *r, const struct comparison *c)
{
	double lo = fabs(c->ci_lo), hi = fabs(c->ci_hi);

	if (c->verdict == INVALID || !isfinite(lo) || !isfinite(hi))
		return;
	r->has_noise = true;
	r->noise = lo > hi ? lo : hi;
}

static int compare_all(struct lab_results *r, bool aa, double *v, struct err *err)
{
	for (unsigned i = 0; i < r->n_arms; i++) {
		unsigned j = partner(r, i);
		struct lab_comparison *c = &r->cmp[r->n_cmps];

		if (r->arm[i].repeat_of_baseline != aa || j == r->n_arms)
			continue;
		c->a = j;
		c->b = i;
		c->aa = aa;
		r->n_cmps++; // from here on lab_results_free() sees its box
		if (compare_arms(r, c, v, err) != 0)
			return -err->code;
	}
	return 0;
}

// Several comparisons in one experiment: Holm's correction over all that are not A/A.
static int adjust(struct lab_results *r, unsigned first, struct err *err)
{
	unsigned n = r->n_cmps - first;
	struct comparison *family = calloc(n > 0 ? n : 1, sizeof(*family));

	if (family == NULL)
		return err_set(err, ENOMEM, "no memory for the comparisons");
	for (unsigned i = 0; i < n; i++)
		family[i] = r->cmp[first + i].c;
	comparison_adjust(family, n);
	for (unsigned i = 0; i < n; i++) {
		r->cmp[first + i].c = family[i];
		r->cmp[first + i].c.test = NULL; // what is read back from a file has none
	}
	free(family);
	return 0;
}

static bool same_verdict(const struct lab_comparison *x, const struct lab_comparison *y)
{
	return x->aa == y->aa && x->a == y->a && x->c.verdict == y->c.verdict;
}

// The comparisons that end like number i, if it is the first of them: "slower by 2.1 % (b), 3.0 % (c)".
static size_t verdict_group(const struct lab_results *r, unsigned i, char *out, size_t size)
{
	const struct lab_comparison *first = &r->cmp[i];
	bool by = first->c.verdict == FASTER || first->c.verdict == SLOWER;
	size_t at;

	for (unsigned j = 0; j < i; j++)
		if (same_verdict(&r->cmp[j], first))
			return 0;
	at = (size_t)snprintf(out, size, "%s%s", first->verdict, by ? " by " : ": ");
	for (unsigned j = i; j < r->n_cmps && at < size; j++) {
		const struct lab_comparison *c = &r->cmp[j];

		if (!same_verdict(c, first))
			continue;
		if (j > i)
			at += (size_t)snprintf(out + at, size - at, "%s", by ? ", " : "; ");
		if (at < size && by)
			at += (size_t)snprintf(out + at, size - at, "%.1f %% (%s)",
				fabs(c->c.effect) * 100, r->arm[c->b].name);
		else if (at < size)
			at += (size_t)snprintf(out + at, size - at, "%s", r->arm[c->b].name);
	}
	return at;
}

// Of many comparisons, those of a verdict together.
static void verdict_groups(struct lab_results *r)
{
	size_t at = 0, size = sizeof(r->verdict);
	unsigned against = r->n_arms;

	for (unsigned i = 0; i < r->n_cmps && at < size; i++) {
		const struct lab_comparison *c = &r->cmp[i];
		char group[sizeof(r->verdict)];

		if (c->aa || verdict_group(r, i, group, sizeof(group)) == 0)
			continue;
		at += (size_t)snprintf(r->verdict + at, size - at, "%s", at > 0 ? "; " : "");
		if (c->a != against && at < size)
			at += (size_t)snprintf(
				r->verdict + at, size - at, "against %s: ", r->arm[c->a].name);
		against = c->a;
		if (at < size)
			at += (size_t)snprintf(r->verdict + at, size - at, "%s", group);
	}
}

static void verdict_line(struct lab_results *r)
{
	size_t at = 0;

	if (r->n_cmps > LAB_COMPARISONS_FEW) {
		verdict_groups(r);
		return;
	}
	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct lab_comparison *c = &r->cmp[i];
		char by[32] = "";

		if (c->aa && r->n_cmps > 1)
			continue;
		if (c->c.verdict == FASTER || c->c.verdict == SLOWER)
			snprintf(by, sizeof(by), " by %.1f %%", fabs(c->c.effect) * 100);
		at += (size_t)snprintf(r->verdict + at, sizeof(r->verdict) - at,
			"%s%s against %s: %s%s", at > 0 ? "; " : "", r->arm[c->b].name,
			r->arm[c->a].name, c->verdict, by);
		if (at >= sizeof(r->verdict))
			return;
	}
	if (r->n_cmps == 0 && r->n_arms == 1 && r->arm[0].n > 0)
		snprintf(r->verdict, sizeof(r->verdict), "%s: %.3f Mpps, nothing to compare with",
			r->arm[0].name, r->arm[0].median_pps / 1e6);
	else if (r->n_cmps == 0)
		snprintf(r->verdict, sizeof(r->verdict), "invalid: no valid run to compare");
}

int lab_summary(struct lab_results *r, struct err *err)
{
	double *v = calloc(2 * (size_t)r->n_runs + 1, sizeof(*v));
	unsigned n_aa;
	int rc;

	r->cmp = calloc(r->n_arms + 1, sizeof(*r->cmp));
	r->n_cmps = 0;
	if (v == NULL || r->cmp == NULL) {
		free(v);
		return err_set(err, ENOMEM, "no memory for the comparisons");
	}
	for (unsigned i = 0; i < r->n_arms; i++)
		arm_fill(r, i, v);
	rc = compare_all(r, true, v, err);
	n_aa = r->n_cmps;
	if (rc == 0 && n_aa > 0)
		noise_floor(r, &r->cmp[0].c);
	if (rc == 0)
		rc = compare_all(r, false, v, err);
	if (rc == 0)
		rc = adjust(r, n_aa, err);
	for (unsigned i = 0; i < r->n_cmps && rc == 0; i++)
		sentence(r, &r->cmp[i]);
	if (rc == 0)
		verdict_line(r);
	free(v);
	return rc;
}

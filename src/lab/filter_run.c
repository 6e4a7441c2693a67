// SPDX-License-Identifier: BSD-2-Clause
#include "lab/filter_run.h"

#include "lab/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD_FIRST = 16 }; // rules at the head of a list that are told

// The first rule that stops, moves or changes some of the traffic: a rate of such traffic is a rate of
// something else.  The filter's n: none does.
static unsigned stopper(const struct filter_run *r)
{
	unsigned i = 0;

	while (i < r->filter->n &&
		(r->flows.rule[i] == 0 || r->filter->rule[i].action == LAB_RULE_PASS))
		i++;
	return i;
}

static const char *stops(const struct filter_run *r, unsigned i)
{
	return r->filter->rule[i].action == LAB_RULE_DROP ? "drops" : "sends elsewhere or changes";
}

// A setup.sh may give the device other rules; without one it is known now that no run can be valid.
static int check_flows(
	const struct filter_run *r, const struct lab_condition *c, int family, struct err *err)
{
	const char *six = family == 6 ? "6" : "";
	unsigned i = stopper(r);
	char rule[LAB_RULE_TEXT];

	if (i == r->filter->n || c->setup[0] != '\0')
		return 0;
	return err_set(err, EINVAL,
		"%s %s %" PRIu64 " of the traffic's %" PRIu64
		" flows, so nothing can be measured; give --src%s and --dst%s addresses and ports "
		"that the rules pass",
		lab_rule_text(r->filter, i, rule), stops(r, i), r->flows.rule[i], r->flows.n, six,
		six);
}

struct filter_run *filter_run_new(const struct lab_condition *c, const struct lab_traffic *t,
	const struct dut *d, struct err *err)
{
	const struct probe_way way = {&c->conf, t, d->both_ways};
	struct filter_run *r = calloc(1, sizeof(*r));
	int rc;

	if (r != NULL) {
		r->filter = &c->filter;
		r->probes = calloc(1, sizeof(*r->probes));
		r->hits = calloc(c->filter.n + 1, sizeof(*r->hits));
		r->sum = calloc(c->filter.n + 1, sizeof(*r->sum));
	}
	if (r == NULL || r->probes == NULL || r->hits == NULL || r->sum == NULL) {
		err_set(err, ENOMEM, "no memory for the filter of %s", c->name);
		filter_run_free(r);
		return NULL;
	}
	rc = probe_set_make(r->probes, &c->filter, &way, err);
	if (rc == 0)
		rc = lab_flows_make(&r->flows, &c->filter, &t->gen, r->probes->iport, err);
	if (rc == 0)
		rc = check_flows(r, c, t->family, err);
	if (rc == 0)
		return r;
	err_context(err, "condition %s", c->name);
	filter_run_free(r);
	return NULL;
}

void filter_run_free(struct filter_run *r)
{
	if (r == NULL)
		return;
	lab_flows_free(&r->flows);
	free(r->probes);
	free(r->hits);
	free(r->sum);
	free(r);
}

static void gate_flows(const struct filter_run *r, struct lab_run *run)
{
	unsigned i = stopper(r);
	char rule[LAB_RULE_TEXT];

	if (i < r->filter->n)
		trial_void(run, "filter", "%s %s %" PRIu64 " of the traffic's %" PRIu64 " flows",
			lab_rule_text(r->filter, i, rule), stops(r, i), r->flows.rule[i],
			r->flows.n);
}

// How many probes of a round must have met rule i.
static unsigned probes_of(const struct filter_run *r, unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < r->probes->n; k++)
		n += r->probes->probe[k].first == i;
	return n;
}

static void gate_hits(const struct filter_run *r, struct lab_run *run)
{
	for (unsigned i = 0; i < r->filter->n; i++) {
		uint64_t least, most, probes = 2 * probes_of(r, i);
		char rule[LAB_RULE_TEXT];

		if (!r->filter->rule[i].counted) {
			r->hits[i] = 0; // no figure of it is told
			continue;
		}
		lab_flows_hits(&r->flows, i, run->offered, &least, &most);
		least += probes;
		most += probes;
		if (r->hits[i] < least || r->hits[i] > most)
			trial_void(run, "hits", "%s counts %" PRIu64 " frames, not %" PRIu64 "%s",
				lab_rule_text(r->filter, i, rule), r->hits[i],
				r->hits[i] < least ? least : most,
				least == most        ? ""
				: r->hits[i] < least ? " or more"
						     : " or less");
	}
}

bool filter_run_before(
	struct filter_run *r, struct dut *d, const struct lab_ends *ends, struct lab_run *run)
{
	run->valid = true;
	gate_flows(r, run);
	return run->valid && probe_round(r->probes, r->filter, d, ends, "before the traffic", run);
}

void filter_run_after(
	struct filter_run *r, struct dut *d, const struct lab_ends *ends, struct lab_run *run)
{
	if (!run->valid || !probe_round(r->probes, r->filter, d, ends, "after the traffic", run))
		return;
	r->has_hits = d->hits != NULL;
	if (r->has_hits) {
		d->hits(d, r->hits, r->filter->n);
		gate_hits(r, run);
	}
	if (!run->valid)
		return;
	r->frames += run->offered;
	for (unsigned i = 0; i < r->filter->n; i++)
		r->sum[i] += r->hits[i];
}

static int add_rule(const struct filter_run *r, struct lab_results *to, unsigned arm, unsigned i,
	struct err *err)
{
	struct lab_told_rule *more = realloc(to->rule, (to->n_rules + 1) * sizeof(*more));

	if (more == NULL)
		return err_set(err, ENOMEM, "no memory for the rules");
	to->rule = more;
	more += to->n_rules++;
	*more = (struct lab_told_rule){.arm = arm,
		.index = r->filter->rule[i].idx,
		.flows = r->flows.rule[i],
		.hits = r->has_hits && r->filter->rule[i].counted ? r->sum[i] : LAB_NOT_COUNTED};
	snprintf(more->words, sizeof(more->words), "%s", r->filter->rule[i].words);
	return 0;
}

int filter_run_tell(
	const struct filter_run *r, struct lab_results *to, unsigned arm, struct err *err)
{
	struct lab_filtered *more = realloc(to->filter, (to->n_filters + 1) * sizeof(*more));
	int rc = 0;

	if (more == NULL)
		return err_set(err, ENOMEM, "no memory for the filters");
	to->filter = more;
	more += to->n_filters++;
	*more = (struct lab_filtered){.arm = arm,
		.n_rules = r->filter->n,
		.n_probes = r->probes->n,
		.n_asked = r->probes->n_rules,
		.n_silent = r->probes->n_silent,
		.n_elsewhere = r->probes->n_elsewhere,
		.frames = r->frames,
		.hits = r->has_hits ? 0 : LAB_NOT_COUNTED,
		.has_hits = r->has_hits};
	// The head of the list, its end, and what the traffic meets.
	for (unsigned i = 0; i < r->filter->n && rc == 0; i++) {
		if (r->has_hits)
			more->hits += r->sum[i];
		if (i < TOLD_FIRST || i == r->filter->n - 1 || r->flows.rule[i] > 0)
			rc = add_rule(r, to, arm, i, err);
	}
	return rc;
}

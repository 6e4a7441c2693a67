// SPDX-License-Identifier: BSD-2-Clause
#include "lab/experiment.h"

#include "lab/plan.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef int run_fn(struct experiment *e, struct lab_run *run, struct err *err);

double experiment_seconds(const struct experiment *e)
{
	return (double)(clock_ns() - e->start_ns) / 1e9;
}

static void show(struct experiment *e, const struct lab_run *run)
{
	char label[LAB_NAME_MAX + 64];
	const struct lab_run *last = run->number > 1 ? run - 1 : NULL;

	snprintf(label, sizeof(label), "%s", e->r->arm[run->arm].name);
	if (last != NULL && !last->valid)
		snprintf(label, sizeof(label), "%s (void before: %s)", e->r->arm[run->arm].name,
			last->gate);
	e->progress.elapsed_s = experiment_seconds(e);
	progress_show(&e->progress, label);
}

static int grow(struct lab_results *r, struct err *err)
{
	struct lab_run *run = realloc(r->run, (r->n_runs + 1) * sizeof(*run));

	if (run == NULL)
		return err_set(err, ENOMEM, "no memory for run %u", r->n_runs + 1);
	r->run = run;
	memset(&run[r->n_runs], 0, sizeof(*run));
	return 0;
}

// One arm's run of a block, again while it is void.  -ECANCELED when too many are.
static int run_until_valid(
	struct experiment *e, run_fn *make, unsigned block, unsigned arm, struct err *err)
{
	unsigned planned = e->o.n_runs * e->r->n_arms;

	for (unsigned attempt = 1; attempt <= RUN_ATTEMPTS; attempt++) {
		struct lab_run *run;
		int rc;

		if (grow(e->r, err) != 0)
			return -err->code;
		run = &e->r->run[e->r->n_runs];
		run->number = e->r->n_runs + 1;
		run->block = block;
		run->arm = arm;
		run->attempt = attempt;
		run->start_s = experiment_seconds(e);
		show(e, run);
		rc = make(e, run, err);
		if (rc != 0)
			return rc;
		e->r->n_runs++;
		if (run->valid)
			return 0;
		if (++e->n_void > VOIDS_FREE + planned / 4)
			return -ECANCELED;
	}
	return 0;
}

// Whether a further block can be expected to end in time.
static bool in_time(const struct experiment *e, unsigned made)
{
	if (e->o.max_s <= 0 || made < e->o.n_min)
		return true;
	return experiment_seconds(e) * (made + 1) / made < e->o.max_s;
}

int experiment_blocks(struct experiment *e, run_fn *run, struct err *err)
{
	unsigned n = e->r->n_arms, *order = calloc(n, sizeof(*order));
	int rc = order == NULL ? err_set(err, ENOMEM, "no memory for the order") : 0;

	for (unsigned block = 0; block < e->o.n_runs && rc == 0 && in_time(e, block); block++) {
		plan_order(e->o.seed, block, order, n);
		for (unsigned i = 0; i < n && rc == 0; i++) {
			rc = run_until_valid(e, run, block, order[i], err);
			e->progress.done++;
		}
	}
	progress_end(&e->progress);
	free(order);
	return rc == -ECANCELED ? 0 : rc; // the summary tells how many are void
}

// SPDX-License-Identifier: BSD-2-Clause
// The experiment: arms, blocks of runs, and what is made of them.
#include "lab/lab.h"

#include "lab/arms.h"
#include "lab/experiment.h"
#include "lab/files.h"
#include "lab/plan.h"
#include "lab/settings.h"
#include "lab/summary.h"
#include "lab/tester.h"

#include "base/clock.h"
#include "port/port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void defaults(struct lab_options *o)
{
	if (o->name == NULL)
		o->name = "lab";
	if (o->command == NULL)
		o->command = "weir lab";
	if (o->n_runs == 0)
		o->n_runs = 16;
	if (o->n_min == 0)
		o->n_min = BLOCKS_MIN;
	if (o->run_s == 0)
		o->run_s = 0.6;
	if (o->window_s == 0)
		o->window_s = o->run_s / 12;
	if (o->warm_s == 0)
		o->warm_s = 0.1;
	if (o->margin == 0)
		o->margin = 0.02;
	while (o->seed == 0) {
		uint64_t state = clock_ns() ^ (uint64_t)getpid() << 32;

		o->seed = plan_random(&state);
	}
}

static unsigned n_windows(const struct lab_options *o)
{
	double n = o->run_s / o->window_s + 0.5;

	return n < 1 ? 1 : (unsigned)n;
}

static bool has_note(const struct lab_results *r, const struct conf_note *n)
{
	for (unsigned i = 0; i < r->n_notes; i++)
		if (strcmp(r->note[i].what, n->what) == 0 && strcmp(r->note[i].why, n->why) == 0)
			return true;
	return false;
}

static int add_notes(struct lab_results *r, const struct lab_condition *c,
	const struct conf_note *list, unsigned n, struct err *err)
{
	struct lab_note *more = realloc(r->note, (r->n_notes + n + 1) * sizeof(*more));

	if (more == NULL)
		return err_set(err, ENOMEM, "no memory for %u notes", n);
	r->note = more;
	for (unsigned i = 0; i < n; i++) {
		struct lab_note *to = &r->note[r->n_notes];

		if (list[i].kind == CONF_HOST || has_note(r, &list[i]))
			continue;
		snprintf(to->condition, sizeof(to->condition), "%s", c->name);
		snprintf(to->where, sizeof(to->where), "%s", list[i].where);
		snprintf(to->what, sizeof(to->what), "%s", list[i].what);
		snprintf(to->why, sizeof(to->why), "%s", list[i].why);
		r->n_notes++;
	}
	return 0;
}

// What the settings cannot have here, each name once.
static int notes(struct experiment *e, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < e->conditions->n && rc == 0; i++) {
		const struct lab_condition *c = &e->conditions->list[i];
		struct conf_note *own = NULL;
		unsigned n;

		if (e->dut->notes == NULL) {
			rc = add_notes(e->r, c, c->conf.notes, c->conf.n_notes, err);
			continue;
		}
		own = e->dut->notes(c, &n);
		rc = own == NULL ? err_set(err, ENOMEM, "no memory for the notes")
				 : add_notes(e->r, c, own, n, err);
		free(own);
	}
	return rc;
}

static int one_run(struct experiment *e, struct lab_run *run, struct err *err)
{
	const struct arm_plan *p = &e->plan[run->arm];
	struct trial_plan plan = {.warm_s = e->o.warm_s,
		.window_s = e->o.window_s,
		.slice_s = 0.0005,
		.n_windows = n_windows(&e->o),
		.settle_s = e->dut->settle_s,
		.settle_max_s = 2,
		.rate_pps = p->traffic->gen.rate_pps,
		.accounts = e->dut->accounts,
		.has_work = e->dut->has_work,
		.polls = e->dut->polls,
		.stop = e->o.stop};
	struct lab_ends ends = {0};
	struct tester tester;
	struct trial_io io;
	int rc = e->dut->start(e->dut, p->condition, p->traffic, &ends, err);

	if (rc == 0 && (p->filter == NULL || filter_run_before(p->filter, e->dut, &ends, run))) {
		rc = tester_new(&tester, e->dut, &ends, p->traffic, run->number, err);
		if (rc == 0) {
			tester_io(&tester, &io);
			rc = trial_run(&plan, &io, run, err);
			tester_free(&tester);
		}
		if (rc == 0 && p->filter != NULL)
			filter_run_after(p->filter, e->dut, &ends, run);
	}
	e->dut->stop(e->dut);
	// A signal from a terminal also ends the commands of a start, which then complain.
	if (rc != 0 && e->o.stop != NULL && *e->o.stop != 0)
		return err_set(err, EINTR, "interrupted");
	return rc;
}

static void describe(struct experiment *e)
{
	struct lab_results *r = e->r;
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(r->utc, sizeof(r->utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(r->name, sizeof(r->name), "%s", e->o.name);
	snprintf(r->version, sizeof(r->version), "%s", WEIR_VERSION);
	snprintf(r->command, sizeof(r->command), "%s", e->o.command);
	snprintf(r->env, sizeof(r->env), "%s", port_env_text());
	if (e->dut->has_work && e->o.traffic[0].gen.rate_pps == 0)
		snprintf(r->basis, sizeof(r->basis),
			"frames forwarded per second of the forwarding core's working time%s",
			e->dut->polls ? "" : " (CPU time of the kernel's receive thread)");
	else
		snprintf(r->basis, sizeof(r->basis), "right frames that came back per second");
	machine_read(&r->machine);
	r->seed = e->o.seed;
	r->margin = e->o.margin;
	r->run_seconds = e->o.run_s;
	r->window_seconds = e->o.window_s;
	r->n_flows = lab_traffic_flows(&e->o.traffic[0]);
}

static int write_all(struct experiment *e, struct folder *f, struct err *err)
{
	int rc = folder_begin(f, err);

	if (rc == 0)
		rc = lab_files(f, e->r, e->conditions, &e->o, err);
	if (rc != 0) {
		folder_abort(f);
		return rc;
	}
	return folder_commit(f, err);
}

static int make(struct experiment *e, struct err *err)
{
	int rc = arms_make(e, err);

	if (rc == 0)
		rc = notes(e, err);
	if (rc == 0)
		rc = lab_settings(e->r, e->conditions, err);
	if (rc != 0)
		return rc;
	e->start_ns = clock_ns();
	e->progress.total = e->o.n_runs * e->r->n_arms;
	e->progress.limit_s = e->o.max_s;
	e->progress.planned_s = e->progress.total * (e->o.run_s + e->o.warm_s + 0.2);
	rc = experiment_blocks(e, one_run, err);
	if (rc != 0)
		return rc;
	e->r->duration_s = experiment_seconds(e);
	snprintf(e->r->dut, sizeof(e->r->dut), "%s", e->dut->about);
	snprintf(e->r->tester, sizeof(e->r->tester), "%s", e->dut->tester);
	for (unsigned i = 0; i < e->r->n_arms && rc == 0; i++)
		if (e->plan[i].filter != NULL)
			rc = filter_run_tell(e->plan[i].filter, e->r, i, err);
	return rc == 0 ? lab_summary(e->r, err) : rc;
}

int lab_run(struct dut *d, const struct lab_conditions *c, const struct lab_options *o,
	struct lab_results *out, char *folder, unsigned folder_size, struct err *err)
{
	struct experiment e = {.dut = d, .conditions = c, .o = *o, .r = out};
	struct folder f;
	bool keep = o->folder == NULL || o->folder[0] != '\0';
	char stamp[32];
	int rc = 0;

	memset(out, 0, sizeof(*out));
	defaults(&e.o);
	e.progress.out = o->progress;
	describe(&e);
	snprintf(folder, folder_size, "%s", "");
	if (keep) {
		// 2026-03-01T12:00:00Z without the characters that file systems and shells mind.
		unsigned n = 0;

		for (const char *p = out->utc; *p != '\0'; p++)
			if (*p != '-' && *p != ':')
				stamp[n++] = *p;
		stamp[n] = '\0';
		rc = folder_choose(&f, o->folder, stamp, e.o.name, err);
	}
	if (rc == 0 && keep)
		rc = lab_files_check(c, err);
	if (rc == 0)
		rc = make(&e, err);
	arms_free(&e);
	if (rc != 0) {
		lab_results_free(out);
		return rc;
	}
	if (!keep)
		return 0;
	rc = write_all(&e, &f, err);
	snprintf(folder, folder_size, "%s", f.final);
	return rc == 0 ? 0 : LAB_NOT_KEPT;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/arms.h"

#include <errno.h>
#include <stdlib.h>

static void name_arm(const struct experiment *e, const struct lab_condition *c,
	const struct lab_traffic *t, const char *suffix, struct lab_arm *a)
{
	const char *family = t->family == 4 ? "inet4" : "inet6";

	if (c->label[0] != '\0')
		snprintf(a->name, sizeof(a->name), "%.*s%s", LAB_CONDITION_MAX - 1, c->label,
			suffix);
	else if (e->conditions->n == 1)
		snprintf(a->name, sizeof(a->name), "%s%s", family, suffix);
	else
		snprintf(a->name, sizeof(a->name), "%.*s %s%s", LAB_CONDITION_MAX - 1, c->name,
			family, suffix);
}

static int add_arm(struct experiment *e, const struct lab_condition *c, const struct lab_traffic *t,
	const char *suffix, struct err *err)
{
	struct lab_results *r = e->r;
	struct lab_arm *a = &r->arm[r->n_arms];
	struct arm_plan *p = &e->plan[r->n_arms++];

	name_arm(e, c, t, suffix, a);
	snprintf(a->condition, sizeof(a->condition), "%s", c->name);
	a->family = t->family;
	a->frame_len = t->gen.len;
	a->baseline = c->baseline;
	*p = (struct arm_plan){c, t, NULL};
	if (c->filter.script == NULL)
		return 0;
	p->filter = filter_run_new(c, t, e->dut, err);
	return p->filter != NULL ? 0 : -err->code;
}

static int add_again(struct experiment *e, const struct lab_condition *c, struct err *err)
{
	int rc = 0;

	if (e->o.all_same)
		rc = add_arm(e, c, &e->o.traffic[0], " repeated", err);
	if (rc == 0 && !e->o.no_aa) {
		rc = add_arm(e, c, &e->o.traffic[0], " again", err);
		e->r->arm[e->r->n_arms - 1].repeat_of_baseline = true;
	}
	return rc;
}

int arms_make(struct experiment *e, struct err *err)
{
	const struct lab_conditions *c = e->conditions;
	unsigned n = c->n * e->o.n_traffic + 2;
	int rc = 0;

	e->r->arm = calloc(n, sizeof(*e->r->arm));
	e->plan = calloc(n, sizeof(*e->plan));
	if (e->r->arm == NULL || e->plan == NULL)
		return err_set(err, ENOMEM, "no memory for %u arms", n);
	for (unsigned i = 0; i < e->o.n_traffic; i++)
		for (unsigned j = 0; j < c->n && rc == 0; j++)
			if (c->list[j].family == 0 || c->list[j].family == e->o.traffic[i].family)
				rc = add_arm(e, &c->list[j], &e->o.traffic[i], "", err);
	for (unsigned j = 0; j < c->n && rc == 0; j++)
		if (c->list[j].baseline)
			rc = add_again(e, &c->list[j], err);
	return rc;
}

void arms_free(struct experiment *e)
{
	for (unsigned i = 0; e->plan != NULL && i < e->r->n_arms; i++)
		filter_run_free(e->plan[i].filter);
	free(e->plan);
	e->plan = NULL;
}

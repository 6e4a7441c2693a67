// SPDX-License-Identifier: BSD-2-Clause
#include "lab/results.h"

#include <stdlib.h>

void lab_results_free(struct lab_results *r)
{
	for (unsigned i = 0; i < r->n_runs; i++)
		free(r->run[i].window);
	for (unsigned i = 0; i < r->n_cmps; i++)
		free(r->cmp[i].ministat);
	free(r->run);
	free(r->arm);
	free(r->cmp);
	free(r->note);
	free(r->setting);
	free(r->filter);
	free(r->rule);
	r->run = NULL;
	r->arm = NULL;
	r->cmp = NULL;
	r->note = NULL;
	r->setting = NULL;
	r->filter = NULL;
	r->rule = NULL;
	r->n_runs = r->n_arms = r->n_cmps = r->n_notes = r->n_settings = r->n_filters = r->n_rules =
		0;
}

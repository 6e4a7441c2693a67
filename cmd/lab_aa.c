// SPDX-License-Identifier: BSD-2-Clause
// lab_aa.c - how often does the lab see a difference where there is none?
#include "lab_cmd.h"

#include <errno.h>
#include <string.h>

// The one comparison that is judged like any other.
static const struct lab_comparison *judged(const struct lab_results *r)
{
	for (unsigned i = 0; i < r->n_cmps; i++)
		if (!r->cmp[i].aa)
			return &r->cmp[i];
	return NULL;
}

int lab_cmd_aa(struct lab_cmd *c, struct dut *d, const struct lab_conditions *conditions)
{
	unsigned found = 0, invalid = 0;

	c->o.folder = ""; // nothing is kept
	c->o.all_same = true;
	c->o.n_traffic = 1;
	for (unsigned i = 0; i < c->n_aa; i++) {
		const struct lab_comparison *k;
		struct lab_results r;
		struct err err = {0};
		char folder[8];

		if (lab_run(d, conditions, &c->o, &r, folder, sizeof(folder), &err) != 0) {
			fprintf(stderr, "weir lab: %s\n", err.msg);
			return err.code == EPERM ? LAB_REFUSED : LAB_INVALID;
		}
		k = judged(&r);
		printf("%3u  %s\n", i + 1, k != NULL ? k->sentence : "no comparison");
		fflush(stdout);
		if (k == NULL || k->c.verdict == INVALID)
			invalid++;
		else
			found += k->c.verdict == FASTER || k->c.verdict == SLOWER;
		lab_results_free(&r);
		if (c->o.seed != 0)
			c->o.seed++;
	}
	printf("A/A: %u of %u experiments call a difference, %u invalid\n", found, c->n_aa,
		invalid);
	return invalid > 0 ? LAB_INVALID : LAB_OK;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/account.h"

#include <string.h>

static uint64_t drop_of(const struct dut_counters *c, const char *name)
{
	for (unsigned i = 0; i < c->n_drops; i++)
		if (strcmp(c->drop[i].name, name) == 0)
			return c->drop[i].n;
	return 0;
}

void account_since(struct dut_counters *now, const struct dut_counters *before)
{
	unsigned n = 0;

	now->in -= before->in;
	now->made -= before->made;
	now->sent -= before->sent;
	now->ended -= before->ended;
	now->cpu_ns -= before->cpu_ns;
	for (unsigned i = 0; i < now->n_drops; i++) {
		struct lab_drop d = now->drop[i];

		d.n -= drop_of(before, d.name);
		if (d.n > 0)
			now->drop[n++] = d;
	}
	now->n_drops = n;
}

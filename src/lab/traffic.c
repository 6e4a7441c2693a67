// SPDX-License-Identifier: BSD-2-Clause
#include "lab/lab.h"

#include <assert.h>
#include <stddef.h>

static void range(const char *text, int family, struct gen_range *out)
{
	int rc = gen_range_parse(text, family, out, NULL);

	assert(rc == 0);
	(void)rc;
}

void lab_traffic_default(int family, struct lab_traffic *out)
{
	*out = (struct lab_traffic){.family = family};
	out->gen = (struct gen_conf){.family = family, .burst = 64, .stamp = true};
	if (family == 4) {
		range("198.18.10.1:2000-198.18.10.100:2000", 4, &out->gen.src);
		range("198.19.10.1:2000-198.19.10.20:2000", 4, &out->gen.dst);
		out->gen.len = 60;
	} else {
		range("[2001:2:0:1::1]:2000-[2001:2:0:1::14]:2000", 6, &out->gen.src);
		range("[2001:2:0:8001::1]:2000-[2001:2:0:8001::64]:2000", 6, &out->gen.dst);
		out->gen.len = 62; // an empty datagram
	}
}

uint64_t lab_traffic_flows(const struct lab_traffic *t)
{
	return gen_conf_flows(&t->gen);
}

bool lab_traffic_isolated(const struct lab_traffic *t)
{
	const struct gen_range *ranges[] = {&t->gen.src, &t->gen.dst};
	struct prefix net;
	int rc = prefix_parse(t->family == 4 ? "198.18.0.0/15" : "2001:2::/48", &net, NULL);

	assert(rc == 0);
	(void)rc;
	for (unsigned i = 0; i < 2; i++)
		if (!prefix_contains(&net, &ranges[i]->lo) ||
			!prefix_contains(&net, &ranges[i]->hi))
			return false;
	return !t->gen.random_src && !t->gen.random_dst;
}

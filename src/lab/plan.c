// SPDX-License-Identifier: BSD-2-Clause
#include "lab/plan.h"

uint64_t plan_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void plan_order(uint64_t seed, unsigned block, unsigned *order, unsigned n)
{
	uint64_t state = seed ^ (0xd1b54a32d192ed03u * (block / 2 + 1));

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = n; i > 1; i--) {
		// The bias of the remainder is below 2^-50 for any number of arms there can be.
		unsigned j = (unsigned)(plan_random(&state) % i);
		unsigned t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
	if (block % 2 == 1)
		for (unsigned i = 0; i < n / 2; i++) {
			unsigned t = order[i];

			order[i] = order[n - 1 - i];
			order[n - 1 - i] = t;
		}
}

// SPDX-License-Identifier: BSD-2-Clause
// nowhere.c - the place of a card that no packet meets.
#include "adapter/adapter.h"

static int add(
	void *state, uint32_t slot, uint32_t order, const struct adapter_filter *f, struct err *err)
{
	(void)state, (void)slot, (void)order, (void)f, (void)err;
	return 0;
}

static int take_out(void *state, uint32_t slot, uint32_t order, struct err *err)
{
	(void)state, (void)slot, (void)order, (void)err;
	return 0;
}

static uint64_t hits(void *state, uint32_t slot)
{
	(void)state, (void)slot;
	return 0;
}

static int clear_stats(void *state, unsigned port, struct err *err)
{
	(void)state, (void)port, (void)err;
	return 0;
}

const struct adapter_place adapter_nowhere = {
	.add = add, .remove = take_out, .hits = hits, .clear_stats = clear_stats};

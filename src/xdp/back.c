// SPDX-License-Identifier: BSD-2-Clause
// back.c - all rules of a card changed at once, and changed back.
#include "xdp/card.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

int xdp_card_clear(struct xdp_card *c, struct err *err)
{
	adapter_free(c->a);
	c->a = NULL;
	c->next->n_rules = 0;
	c->changed = c->all_new = true;
	if (card_adapter(c, err) != 0)
		return -err->code;
	// The old rules count until the new ones are in force; where they count, no others should.
	adapter_slots_last(c->a, c->in_force, CARD_SLOTS);
	return 0;
}

int xdp_card_hold(const struct xdp_card *c, struct err *err)
{
	return card_set_fd(c, err);
}

static uint32_t map_id(int fd)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 ? info.id : 0;
}

int xdp_card_put_back(struct xdp_card *c, int held, struct err *err)
{
	int fd = card_set_fd(c, err), rc;
	bool same;

	if (fd < 0)
		return fd;
	same = map_id(fd) == map_id(held);
	close(fd);
	if (same)
		return 0;
	rc = card_take(c, held, err);
	if (rc != 0)
		return rc;
	c->all_new = true;
	return card_force(c, held, err);
}

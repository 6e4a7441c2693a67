// SPDX-License-Identifier: BSD-2-Clause
// back.c - all rules of a card changed at once, and changed back.
#include "xdp/card.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
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

// What is held says so itself: other commands that take it out of force must not fill it anew.
int xdp_card_hold(struct xdp_card *c, struct err *err)
{
	int fd = card_set_fd(c, err);
	struct card_kept *kept;

	if (fd < 0)
		return fd;
	kept = mmap(NULL, sizeof(*kept), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		offsetof(struct card_set, kept));
	if (kept == MAP_FAILED) {
		close(fd);
		return card_fail(err, errno, c->name, "the rules in force");
	}
	kept->held = 1;
	munmap(kept, sizeof(*kept));
	c->held = true;
	return fd;
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
	return card_force(c, held, false, err);
}

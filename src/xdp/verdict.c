// SPDX-License-Identifier: BSD-2-Clause
// verdict.c - what the rules in force say of frames.
#include "xdp/card.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

static struct xdp_run *run_of(const struct xdp_card *c, uint32_t port, struct err *err)
{
	struct card_port p;
	struct xdp_run *r;
	int fd;

	if (bpf_map_lookup_elem(c->ports, &port, &p) != 0) {
		card_fail(err, errno, c->name, "a port's MAC");
		return NULL;
	}
	fd = card_set_fd(c, err);
	if (fd < 0)
		return NULL;
	r = xdp_run_open(port, p.mac48, err);
	if (r != NULL && xdp_run_use(r, fd, err) != 0) {
		xdp_run_close(r);
		r = NULL;
	}
	close(fd);
	return r;
}

int card_verdict(
	void *state, unsigned port, const void *frame, size_t len, uint32_t *slot, struct err *err)
{
	struct xdp_card *c = state;
	struct xdp_verdict v;
	int rc;

	if (c->run[port] == NULL)
		c->run[port] = run_of(c, port, err);
	if (c->run[port] == NULL)
		return -err->code;
	rc = xdp_run_frame(c->run[port], frame, len, &v, err);
	if (rc == 0)
		*slot = v.rule != XDP_RUN_NONE ? v.slot : PLACE_NO_SLOT;
	return rc;
}

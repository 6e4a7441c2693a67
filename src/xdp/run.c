// SPDX-License-Identifier: BSD-2-Clause
// run.c - frames through an instance of the card's program that nobody else has.
//
// The rule that a frame met is told by its hit counter: counters are per CPU on a card; here they are a
// plain array that lies in our memory as well, all 0 between two frames.
#include "xdp/xdp.h"

#include "xdp/set.h"

#include "xdp/card.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HITS_BYTES = CARD_SLOTS * sizeof(uint64_t) };

struct xdp_run {
	struct card_bpf *bpf;
	const struct card_set *set; // NULL = none yet
	uint64_t *hits;             // by slot
};

static int set_maps(struct xdp_run *r)
{
	int rc = bpf_map__set_type(r->bpf->maps.hits, BPF_MAP_TYPE_ARRAY);

	return rc != 0 ? rc : bpf_map__set_map_flags(r->bpf->maps.hits, BPF_F_MMAPABLE);
}

static int set_port(struct xdp_run *r, uint32_t port, uint64_t mac48)
{
	struct card_port p = {.mac48 = mac48};

	return bpf_map_update_elem(bpf_map__fd(r->bpf->maps.ports), &port, &p, 0);
}

static int map_hits(struct xdp_run *r)
{
	void *at = mmap(NULL, HITS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(r->bpf->maps.hits), 0);

	if (at == MAP_FAILED)
		return -errno;
	r->hits = at;
	return 0;
}

static int load(struct xdp_run *r, unsigned port, uint64_t mac48)
{
	int rc;

	libbpf_set_print(NULL); // what went wrong is said by our callers
	r->bpf = card_bpf__open();
	if (r->bpf == NULL)
		return -errno;
	r->bpf->rodata->iport = port;
	rc = set_maps(r);
	if (rc == 0)
		rc = card_bpf__load(r->bpf);
	if (rc == 0)
		rc = set_port(r, port, mac48);
	return rc == 0 ? map_hits(r) : rc;
}

struct xdp_run *xdp_run_open(unsigned port, uint64_t mac48, struct err *err)
{
	struct xdp_run *r;
	int rc;

	if (port >= CARD_PORTS) {
		err_set(err, EINVAL, "port %u: ports of a card are 0 to %d", port, CARD_PORTS - 1);
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	rc = r != NULL ? load(r, port, mac48) : -ENOMEM;
	if (rc == 0)
		return r;
	xdp_run_close(r);
	err_set(err, -rc, "the card's program cannot be loaded: %s", strerror(-rc));
	return NULL;
}

void xdp_run_close(struct xdp_run *r)
{
	if (r == NULL)
		return;
	if (r->hits != NULL)
		munmap(r->hits, HITS_BYTES);
	card_set_unmap(r->set);
	card_bpf__destroy(r->bpf);
	free(r);
}

int xdp_run_use(struct xdp_run *r, int set_fd, struct err *err)
{
	const struct card_set *set = card_set_map(set_fd, err);
	uint32_t zero = 0;
	int rc;

	if (set == NULL)
		return -err->code;
	rc = bpf_map_update_elem(bpf_map__fd(r->bpf->maps.sets), &zero, &set_fd, 0);
	if (rc != 0) {
		card_set_unmap(set);
		return err_set(err, -rc, "these are no rules of a card: %s", strerror(-rc));
	}
	card_set_unmap(r->set);
	r->set = set;
	return 0;
}

// The slot whose counter was raised, which becomes 0 again; CARD_SLOTS: none was.
static uint32_t take_hit(struct xdp_run *r)
{
	for (uint32_t i = 0; i < CARD_SLOTS; i++)
		if (r->hits[i] != 0) {
			r->hits[i] = 0;
			return i;
		}
	return CARD_SLOTS;
}

static uint32_t rule_of(const struct xdp_run *r, uint32_t slot)
{
	const struct flat_head *head = (const struct flat_head *)r->set->tables;

	for (uint32_t i = 0; i < head->n_rules && i < FLAT_RULES; i++)
		if (r->set->act[i].slot == slot)
			return i;
	return XDP_RUN_NONE;
}

static const char *xdp_name(uint32_t xdp)
{
	static const char *const names[] = {
		"aborted it", "dropped it", "passed it", "sent it back", "redirected it"};

	return xdp < sizeof(names) / sizeof(names[0]) ? names[xdp] : "gave an unknown answer";
}

// What the program did with the frame must be what the rule says.  Whether a switched frame can leave
// depends on ports, which are not there.
static int verdict(const struct xdp_run *r, uint32_t slot, uint32_t xdp, struct xdp_verdict *out,
	struct err *err)
{
	out->action = ADAPTER_PASS;
	out->rule = XDP_RUN_NONE;
	out->slot = slot;
	if (slot < CARD_SLOTS) {
		out->rule = rule_of(r, slot);
		if (out->rule == XDP_RUN_NONE)
			return err_set(err, EPROTO, "slot %u counted, which no rule has", slot);
		out->action = (enum adapter_action)r->set->act[out->rule].action;
	}
	if (out->action == ADAPTER_SWITCH)
		return 0;
	if (xdp != (out->action == ADAPTER_DROP ? XDP_DROP : XDP_PASS))
		return err_set(err, EPROTO, "the program %s, where the rules say %s", xdp_name(xdp),
			adapter_action_name(out->action));
	return 0;
}

int xdp_run_frame(
	struct xdp_run *r, const void *frame, size_t len, struct xdp_verdict *out, struct err *err)
{
	struct bpf_test_run_opts run = {
		.sz = sizeof(run), .data_in = frame, .data_size_in = (uint32_t)len, .repeat = 1};
	int rc;

	if (len < XDP_RUN_MIN)
		return err_set(err, EMSGSIZE,
			"%zu bytes: the kernel runs frames from %d bytes, an Ethernet header", len,
			XDP_RUN_MIN);
	rc = bpf_prog_test_run_opts(bpf_program__fd(r->bpf->progs.weir_card), &run);
	if (rc == -ENOMEM || rc == -EMSGSIZE)
		return err_set(err, EMSGSIZE, "%zu bytes: more than the kernel runs", len);
	if (rc != 0)
		return err_set(err, -rc, "the kernel's test run: %s", strerror(-rc));
	return verdict(r, r->set != NULL ? take_hit(r) : CARD_SLOTS, run.retval, out, err);
}

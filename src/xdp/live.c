// SPDX-License-Identifier: BSD-2-Clause
// live.c - loads the programs of live.bpf.c with the user's sizes, and runs them.
#include "xdp/live.h"

#include "xdp/live_state.h"

#include "xdp/live.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	BATCH = 64,    // frames between two flushes: what a veth's other end takes in one turn
	VLAN_ROOM = 4, // by which the kernel lets a frame exceed MTU and header
};

struct area {
	void *at; // NULL = none
	size_t bytes;
};

struct live {
	struct live_bpf *bpf;
	unsigned stride, room, len;
	struct area rows, lengths;
	uint8_t *buffer; // room bytes: what the kernel's pages begin with
};

static uint64_t effective_caps(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data) != 0)
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

// Which capability is missing, or NULL.
static const char *missing_cap(void)
{
	uint64_t caps = effective_caps();
	bool admin = (caps >> CAP_SYS_ADMIN & 1) != 0; // stands for the two younger ones

	if ((caps >> CAP_NET_ADMIN & 1) == 0)
		return "CAP_NET_ADMIN";
	if (!admin && (caps >> CAP_BPF & 1) == 0)
		return "CAP_BPF";
	return !admin && (caps >> CAP_PERFMON & 1) == 0 ? "CAP_PERFMON" : NULL;
}

static int fail(int e, struct err *err)
{
	const char *cap = missing_cap();

	if ((e == EPERM || e == EACCES) && cap != NULL)
		return err_set(err, EPERM, "live frames need root (%s)", cap);
	if (e == EINVAL)
		return err_set(
			err, ENOTSUP, "this kernel has no live frames (Linux 5.18 and newer has)");
	return err_set(err, e, "live frames: %s", strerror(e));
}

static int check(const struct live_conf *c, struct err *err)
{
	if (c->n_rows == 0 || c->n_rows > LIVE_ROWS_MAX)
		return err_set(err, EINVAL, "%u rows of live frames, not 1 to %d", c->n_rows,
			LIVE_ROWS_MAX);
	if (c->frame_max < ETH_HLEN || c->frame_max > LIVE_FRAME_MAX)
		return err_set(err, EMSGSIZE, "live frames have %d to %d bytes, not %u", ETH_HLEN,
			LIVE_FRAME_MAX, c->frame_max);
	return 0;
}

static int set_sizes(struct live *l, const struct live_conf *c)
{
	int rc = bpf_map__set_value_size(l->bpf->maps.live_rows, l->stride);

	l->bpf->rodata->consts = (struct live_consts){.n_rows = c->n_rows,
		.room = l->room - LIVE_SHIFT,
		.len = l->len,
		.tail_max = l->stride - LIVE_HEAD};
	if (rc == 0)
		rc = bpf_map__set_max_entries(l->bpf->maps.live_rows, c->n_rows);
	if (rc == 0 && c->varies)
		rc = bpf_map__set_max_entries(l->bpf->maps.live_lengths, c->n_rows);
	if (rc == 0 && c->like != NULL)
		rc = bpf_map__reuse_fd(
			l->bpf->maps.live_device, bpf_map__fd(c->like->bpf->maps.live_device));
	return rc;
}

static int find_device(struct live *l, uint32_t ifindex)
{
	uint32_t key = 0;

	return bpf_map_update_elem(bpf_map__fd(l->bpf->maps.live_device), &key, &ifindex, 0);
}

static int map_area(const struct bpf_map *map, size_t bytes, struct area *a)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (at == MAP_FAILED)
		return -errno;
	*a = (struct area){at, bytes};
	return 0;
}

static int load(struct live *l, const struct live_conf *c)
{
	int rc;

	libbpf_set_print(NULL); // what went wrong is said by our callers
	l->bpf = live_bpf__open();
	if (l->bpf == NULL)
		return -errno;
	rc = set_sizes(l, c);
	if (rc == 0)
		rc = live_bpf__load(l->bpf);
	if (rc == 0 && c->like == NULL)
		rc = find_device(l, c->ifindex);
	if (rc == 0)
		rc = map_area(l->bpf->maps.live_rows, (size_t)c->n_rows * l->stride, &l->rows);
	if (rc == 0 && c->varies)
		rc = map_area(l->bpf->maps.live_lengths, c->n_rows * sizeof(uint64_t), &l->lengths);
	return rc == 0 ? live_bpf__attach(l->bpf) : rc; // to the tracepoints
}

struct live *live_open(const struct live_conf *c, struct err *err)
{
	struct live *l;
	int rc;

	if (check(c, err) != 0)
		return NULL;
	l = calloc(1, sizeof(*l));
	if (l == NULL) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	l->stride = (c->frame_max + LIVE_HEAD - 1) / LIVE_HEAD * LIVE_HEAD;
	l->room = l->stride + LIVE_SPARE + LIVE_SHIFT;
	l->len = c->varies ? 0 : c->frame_max;
	l->buffer = calloc(1, l->room);
	rc = l->buffer != NULL ? load(l, c) : -ENOMEM;
	if (rc == 0)
		return l;
	live_close(l);
	fail(-rc, err);
	return NULL;
}

static void unmap(struct area *a)
{
	if (a->at != NULL)
		munmap(a->at, a->bytes);
}

void live_close(struct live *l)
{
	if (l == NULL)
		return;
	unmap(&l->rows);
	unmap(&l->lengths);
	live_bpf__destroy(l->bpf);
	free(l->buffer);
	free(l);
}

uint8_t *live_rows(struct live *l)
{
	return l->rows.at;
}

unsigned live_stride(const struct live *l)
{
	return l->stride;
}

uint64_t *live_lengths(struct live *l)
{
	return l->lengths.at;
}

void live_counts(const struct live *l, struct live_counts *out)
{
	const struct live_state *s = &l->bpf->bss->state;

	*out = (struct live_counts){.tried = s->tried,
		.taken = s->taken,
		.bytes = l->len != 0 ? s->taken * l->len : s->bytes,
		.full = s->full,
		.refused = s->refused,
		.error = -s->error};
}

int live_send(struct live *l, unsigned first, unsigned n)
{
	struct bpf_test_run_opts run = {.sz = sizeof(run),
		.data_in = l->buffer,
		.data_size_in = l->room,
		.flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		.batch_size = BATCH,
		.repeat = (int)n};
	int rc;

	l->bpf->bss->state.at = first;
	rc = bpf_prog_test_run_opts(bpf_program__fd(l->bpf->progs.live_make), &run);
	return rc == -EINTR ? 0 : rc;
}

int live_try(unsigned ifindex, unsigned mtu, struct err *err)
{
	struct live_conf conf = {
		.ifindex = ifindex, .n_rows = 1, .frame_max = mtu + ETH_HLEN + VLAN_ROOM + 1};
	struct live_counts c;
	struct live *l;
	int rc;

	if (conf.frame_max > LIVE_FRAME_MAX)
		return err_set(err, EMSGSIZE,
			"an MTU of %u is too large to try live frames: they have up to %d bytes",
			mtu, LIVE_FRAME_MAX);
	l = live_open(&conf, err);
	if (l == NULL)
		return -err->code;
	rc = live_send(l, 0, 1);
	live_counts(l, &c);
	live_close(l);
	if (rc != 0)
		return fail(-rc, err);
	switch (c.error) {
	case EMSGSIZE:
		return 0;
	case EOPNOTSUPP:
		return err_set(err, EOPNOTSUPP,
			"it takes no live frames (a veth does if its other end has an XDP program, or "
			"GRO switched on)");
	default:
		return fail(c.error != 0 ? c.error : EIO, err);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// xdpprog.c - five instructions and the four bpf(2) calls around them.
//
// The program is attached by a BPF link.  The kernel removes it when the link's descriptor is
// closed, so it cannot outlive the process, however that ends.
#include "port/xdpprog.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(unsigned n)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_XSKMAP;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(uint32_t);
	a.max_entries = n;
	return bpf(BPF_MAP_CREATE, &a);
}

// return bpf_redirect_map(&map, ctx->rx_queue_index, XDP_PASS), where XDP_PASS is what happens to
// the frames of a queue without a socket.
static int load(int map)
{
	const struct bpf_insn code[] = {
		{.code = BPF_LDX | BPF_W | BPF_MEM,
			.dst_reg = BPF_REG_2,
			.src_reg = BPF_REG_1,
			.off = offsetof(struct xdp_md, rx_queue_index)},
		{.code = BPF_LD | BPF_DW | BPF_IMM,
			.dst_reg = BPF_REG_1,
			.src_reg = BPF_PSEUDO_MAP_FD,
			.imm = map},
		{0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_redirect_map},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_XDP;
	a.insns = (uint64_t)(uintptr_t)code;
	a.insn_cnt = sizeof(code) / sizeof(code[0]);
	a.license = (uint64_t)(uintptr_t) "Dual BSD/GPL";
	memcpy(a.prog_name, "weir_xsk", 9);
	return bpf(BPF_PROG_LOAD, &a);
}

static int attach(int prog, int ifindex, uint32_t mode)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (uint32_t)prog;
	a.link_create.target_ifindex = (uint32_t)ifindex;
	a.link_create.attach_type = BPF_XDP;
	a.link_create.flags = mode;
	return bpf(BPF_LINK_CREATE, &a);
}

static int fail(const char *label, int e, struct err *err)
{
	if (e == EPERM || e == EACCES)
		return err_set(err, EPERM, "%s: XDP needs root (CAP_NET_ADMIN and CAP_BPF)", label);
	if (e == EBUSY || e == EEXIST)
		return err_set(
			err, EBUSY, "%s: another XDP program is attached to the interface", label);
	return err_set(err, e, "%s: XDP: %s", label, strerror(e));
}

int xdpprog_attach(
	struct xdpprog *x, const char *label, int ifindex, unsigned n_queues, struct err *err)
{
	int e;

	*x = (struct xdpprog){.map = -1, .prog = -1, .link = -1};
	x->map = make_map(n_queues);
	if (x->map >= 0)
		x->prog = load(x->map);
	if (x->prog < 0) {
		e = errno;
		xdpprog_detach(x);
		return fail(label, e, err);
	}
	x->native = true;
	x->link = attach(x->prog, ifindex, XDP_FLAGS_DRV_MODE);
	// Many drivers have no XDP, or none at this MTU: the generic hook serves every interface.
	if (x->link < 0 && errno != EPERM && errno != EBUSY && errno != EEXIST) {
		x->native = false;
		x->link = attach(x->prog, ifindex, XDP_FLAGS_SKB_MODE);
	}
	if (x->link >= 0)
		return 0;
	e = errno;
	xdpprog_detach(x);
	return fail(label, e, err);
}

int xdpprog_add(const struct xdpprog *x, unsigned queue, int socket)
{
	union bpf_attr a;
	uint32_t key = queue, value = (uint32_t)socket;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)x->map;
	a.key = (uint64_t)(uintptr_t)&key;
	a.value = (uint64_t)(uintptr_t)&value;
	return bpf(BPF_MAP_UPDATE_ELEM, &a);
}

void xdpprog_detach(struct xdpprog *x)
{
	if (x->link >= 0)
		close(x->link);
	if (x->prog >= 0)
		close(x->prog);
	if (x->map >= 0)
		close(x->map);
	x->link = x->prog = x->map = -1;
}

// SPDX-License-Identifier: BSD-2-Clause
// sink.c - the far end of a veth pair: drops what arrives by XDP, in the driver, and counts.
// usage: bench_sink INTERFACE
// Prints "ready"; then, for each line it reads, the packets that arrived so far.  The program leaves
// the interface with the process (BPF link).
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int cmd, union bpf_attr *a)
{
	return (int)syscall(__NR_bpf, cmd, a, sizeof(*a));
}

static int load_drop(void)
{
	const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_DROP},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_XDP;
	a.insns = (uint64_t)(uintptr_t)code;
	a.insn_cnt = sizeof(code) / sizeof(code[0]);
	a.license = (uint64_t)(uintptr_t) "Dual BSD/GPL";
	return bpf(BPF_PROG_LOAD, &a);
}

static int attach(int prog, unsigned ifindex)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (uint32_t)prog;
	a.link_create.target_ifindex = ifindex;
	a.link_create.attach_type = BPF_XDP;
	a.link_create.flags = XDP_FLAGS_DRV_MODE;
	return bpf(BPF_LINK_CREATE, &a);
}

// The interface's own counter holds what XDP dropped too.
static long long arrived(const char *name)
{
	char path[128];
	long long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/rx_packets", name);
	f = fopen(path, "re");
	if (f == NULL)
		return -1;
	if (fscanf(f, "%lld", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	unsigned ifindex = argc == 2 ? if_nametoindex(argv[1]) : 0;
	char line[64];
	int prog;

	if (ifindex == 0) {
		fputs("usage: bench_sink INTERFACE\n", stderr);
		return 2;
	}
	prog = load_drop();
	if (prog < 0 || attach(prog, ifindex) < 0) {
		fprintf(stderr, "bench_sink: %s: XDP: %s\n", argv[1], strerror(errno));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		printf("%lld\n", arrived(argv[1]));
		fflush(stdout);
	}
	return 0;
}

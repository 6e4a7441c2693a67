// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/set.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t whole_pages(size_t tables_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (offsetof(struct card_set, tables) + tables_bytes + page - 1) / page * page;
}

static void *map_memory(int fd, int prot, size_t tables_bytes, struct err *err)
{
	void *at = mmap(NULL, whole_pages(tables_bytes), prot, MAP_SHARED, fd, 0);

	if (at != MAP_FAILED)
		return at;
	err_set(err, errno, "a set of rules cannot be mapped: %s", strerror(errno));
	return NULL;
}

int card_set_new(struct err *err)
{
	struct bpf_map_create_opts opts = {.sz = sizeof(opts), .map_flags = BPF_F_MMAPABLE};
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "card_set", sizeof(uint32_t),
		sizeof(struct card_set), 1, &opts);

	if (fd < 0)
		return err_set(err, -fd, "a set of rules cannot be made: %s", strerror(-fd));
	return fd;
}

struct card_set *card_set_fill(int fd, size_t tables_bytes, struct err *err)
{
	return map_memory(fd, PROT_READ | PROT_WRITE, tables_bytes, err);
}

const struct card_set *card_set_map(int fd, struct err *err)
{
	return map_memory(fd, PROT_READ, FLAT_SIZE, err);
}

void card_set_unmap(const struct card_set *set, size_t tables_bytes)
{
	if (set != NULL)
		munmap((void *)(uintptr_t)set, whole_pages(tables_bytes));
}

// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/set.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Its pages, which begin with one of the set's.
static int map_part(char *set, int fd, int prot, size_t off, size_t bytes)
{
	void *at = bytes > 0 ? mmap(set + off, bytes, prot, MAP_SHARED | MAP_FIXED, fd, (off_t)off)
			     : NULL;

	return at == MAP_FAILED ? -errno : 0;
}

// In one range of addresses, which is all the set's: where it is not mapped, it cannot be read.
static void *map_parts(
	int fd, int prot, uint32_t acts, size_t kept_bytes, size_t tables_bytes, struct err *err)
{
	char *set = mmap(NULL, sizeof(struct card_set), PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int rc = set == MAP_FAILED ? -errno : 0;

	if (rc == 0)
		rc = map_part(set, fd, prot, offsetof(struct card_set, act),
			acts * sizeof(struct card_act));
	if (rc == 0)
		rc = map_part(set, fd, prot, offsetof(struct card_set, kept), kept_bytes);
	if (rc == 0)
		rc = map_part(set, fd, prot, offsetof(struct card_set, tables), tables_bytes);
	if (rc == 0)
		return set;
	if (set != MAP_FAILED)
		munmap(set, sizeof(struct card_set));
	err_set(err, -rc, "a set of rules cannot be mapped: %s", strerror(-rc));
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

struct card_set *card_set_fill(
	int fd, uint32_t acts, size_t kept_bytes, size_t tables_bytes, struct err *err)
{
	return map_parts(fd, PROT_READ | PROT_WRITE, acts, kept_bytes, tables_bytes, err);
}

const struct card_set *card_set_map(int fd, struct err *err)
{
	return map_parts(fd, PROT_READ, FLAT_RULES, CARD_KEPT, FLAT_SIZE, err);
}

void card_set_unmap(const struct card_set *set)
{
	if (set != NULL)
		munmap((void *)(uintptr_t)set, sizeof(*set));
}

// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/dispatch_pins.h"

#include "xdp/card.h"
#include "xdp/dispatch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMPONENTS_MAX = 10, MAPS_MAX = 64 };

uint32_t dispatch_map_id(int fd)
{
	struct bpf_map_info info = {0};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) == 0 ? info.id : 0;
}

bool dispatch_has_map(int prog, uint32_t map)
{
	uint32_t ids[MAPS_MAX] = {0};
	struct bpf_prog_info info = {.nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)ids};
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog, &info, &len) != 0)
		return false;
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++)
		if (ids[i] == map)
			return true;
	return false;
}

// The program of a component; where there is only what attaches it, as if libxdp was killed, that one's.
static int component(const char *dir, unsigned i)
{
	char path[PIN_PATH_MAX], file[16];
	struct bpf_link_info info = {0};
	uint32_t len = sizeof(info);
	int fd, link;

	snprintf(file, sizeof(file), "prog%u-prog", i);
	fd = bpf_obj_get(pin_path(path, dir, file));
	if (fd >= 0)
		return fd;
	snprintf(file, sizeof(file), "prog%u-link", i);
	link = bpf_obj_get(pin_path(path, dir, file));
	if (link < 0)
		return -1;
	if (bpf_obj_get_info_by_fd(link, &info, &len) == 0)
		fd = bpf_prog_get_fd_by_id(info.prog_id);
	close(link);
	return fd;
}

static bool keeps(const char *dir, uint32_t map)
{
	bool found = false;

	for (unsigned i = 0; i < COMPONENTS_MAX && !found; i++) {
		int fd = component(dir, i);

		if (fd < 0)
			continue;
		found = dispatch_has_map(fd, map);
		close(fd);
	}
	return found;
}

// libxdp's folder, as libxdp finds it.
static int folder(char out[PIN_PATH_MAX])
{
	const char *at = getenv("LIBXDP_BPFFS");
	char root[PIN_PATH_MAX];
	int rc;

	if (at == NULL) {
		rc = pin_root(false, root, NULL, NULL);
		if (rc != 0)
			return rc;
		*strrchr(root, '/') = '\0';
		at = root;
	}
	if (strlen(at) > PIN_PATH_MAX / 2)
		return -ENAMETOOLONG;
	pin_path(out, at, "xdp");
	return 0;
}

int dispatch_pins_each(
	uint32_t map, int (*each)(void *arg, const struct dispatch_pins *p), void *arg)
{
	char root[PIN_PATH_MAX], dir[PIN_PATH_MAX];
	struct dispatch_pins p = {.dir = dir};
	struct dirent *e;
	int rc = folder(root);
	DIR *d = rc == 0 ? opendir(root) : NULL;

	if (d == NULL)
		return rc != 0 && rc != -ENOENT ? rc : 0;
	while (rc == 0 && (e = readdir(d)) != NULL) {
		if (strlen(e->d_name) > 64 ||
			sscanf(e->d_name, "dispatch-%u-%u", &p.ifindex, &p.program) != 2)
			continue;
		pin_path(dir, root, e->d_name);
		if (map == DISPATCH_ANY_MAP || keeps(dir, map))
			rc = each(arg, &p);
	}
	closedir(d);
	return rc;
}

static int any(void *arg, const struct dispatch_pins *p)
{
	(void)arg;
	(void)p;
	return 1;
}

bool dispatch_pins_any(uint32_t map)
{
	return dispatch_pins_each(map, any, NULL) == 1;
}

bool dispatch_pins_run(const struct dispatch_pins *p, enum xdp_mode *mode)
{
	struct bpf_xdp_query_opts q = {.sz = sizeof(q)};
	char name[IF_NAMESIZE];

	if (if_indextoname(p->ifindex, name) == NULL)
		return false;
	// What cannot be asked is taken to run: it is not to be swept away.
	if (bpf_xdp_query((int)p->ifindex, 0, &q) != 0)
		return true;
	if (mode != NULL)
		*mode = q.drv_prog_id == p->program ? XDP_NATIVE : XDP_SKB;
	return q.drv_prog_id == p->program || q.skb_prog_id == p->program;
}

static int sweep(void *arg, const struct dispatch_pins *p)
{
	(void)arg;
	return dispatch_pins_run(p, NULL) ? 0 : pin_remove(p->dir);
}

int dispatch_pins_sweep(uint32_t map)
{
	char root[PIN_PATH_MAX];
	int rc = folder(root), lock = rc == 0 ? pin_lock(root, true) : rc;

	if (lock < 0)
		return lock == -ENOENT ? 0 : lock;
	rc = dispatch_pins_each(map, sweep, NULL);
	close(lock);
	return rc;
}

bool dispatch_is_first(void)
{
	// One of the settings that the kernel shows in the first namespace alone.
	return access("/proc/sys/net/core/netdev_max_backlog", F_OK) == 0;
}

int dispatch_go_first(int *way)
{
	int first, rc = 0;

	*way = -1;
	if (dispatch_is_first())
		return 0;
	*way = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	first = *way >= 0 ? open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC) : -1;
	if (first < 0 || setns(first, CLONE_NEWNET) != 0)
		rc = -errno;
	else if (!dispatch_is_first())
		rc = -EXDEV;
	if (first >= 0)
		close(first);
	if (rc != 0)
		dispatch_come_back(*way);
	return rc;
}

void dispatch_come_back(int way)
{
	if (way < 0)
		return;
	setns(way, CLONE_NEWNET);
	close(way);
}

struct finding {
	uint32_t ifindex;
	enum xdp_mode *mode;
	enum dispatch_found found;
};

static int find(void *arg, const struct dispatch_pins *p)
{
	struct finding *f = arg;
	char name[IF_NAMESIZE];

	if (p->ifindex != f->ifindex)
		return 0;
	if (dispatch_pins_run(p, f->mode))
		f->found = DISPATCH_RUNS;
	else if (if_indextoname(p->ifindex, name) == NULL)
		f->found = DISPATCH_GONE;
	return f->found == DISPATCH_RUNS;
}

enum dispatch_found dispatch_find(const struct xdp_card *c, uint32_t ifindex, enum xdp_mode *mode)
{
	struct finding f = {.ifindex = ifindex, .mode = mode};
	uint32_t map = dispatch_map_id(c->ports);
	int way;

	// Most cards need not go anywhere.
	if (!dispatch_pins_any(map))
		return DISPATCH_NONE;
	if (dispatch_go_first(&way) != 0)
		return DISPATCH_UNSEEN;
	dispatch_pins_each(map, find, &f);
	dispatch_come_back(way);
	return f.found;
}

int dispatch_sweep(const struct xdp_card *c, struct err *err)
{
	int rc = dispatch_pins_sweep(dispatch_map_id(c->ports));

	return rc == 0 ? 0 : card_fail(err, -rc, c->name, "libxdp's pins");
}

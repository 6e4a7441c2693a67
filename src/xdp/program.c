// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/program.h"

#include "xdp/card.h"

#include "xdp/card.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The maps of the first port's object are all ports'.
static int share_maps(const struct xdp_card *c, struct bpf_object *obj)
{
	char path[PIN_PATH_MAX];
	struct bpf_map *map;
	int rc = 0;

	bpf_object__for_each_map(map, obj)
	{
		int fd;

		if (rc != 0 || bpf_map__is_internal(map))
			continue;
		fd = bpf_obj_get(pin_path(path, c->dir, bpf_map__name(map)));
		if (fd < 0)
			return -errno;
		rc = bpf_map__reuse_fd(map, fd);
		close(fd);
	}
	return rc;
}

static struct card_bpf *open_for(const struct xdp_card *c, unsigned port)
{
	struct card_bpf *p = card_bpf__open();

	if (p != NULL) {
		p->rodata->iport = port;
		p->rodata->forward = c->about.forward != 0;
		p->rodata->strict = c->about.port[port].strict != 0;
	}
	return p;
}

struct card_bpf *program_open(
	const struct xdp_card *c, unsigned port, const char *name, struct err *err)
{
	struct card_bpf *p = open_for(c, port);
	int rc = p != NULL ? share_maps(c, p->obj) : -errno;
	struct bpf_program *each;

	if (rc == 0) {
		bpf_object__for_each_program(each, p->obj)
		{
			bpf_program__set_autoload(each, strcmp(bpf_program__name(each), name) == 0);
		}
		return p;
	}
	program_close(p);
	card_fail(err, -rc, c->name, "its program");
	return NULL;
}

struct bpf_object *program_object(const struct card_bpf *p)
{
	return p->obj;
}

void program_close(struct card_bpf *p)
{
	card_bpf__destroy(p);
}

static int pin_maps(struct xdp_card *c, const struct card_bpf *p, struct err *err)
{
	const struct bpf_map *map;
	int rc = 0;

	bpf_object__for_each_map(map, p->obj)
	{
		if (rc == 0 && !bpf_map__is_internal(map))
			rc = card_pin(c, bpf_map__fd(map), bpf_map__name(map), err);
	}
	if (rc != 0)
		return rc;
	c->sets = dup(bpf_map__fd(p->maps.sets));
	c->hits = dup(bpf_map__fd(p->maps.hits));
	c->ports = dup(bpf_map__fd(p->maps.ports));
	if (c->sets < 0 || c->hits < 0 || c->ports < 0)
		return card_fail(err, EMFILE, c->name, "making maps");
	return 0;
}

int program_load(struct xdp_card *c, unsigned port, struct err *err)
{
	struct card_bpf *p = open_for(c, port);
	char file[16];
	int rc = p != NULL ? 0 : -errno;

	if (rc == 0 && port > 0)
		rc = share_maps(c, p->obj);
	if (rc == 0)
		rc = card_bpf__load(p);
	if (rc != 0)
		rc = card_fail(err, -rc, c->name, "the kernel does not take the card's program");
	else if (port == 0)
		rc = pin_maps(c, p, err);
	snprintf(file, sizeof(file), "prog%u", port);
	if (rc == 0)
		rc = card_pin(c, bpf_program__fd(p->progs.weir_card), file, err);
	program_close(p);
	return rc;
}

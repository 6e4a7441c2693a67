// SPDX-License-Identifier: BSD-2-Clause
// create.c - making a card in the kernel, and taking it away.
//
// All of it is pinned in a folder new_NAME, which is renamed once it is whole: of a command that was
// killed, nothing is left that anybody would take for a card.
#include "xdp/caps.h"
#include "xdp/card.h"
#include "xdp/forward.h"

#include "base/clock.h"

#include "xdp/card.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int card_about_write(const struct xdp_card *c, struct err *err)
{
	uint32_t zero = 0;

	if (bpf_map_update_elem(c->about_fd, &zero, &c->about, 0) != 0)
		return card_fail(err, errno, c->name, "about");
	return 0;
}

static int pin(const struct xdp_card *c, int fd, const char *file, struct err *err)
{
	char path[PIN_PATH_MAX];

	if (bpf_obj_pin(fd, pin_path(path, c->dir, file)) != 0)
		return card_fail(err, errno, c->name, path);
	return 0;
}

static int make_folder(struct xdp_card *c, const struct xdp_card_conf *conf, struct err *err)
{
	char root[PIN_PATH_MAX], file[64];
	bool mounted;
	int rc = pin_root(true, root, &mounted, err);

	if (rc != 0)
		return caps_missing() != NULL ? card_fail(err, EPERM, c->name, "creating") : rc;
	if (mounted)
		conf->say(conf->arg, "bpffs was not mounted: it is now, on /sys/fs/bpf");
	if (xdp_card_exists(c->name))
		return err_set(err, EEXIST, "there is a card '%s' in the kernel already", c->name);
	snprintf(file, sizeof(file), "new_%s", c->name);
	pin_path(c->dir, root, file);
	// What another command left that was killed.
	rc = pin_lock(c->dir, false);
	if (rc == -EWOULDBLOCK)
		return err_set(err, EEXIST, "another command is creating %s", c->name);
	if (rc >= 0) {
		pin_remove(c->dir);
		close(rc);
	}
	if (mkdir(c->dir, 0700) != 0)
		return card_fail(err, errno, c->name, c->dir);
	c->fresh = true;
	c->lock = pin_lock(c->dir, false);
	return c->lock >= 0 ? 0 : card_fail(err, -c->lock, c->name, c->dir);
}

static int make_about(struct xdp_card *c, const struct xdp_card_conf *conf, struct err *err)
{
	struct card_about *b = &c->about;
	struct stat net;
	int rc;

	if (stat("/proc/self/ns/net", &net) != 0)
		return card_fail(err, errno, c->name, "/proc/self/ns/net");
	b->format = CARD_FORMAT;
	snprintf(b->version, sizeof(b->version), "%s", WEIR_VERSION);
	b->made_ns = clock_ns();
	b->net_dev = net.st_dev;
	b->net_ino = net.st_ino;
	b->n_ports = conf->n_ports;
	b->forward = conf->forward;
	for (unsigned i = 0; i < conf->n_ports; i++) {
		snprintf(b->port[i].iface, sizeof(b->port[i].iface), "%s", conf->ifaces[i]);
		b->port[i].wanted = conf->mode;
	}
	c->about_fd = bpf_map_create(
		BPF_MAP_TYPE_ARRAY, "card_about", sizeof(uint32_t), sizeof(*b), 1, NULL);
	if (c->about_fd < 0)
		return card_fail(err, errno, c->name, "making maps");
	rc = card_about_write(c, err);
	return rc != 0 ? rc : pin(c, c->about_fd, "about", err);
}

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

static int pin_maps(struct xdp_card *c, const struct bpf_object *obj, struct err *err)
{
	const struct bpf_map *map;
	int rc = 0;

	bpf_object__for_each_map(map, obj)
	{
		if (rc == 0 && !bpf_map__is_internal(map))
			rc = pin(c, bpf_map__fd(map), bpf_map__name(map), err);
	}
	return rc;
}

static int load_port(struct xdp_card *c, unsigned port, struct err *err)
{
	struct card_bpf *bpf = card_bpf__open();
	char file[16];
	bool strict = true;
	int rc = bpf != NULL ? 0 : -errno;

	if (rc == 0 && c->about.forward != 0 &&
		forward_strict(c->about.port[port].iface, &strict, err) != 0) {
		card_bpf__destroy(bpf);
		return -err->code;
	}
	if (rc == 0) {
		bpf->rodata->iport = port;
		bpf->rodata->forward = c->about.forward != 0;
		bpf->rodata->strict = strict;
	}
	if (rc == 0 && port > 0)
		rc = share_maps(c, bpf->obj);
	if (rc == 0)
		rc = card_bpf__load(bpf);
	if (rc != 0) {
		rc = card_fail(err, -rc, c->name, "the kernel does not take the card's program");
		goto out;
	}
	if (port == 0) {
		rc = pin_maps(c, bpf->obj, err);
		c->sets = dup(bpf_map__fd(bpf->maps.sets));
		c->hits = dup(bpf_map__fd(bpf->maps.hits));
		c->ports = dup(bpf_map__fd(bpf->maps.ports));
		if (rc == 0 && (c->sets < 0 || c->hits < 0 || c->ports < 0))
			rc = card_fail(err, EMFILE, c->name, "making maps");
	}
	snprintf(file, sizeof(file), "prog%u", port);
	if (rc == 0)
		rc = pin(c, bpf_program__fd(bpf->progs.weir_card), file, err);
out:
	card_bpf__destroy(bpf);
	return rc;
}

static int check_conf(const struct xdp_card_conf *conf, struct err *err)
{
	if (conf->n_ports < 1 || conf->n_ports > CARD_PORTS)
		return err_set(err, EINVAL, "%s: %u interfaces: a card has 1 to %d", conf->name,
			conf->n_ports, CARD_PORTS);
	for (unsigned i = 0; i < conf->n_ports; i++) {
		const char *name = conf->ifaces[i];

		if (strlen(name) > XDP_IFACE_MAX || if_nametoindex(name) == 0)
			return err_set(err, ENODEV, "%.64s: there is no such interface", name);
		for (unsigned k = 0; k < i; k++)
			if (strcmp(name, conf->ifaces[k]) == 0)
				return err_set(err, EINVAL, "%s: it is given twice", name);
	}
	return 0;
}

struct xdp_card *xdp_card_create(const struct xdp_card_conf *conf, struct err *err)
{
	struct xdp_card *c = card_new(conf->name, err);
	int rc;

	if (c == NULL)
		return NULL;
	libbpf_set_print(NULL); // what went wrong is said by our callers
	rc = check_conf(conf, err);
	if (rc == 0 && caps_missing() != NULL)
		rc = card_fail(err, EPERM, c->name, "creating");
	if (rc == 0)
		rc = make_folder(c, conf, err);
	if (rc == 0)
		rc = make_about(c, conf, err);
	for (unsigned i = 0; rc == 0 && i < conf->n_ports; i++)
		rc = load_port(c, i, err);
	if (rc == 0)
		rc = card_adapter(c, err);
	c->changed = true; // so that there is a set, even if an empty one
	if (rc == 0)
		rc = xdp_card_publish(c, err);
	if (rc == 0)
		return c;
	xdp_card_close(c);
	return NULL;
}

static void detach(const char *dir)
{
	char path[PIN_PATH_MAX], file[16];

	// Without it the program goes a while after the pin.
	for (unsigned i = 0; i < CARD_PORTS; i++) {
		int fd;

		snprintf(file, sizeof(file), "link%u", i);
		fd = bpf_obj_get(pin_path(path, dir, file));
		if (fd < 0)
			continue;
		bpf_link_detach(fd);
		close(fd);
	}
}

void xdp_card_undo(struct xdp_card *c)
{
	detach(c->dir);
	pin_remove(c->dir);
	c->fresh = false;
}

int xdp_card_delete(const char *name, struct err *err)
{
	char root[PIN_PATH_MAX], dir[PIN_PATH_MAX];
	int rc = adapter_name_check(name, err), lock;

	if (rc != 0)
		return rc;
	rc = pin_root(false, root, NULL, err);
	lock = rc == 0 ? pin_lock(pin_path(dir, root, name), true) : rc;
	if (lock == -ENOENT)
		return err_set(err, ENOENT, "there is no card '%s' in the kernel", name);
	if (lock < 0)
		return card_fail(err, -lock, name, "opening the card");
	detach(dir);
	rc = pin_remove(dir);
	close(lock);
	return rc == 0 ? 0 : card_fail(err, -rc, name, "deleting the card");
}

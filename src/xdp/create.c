// SPDX-License-Identifier: BSD-2-Clause
// create.c - making a card in the kernel, and taking it away.
//
// All of it is pinned in a folder new_NAME, which is renamed once it is whole: of a command that was
// killed, nothing is left that anybody would take for a card.
#include "xdp/caps.h"
#include "xdp/card.h"
#include "xdp/dispatch.h"
#include "xdp/forward.h"
#include "xdp/program.h"

#include "base/clock.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
		bool strict = true;

		snprintf(b->port[i].iface, sizeof(b->port[i].iface), "%s", conf->ifaces[i]);
		b->port[i].wanted = conf->mode;
		if (conf->forward && forward_strict(conf->ifaces[i], &strict, err) != 0)
			return -err->code;
		b->port[i].strict = strict;
	}
	c->about_fd = bpf_map_create(
		BPF_MAP_TYPE_ARRAY, "card_about", sizeof(uint32_t), sizeof(*b), 1, NULL);
	if (c->about_fd < 0)
		return card_fail(err, errno, c->name, "making maps");
	rc = card_about_write(c, err);
	return rc != 0 ? rc : card_pin(c, c->about_fd, "about", err);
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
		rc = program_load(c, i, err);
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

// Everything of a card that is attached.  Without it programs would go a while after their pins.
static int detach(const char *dir, struct err *err)
{
	char path[PIN_PATH_MAX], file[16];

	for (unsigned i = 0; i < CARD_PORTS; i++) {
		int fd;

		snprintf(file, sizeof(file), "link%u", i);
		fd = bpf_obj_get(pin_path(path, dir, file));
		if (fd < 0)
			continue;
		bpf_link_detach(fd);
		close(fd);
	}
	return dispatch_leave(dir, err);
}

int xdp_card_undo(struct xdp_card *c, struct err *err)
{
	int rc = detach(c->dir, err);

	if (rc != 0)
		return err_context(err, "%s is still there", c->name);
	pin_remove(c->dir);
	c->fresh = false;
	return 0;
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
	// Its folder stays while it is still attached somewhere.
	rc = detach(dir, err);
	if (rc == 0) {
		rc = pin_remove(dir);
		if (rc != 0)
			card_fail(err, -rc, name, "deleting the card");
	} else {
		err_context(err, "%s", name);
	}
	close(lock);
	return rc;
}

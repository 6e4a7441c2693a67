// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/dispatch.h"

#include "xdp/caps.h"
#include "xdp/card.h"
#include "xdp/dispatch_pins.h"
#include "xdp/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xdp/libxdp.h>

struct dispatch {
	struct card_bpf *bpf;
	struct xdp_program *prog;
};

static int say_nothing(enum libxdp_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

// libxdp finds bpffs where we do, and what goes wrong is said by our callers.
static void begin(void)
{
	char root[PIN_PATH_MAX];

	libbpf_set_print(NULL);
	libxdp_set_print(say_nothing);
	if (pin_root(false, root, NULL, NULL) != 0)
		return;
	*strrchr(root, '/') = '\0';
	setenv("LIBXDP_BPFFS", root, 0);
}

static int remove_from(void *arg, const struct dispatch_pins *p)
{
	if (p->ifindex == *(const uint32_t *)arg)
		pin_remove(p->dir);
	return 0;
}

// The number of no interface: what is attached there is loaded and linked, and goes again.  It may have been
// left if a command was killed; whoever is at it now needs the folder no more once his program is linked.
static int nowhere(void)
{
	char name[IF_NAMESIZE];
	uint32_t i = INT_MAX;

	while (if_indextoname(i, name) != NULL)
		i--;
	dispatch_pins_each(DISPATCH_ANY_MAP, remove_from, &i);
	return (int)i;
}

static bool is_component(const struct xdp_program *p)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = xdp_program__fd(p);

	return fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 &&
	       info.type == BPF_PROG_TYPE_EXT;
}

static bool component_loads(struct xdp_program *p, int *rc)
{
	*rc = xdp_program__attach(p, nowhere(), XDP_MODE_SKB, 0);
	return is_component(p);
}

// Asked with the emptiest of programs, which libxdp brings along: a kernel that cannot is one that takes the
// program as an ordinary one only.
static int check_kernel(struct err *why)
{
	struct xdp_program_opts o = {
		.sz = sizeof(o), .find_filename = "xdp-dispatcher.o", .prog_name = "xdp_pass"};
	struct xdp_program *p = xdp_program__create(&o);
	int rc = 0;

	if (p == NULL)
		return err_set(why, EOPNOTSUPP, "libxdp's xdp-dispatcher.o cannot be read: %s",
			strerror(errno));
	if (!component_loads(p, &rc))
		rc = err_set(why, EOPNOTSUPP, "this kernel has no BPF trampolines");
	else
		rc = 0;
	xdp_program__close(p);
	return rc;
}

int dispatch_can(struct err *why)
{
	const char *skip = getenv("LIBXDP_SKIP_DISPATCHER");

	begin();
	if (skip != NULL && strcmp(skip, "1") == 0)
		return err_set(why, EOPNOTSUPP, "LIBXDP_SKIP_DISPATCHER is set");
	if (!caps_see_programs())
		return err_set(why, EOPNOTSUPP,
			"libxdp's dispatcher needs CAP_SYS_ADMIN, which is missing");
	if (check_kernel(why) != 0)
		return -EOPNOTSUPP;
	if (!dispatch_is_first())
		return err_set(why, EOPNOTSUPP,
			"libxdp's dispatcher is safe in the first network namespace only");
	return 0;
}

// NULL: there is none, or none that libxdp can read.
static struct xdp_multiprog *dispatcher_of(uint32_t ifindex)
{
	struct xdp_multiprog *mp = xdp_multiprog__get_from_ifindex((int)ifindex);

	if (libxdp_get_error(mp) != 0)
		return NULL;
	if (!xdp_multiprog__is_legacy(mp))
		return mp;
	xdp_multiprog__close(mp);
	return NULL;
}

int dispatch_joinable(
	const char *iface, uint32_t ifindex, const char *who, enum xdp_mode *mode, struct err *err)
{
	struct xdp_multiprog *mp = dispatcher_of(ifindex);
	struct xdp_program *p = NULL;
	int rc = 0;

	if (mp == NULL)
		return err_set(err, EBUSY,
			"%s: it has an XDP program already: %s, and it is in no dispatcher of "
			"libxdp that a card could join",
			iface, who);
	*mode = xdp_multiprog__attach_mode(mp) == XDP_MODE_SKB ? XDP_SKB : XDP_NATIVE;
	while (rc == 0 && (p = xdp_multiprog__next_prog(p, mp)) != NULL)
		if (strcmp(xdp_program__name(p), PROGRAM_NAME) == 0 ||
			strcmp(xdp_program__name(p), PROGRAM_NAME_FIXED) == 0)
			rc = err_set(err, EBUSY,
				"%s: it has an XDP program already: %s (id %u), of another card",
				iface, PROGRAM_NAME, xdp_program__id(p));
	xdp_multiprog__close(mp);
	return rc;
}

struct dispatch *dispatch_load(const struct xdp_card *c, unsigned port, bool fixed, struct err *why)
{
	const char *name = fixed ? PROGRAM_NAME_FIXED : PROGRAM_NAME;
	struct xdp_program_opts o = {.sz = sizeof(o), .prog_name = name};
	struct dispatch *d = calloc(1, sizeof(*d));
	int rc = -ENOMEM;

	if (d != NULL)
		d->bpf = program_open(c, port, name, why);
	if (d != NULL && d->bpf != NULL) {
		o.obj = program_object(d->bpf);
		d->prog = xdp_program__create(&o);
		rc = d->prog != NULL ? xdp_program__set_run_prio(d->prog, DISPATCH_PRIO) : -errno;
		if (rc == 0 && component_loads(d->prog, &rc))
			return d;
	}
	dispatch_close(d);
	err_set(why, EOPNOTSUPP,
		"this kernel does not take the card's program into libxdp's dispatcher (%s)",
		strerror(-rc));
	return NULL;
}

int dispatch_join(struct dispatch *d, uint32_t ifindex, enum xdp_mode mode)
{
	return xdp_program__attach(
		d->prog, (int)ifindex, mode == XDP_SKB ? XDP_MODE_SKB : XDP_MODE_NATIVE, 0);
}

void dispatch_close(struct dispatch *d)
{
	if (d == NULL)
		return;
	xdp_program__close(d->prog);
	program_close(d->bpf);
	free(d);
}

struct leaving {
	uint32_t map;
	struct err *err;
};

static int leave(void *arg, const struct dispatch_pins *p)
{
	const struct leaving *l = arg;
	struct xdp_multiprog *mp;
	struct xdp_program *own = NULL;
	int rc = 0;

	if (!dispatch_pins_run(p, NULL))
		return 0;
	mp = dispatcher_of(p->ifindex);
	while ((own = xdp_multiprog__next_prog(own, mp)) != NULL &&
		!dispatch_has_map(xdp_program__fd(own), l->map))
		continue;
	if (own != NULL)
		rc = xdp_program__detach(own, (int)p->ifindex, xdp_multiprog__attach_mode(mp), 0);
	else if (mp == NULL)
		rc = -EIO;
	xdp_multiprog__close(mp);
	if (rc != 0)
		err_set(l->err, -rc, "interface %u: leaving libxdp's dispatcher: %s", p->ifindex,
			strerror(-rc));
	return rc;
}

static int leave_all(uint32_t map, struct err *err)
{
	struct leaving l = {.map = map, .err = err};
	int rc = dispatch_pins_each(map, leave, &l);

	if (rc != 0)
		return rc;
	rc = dispatch_pins_sweep(map);
	return rc == 0 ? 0 : err_set(err, -rc, "libxdp's pins: %s", strerror(-rc));
}

int dispatch_leave(const char *dir, struct err *err)
{
	char path[PIN_PATH_MAX];
	int fd = bpf_obj_get(pin_path(path, dir, "ports")), way, rc;
	uint32_t map = fd >= 0 ? dispatch_map_id(fd) : 0;

	if (fd >= 0)
		close(fd);
	if (map == 0 || !dispatch_pins_any(map))
		return 0;
	begin();
	if (!caps_see_programs())
		return err_set(err, EPERM,
			"leaving libxdp's dispatcher needs CAP_SYS_ADMIN, which is missing");
	rc = dispatch_go_first(&way);
	if (rc != 0)
		return err_set(err, -rc,
			"it is in a dispatcher of libxdp, and the first network namespace cannot "
			"be entered: %s",
			strerror(-rc));
	rc = leave_all(map, err);
	dispatch_come_back(way);
	return rc;
}

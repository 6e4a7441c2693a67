// SPDX-License-Identifier: BSD-2-Clause
// attach.c - a card's programs and the interfaces they sit on.
//
// Where the kernel can, a port's program joins libxdp's dispatcher, so that other XDP programs can be on the
// interface.  Otherwise it is alone there, attached by a link that is pinned: it lasts as long as the pin
// and the interface do.  An interface that went takes either's sense with it, and one of the same name is
// another interface.
#include "xdp/card.h"
#include "xdp/dispatch.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 524 }; // the kernel's ENOTSUPP, which drivers give away

typedef void say_fn(void *arg, const char *text);

// One round over a card's ports.
struct round {
	struct xdp_card *c;
	say_fn *say; // may be NULL
	void *arg;
	bool asked; // whether dispatchers can be joined, and if not:
	struct err alone;
};

// The MAC as the programs compare it.
static int look_up(const char *iface, struct card_port *out, struct err *err)
{
	struct ifreq r = {0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	*out = (struct card_port){.ifindex = if_nametoindex(iface)};
	if (out->ifindex == 0) {
		if (fd >= 0)
			close(fd);
		return err_set(err, ENODEV, "%s: there is no such interface", iface);
	}
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", iface);
	rc = fd >= 0 && ioctl(fd, SIOCGIFHWADDR, &r) == 0 ? 0 : errno;
	if (fd >= 0)
		close(fd);
	if (rc != 0)
		return err_set(err, rc, "%s: its MAC: %s", iface, strerror(rc));
	if (r.ifr_hwaddr.sa_family != ARPHRD_ETHER && r.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return err_set(err, EINVAL, "%s: it carries no Ethernet frames", iface);
	memcpy(&out->mac48, r.ifr_hwaddr.sa_data, MAC_LEN);
	return 0;
}

__attribute__((format(printf, 2, 3))) static void tell(
	const struct round *r, const char *format, ...)
{
	char text[ERR_MSG_MAX + 128];
	va_list args;

	if (r->say == NULL)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->say(r->arg, text);
}

static bool can_dispatch(struct round *r)
{
	if (!r->asked && dispatch_can(&r->alone) == 0)
		r->alone.code = 0;
	r->asked = true;
	return r->alone.code == 0;
}

// The program that an interface has; 0: none.
static uint32_t program_on(uint32_t ifindex)
{
	struct bpf_xdp_query_opts q = {.sz = sizeof(q)};

	if (bpf_xdp_query((int)ifindex, 0, &q) != 0)
		return 0; // attaching tells
	return q.prog_id != 0       ? q.prog_id
	       : q.drv_prog_id != 0 ? q.drv_prog_id
	       : q.skb_prog_id != 0 ? q.skb_prog_id
				    : q.hw_prog_id;
}

static const char *name_of(uint32_t id, char out[64])
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0) {
		if (bpf_obj_get_info_by_fd(fd, &info, &len) != 0)
			info.name[0] = '\0';
		close(fd);
	}
	snprintf(
		out, 64, "%s (id %u)", info.name[0] != '\0' ? info.name : "one without a name", id);
	return out;
}

// -EBUSY if the interface has programs that ours cannot join.  *there: their mode, XDP_ANY if it has none.
static int check_programs(struct round *r, const char *iface, uint32_t ifindex,
	enum xdp_mode wanted, enum xdp_mode *there, struct err *err)
{
	uint32_t id = program_on(ifindex);
	char who[64];
	int rc;

	*there = XDP_ANY;
	if (id == 0)
		return 0;
	name_of(id, who);
	if (!can_dispatch(r))
		return err_set(err, EBUSY,
			"%s: it has an XDP program already: %s, and a card must be the only one, "
			"as %s",
			iface, who, r->alone.msg);
	rc = dispatch_joinable(iface, ifindex, who, there, err);
	if (rc != 0 || wanted == XDP_ANY || wanted == *there)
		return rc;
	return err_set(err, EBUSY, "%s: the XDP programs it has are in %s mode, not in %s mode",
		iface, xdp_mode_name(*there), xdp_mode_name(wanted));
}

static const char *why(int e)
{
	return e == NOT_SUPPORTED || e == EOPNOTSUPP ? "its driver takes no XDP programs"
	       : e == E2BIG ? "libxdp's dispatcher has as many programs as it can hold"
			    : strerror(e);
}

// A way of attaching: 0 or more, or -errno.
typedef int way_fn(void *arg, uint32_t ifindex, enum xdp_mode mode);

// Attaches in the mode that *mode says; *mode becomes what it took.
static int in_mode(const char *iface, uint32_t ifindex, enum xdp_mode *mode, way_fn *way, void *arg,
	struct err *err)
{
	int rc = -EOPNOTSUPP, e = 0;

	if (*mode != XDP_SKB) {
		rc = way(arg, ifindex, XDP_NATIVE);
		if (rc >= 0) {
			*mode = XDP_NATIVE;
			return rc;
		}
		e = -rc;
		if (*mode == XDP_NATIVE && e != EPERM && e != EBUSY)
			return err_set(err, e,
				"%s: native mode: %s (--mode skb works everywhere, but later)",
				iface, why(e));
	}
	if (e != EPERM && e != EBUSY) {
		rc = way(arg, ifindex, XDP_SKB);
		*mode = XDP_SKB;
	}
	return rc >= 0 ? rc : card_fail(err, -rc, iface, "attaching");
}

static int by_link(void *arg, uint32_t ifindex, enum xdp_mode mode)
{
	const int *prog = arg;
	struct bpf_link_create_opts o = {.sz = sizeof(o),
		.flags = mode == XDP_NATIVE ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE};
	int fd = bpf_link_create(*prog, (int)ifindex, BPF_XDP, &o);

	return fd >= 0 ? fd : -errno;
}

static int by_dispatcher(void *arg, uint32_t ifindex, enum xdp_mode mode)
{
	return dispatch_join(arg, ifindex, mode);
}

static int pin_link(const struct xdp_card *c, unsigned port, int link, struct err *err)
{
	char path[PIN_PATH_MAX];

	card_port_path(c, "link", port, path);
	unlink(path); // of an interface that is gone
	return bpf_obj_pin(link, path) == 0 ? 0 : card_fail(err, errno, c->name, path);
}

// The port's program as the only one of the interface, and no other can join.
static int attach_alone(const struct round *r, unsigned port, uint32_t ifindex, enum xdp_mode *mode,
	struct err *err)
{
	const char *iface = r->c->about.port[port].iface;
	int prog = card_port_pin(r->c, "prog", port), link, rc;

	if (prog < 0)
		return card_fail(err, errno, r->c->name, "its program");
	link = in_mode(iface, ifindex, mode, by_link, &prog, err);
	close(prog);
	if (link < 0)
		return link;
	rc = pin_link(r->c, port, link, err);
	close(link);
	if (rc == 0)
		tell(r, "%s: %s: the card is alone on it, no other XDP program can join", iface,
			r->alone.msg);
	return rc;
}

// The port's program as a component; NULL with the reason in r->alone: it cannot be one.  *fixed: it is the
// one that cannot change how long a frame is.
static struct dispatch *load_component(struct round *r, unsigned port, bool *fixed)
{
	struct err why = {0};
	struct dispatch *d = can_dispatch(r) ? dispatch_load(r->c, port, false, &why) : NULL;

	*fixed = false;
	if (d != NULL || !can_dispatch(r))
		return d;
	if (card_resizes(r->c)) {
		err_set(&r->alone, EOPNOTSUPP,
			"in libxdp's dispatcher this kernel lets no program insert or remove VLAN "
			"tags, as rules of the card do");
		return NULL;
	}
	*fixed = true;
	return dispatch_load(r->c, port, true, &r->alone);
}

// there: the mode of the programs that the interface has, XDP_ANY if it has none.
static int attach_as_can_be(struct round *r, unsigned port, uint32_t ifindex, enum xdp_mode there,
	enum xdp_mode *mode, struct err *err)
{
	const char *iface = r->c->about.port[port].iface;
	bool fixed;
	struct dispatch *d = load_component(r, port, &fixed);
	int rc;

	if (d == NULL && there != XDP_ANY)
		return err_set(
			err, EBUSY, "%s: it has XDP programs already, and %s", iface, r->alone.msg);
	// Before it can be met by a rule.
	r->c->about.port[port].fixed = d != NULL && fixed;
	rc = card_about_write(r->c, err);
	if (rc == 0 && d == NULL)
		return attach_alone(r, port, ifindex, mode, err);
	if (there != XDP_ANY)
		*mode = there;
	if (rc == 0)
		rc = in_mode(iface, ifindex, mode, by_dispatcher, d, err);
	dispatch_close(d);
	return rc;
}

static int attach(struct round *r, unsigned port, const struct card_port *at, struct err *err)
{
	struct xdp_card *c = r->c;
	const char *iface = c->about.port[port].iface;
	enum xdp_mode wanted = c->about.port[port].wanted, mode = wanted, there;
	int rc = check_programs(r, iface, at->ifindex, wanted, &there, err);

	if (rc == 0)
		rc = attach_as_can_be(r, port, at->ifindex, there, &mode, err);
	if (rc != 0)
		return rc;
	if (mode == XDP_SKB && wanted == XDP_ANY)
		tell(r, "%s: %s: attached in skb mode, which works but costs more", iface,
			there == XDP_SKB ? "the XDP programs it has are in skb mode"
					 : "its driver takes no XDP program");
	c->about.port[port].mode = mode;
	memset(c->about.port[port].base, 0, sizeof(c->about.port[port].base));
	return card_about_write(c, err);
}

// As the programs of all ports know it.
static int write_port(
	const struct xdp_card *c, unsigned port, const struct card_port *at, struct err *err)
{
	char path[PIN_PATH_MAX];
	int exits = bpf_obj_get(pin_path(path, c->dir, "exits")), rc = 0;

	if (exits < 0 || bpf_map_update_elem(c->ports, &port, at, 0) != 0 ||
		bpf_map_update_elem(exits, &port, &at->ifindex, 0) != 0)
		rc = card_fail(err, errno, c->name, "noting an interface");
	if (exits >= 0)
		close(exits);
	return rc;
}

static int attach_port(struct round *r, unsigned port, struct err *err)
{
	struct xdp_card_port now;
	struct card_port at;
	int rc = look_up(r->c->about.port[port].iface, &at, err);

	card_port_at(r->c, port, &now);
	// An interface that was renamed is still the port.
	if (now.ifindex != 0 && (rc != 0 || at.ifindex != now.ifindex))
		return 0;
	if (rc != 0)
		return rc;
	rc = write_port(r->c, port, &at, err);
	if (rc != 0)
		return rc;
	return now.ifindex != 0 ? 0 : attach(r, port, &at, err);
}

// What is new becomes a card under its name.
static int settle(struct xdp_card *c, struct err *err)
{
	char root[PIN_PATH_MAX], dir[PIN_PATH_MAX];
	int rc = pin_root(false, root, NULL, err);

	if (rc != 0)
		return card_fail(err, -rc, c->name, "bpffs");
	if (renameat2(AT_FDCWD, c->dir, AT_FDCWD, pin_path(dir, root, c->name), RENAME_NOREPLACE) !=
		0)
		return card_fail(err, errno, c->name, dir);
	memcpy(c->dir, dir, sizeof(dir));
	c->fresh = false;
	return 0;
}

// Cards are attached one after the other, so that no two join one dispatcher at the same time.
static int lock_all(const struct xdp_card *c, struct err *err)
{
	char root[PIN_PATH_MAX];
	int rc = pin_root(false, root, NULL, err);
	int lock = rc == 0 ? pin_lock(root, true) : rc;

	return lock >= 0 ? lock : card_fail(err, -lock, c->name, "bpffs");
}

static int attach_ports(struct round *r, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->c->about.n_ports; i++) {
		struct err own = {0};

		if (attach_port(r, i, &own) != 0 && rc == 0) {
			rc = -own.code;
			*err = own;
		}
	}
	// Of interfaces that went, or of a command that was killed.
	return rc == 0 ? dispatch_sweep(r->c, err) : rc;
}

int xdp_card_attach(struct xdp_card *c, say_fn *say, void *arg, struct err *err)
{
	struct round r = {.c = c, .say = say, .arg = arg};
	int rc = 0, lock;

	if (!card_is_here(c))
		return err_set(err, EXDEV,
			"%s: its interfaces are in another network namespace than this command",
			c->name);
	if (c->fresh)
		rc = settle(c, err);
	if (rc != 0)
		return rc;
	lock = lock_all(c, err);
	if (lock < 0)
		return lock;
	rc = attach_ports(&r, err);
	close(lock);
	return rc == 0 && c->about.forward != 0 ? card_egress(c, say, arg, err) : rc;
}

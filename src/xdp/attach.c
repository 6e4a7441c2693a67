// SPDX-License-Identifier: BSD-2-Clause
// attach.c - a card's programs and the interfaces they sit on.
//
// Each port is attached by a link that is pinned: it lasts as long as the pin and the interface do.  An
// interface that went takes the link's sense with it, and one of the same name is another interface.
#include "xdp/card.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOT_SUPPORTED = 524 }; // the kernel's ENOTSUPP, which drivers give away

typedef void say_fn(void *arg, const char *text);

static const char *port_file(char out[16], const char *what, unsigned port)
{
	snprintf(out, 16, "%s%u", what, port);
	return out;
}

static int open_port(const struct xdp_card *c, const char *what, unsigned port)
{
	char path[PIN_PATH_MAX], file[16];

	return bpf_obj_get(pin_path(path, c->dir, port_file(file, what, port)));
}

int card_link(const struct xdp_card *c, unsigned port, uint32_t *ifindex)
{
	struct bpf_link_info info = {0};
	uint32_t len = sizeof(info);
	int fd = open_port(c, "link", port);

	*ifindex = 0;
	if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
		*ifindex = info.xdp.ifindex;
	return fd;
}

bool card_is_here(const struct xdp_card *c)
{
	struct stat net;

	return stat("/proc/self/ns/net", &net) == 0 && net.st_dev == c->about.net_dev &&
	       net.st_ino == c->about.net_ino;
}

unsigned xdp_card_ports(const struct xdp_card *c, struct xdp_card_port out[ADAPTER_PORTS_MAX])
{
	for (unsigned i = 0; i < c->about.n_ports; i++) {
		int link = card_link(c, i, &out[i].ifindex);

		memcpy(out[i].iface, c->about.port[i].iface, sizeof(out[i].iface));
		out[i].mode = c->about.port[i].mode;
		out[i].gone = link >= 0 && out[i].ifindex == 0;
		if (link >= 0)
			close(link);
	}
	return c->about.n_ports;
}

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

// -EBUSY if another program has the interface.
static int check_free(const char *iface, uint32_t ifindex, struct err *err)
{
	struct bpf_xdp_query_opts q = {.sz = sizeof(q)};
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info), id;
	int fd;

	if (bpf_xdp_query((int)ifindex, 0, &q) != 0)
		return 0; // attaching tells
	id = q.prog_id != 0 ? q.prog_id : q.drv_prog_id != 0 ? q.drv_prog_id : q.skb_prog_id;
	if (id == 0)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd >= 0) {
		if (bpf_obj_get_info_by_fd(fd, &info, &len) != 0)
			info.name[0] = '\0';
		close(fd);
	}
	return err_set(err, EBUSY,
		"%s: it has an XDP program already: %s (id %u), and a card must be the only one",
		iface, info.name[0] != '\0' ? info.name : "one without a name", id);
}

static int link_to(int prog, uint32_t ifindex, uint32_t flags)
{
	struct bpf_link_create_opts o = {.sz = sizeof(o), .flags = flags};
	int fd = bpf_link_create(prog, (int)ifindex, BPF_XDP, &o);

	return fd >= 0 ? fd : -errno;
}

static const char *why(int e)
{
	return e == NOT_SUPPORTED || e == EOPNOTSUPP ? "its driver takes no XDP programs"
						     : strerror(e);
}

// The link; *mode becomes what it took.
static int link_port(const struct xdp_card *c, unsigned port, int prog, uint32_t ifindex,
	enum xdp_mode *mode, struct err *err)
{
	const char *iface = c->about.port[port].iface;
	int fd = -EOPNOTSUPP, e = 0;

	if (*mode != XDP_SKB) {
		fd = link_to(prog, ifindex, XDP_FLAGS_DRV_MODE);
		if (fd >= 0) {
			*mode = XDP_NATIVE;
			return fd;
		}
		e = -fd;
		if (*mode == XDP_NATIVE && e != EPERM && e != EBUSY)
			return err_set(err, e,
				"%s: native mode: %s (--mode skb works everywhere, but later)",
				iface, why(e));
	}
	if (e != EPERM && e != EBUSY) {
		fd = link_to(prog, ifindex, XDP_FLAGS_SKB_MODE);
		*mode = XDP_SKB;
	}
	return fd >= 0 ? fd : card_fail(err, -fd, iface, "attaching");
}

static void tell_skb(const char *iface, say_fn *say, void *arg)
{
	char text[128];

	snprintf(text, sizeof(text),
		"%s: its driver takes no XDP program: attached in skb mode, which works but costs "
		"more",
		iface);
	if (say != NULL)
		say(arg, text);
}

static int pin_link(const struct xdp_card *c, unsigned port, int link, struct err *err)
{
	char path[PIN_PATH_MAX], file[16];

	pin_path(path, c->dir, port_file(file, "link", port));
	unlink(path); // of an interface that is gone
	return bpf_obj_pin(link, path) == 0 ? 0 : card_fail(err, errno, c->name, path);
}

static int attach(struct xdp_card *c, unsigned port, const struct card_port *at, say_fn *say,
	void *arg, struct err *err)
{
	const char *iface = c->about.port[port].iface;
	enum xdp_mode mode = c->about.port[port].wanted;
	int prog, link, rc = check_free(iface, at->ifindex, err);

	if (rc != 0)
		return rc;
	prog = open_port(c, "prog", port);
	if (prog < 0)
		return card_fail(err, errno, c->name, "its program");
	link = link_port(c, port, prog, at->ifindex, &mode, err);
	close(prog);
	if (link < 0)
		return link;
	rc = pin_link(c, port, link, err);
	close(link);
	if (rc != 0)
		return rc;
	if (mode == XDP_SKB && c->about.port[port].wanted == XDP_ANY)
		tell_skb(iface, say, arg);
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

static int attach_port(struct xdp_card *c, unsigned port, say_fn *say, void *arg, struct err *err)
{
	struct card_port at;
	uint32_t ifindex;
	int link = card_link(c, port, &ifindex), rc = look_up(c->about.port[port].iface, &at, err);

	if (link >= 0)
		close(link);
	// An interface that was renamed is still the port.
	if (ifindex != 0 && (rc != 0 || at.ifindex != ifindex))
		return 0;
	if (rc != 0)
		return rc;
	rc = write_port(c, port, &at, err);
	if (rc != 0)
		return rc;
	return ifindex != 0 ? 0 : attach(c, port, &at, say, arg, err);
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

int xdp_card_attach(struct xdp_card *c, say_fn *say, void *arg, struct err *err)
{
	int rc = 0;

	if (!card_is_here(c))
		return err_set(err, EXDEV,
			"%s: its interfaces are in another network namespace than this command",
			c->name);
	if (c->fresh)
		rc = settle(c, err);
	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < c->about.n_ports; i++) {
		struct err own = {0};

		if (attach_port(c, i, say, arg, &own) != 0 && rc == 0) {
			rc = -own.code;
			*err = own;
		}
	}
	return rc == 0 && c->about.forward != 0 ? card_egress(c, say, arg, err) : rc;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "xdp/forward.h"

#include "xdp/card.h"
#include "xdp/live.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

struct device {
	char name[IF_NAMESIZE];
	unsigned mtu;
	bool veth;
};

static int look(unsigned ifindex, struct device *d, struct err *err)
{
	struct ethtool_drvinfo drv = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq r = {0};
	int fd, rc = 0;

	if (if_indextoname(ifindex, d->name) == NULL)
		return err_set(err, ENODEV, "interface %u is gone", ifindex);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(err, errno, "%s: socket: %s", d->name, strerror(errno));
	memcpy(r.ifr_name, d->name, sizeof(r.ifr_name));
	if (ioctl(fd, SIOCGIFMTU, &r) != 0)
		rc = err_set(err, errno, "%s: its MTU: %s", d->name, strerror(errno));
	d->mtu = (unsigned)r.ifr_mtu;
	r.ifr_data = (char *)&drv;
	d->veth = ioctl(fd, SIOCETHTOOL, &r) == 0 && strcmp(drv.driver, "veth") == 0;
	close(fd);
	return rc;
}

// From Linux 6.3 on a driver says whether it sends; before, a veth takes what its other end then loses.
static bool driver_tells(void)
{
	unsigned major, minor;
	struct utsname u;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 3));
}

int forward_egress(int egress_map, unsigned ifindex, bool native, struct err *err)
{
	struct device d;
	int rc = look(ifindex, &d, err);

	if (rc != 0)
		return rc;
	if (native && d.veth && !driver_tells())
		return err_set(err, EOPNOTSUPP,
			"%s: before Linux 6.3 a veth does not tell whether its other end takes frames",
			d.name);
	if (native && live_try(ifindex, d.mtu, err) != 0)
		return err_context(err, "%s", d.name);
	if (bpf_map_update_elem(egress_map, &ifindex, &ifindex, BPF_ANY) != 0)
		return err_set(err, errno, "%s: as a port to send by: %s", d.name, strerror(errno));
	return 0;
}

static int read_switch(const char *iface, int *value, struct err *err)
{
	char path[64 + IF_NAMESIZE];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", iface);
	f = fopen(path, "re");
	if (f == NULL)
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	n = fscanf(f, "%d", value);
	fclose(f);
	return n == 1 ? 0 : err_set(err, EIO, "%s: it holds no number", path);
}

int forward_strict(const char *iface, bool *strict, struct err *err)
{
	int all, own, rc = read_switch("all", &all, err);

	if (rc == 0)
		rc = read_switch(iface, &own, err);
	if (rc == 0)
		*strict = (all > own ? all : own) == 1; // the larger of the two counts
	return rc;
}

int card_egress(const struct xdp_card *c, void (*say)(void *arg, const char *text), void *arg,
	struct err *err)
{
	struct xdp_card_port port[ADAPTER_PORTS_MAX];
	unsigned n = xdp_card_ports(c, port);
	char path[PIN_PATH_MAX];
	int egress = bpf_obj_get(pin_path(path, c->dir, "egress"));

	if (egress < 0)
		return card_fail(err, errno, c->name, path);
	for (unsigned i = 0; i < n; i++) {
		struct err why = {0};
		char text[ERR_MSG_MAX + 128];

		if (port[i].ifindex == 0 || forward_egress(egress, port[i].ifindex,
						    port[i].mode == XDP_NATIVE, &why) == 0)
			continue;
		// One that was taken before, and is no longer to be.
		bpf_map_delete_elem(egress, &port[i].ifindex);
		snprintf(text, sizeof(text), "%s; frames routed there take the kernel's way",
			why.msg);
		if (say != NULL)
			say(arg, text);
	}
	close(egress);
	return 0;
}

bool xdp_card_forwards(const struct xdp_card *c, uint64_t out[ADAPTER_PORTS_MAX])
{
	struct card_forwarded *each = calloc(c->n_cpus, sizeof(*each));
	char path[PIN_PATH_MAX];
	int fd = bpf_obj_get(pin_path(path, c->dir, "forwarded"));

	for (uint32_t port = 0; port < ADAPTER_PORTS_MAX; port++) {
		out[port] = 0;
		if (each == NULL || fd < 0 || bpf_map_lookup_elem(fd, &port, each) != 0)
			continue;
		for (unsigned cpu = 0; cpu < c->n_cpus; cpu++)
			out[port] += each[cpu].frames;
	}
	if (fd >= 0)
		close(fd);
	free(each);
	return c->about.forward != 0;
}

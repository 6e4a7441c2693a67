// SPDX-License-Identifier: BSD-2-Clause
#include "port/iface.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct ifreq request(const struct iface *f)
{
	struct ifreq r;

	memset(&r, 0, sizeof(r));
	memcpy(r.ifr_name, f->name, sizeof(r.ifr_name));
	return r;
}

static int ask(const struct iface *f, unsigned long what, struct ifreq *r)
{
	*r = request(f);
	return ioctl(f->fd, what, r);
}

static int change_flags(const struct iface *f, short set, short clear)
{
	struct ifreq r;

	if (ask(f, SIOCGIFFLAGS, &r) != 0)
		return -1;
	r.ifr_flags = (short)((r.ifr_flags & ~clear) | set);
	return ioctl(f->fd, SIOCSIFFLAGS, &r);
}

static int set_mtu(const struct iface *f, uint16_t mtu)
{
	struct ifreq r = request(f);

	r.ifr_mtu = mtu;
	return ioctl(f->fd, SIOCSIFMTU, &r);
}

static const char *reason(int e)
{
	return e == EPERM || e == EACCES ? "needs root (CAP_NET_ADMIN)" : strerror(e);
}

static uint16_t count_queues(const struct iface *f)
{
	struct ethtool_channels c = {.cmd = ETHTOOL_GCHANNELS};
	struct ifreq r = request(f);
	unsigned n;

	r.ifr_data = (char *)&c;
	if (ioctl(f->fd, SIOCETHTOOL, &r) != 0)
		return 1;
	n = c.combined_count + c.rx_count;
	return (uint16_t)(n == 0 ? 1 : n);
}

// A membership ends with its socket, so promiscuous mode cannot outlive the process.
static int become_promiscuous(struct iface *f)
{
	struct packet_mreq m = {.mr_ifindex = f->index, .mr_type = PACKET_MR_PROMISC};

	f->promisc = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (f->promisc < 0)
		return -1;
	return setsockopt(f->promisc, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof(m));
}

static int look(struct iface *f, const char *label, struct err *err)
{
	struct ifreq r;

	if (ask(f, SIOCGIFINDEX, &r) != 0)
		return err_set(err, ENODEV, "%s: there is no interface '%s'", label, f->name);
	f->index = r.ifr_ifindex;
	if (ask(f, SIOCGIFHWADDR, &r) != 0)
		return err_set(err, errno, "%s: %s", label, strerror(errno));
	if (r.ifr_hwaddr.sa_family != ARPHRD_ETHER && r.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return err_set(err, EINVAL, "%s: '%s' does not carry Ethernet", label, f->name);
	memcpy(f->mac.b, r.ifr_hwaddr.sa_data, MAC_LEN);
	if (ask(f, SIOCGIFMTU, &r) != 0)
		return err_set(err, errno, "%s: %s", label, strerror(errno));
	f->mtu = (uint16_t)(r.ifr_mtu > UINT16_MAX ? UINT16_MAX : r.ifr_mtu);
	f->n_queues = count_queues(f);
	return 0;
}

static int change(
	struct iface *f, const char *label, uint16_t mtu, bool promiscuous, struct err *err)
{
	struct ifreq r;

	if (mtu != 0 && mtu != f->mtu) {
		if (set_mtu(f, mtu) != 0)
			return err_set(err, errno, "%s: MTU %u: %s", label, mtu, reason(errno));
		f->old_mtu = f->mtu;
		f->mtu = mtu;
	}
	if (ask(f, SIOCGIFFLAGS, &r) != 0)
		return err_set(err, errno, "%s: %s", label, strerror(errno));
	if ((r.ifr_flags & IFF_UP) == 0) {
		if (change_flags(f, IFF_UP, 0) != 0)
			return err_set(err, errno, "%s: the interface is down; bringing it up: %s",
				label, reason(errno));
		f->raised = true;
	}
	if (promiscuous && become_promiscuous(f) != 0)
		return err_set(err, errno, "%s: promiscuous mode: %s", label, reason(errno));
	return 0;
}

static int pause_ioctl(const struct iface *f, uint32_t cmd, struct ethtool_pauseparam *e)
{
	struct ifreq r = request(f);

	e->cmd = cmd;
	r.ifr_data = (char *)e;
	return ioctl(f->fd, SIOCETHTOOL, &r);
}

int iface_set_pause(struct iface *f, const char *label, bool rx, bool tx, struct err *err)
{
	struct ethtool_pauseparam e;
	int old;

	memset(&e, 0, sizeof(e));
	if (pause_ioctl(f, ETHTOOL_GPAUSEPARAM, &e) != 0)
		return err_set(
			err, ENOTSUP, "%s: '%s' has no Ethernet flow control", label, f->name);
	old = (e.rx_pause != 0) | (e.tx_pause != 0) << 1;
	e.autoneg = 0;
	e.rx_pause = rx;
	e.tx_pause = tx;
	if (pause_ioctl(f, ETHTOOL_SPAUSEPARAM, &e) != 0)
		return err_set(err, errno, "%s: flow control: %s", label, reason(errno));
	f->old_pause = old;
	return 0;
}

struct iface *iface_open(
	const char *label, const char *name, uint16_t mtu, bool promiscuous, struct err *err)
{
	struct iface *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", label);
		return NULL;
	}
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->promisc = f->old_pause = -1;
	f->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (f->fd < 0) {
		err_set(err, errno, "%s: %s", label, strerror(errno));
		free(f);
		return NULL;
	}
	if (look(f, label, err) < 0 || change(f, label, mtu, promiscuous, err) < 0) {
		iface_close(f);
		return NULL;
	}
	return f;
}

void iface_close(struct iface *f)
{
	if (f == NULL)
		return;
	if (f->promisc >= 0)
		close(f->promisc);
	if (f->old_pause >= 0)
		iface_set_pause(f, "", (f->old_pause & 1) != 0, (f->old_pause & 2) != 0, NULL);
	if (f->raised)
		change_flags(f, 0, IFF_UP);
	if (f->old_mtu != 0)
		set_mtu(f, f->old_mtu);
	close(f->fd);
	free(f);
}

bool iface_driver_is(const struct iface *f, const char *driver)
{
	struct ethtool_drvinfo d = {.cmd = ETHTOOL_GDRVINFO};
	struct ifreq r = request(f);

	r.ifr_data = (char *)&d;
	return ioctl(f->fd, SIOCETHTOOL, &r) == 0 &&
	       strncmp(d.driver, driver, sizeof(d.driver)) == 0;
}

bool iface_running(const struct iface *f)
{
	struct ifreq r;

	return ask(f, SIOCGIFFLAGS, &r) == 0 &&
	       (r.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
}

// SPDX-License-Identifier: BSD-2-Clause
// pci.c - a network card by PCI address, by whichever of DPDK's drivers knows it.
#include "port/dpdklog.h"
#include "port/ethdev.h"
#include "port/internal.h"

#include <errno.h>
#include <libgen.h>
#include <rte_dev.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Why there is no ethdev, as far as sysfs tells.
static int diagnose(const struct port *p, struct err *err)
{
	char path[128], driver[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", p->spec.name);
	if (access(path, F_OK) != 0)
		return err_set(err, ENODEV, "%s: there is no such PCI device", p->name);
	if (!env_pci_named(p->spec.name))
		return err_set(err, EINVAL,
			"%s: a PCI device must be named when the process starts", p->name);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", p->spec.name);
	n = readlink(path, driver, sizeof(driver) - 1);
	if (n < 0)
		return err_set(err, ENODEV,
			"%s: no kernel driver is bound to it; bind it to vfio-pci (dpdk-devbind.py)",
			p->name);
	driver[n] = '\0';
	return err_set(err, ENODEV,
		"%s: bound to the kernel's '%s', by which DPDK cannot use it (%s); bind it to vfio-pci "
		"(dpdk-devbind.py)",
		p->name, basename(driver), dpdklog_reason());
}

int pci_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct rte_ether_addr mac;
	uint16_t mtu;

	// A card that was closed before must be probed again.
	if (rte_eth_dev_get_port_by_name(p->spec.name, &p->id) != 0 &&
		(!env_pci_named(p->spec.name) || rte_dev_probe(p->spec.name) != 0 ||
			rte_eth_dev_get_port_by_name(p->spec.name, &p->id) != 0))
		return diagnose(p, err);
	p->have_dev = true;
	if (rte_eth_macaddr_get(p->id, &mac) != 0)
		return err_set(err, EIO, "%s: has no MAC address", p->name);
	memcpy(p->mac.b, mac.addr_bytes, MAC_LEN);
	if (conf->mtu == 0 && rte_eth_dev_get_mtu(p->id, &mtu) == 0)
		p->mtu = mtu;
	snprintf(p->describe, sizeof(p->describe), "PCI device %s", p->spec.name);
	return 0;
}

void pci_detach(struct port *p)
{
	struct rte_eth_dev_info info;

	if (p->have_dev && rte_eth_dev_info_get(p->id, &info) == 0)
		rte_dev_remove(info.device);
}

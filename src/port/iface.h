// SPDX-License-Identifier: BSD-2-Clause
// iface.h - a Linux interface while a port sits on it.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct iface {
	int fd;      // for questions to the kernel
	int promisc; // socket whose membership keeps promiscuous mode on, -1 = none
	int index;
	char name[16];
	bool raised;      // was down; goes down again
	uint16_t old_mtu; // to be restored, 0 = not changed
	uint16_t mtu;
	int old_pause;     // RX | TX << 1 to be restored, -1 = not changed
	uint16_t n_queues; // receive queues of the device
	struct mac mac;
};

// Finds the interface, brings it up if it is down, sets its MTU (0 = as it is) and promiscuous
// mode.  label is the port's name for sentences.  -ENODEV, -EPERM, -EINVAL: nothing is changed then.
struct iface *iface_open(
	const char *label, const char *name, uint16_t mtu, bool promiscuous, struct err *err);

// Puts back what iface_open() changed.
void iface_close(struct iface *f);

// Ethernet flow control.  -ENOTSUP if the device has none.
int iface_set_pause(struct iface *f, const char *label, bool rx, bool tx, struct err *err);

// Whether the driver is that one.
bool iface_driver_is(const struct iface *f, const char *driver);

// Up, and with a carrier.
bool iface_running(const struct iface *f);

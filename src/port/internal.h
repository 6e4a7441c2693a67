// SPDX-License-Identifier: BSD-2-Clause
// internal.h - a port as the files of this folder see it.
#pragma once

#include "port/port.h"
#include "port/spec.h"

#include <stdatomic.h>
#include <stddef.h>

struct mem_end;
struct capture;
struct iface;

struct port {
	struct port *next; // all open ports
	uint16_t id;       // ethdev
	bool have_dev;     // id is valid
	bool started;
	char dev[64]; // the device's name on DPDK's bus
	char *name;
	char describe[256];
	struct port_spec spec;
	struct mac mac;
	uint16_t mtu, n_rxq, n_txq;

	struct mem_end *mem;     // PORT_MEM
	struct capture *capture; // PORT_PCAP
	struct iface *iface;     // kinds on a Linux interface

	bool finite; // frames end at some time
	_Atomic uint64_t n_left;
};

// Each makes the ethdev of p->spec: fills in id, have_dev, dev, describe, mac, mtu.  On failure it
// leaves what it made to the matching detach, which must cope with any stage.
int mem_attach(struct port *p, const struct port_conf *conf, struct err *err);
void mem_detach(struct port *p);
int capture_attach(struct port *p, const struct port_conf *conf, struct err *err);
void capture_detach(struct port *p);

// After the device stopped: puts the written capture in its place.
int capture_finish(struct port *p, struct err *err);

void port_close_all(void);

// Creates the virtual device DRIVER_wN with these arguments and looks up its ethdev.
int port_vdev(struct port *p, const char *driver, const char *args, struct err *err);

// A locally administered MAC made from a text: the same each time and on every machine.
void port_mac_from(const char *text, unsigned end, struct mac *out);

// CPU of the worker of that index; -EINVAL if port_init() was not told of so many.
int env_worker_cpu(unsigned index, unsigned *cpu, struct err *err);
bool env_started(void);

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
struct xsk;
struct xdpprog;
struct afp;
struct tap;
struct liveport;

// Who moves the frames.
enum port_io { IO_ETHDEV, IO_XSK, IO_AFP, IO_TAP, IO_LIVE };

struct port {
	enum port_io io;
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
	struct xsk **xsk;        // PORT_XDP: one a queue
	struct xdpprog *xdp;
	struct afp **afp; // PORT_AFPACKET: one a queue
	unsigned n_socks; // of xsk or afp
	struct tap *tap;
	struct liveport *live; // PORT_LIVE, or PORT_XDP that became one

	struct port_stats final; // of an ethdev, when it was stopped
	bool finite;             // frames end at some time
	_Atomic uint64_t n_left;
};

// Each makes what p->spec names and fills in describe, mac, mtu, and io, or id, have_dev and dev of an
// ethdev.  On failure it leaves what it made to the matching detach, which must cope with any stage.
int mem_attach(struct port *p, const struct port_conf *conf, struct err *err);
void mem_detach(struct port *p);
int capture_attach(struct port *p, const struct port_conf *conf, struct err *err);
void capture_detach(struct port *p);
int xdp_attach(struct port *p, const struct port_conf *conf, struct err *err);
void xdp_detach(struct port *p);
int live_attach(struct port *p, const struct port_conf *conf, struct err *err);
void live_detach(struct port *p);
int afpacket_attach(struct port *p, const struct port_conf *conf, struct err *err);
void afpacket_detach(struct port *p);
int tap_attach(struct port *p, const struct port_conf *conf, struct err *err);
void tap_detach(struct port *p);
int memif_attach(struct port *p, const struct port_conf *conf, struct err *err);
void memif_wait(const struct port *p); // a started client: for the link, at most a second
int pci_attach(struct port *p, const struct port_conf *conf, struct err *err);
void pci_detach(struct port *p);

// Ethernet flow control of a Linux interface.
int netdev_flow_control(struct port *p, enum port_fc fc, struct err *err);

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

// What explains that memory is short: a limit on the process, as "; ulimit -v allows ...", or "".
const char *port_limit(void);

// Whether frames should lie in transparent huge pages of our own, and how many bytes at most.
bool env_transparent(void);
size_t env_memory_bytes(void);

// Whether port_init() was told of the PCI device (with its domain).
bool env_pci_named(const char *pci);

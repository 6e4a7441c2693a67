// SPDX-License-Identifier: BSD-2-Clause
// port.c - opening and closing ports of all kinds, and the questions asked of an open one.

#include "port/afp.h"
#include "port/dpdklog.h"
#include "port/ethdev.h"
#include "port/iface.h"
#include "port/internal.h"
#include "port/liveport.h"
#include "port/tap.h"
#include "port/xsk.h"

#include <errno.h>
#include <limits.h>
#include <rte_bus_vdev.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DESCRIPTORS = 1024, MTU_DEFAULT = 1500, MTU_MIN = 68, MTU_MAX = 9582 };

static struct port *open_ports;

void port_mac_from(const char *text, unsigned end, struct mac *out)
{
	uint32_t h = 2166136261u; // FNV-1a

	for (const char *p = text; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	h = (h ^ end) * 16777619u;
	*out = (struct mac){{0x02, 0x00, (uint8_t)(h >> 24), (uint8_t)(h >> 16), (uint8_t)(h >> 8),
		(uint8_t)h}};
}

int port_vdev(struct port *p, const char *driver, const char *args, struct err *err)
{
	static unsigned n;
	int e;

	snprintf(p->dev, sizeof(p->dev), "%s_w%u", driver, n++);
	e = rte_vdev_init(p->dev, args);
	if (e != 0) {
		p->dev[0] = '\0';
		e = e < 0 && e != -1 ? -e : EIO;
		return err_set(err, e, "%s: %s", p->name, dpdklog_reason());
	}
	if (rte_eth_dev_get_port_by_name(p->dev, &p->id) != 0)
		return err_set(err, ENODEV, "%s: %s", p->name, dpdklog_reason());
	p->have_dev = true;
	return 0;
}

static int null_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	(void)conf;
	port_mac_from(p->name, 0, &p->mac);
	snprintf(p->describe, sizeof(p->describe), "null, what is sent vanishes");
	return port_vdev(p, "net_null", "no-rx=1", err);
}

static void nothing(struct port *p)
{
	(void)p;
}

static const struct {
	int (*attach)(struct port *p, const struct port_conf *conf, struct err *err);
	void (*detach)(struct port *p);
} kinds[PORT_KINDS] = {
	[PORT_MEM] = {mem_attach, mem_detach},
	[PORT_PCAP] = {capture_attach, capture_detach},
	[PORT_NULL] = {null_attach, nothing},
	[PORT_XDP] = {xdp_attach, xdp_detach},
	[PORT_LIVE] = {live_attach, live_detach},
	[PORT_AFPACKET] = {afpacket_attach, afpacket_detach},
	[PORT_TAP] = {tap_attach, tap_detach},
	[PORT_MEMIF] = {memif_attach, nothing},
	[PORT_PCI] = {pci_attach, pci_detach},
};

// The path with its folder resolved; the file itself need not be there.
static bool resolve(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	char real[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
		slash == NULL ? "." : path);
	return realpath(folder, real) != NULL &&
	       snprintf(out, size, "%s/%s", real, slash == NULL ? path : slash + 1) < (int)size;
}

// Whether two paths, "" for none, lead to one file.
static bool same_file(const char *a, const char *b)
{
	char ra[PATH_MAX];
	char rb[PATH_MAX];
	struct stat sa;
	struct stat sb;

	if (a[0] == '\0' || b[0] == '\0')
		return false;
	if (stat(a, &sa) == 0 && stat(b, &sb) == 0)
		return S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
	return resolve(a, ra, sizeof(ra)) && resolve(b, rb, sizeof(rb)) && strcmp(ra, rb) == 0;
}

// Whether two ports cannot be open at the same time.
static bool same_thing(const struct port_spec *a, const struct port_spec *b)
{
	if (a->kind == PORT_PCAP && b->kind == PORT_PCAP)
		return same_file(a->out, b->out) || same_file(a->out, b->in) ||
		       same_file(a->in, b->out);
	if (a->kind == PORT_MEMIF && b->kind == PORT_MEMIF)
		return strcmp(a->in, b->in) == 0;
	if (a->kind != b->kind || a->kind == PORT_MEM || a->kind == PORT_NULL ||
		a->kind == PORT_PCAP)
		return false;
	return strcmp(a->name, b->name) == 0 &&
	       (a->queue == b->queue || a->queue < 0 || b->queue < 0);
}

static int check_conf(const struct port *p, const struct port_conf *conf, struct err *err)
{
	if (!env_started())
		return err_set(err, EINVAL, "%s: packet I/O is not started", p->name);
	if (conf->pool == NULL)
		return err_set(err, EINVAL, "%s: no pool for received frames", p->name);
	if (conf->mtu != 0 && (conf->mtu < MTU_MIN || conf->mtu > MTU_MAX))
		return err_set(err, EINVAL, "%s: MTU %u: outside %u..%u", p->name, conf->mtu,
			MTU_MIN, MTU_MAX);
	if (conf->pcap_loop && p->spec.kind != PORT_PCAP)
		return err_set(err, EINVAL, "%s: only a capture can be repeated", p->name);
	if (p->spec.kind == PORT_PCAP && same_file(p->spec.in, p->spec.out))
		return err_set(err, EINVAL, "%s: would write over the capture it reads", p->name);
	for (const struct port *o = open_ports; o != NULL; o = o->next)
		if (same_thing(&p->spec, &o->spec))
			return err_set(err, EBUSY, "%s: already open as %s", p->name, o->name);
	return 0;
}

static int dpdk_error(const struct port *p, int e, const char *what, struct err *err)
{
	return err_set(err, -e, "%s: %s: %s: %s", p->name, what, strerror(-e), dpdklog_reason());
}

static int set_queues(struct port *p, const struct port_conf *conf, struct err *err)
{
	uint16_t n_rxd = conf->n_rxd == 0 ? DESCRIPTORS : conf->n_rxd;
	uint16_t n_txd = conf->n_txd == 0 ? DESCRIPTORS : conf->n_txd;
	int e = rte_eth_dev_adjust_nb_rx_tx_desc(p->id, &n_rxd, &n_txd);

	if (e < 0)
		return dpdk_error(p, e, "descriptors", err);
	if ((conf->n_rxd != 0 && n_rxd != conf->n_rxd) ||
		(conf->n_txd != 0 && n_txd != conf->n_txd))
		return err_set(err, EINVAL,
			"%s: %u receive and %u transmit descriptors: the driver would take %u and %u",
			p->name, conf->n_rxd, conf->n_txd, n_rxd, n_txd);
	for (uint16_t q = 0; q < p->n_rxq; q++) {
		e = rte_eth_rx_queue_setup(
			p->id, q, n_rxd, (unsigned)rte_eth_dev_socket_id(p->id), NULL, conf->pool);
		if (e < 0)
			return dpdk_error(p, e, "receive queue", err);
	}
	for (uint16_t q = 0; q < p->n_txq; q++) {
		e = rte_eth_tx_queue_setup(
			p->id, q, n_txd, (unsigned)rte_eth_dev_socket_id(p->id), NULL);
		if (e < 0)
			return dpdk_error(p, e, "transmit queue", err);
	}
	return 0;
}

// Several receive queues need the card to spread flows over them.
static void ask_rss(const struct rte_eth_dev_info *info, struct rte_eth_conf *c)
{
	uint64_t hf = info->flow_type_rss_offloads &
		      (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP);

	if (hf == 0)
		return;
	c->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	c->rx_adv_conf.rss_conf.rss_hf = hf;
}

static int set_flow_control(struct port *p, enum port_fc fc, struct err *err)
{
	static const enum rte_eth_fc_mode mode[] = {[FC_NONE] = RTE_ETH_FC_NONE,
		[FC_RX] = RTE_ETH_FC_RX_PAUSE,
		[FC_TX] = RTE_ETH_FC_TX_PAUSE,
		[FC_FULL] = RTE_ETH_FC_FULL};
	struct rte_eth_fc_conf c = {0};
	int e;

	if (fc == FC_KEEP)
		return 0;
	e = rte_eth_dev_flow_ctrl_get(p->id, &c);
	if (e == 0) {
		c.mode = mode[fc];
		e = rte_eth_dev_flow_ctrl_set(p->id, &c);
	}
	if (e == -ENOTSUP)
		return err_set(err, ENOTSUP, "%s: this kind of port has no Ethernet flow control",
			p->name);
	return e < 0 ? dpdk_error(p, e, "flow control", err) : 0;
}

static int configure(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct rte_eth_conf c = {0};
	struct rte_eth_dev_info info;
	int e = rte_eth_dev_info_get(p->id, &info);

	if (e < 0)
		return dpdk_error(p, e, "device", err);
	if (p->n_rxq > info.max_rx_queues || p->n_txq > info.max_tx_queues)
		return err_set(err, EINVAL,
			"%s: %u receive and %u transmit queues: the device has %u and %u", p->name,
			p->n_rxq, p->n_txq, info.max_rx_queues, info.max_tx_queues);
	if (p->n_rxq > 1)
		ask_rss(&info, &c);
	c.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	c.rxmode.offloads = info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER;
	e = rte_eth_dev_configure(p->id, p->n_rxq, p->n_txq, &c);
	if (e < 0)
		return dpdk_error(p, e, "configuration", err);
	e = set_queues(p, conf, err);
	if (e < 0)
		return e;
	e = rte_eth_dev_start(p->id);
	if (e < 0)
		return dpdk_error(p, e, "start", err);
	p->started = true;
	if (p->spec.kind == PORT_MEMIF && !p->spec.server)
		memif_wait(p);
	return set_flow_control(p, conf->fc, err);
}

static void undo(struct port *p)
{
	if (p->started && rte_eth_dev_stop(p->id) == 0)
		p->started = false;
	if (p->dev[0] != '\0')
		rte_vdev_uninit(p->dev);
	kinds[p->spec.kind].detach(p);
	free(p->name);
	free(p);
}

struct port *port_open(const char *name, const struct port_conf *conf, struct err *err)
{
	struct port *p = calloc(1, sizeof(*p));
	struct err local = {0};

	if (err == NULL)
		err = &local;
	if (p == NULL || (p->name = strdup(name)) == NULL) {
		free(p);
		err_set(err, ENOMEM, "%.200s: out of memory", name);
		return NULL;
	}
	p->n_rxq = conf->n_rxq == 0 ? 1 : conf->n_rxq;
	p->n_txq = conf->n_txq == 0 ? 1 : conf->n_txq;
	p->mtu = conf->mtu == 0 ? MTU_DEFAULT : conf->mtu;
	dpdklog_clear();
	if (port_spec_parse(name, &p->spec, err) < 0 || check_conf(p, conf, err) < 0) {
		free(p->name);
		free(p);
		return NULL;
	}
	if (kinds[p->spec.kind].attach(p, conf, err) < 0 ||
		(p->io == IO_ETHDEV ? configure(p, conf, err)
				    : netdev_flow_control(p, conf->fc, err)) < 0) {
		undo(p);
		return NULL;
	}
	p->next = open_ports;
	open_ports = p;
	return p;
}

int port_finish(struct port *p, struct err *err)
{
	struct err local = {0};

	for (unsigned q = 0; q < p->n_socks; q++)
		if (p->io == IO_XSK)
			xsk_flush(p->xsk[q]);
		else if (p->io == IO_AFP)
			afp_flush(p->afp[q]);
	if (!p->started)
		return 0;
	// Some drivers forget their counters when they stop.
	port_stats(p, &p->final);
	rte_eth_dev_stop(p->id);
	p->started = false;
	return capture_finish(p, err != NULL ? err : &local);
}

void port_close(struct port *p)
{
	if (p == NULL)
		return;
	port_finish(p, NULL);
	for (struct port **q = &open_ports; *q != NULL; q = &(*q)->next)
		if (*q == p) {
			*q = p->next;
			break;
		}
	undo(p);
}

void port_close_all(void)
{
	while (open_ports != NULL)
		port_close(open_ports);
}

static unsigned ethdev_rx(struct port *p, uint16_t queue, struct rte_mbuf **m, unsigned n)
{
	unsigned got = rte_eth_rx_burst(p->id, queue, m, (uint16_t)n);

	// A finite source has one queue, so there is one writer.
	if (__builtin_expect(p->finite, 0))
		atomic_store_explicit(&p->n_left,
			atomic_load_explicit(&p->n_left, memory_order_relaxed) - got,
			memory_order_relaxed);
	return got;
}

unsigned port_rx(struct port *p, uint16_t queue, struct rte_mbuf **m, unsigned n)
{
	switch (p->io) {
	case IO_XSK:
		return xsk_rx(p->xsk[queue], m, n);
	case IO_AFP:
		return afp_rx(p->afp[queue], m, n);
	case IO_TAP:
		return tap_rx(p->tap, m, n);
	case IO_LIVE:
		return 0;
	default:
		return ethdev_rx(p, queue, m, n);
	}
}

unsigned port_tx(struct port *p, uint16_t queue, struct rte_mbuf **m, unsigned n)
{
	switch (p->io) {
	case IO_XSK:
		return xsk_tx(p->xsk[queue], m, n);
	case IO_AFP:
		return afp_tx(p->afp[queue], m, n);
	case IO_TAP:
		return tap_tx(p->tap, m, n);
	case IO_LIVE:
		return liveport_tx(p->live, queue, m, n);
	default:
		return rte_eth_tx_burst(p->id, queue, m, (uint16_t)n);
	}
}

void port_free(struct rte_mbuf **m, unsigned n)
{
	rte_pktmbuf_free_bulk(m, n);
}

static void ethdev_stats(const struct port *p, struct port_stats *out)
{
	struct rte_eth_stats s = {0};

	rte_eth_stats_get(p->id, &s);
	*out = (struct port_stats){.rx_packets = s.ipackets,
		.rx_bytes = s.ibytes,
		.rx_missed = s.imissed,
		.rx_errors = s.ierrors,
		.rx_no_buffer = s.rx_nombuf,
		.tx_packets = s.opackets,
		.tx_bytes = s.obytes,
		.tx_errors = s.oerrors};
}

void port_stats(struct port *p, struct port_stats *out)
{
	memset(out, 0, sizeof(*out));
	if (p->io == IO_ETHDEV && p->started)
		ethdev_stats(p, out);
	else if (p->io == IO_ETHDEV)
		*out = p->final;
	if (p->io == IO_TAP)
		tap_stats(p->tap, out);
	if (p->io == IO_LIVE)
		liveport_stats(p->live, out);
	for (unsigned q = 0; q < p->n_socks; q++)
		if (p->io == IO_XSK)
			xsk_stats(p->xsk[q], out);
		else
			afp_stats(p->afp[q], out);
}

bool port_done(const struct port *p)
{
	struct rte_eth_stats s;

	if (!p->finite)
		return false;
	if (atomic_load_explicit(&p->n_left, memory_order_relaxed) == 0)
		return true;
	// A frame for which no buffer was found in the middle is lost, and counted as an error.
	return rte_eth_stats_get(p->id, &s) == 0 &&
	       s.ierrors >= atomic_load_explicit(&p->n_left, memory_order_relaxed);
}

bool port_link_up(const struct port *p)
{
	struct rte_eth_link link;

	if (p->iface != NULL)
		return iface_running(p->iface);
	return rte_eth_link_get_nowait(p->id, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

const char *port_name(const struct port *p)
{
	return p->name;
}

const char *port_describe(const struct port *p)
{
	return p->describe;
}

bool port_puts_back(const struct port *p)
{
	return p->spec.kind == PORT_XDP || p->spec.kind == PORT_AFPACKET;
}

const char *port_iface(const struct port *p)
{
	return port_puts_back(p) || p->spec.kind == PORT_TAP ? p->spec.name : NULL;
}

void port_mac(const struct port *p, struct mac *out)
{
	*out = p->mac;
}

uint16_t port_mtu(const struct port *p)
{
	return p->mtu;
}

uint16_t port_rx_queues(const struct port *p)
{
	return p->n_rxq;
}

uint16_t port_tx_queues(const struct port *p)
{
	return p->n_txq;
}

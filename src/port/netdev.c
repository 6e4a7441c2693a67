// SPDX-License-Identifier: BSD-2-Clause
// netdev.c - ports on Linux interfaces: AF_XDP, live frames, AF_PACKET, and TAP devices made here.
#include "port/afp.h"
#include "port/iface.h"
#include "port/internal.h"
#include "port/liveport.h"
#include "port/tap.h"
#include "port/xdpprog.h"
#include "port/xsk.h"
#include "xdp/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_DEFAULT = 1024, RING_MIN = 64, RING_MAX = 16384, L2_ROOM = 14 + 8 };

static uint16_t larger(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

static int open_iface(struct port *p, const struct port_conf *conf, struct err *err)
{
	p->iface = iface_open(p->name, p->spec.name, conf->mtu, conf->promiscuous, err);
	if (p->iface == NULL)
		return -err->code;
	p->mac = p->iface->mac;
	p->mtu = p->iface->mtu;
	return 0;
}

static int use_sockets(struct port *p, struct err *err)
{
	p->n_socks = larger(p->n_rxq, p->n_txq);
	// Frames spread over queues that nobody reads would be lost.
	if (p->n_rxq < p->n_socks)
		return err_set(err, EINVAL,
			"%s: %u transmit queues need as many receive queues on a Linux interface",
			p->name, p->n_txq);
	return 0;
}

static const char *raised_text(const struct port *p)
{
	return p->iface->raised ? ", brought up" : "";
}

static int check_queues(const struct port *p, unsigned first, struct err *err)
{
	if (first + p->n_socks > p->iface->n_queues)
		return err_set(err, EINVAL, "%s: queue %u: the interface has %u queue%s", p->name,
			first + p->n_socks - 1, p->iface->n_queues,
			p->iface->n_queues == 1 ? "" : "s");
	if (p->mtu + L2_ROOM > XSK_FRAME_MAX)
		return err_set(err, EINVAL,
			"%s: MTU %u: AF_XDP takes up to %d here; set a lower one or use afpacket:",
			p->name, p->mtu, XSK_FRAME_MAX - L2_ROOM);
	return 0;
}

// why: no live frames instead.
static void describe_xdp(struct port *p, unsigned first, const struct err *why)
{
	size_t n;

	char queues[64] = "";

	if (p->n_socks == 1 && p->iface->n_queues > 1)
		snprintf(queues, sizeof(queues), ", queue %u of %u", first, p->iface->n_queues);
	else if (p->n_socks < p->iface->n_queues)
		snprintf(queues, sizeof(queues), ", queues %u to %u of %u", first,
			first + p->n_socks - 1, p->iface->n_queues);
	snprintf(p->describe, sizeof(p->describe), "%s by AF_XDP (%s, %s)%s%s", p->spec.name,
		p->xdp->native ? "native" : "generic",
		xsk_zero_copy(p->xsk[0]) ? "zero copy" : "copy mode", queues, raised_text(p));
	n = strlen(p->describe);
	if (why->code != 0)
		snprintf(p->describe + n, sizeof(p->describe) - n, ", not by live frames: %s",
			why->msg);
}

int netdev_flow_control(struct port *p, enum port_fc fc, struct err *err)
{
	if (fc == FC_KEEP)
		return 0;
	return iface_set_pause(
		p->iface, p->name, fc == FC_RX || fc == FC_FULL, fc == FC_TX || fc == FC_FULL, err);
}

static int use_live(struct port *p, struct err *err)
{
	p->live = liveport_open(p, err);
	if (p->live == NULL)
		return -err->code;
	p->io = IO_LIVE;
	snprintf(p->describe, sizeof(p->describe), "%s by XDP live frames%s", p->spec.name,
		raised_text(p));
	return 0;
}

int live_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	struct err why = {0};
	int e;

	if (!conf->send_only)
		return err_set(err, EINVAL, "%s: live frames are only sent; xdp:%s receives too",
			p->name, p->spec.name);
	e = open_iface(p, conf, err);
	if (e < 0)
		return e;
	// What cannot be told beforehand is tried: whoever names the kind wants that.
	e = live_try((unsigned)p->iface->index, p->mtu, &why);
	if (e < 0 && e != -EMSGSIZE)
		return err_set(err, why.code, "%s: %s", p->name, why.msg);
	return use_live(p, err);
}

void live_detach(struct port *p)
{
	liveport_close(p->live);
	iface_close(p->iface);
}

static bool live_is_better(struct port *p, const struct port_conf *conf, struct err *why)
{
	return p->spec.chosen && p->spec.queue < 0 && conf->send_only && liveport_sure(p, why) &&
	       use_live(p, why) == 0;
}

int xdp_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	unsigned first = p->spec.queue < 0 ? 0 : (unsigned)p->spec.queue;
	struct err why = {0};
	int e = open_iface(p, conf, err);

	if (e == 0 && live_is_better(p, conf, &why))
		return 0;
	if (e == 0)
		e = use_sockets(p, err);
	if (e == 0)
		e = check_queues(p, first, err);
	if (e < 0)
		return e;
	p->xsk = calloc(p->n_socks, sizeof(struct xsk *));
	p->xdp = calloc(1, sizeof(*p->xdp));
	if (p->xsk == NULL || p->xdp == NULL) {
		free(p->xdp);
		p->xdp = NULL;
		return err_set(err, ENOMEM, "%s: out of memory", p->name);
	}
	e = xdpprog_attach(p->xdp, p->name, p->iface->index, p->iface->n_queues, err);
	if (e < 0) {
		free(p->xdp);
		p->xdp = NULL;
		return e;
	}
	for (unsigned q = 0; q < p->n_socks; q++) {
		p->xsk[q] = xsk_open(
			p->name, p->iface->index, first + q, p->mtu + L2_ROOM, conf->pool, err);
		if (p->xsk[q] == NULL)
			return -err->code;
		if (xdpprog_add(p->xdp, first + q, xsk_fd(p->xsk[q])) != 0)
			return err_set(err, errno, "%s: XDP: %s", p->name, strerror(errno));
	}
	describe_xdp(p, first, &why);
	p->io = IO_XSK;
	return 0;
}

void xdp_detach(struct port *p)
{
	if (p->xdp != NULL)
		xdpprog_detach(p->xdp);
	for (unsigned q = 0; p->xsk != NULL && q < p->n_socks; q++)
		xsk_close(p->xsk[q]);
	free(p->xdp);
	free(p->xsk);
	live_detach(p);
}

static int ring_size(const struct port *p, uint16_t asked, unsigned *n, struct err *err)
{
	*n = asked == 0 ? RING_DEFAULT : asked;
	if (*n < RING_MIN || *n > RING_MAX)
		return err_set(err, EINVAL, "%s: %u descriptors: outside %u..%u", p->name, *n,
			RING_MIN, RING_MAX);
	return 0;
}

int afpacket_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	unsigned n_rx = 0, n_tx = 0;
	int e = open_iface(p, conf, err);

	if (e == 0)
		e = use_sockets(p, err);
	if (e == 0)
		e = ring_size(p, conf->n_rxd, &n_rx, err);
	if (e == 0)
		e = ring_size(p, conf->n_txd, &n_tx, err);
	if (e < 0)
		return e;
	p->afp = calloc(p->n_socks, sizeof(struct afp *));
	if (p->afp == NULL)
		return err_set(err, ENOMEM, "%s: out of memory", p->name);
	for (unsigned q = 0; q < p->n_socks; q++) {
		p->afp[q] = afp_open(
			p->name, p->iface->index, p->mtu + L2_ROOM, n_rx, n_tx, conf->pool, err);
		if (p->afp[q] == NULL)
			return -err->code;
	}
	if (p->n_socks > 1)
		e = afp_share(p->afp, p->n_socks, p->name, err);
	snprintf(p->describe, sizeof(p->describe), "%s by AF_PACKET%s", p->spec.name,
		raised_text(p));
	p->io = IO_AFP;
	return e;
}

void afpacket_detach(struct port *p)
{
	for (unsigned q = 0; p->afp != NULL && q < p->n_socks; q++)
		afp_close(p->afp[q]);
	free(p->afp);
	iface_close(p->iface);
}

int tap_attach(struct port *p, const struct port_conf *conf, struct err *err)
{
	if (p->n_rxq > 1 || p->n_txq > 1)
		return err_set(
			err, EINVAL, "%s: a TAP device has one queue each way here", p->name);
	p->tap = tap_open(p->name, p->spec.name, conf->pool, err);
	if (p->tap == NULL)
		return -err->code;
	p->iface = iface_open(p->name, p->spec.name, conf->mtu, false, err);
	if (p->iface == NULL)
		return -err->code;
	p->mtu = p->iface->mtu;
	// The kernel's end has the device's address; ours must be another station's.
	p->mac = p->iface->mac;
	p->mac.b[MAC_LEN - 1] ^= 1;
	snprintf(p->describe, sizeof(p->describe), "TAP device %s", p->spec.name);
	p->io = IO_TAP;
	return 0;
}

void tap_detach(struct port *p)
{
	// What iface_open() changed goes with the device.
	iface_close(p->iface);
	tap_close(p->tap);
}

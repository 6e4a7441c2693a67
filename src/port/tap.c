// SPDX-License-Identifier: BSD-2-Clause
// tap.c - one system call a frame.
//
// Why not DPDK's net_tap: it raises real-time signals in the process, which interrupt everybody's
// system calls, and puts queueing disciplines on the device.
//
// A worker polls a TAP device beside fast ports, and an empty read costs as much as forwarding a
// burst.  After an empty read the next one is due only IDLE_NS later.
#include "port/tap.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE = 64, IDLE_NS = 20000, SEGMENTS_MAX = 16 };

struct tap {
	int fd;
	_Alignas(LINE) struct rte_mempool *pool;
	struct rte_mbuf *spare; // for the next frame
	unsigned room;
	uint64_t next_read, idle_cycles;
	uint64_t rx_packets, rx_bytes, rx_no_buffer;
	_Alignas(LINE) uint64_t tx_packets, tx_bytes, tx_errors;
};

struct tap *tap_open(const char *label, const char *name, struct rte_mempool *pool, struct err *err)
{
	struct tap *t = aligned_alloc(LINE, sizeof(*t));
	struct ifreq r;
	int e;

	if (t == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", label);
		return NULL;
	}
	memset(t, 0, sizeof(*t));
	memset(&r, 0, sizeof(r));
	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	r.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_TUN_EXCL);
	t->pool = pool;
	t->room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
	t->idle_cycles = clock_cycles_hz() / (1000000000u / IDLE_NS);
	t->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd >= 0 && ioctl(t->fd, TUNSETIFF, &r) == 0)
		return t;
	e = errno;
	tap_close(t);
	if (e == EPERM || e == EACCES)
		err_set(err, EPERM, "%s: a TAP device needs root (CAP_NET_ADMIN)", label);
	else if (e == EBUSY)
		err_set(err, EEXIST, "%s: an interface '%s' is there already", label, name);
	else
		err_set(err, e, "%s: /dev/net/tun: %s", label, strerror(e));
	return NULL;
}

void tap_close(struct tap *t)
{
	if (t == NULL)
		return;
	rte_pktmbuf_free(t->spare);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
}

unsigned tap_rx(struct tap *t, struct rte_mbuf **m, unsigned n)
{
	uint64_t now = clock_cycles();
	unsigned got = 0;

	if ((int64_t)(now - t->next_read) < 0)
		return 0;
	while (got < n) {
		ssize_t len;

		if (t->spare == NULL)
			t->spare = rte_pktmbuf_alloc(t->pool);
		if (t->spare == NULL) {
			t->rx_no_buffer++;
			break;
		}
		len = read(t->fd, rte_pktmbuf_mtod(t->spare, void *), t->room);
		if (len <= 0) {
			t->next_read = now + t->idle_cycles;
			break;
		}
		t->spare->data_len = (uint16_t)len;
		t->spare->pkt_len = (uint32_t)len;
		t->rx_bytes += (uint64_t)len;
		m[got++] = t->spare;
		t->spare = NULL;
	}
	t->rx_packets += got;
	return got;
}

static ssize_t put(int fd, const struct rte_mbuf *m)
{
	struct iovec v[SEGMENTS_MAX];
	int n = 0;

	if (m->nb_segs > SEGMENTS_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	for (; m != NULL; m = m->next)
		v[n++] = (struct iovec){rte_pktmbuf_mtod(m, void *), m->data_len};
	return writev(fd, v, n);
}

unsigned tap_tx(struct tap *t, struct rte_mbuf **m, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++) {
		if (put(t->fd, m[i]) >= 0) {
			t->tx_packets++;
			t->tx_bytes += m[i]->pkt_len;
		} else if (errno == EINVAL || errno == EMSGSIZE) {
			t->tx_errors++; // too short or too long for the kernel: it will never go
		} else {
			break; // the device is down or full
		}
	}
	if (i > 0)
		rte_pktmbuf_free_bulk(m, i);
	return i;
}

void tap_stats(const struct tap *t, struct port_stats *s)
{
	s->rx_packets += t->rx_packets;
	s->rx_bytes += t->rx_bytes;
	s->rx_no_buffer += t->rx_no_buffer;
	s->tx_packets += t->tx_packets;
	s->tx_bytes += t->tx_bytes;
	s->tx_errors += t->tx_errors;
}

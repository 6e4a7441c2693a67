// SPDX-License-Identifier: BSD-2-Clause
// afp.c - a packet socket with memory-mapped rings (kernel: Documentation/networking/packet_mmap.rst).
//
// Why not DPDK's net_af_packet: 22.11's always asks for reassembly of fragments, shows the frames
// this host sends among those received, takes frames the kernel then refuses for sent, and does not
// count what a full receive ring loses.  A bench must know all of that.
//
// A frame's tp_status says whose it is; it is loaded with acquire before and stored with release
// after its other bytes.
#include "port/afp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <rte_mbuf.h>
#include <rte_memcpy.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

// Room of a frame's place before its bytes when received: header, address and alignment.
enum { LINE = 64, PLACE_ROOM = 128, PLACE_STEP = 1024, PER_BLOCK = 4, TAG = 4, ETH_ADDRS = 12 };

struct afp_ring {
	uint8_t *base;
	uint32_t n, at, place; // places, the next one, bytes each
};

struct afp {
	int fd;
	void *map;
	size_t map_len;
	_Alignas(LINE) struct afp_ring rx;
	struct rte_mempool *pool;
	unsigned room;
	uint64_t rx_packets, rx_bytes, rx_no_buffer, rx_too_long;
	uint64_t missed; // read from the kernel, which forgets it then
	_Alignas(LINE) struct afp_ring tx;
	unsigned frame_max;
	bool pending; // frames lie in the ring that the kernel was not told of
	uint64_t tx_packets, tx_bytes, tx_too_long;
};

static struct tpacket2_hdr *place(const struct afp_ring *r, uint32_t i)
{
	return (struct tpacket2_hdr *)(void *)(r->base + (size_t)i * r->place);
}

static uint32_t status(struct tpacket2_hdr *h)
{
	return atomic_load_explicit((_Atomic uint32_t *)&h->tp_status, memory_order_acquire);
}

static void give(struct tpacket2_hdr *h, uint32_t to)
{
	atomic_store_explicit((_Atomic uint32_t *)&h->tp_status, to, memory_order_release);
}

static uint32_t next(const struct afp_ring *r)
{
	return r->at + 1 == r->n ? 0 : r->at + 1;
}

static int set_int(const struct afp *a, int option, int value)
{
	return setsockopt(a->fd, SOL_PACKET, option, &value, sizeof(value));
}

// PER_BLOCK places of whole kilobytes make a block of whole pages, without a gap between places.
static int make_ring(struct afp *a, int option, struct afp_ring *r, unsigned n, unsigned frame_max)
{
	struct tpacket_req q;

	r->place = (frame_max + PLACE_ROOM + PLACE_STEP - 1) / PLACE_STEP * PLACE_STEP;
	r->n = (n + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
	q.tp_frame_size = r->place;
	q.tp_frame_nr = r->n;
	q.tp_block_size = r->place * PER_BLOCK;
	q.tp_block_nr = r->n / PER_BLOCK;
	return setsockopt(a->fd, SOL_PACKET, option, &q, sizeof(q));
}

static int set_up(struct afp *a, int ifindex, unsigned n_rx, unsigned n_tx)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = ifindex};
	size_t rx_len;

	// Protocol 0: nothing arrives before bind().
	a->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || set_int(a, PACKET_VERSION, TPACKET_V2) != 0 ||
		set_int(a, PACKET_QDISC_BYPASS, 1) != 0 ||
		set_int(a, PACKET_IGNORE_OUTGOING, 1) != 0 || set_int(a, PACKET_LOSS, 1) != 0 ||
		make_ring(a, PACKET_RX_RING, &a->rx, n_rx, a->frame_max) != 0 ||
		make_ring(a, PACKET_TX_RING, &a->tx, n_tx, a->frame_max) != 0)
		return -1;
	rx_len = (size_t)a->rx.n * a->rx.place;
	a->map_len = rx_len + (size_t)a->tx.n * a->tx.place;
	a->map = mmap(
		NULL, a->map_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, a->fd, 0);
	if (a->map == MAP_FAILED) {
		a->map = NULL;
		return -1;
	}
	a->rx.base = a->map;
	a->tx.base = a->rx.base + rx_len;
	return bind(a->fd, (struct sockaddr *)&addr, sizeof(addr));
}

struct afp *afp_open(const char *label, int ifindex, unsigned frame_max, unsigned n_rx,
	unsigned n_tx, struct rte_mempool *pool, struct err *err)
{
	struct afp *a = aligned_alloc(LINE, sizeof(*a));
	int e;

	if (a == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", label);
		return NULL;
	}
	memset(a, 0, sizeof(*a));
	a->frame_max = frame_max;
	a->pool = pool;
	a->room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
	if (set_up(a, ifindex, n_rx, n_tx) == 0)
		return a;
	e = errno;
	afp_close(a);
	if (e == EPERM || e == EACCES)
		err_set(err, EPERM, "%s: AF_PACKET needs root (CAP_NET_RAW)", label);
	else
		err_set(err, e, "%s: AF_PACKET: %s", label, strerror(e));
	return NULL;
}

void afp_close(struct afp *a)
{
	if (a == NULL)
		return;
	if (a->map != NULL)
		munmap(a->map, a->map_len);
	if (a->fd >= 0)
		close(a->fd);
	free(a);
}

int afp_share(struct afp *const *a, unsigned n, const char *label, struct err *err)
{
	int arg = (PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_UNIQUEID) << 16, got = 0;
	socklen_t len = sizeof(got);

	for (unsigned i = 0; i < n; i++) {
		if (setsockopt(a[i]->fd, SOL_PACKET, PACKET_FANOUT, &arg, sizeof(arg)) != 0)
			return err_set(
				err, errno, "%s: sharing %u queues: %s", label, n, strerror(errno));
		if (i > 0)
			continue;
		if (getsockopt(a[0]->fd, SOL_PACKET, PACKET_FANOUT, &got, &len) != 0)
			return err_set(err, errno, "%s: %s", label, strerror(errno));
		arg = (got & 0xffff) | PACKET_FANOUT_HASH << 16;
	}
	return 0;
}

// The kernel keeps the outer VLAN tag apart; here it goes back into the frame.
static unsigned copy_in(uint8_t *to, const struct tpacket2_hdr *h, uint32_t s)
{
	const uint8_t *from = (const uint8_t *)h + h->tp_mac;
	uint16_t tag[2];

	if ((s & TP_STATUS_VLAN_VALID) == 0) {
		rte_memcpy(to, from, h->tp_snaplen);
		return h->tp_snaplen;
	}
	tag[0] = htons((s & TP_STATUS_VLAN_TPID_VALID) != 0 ? h->tp_vlan_tpid : ETH_P_8021Q);
	tag[1] = htons(h->tp_vlan_tci);
	memcpy(to, from, ETH_ADDRS);
	memcpy(to + ETH_ADDRS, tag, TAG);
	memcpy(to + ETH_ADDRS + TAG, from + ETH_ADDRS, h->tp_snaplen - ETH_ADDRS);
	return h->tp_snaplen + TAG;
}

unsigned afp_rx(struct afp *a, struct rte_mbuf **m, unsigned n)
{
	unsigned got = 0;

	while (got < n) {
		struct tpacket2_hdr *h = place(&a->rx, a->rx.at);
		uint32_t s = status(h);

		if ((s & TP_STATUS_USER) == 0)
			break;
		if (h->tp_snaplen < h->tp_len || h->tp_snaplen < ETH_HLEN ||
			h->tp_snaplen + TAG > a->room) {
			a->rx_too_long++;
		} else {
			struct rte_mbuf *to = rte_pktmbuf_alloc(a->pool);

			if (to == NULL) {
				a->rx_no_buffer++;
				break;
			}
			to->data_len = (uint16_t)copy_in(rte_pktmbuf_mtod(to, uint8_t *), h, s);
			to->pkt_len = to->data_len;
			a->rx_bytes += to->pkt_len;
			m[got++] = to;
		}
		give(h, TP_STATUS_KERNEL);
		a->rx.at = next(&a->rx);
	}
	a->rx_packets += got;
	return got;
}

static void copy_out(struct tpacket2_hdr *h, const struct rte_mbuf *m)
{
	uint8_t *to = (uint8_t *)h + TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);

	h->tp_len = m->pkt_len;
	for (; m != NULL; m = m->next) {
		rte_memcpy(to, rte_pktmbuf_mtod(m, const void *), m->data_len);
		to += m->data_len;
	}
}

// The kernel sends during this call.  EAGAIN and ENOBUFS: the device's queue is full; what was not
// sent stays in the ring for the next call.
static void kick(struct afp *a)
{
	a->pending = sendto(a->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0;
}

unsigned afp_tx(struct afp *a, struct rte_mbuf **m, unsigned n)
{
	unsigned i;

	// What the kernel refused goes first, and alone: one call sends all that lies in the ring,
	// and a thousand frames keep this CPU in the kernel so long that its receiving side, on
	// the same CPU, loses frames.
	if (a->pending)
		kick(a);
	if (a->pending)
		return 0;
	for (i = 0; i < n; i++) {
		struct tpacket2_hdr *h = place(&a->tx, a->tx.at);

		if (m[i]->pkt_len > a->frame_max) {
			a->tx_too_long++;
			continue;
		}
		if (status(h) != TP_STATUS_AVAILABLE)
			break;
		copy_out(h, m[i]);
		give(h, TP_STATUS_SEND_REQUEST);
		a->tx.at = next(&a->tx);
		a->tx_packets++;
		a->tx_bytes += m[i]->pkt_len;
	}
	if (i > 0)
		rte_pktmbuf_free_bulk(m, i);
	if (i > 0)
		kick(a);
	return i;
}

static bool all_sent(const struct afp *a)
{
	for (uint32_t i = 0; i < a->tx.n; i++)
		if (status(place(&a->tx, i)) != TP_STATUS_AVAILABLE)
			return false;
	return true;
}

void afp_flush(struct afp *a)
{
	struct timespec nap = {.tv_nsec = 1000000};

	for (int i = 0; i < 100 && !all_sent(a); i++) {
		kick(a);
		nanosleep(&nap, NULL);
	}
}

void afp_stats(struct afp *a, struct port_stats *s)
{
	struct tpacket_stats k = {0};
	socklen_t len = sizeof(k);

	if (getsockopt(a->fd, SOL_PACKET, PACKET_STATISTICS, &k, &len) == 0)
		a->missed += k.tp_drops;
	s->rx_packets += a->rx_packets;
	s->rx_bytes += a->rx_bytes;
	s->rx_missed += a->missed;
	s->rx_errors += a->rx_too_long;
	s->rx_no_buffer += a->rx_no_buffer;
	s->tx_packets += a->tx_packets;
	s->tx_bytes += a->tx_bytes;
	s->tx_errors += a->tx_too_long;
}

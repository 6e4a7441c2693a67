// SPDX-License-Identifier: BSD-2-Clause
// xsk.c - an AF_XDP socket with its rings and its frames.
//
// Why not DPDK's net_af_xdp: in 22.11 closing such a port leaves socket, program, rings and the
// buffers of its fill ring behind, so that it cannot be opened again in the same process; and its
// frames must lie in the pool, which ties the life of the pool to the port's.  Here the socket has
// frames of its own and copies; in copy mode (veth, most virtual cards) the kernel's own copy and
// its packet allocation cost twenty times as much.
//
// The rings (kernel: Documentation/networking/af_xdp.rst): frames go to the kernel through fill and
// tx, and come back through rx and completion.  The half of the frames below N_FRAMES is for
// receiving and always in fill or rx; the other half is in tx, completion or on the stack `free`.
// A producer index is stored with release after the entries, and loaded with acquire before them.
#include "port/xsk.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <rte_mbuf.h>
#include <rte_memcpy.h>
#include <rte_prefetch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

enum { N_FRAMES = 2048, RING = 2048, XDP_ROOM = 256, LINE = 64, AHEAD = 4, BIND_TRIES = 300 };

struct ring {
	_Atomic uint32_t *producer, *consumer;
	_Atomic uint32_t *flags;
	void *entries;
	uint32_t mine; // our index: producer of fill and tx, consumer of rx and completion
	void *map;
	size_t map_len;
};

struct xsk {
	int fd;
	uint8_t *frames;
	size_t frames_len;
	uint32_t chunk; // bytes a frame's place has; a power of two
	bool zero_copy;
	_Alignas(LINE) struct ring rx;
	struct ring fill;
	struct rte_mempool *pool;
	unsigned room; // of a buffer of the pool
	uint64_t rx_packets, rx_bytes, rx_no_buffer, rx_too_long;
	_Alignas(LINE) struct ring tx;
	struct ring completion;
	uint32_t n_free;
	uint64_t free[N_FRAMES]; // offsets
	uint64_t tx_packets, tx_bytes, tx_too_long;
};

static int set_ring(const struct xsk *x, int option)
{
	int size = RING;

	return setsockopt(x->fd, SOL_XDP, option, &size, sizeof(size));
}

static int map_ring(const struct xsk *x, struct ring *r, const struct xdp_ring_offset *o,
	size_t entry, off_t at)
{
	char *p;

	r->map_len = o->desc + RING * entry;
	p = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, x->fd, at);
	if (p == MAP_FAILED)
		return -1;
	r->map = p;
	r->producer = (_Atomic uint32_t *)(void *)(p + o->producer);
	r->consumer = (_Atomic uint32_t *)(void *)(p + o->consumer);
	r->flags = (_Atomic uint32_t *)(void *)(p + o->flags);
	r->entries = p + o->desc;
	return 0;
}

static int make_frames(struct xsk *x)
{
	struct xdp_umem_reg reg;
	void *p;

	x->frames_len = (size_t)2 * N_FRAMES * x->chunk;
	p = mmap(NULL, x->frames_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -1;
	x->frames = p;
	// A hint only: without it more TLB misses.
	madvise(p, x->frames_len, MADV_HUGEPAGE);
	// A child must not get copies of pages the kernel writes to.
	madvise(p, x->frames_len, MADV_DONTFORK);
	memset(&reg, 0, sizeof(reg));
	reg.addr = (uint64_t)(uintptr_t)p;
	reg.len = x->frames_len;
	reg.chunk_size = x->chunk;
	return setsockopt(x->fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg));
}

static int make_rings(struct xsk *x)
{
	struct xdp_mmap_offsets o;
	socklen_t len = sizeof(o);

	if (set_ring(x, XDP_UMEM_FILL_RING) != 0 || set_ring(x, XDP_UMEM_COMPLETION_RING) != 0 ||
		set_ring(x, XDP_RX_RING) != 0 || set_ring(x, XDP_TX_RING) != 0)
		return -1;
	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &o, &len) != 0)
		return -1;
	if (map_ring(x, &x->rx, &o.rx, sizeof(struct xdp_desc), XDP_PGOFF_RX_RING) != 0 ||
		map_ring(x, &x->tx, &o.tx, sizeof(struct xdp_desc), XDP_PGOFF_TX_RING) != 0 ||
		map_ring(x, &x->fill, &o.fr, sizeof(uint64_t), (off_t)XDP_UMEM_PGOFF_FILL_RING) !=
			0 ||
		map_ring(x, &x->completion, &o.cr, sizeof(uint64_t),
			(off_t)XDP_UMEM_PGOFF_COMPLETION_RING) != 0)
		return -1;
	return 0;
}

static void hand_out_frames(struct xsk *x)
{
	uint64_t *fill = x->fill.entries;

	for (uint32_t i = 0; i < N_FRAMES; i++) {
		fill[i] = (uint64_t)i * x->chunk;
		x->free[i] = (uint64_t)(N_FRAMES + i) * x->chunk;
	}
	x->n_free = N_FRAMES;
	x->fill.mine = N_FRAMES;
	atomic_store_explicit(x->fill.producer, N_FRAMES, memory_order_release);
}

static int bind_queue(struct xsk *x, int ifindex, unsigned queue)
{
	struct sockaddr_xdp a = {.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_USE_NEED_WAKEUP,
		.sxdp_ifindex = (uint32_t)ifindex,
		.sxdp_queue_id = queue};
	struct xdp_options o = {0};
	socklen_t len = sizeof(o);
	struct timespec nap = {.tv_nsec = 1000000};

	// The kernel lets go of a queue some time after its socket was closed.
	for (int i = 0; bind(x->fd, (struct sockaddr *)&a, sizeof(a)) != 0; i++) {
		if (errno != EBUSY || i == BIND_TRIES)
			return -1;
		nanosleep(&nap, NULL);
	}
	if (getsockopt(x->fd, SOL_XDP, XDP_OPTIONS, &o, &len) == 0)
		x->zero_copy = (o.flags & XDP_OPTIONS_ZEROCOPY) != 0;
	return 0;
}

static void fail(const char *label, unsigned queue, int e, struct err *err)
{
	if (e == EBUSY)
		err_set(err, e, "%s: queue %u has another AF_XDP socket", label, queue);
	else if (e == EPERM || e == EACCES)
		err_set(err, EPERM, "%s: AF_XDP needs root (CAP_NET_RAW)", label);
	else if (e == EAFNOSUPPORT)
		err_set(err, e, "%s: this kernel has no AF_XDP; afpacket: works everywhere", label);
	else if (e == ENOBUFS)
		err_set(err, ENOMEM, "%s: AF_XDP may not lock enough memory (see ulimit -l)",
			label);
	else
		err_set(err, e, "%s: AF_XDP: %s", label, strerror(e));
}

struct xsk *xsk_open(const char *label, int ifindex, unsigned queue, unsigned frame_max,
	struct rte_mempool *pool, struct err *err)
{
	struct xsk *x = aligned_alloc(LINE, sizeof(*x));
	int e;

	if (x == NULL) {
		err_set(err, ENOMEM, "%s: out of memory", label);
		return NULL;
	}
	memset(x, 0, sizeof(*x));
	x->chunk = frame_max + XDP_ROOM <= 2048 ? 2048 : 4096;
	x->pool = pool;
	x->room = rte_pktmbuf_data_room_size(pool) - RTE_PKTMBUF_HEADROOM;
	x->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (x->fd >= 0 && make_frames(x) == 0 && make_rings(x) == 0) {
		hand_out_frames(x);
		if (bind_queue(x, ifindex, queue) == 0)
			return x;
	}
	e = errno;
	xsk_close(x);
	fail(label, queue, e, err);
	return NULL;
}

static void unmap(struct ring *r)
{
	if (r->map != NULL)
		munmap(r->map, r->map_len);
}

void xsk_close(struct xsk *x)
{
	if (x == NULL)
		return;
	unmap(&x->rx);
	unmap(&x->tx);
	unmap(&x->fill);
	unmap(&x->completion);
	if (x->fd >= 0)
		close(x->fd);
	if (x->frames != NULL)
		munmap(x->frames, x->frames_len);
	free(x);
}

int xsk_fd(const struct xsk *x)
{
	return x->fd;
}

bool xsk_zero_copy(const struct xsk *x)
{
	return x->zero_copy;
}

static bool needs_wakeup(const struct ring *r)
{
	return (atomic_load_explicit(r->flags, memory_order_relaxed) & XDP_RING_NEED_WAKEUP) != 0;
}

unsigned xsk_rx(struct xsk *x, struct rte_mbuf **m, unsigned n)
{
	const struct xdp_desc *in = x->rx.entries;
	uint64_t *fill = x->fill.entries;
	uint32_t at = x->rx.mine, back = x->fill.mine;
	uint32_t ready = atomic_load_explicit(x->rx.producer, memory_order_acquire) - at;
	unsigned kept = 0;

	if (ready == 0) {
		if (needs_wakeup(&x->fill))
			recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
		return 0;
	}
	if (n > ready)
		n = ready;
	if (rte_pktmbuf_alloc_bulk(x->pool, m, n) != 0) {
		x->rx_no_buffer++;
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct xdp_desc *d = &in[(at + i) & (RING - 1)];
		struct rte_mbuf *to = m[kept];

		rte_prefetch0(x->frames + in[(at + i + AHEAD) & (RING - 1)].addr);
		fill[(back + i) & (RING - 1)] = d->addr & ~(uint64_t)(x->chunk - 1);
		if (d->len > x->room) {
			x->rx_too_long++;
			continue;
		}
		rte_memcpy(rte_pktmbuf_mtod(to, void *), x->frames + d->addr, d->len);
		to->data_len = (uint16_t)d->len;
		to->pkt_len = d->len;
		x->rx_bytes += d->len;
		kept++;
	}
	if (kept < n)
		rte_pktmbuf_free_bulk(m + kept, n - kept);
	x->rx_packets += kept;
	x->rx.mine = at + n;
	x->fill.mine = back + n;
	atomic_store_explicit(x->rx.consumer, at + n, memory_order_release);
	atomic_store_explicit(x->fill.producer, back + n, memory_order_release);
	return kept;
}

static void take_back(struct xsk *x)
{
	const uint64_t *done = x->completion.entries;
	uint32_t at = x->completion.mine;
	uint32_t end = atomic_load_explicit(x->completion.producer, memory_order_acquire);

	if (at == end)
		return;
	for (; at != end; at++)
		x->free[x->n_free++] = done[at & (RING - 1)];
	x->completion.mine = end;
	atomic_store_explicit(x->completion.consumer, end, memory_order_release);
}

// In copy mode the kernel sends during this call, at most a few dozen frames each time.  It is
// asked again as long as it makes progress; what stays is sent with the next burst.
static void kick(struct xsk *x)
{
	uint32_t taken = atomic_load_explicit(x->tx.consumer, memory_order_acquire), before;

	if (!needs_wakeup(&x->tx))
		return;
	do {
		before = taken;
		if (sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && errno != EAGAIN &&
			errno != EBUSY && errno != EINTR && errno != ENOBUFS)
			return;
		taken = atomic_load_explicit(x->tx.consumer, memory_order_acquire);
	} while (taken != x->tx.mine && taken != before);
}

static unsigned copy_out(uint8_t *to, const struct rte_mbuf *m)
{
	unsigned n = 0;

	for (; m != NULL; m = m->next) {
		rte_memcpy(to + n, rte_pktmbuf_mtod(m, const void *), m->data_len);
		n += m->data_len;
	}
	return n;
}

unsigned xsk_tx(struct xsk *x, struct rte_mbuf **m, unsigned n)
{
	struct xdp_desc *out = x->tx.entries;
	uint32_t at = x->tx.mine;

	take_back(x);
	if (n > x->n_free)
		n = x->n_free;
	// As many places in tx as frames: a free frame has a free place.
	for (unsigned i = 0; i < n; i++) {
		struct xdp_desc *d = &out[at & (RING - 1)];

		if (m[i]->pkt_len > x->chunk) {
			x->tx_too_long++;
			continue;
		}
		d->addr = x->free[--x->n_free];
		d->len = copy_out(x->frames + d->addr, m[i]);
		d->options = 0;
		x->tx_bytes += d->len;
		at++;
	}
	x->tx_packets += at - x->tx.mine;
	x->tx.mine = at;
	atomic_store_explicit(x->tx.producer, at, memory_order_release);
	if (n > 0)
		rte_pktmbuf_free_bulk(m, n);
	if (atomic_load_explicit(x->tx.consumer, memory_order_relaxed) != at)
		kick(x);
	return n;
}

void xsk_flush(struct xsk *x)
{
	struct timespec nap = {.tv_nsec = 1000000};

	for (int i = 0; i < 100; i++) {
		take_back(x);
		if (x->n_free == N_FRAMES)
			return;
		kick(x);
		nanosleep(&nap, NULL);
	}
}

void xsk_stats(const struct xsk *x, struct port_stats *s)
{
	struct xdp_statistics k = {0};
	socklen_t len = sizeof(k);

	if (getsockopt(x->fd, SOL_XDP, XDP_STATISTICS, &k, &len) != 0)
		memset(&k, 0, sizeof(k));
	s->rx_packets += x->rx_packets;
	s->rx_bytes += x->rx_bytes;
	s->rx_missed += k.rx_dropped + k.rx_ring_full;
	s->rx_errors += x->rx_too_long + k.rx_invalid_descs;
	s->rx_no_buffer += x->rx_no_buffer;
	s->tx_packets += x->tx_packets;
	s->tx_bytes += x->tx_bytes;
	s->tx_errors += x->tx_too_long + k.tx_invalid_descs;
}

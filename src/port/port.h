// SPDX-License-Identifier: BSD-2-Clause
// port.h - network ports by name.  Most are DPDK ethdevs, AF_XDP, AF_PACKET and TAP are done here;
// only this folder knows.
//
//	mem:NAME	one end of an in-memory pair; the second port opened with the same NAME is
//			the other end.  Frames sent but not yet received keep their pool in use
//	pcap:IN		frames of the capture IN are received, once; what is sent goes nowhere
//	pcap:IN,OUT	... what is sent is written to the capture OUT; IN may be empty.  OUT
//			appears when the port closes, whole
//	null		sent frames vanish, none arrive
//	xdp:IF		AF_XDP socket on the Linux interface IF: native where the driver can, else
//			generic; port_describe() says which
//	live:IF		only sends: frames made by the kernel's XDP live-frame test run, many times
//			faster than a socket where the driver can (a veth whose other end has an XDP
//			program or GRO on); frames the device has no room for are lost
//	afpacket:IF	AF_PACKET socket on it
//	tap:NAME	a TAP device NAME, made here, gone with the port.  port_mac() is that of our
//			end; the kernel's end has another
//	memif:SOCKET	shared memory with another process (",server" to listen)
//	0000:03:00.0	a NIC by PCI address
//	eth0		a Linux interface: AF_XDP, or live frames if the caller only sends and they
//			are known to work; port_describe() says which, and why not the other
//	netmap:eth0	the same; netmap:eth0-3 only queue 3.  VALE, pipes, host rings: refused
//
// A Linux interface that is down is brought up, and down again when the port closes.  A program or
// device made here does not outlive the process, however that ends.  Frames another host's or
// namespace's kernel sends over veth may lack their checksum: switch that off at the sender
// (ethtool -K IF tx off).
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct port;
struct rte_mbuf;
struct rte_mempool;

// SMALL: 4 KiB pages, nothing else.  AUTO without enough huge pages: the same, but buffers in
// transparent huge pages, where the kernel gives them to those who ask.
enum port_pages { PAGES_AUTO, PAGES_SMALL, PAGES_HUGE };

// How the process wants to run.  Zero-initialised means: defaults.
struct port_env {
	enum port_pages pages;    // AUTO: huge pages where enough are free, else 4 KiB pages
	unsigned memory_mb;       // 0 = 512
	unsigned n_workers;       // worker CPUs beside the caller's own
	int first_cpu;            // -1 = the first CPU the process may use
	const char *const *names; // ports the process will open: PCI devices must be known at start
	unsigned n_names;
};

// Starts the packet I/O layer; once in a process, and not again after port_fini().  The calling
// thread is bound to its CPU, and so are threads it starts later that do not bind themselves.
// -EINVAL, -ENOTSUP (too few CPUs), -ENOMEM, -EPERM, -ENODEV with a
// sentence.  Needs no root for memory, null and pcap ports.
int port_init(const struct port_env *env, struct err *err);

// Closes the ports that are still open, and gives the calling thread its CPUs back.
void port_fini(void);

// One line for people: "4 KiB pages, 512 MB, CPUs 0 1".
const char *port_env_text(void);

// A pool of n buffers that hold frames of up to frame_max bytes.  NULL with *err set.
struct rte_mempool *port_pool(const char *name, unsigned n, unsigned frame_max, struct err *err);
void port_pool_free(struct rte_mempool *pool);

enum port_fc { FC_KEEP, FC_NONE, FC_RX, FC_TX, FC_FULL };

struct port_conf {
	uint16_t n_rxq, n_txq; // 0 = 1
	uint16_t n_rxd, n_txd; // descriptors; 0 = the driver's choice, at least 1024 where it can
	uint16_t mtu;          // 0 = as it is (1500 on ports made here)
	enum port_fc fc;       // Ethernet flow control; not KEEP on a port without it: -ENOTSUP
	bool pcap_loop;        // pcap:IN repeats for ever from memory
	bool promiscuous;
	bool send_only;           // nothing is received: a bare interface name may mean live frames
	struct rte_mempool *pool; // for received frames; must outlive the port
};

// Opens, configures and starts a port.  NULL with *err set: -EINVAL bad name, -ENODEV no such
// interface or device, -EACCES/-EPERM not allowed, -EBUSY in use.  On failure nothing is left.
struct port *port_open(const char *name, const struct port_conf *conf, struct err *err);
void port_close(struct port *p);

// Stops the port and puts a capture it wrote in its place; only this call tells if that failed
// (-ENOSPC, -EACCES ...: OUT is then as it was before).  Afterwards only port_stats() and
// port_close() make sense.  port_close() without it does the same in silence.
int port_finish(struct port *p, struct err *err);

// Frames received, at most n, of any number of segments; the caller owns them.
unsigned port_rx(struct port *p, uint16_t queue, struct rte_mbuf **m, unsigned n);

// Sends; returns how many of the first were taken.  The rest stays the caller's.  With n = 0 it
// pushes on what an earlier call left with a Linux interface.
unsigned port_tx(struct port *p, uint16_t queue, struct rte_mbuf **m, unsigned n);

// A port of live frames makes them from rows of memory: a sender that has its frames there spares a
// buffer and two copies a frame.  A queue belongs to one thread.
bool port_has_rows(const struct port *p);

enum { PORT_ROWS_MAX = 1 << 16 };

struct port_rows {
	unsigned n;         // 1..PORT_ROWS_MAX
	unsigned frame_max; // bytes of the longest frame; of all, unless they vary
	bool varies;        // each row has a length of its own
	// Filled in by the port.  They belong to it.
	uint8_t *frames;   // row i is at frames + i * stride: the longest frame, 64 bytes at least
	unsigned stride;   // bytes
	uint64_t *lengths; // where they vary; else NULL
};

// Makes rows for a queue, instead of those it had.  -EMSGSIZE, -EINVAL, -ENOMEM with a sentence: the
// queue then has what it had before.
int port_rows_make(struct port *p, uint16_t queue, struct port_rows *rows, struct err *err);

struct port_sent {
	unsigned tried; // frames; fewer than asked for after a signal
	unsigned taken; // by the device
	uint64_t bytes; // of those taken
	int error;      // errno: why some were refused; 0 = there was no room, or none was
};

// Sends n > 0 frames of the queue's rows, row `first` and those behind it; row 0 follows the last.
// What is tried and not taken is lost.
void port_rows_send(
	struct port *p, uint16_t queue, unsigned first, unsigned n, struct port_sent *sent);

// What the device took of a queue since its rows were made; also while another thread sends.
void port_rows_taken(const struct port *p, uint16_t queue, uint64_t *frames, uint64_t *bytes);

struct port_stats {
	// Bytes are 0 where the driver does not count them (mem, null).
	uint64_t rx_packets, rx_bytes;
	uint64_t rx_missed;    // lost before the port: its ring was full
	uint64_t rx_errors;    // longer than a buffer, or damaged
	uint64_t rx_no_buffer; // times the pool was empty; the frames may still wait
	uint64_t tx_packets, tx_bytes, tx_errors;
};

void port_stats(struct port *p, struct port_stats *out);

const char *port_name(const struct port *p);     // as given to port_open
const char *port_describe(const struct port *p); // "eth0 by AF_XDP (copy mode)"
const char *port_iface(const struct port *p);    // the Linux interface it sits on or made, or NULL
bool port_puts_back(const struct port *p);       // closing it changes an interface: CAP_NET_ADMIN
void port_mac(const struct port *p, struct mac *out);
uint16_t port_mtu(const struct port *p);
uint16_t port_rx_queues(const struct port *p);
uint16_t port_tx_queues(const struct port *p);
bool port_link_up(const struct port *p);
bool port_done(const struct port *p); // a finite source (pcap without loop) is drained

// Frees n mbufs, NULLs skipped.
void port_free(struct rte_mbuf **m, unsigned n);

// A worker runs loop(arg) again and again on a CPU of its own until worker_stop(); each return
// of loop is a quiet point: no pointer into shared state is held there.
struct worker;
struct worker *worker_start(unsigned index, void (*loop)(void *arg), void *arg, struct err *err);
void worker_quiet(struct worker *w);      // waits until w has passed a quiet point since the call
uint64_t worker_cpu_ns(struct worker *w); // CPU time of its thread so far
void worker_stop(struct worker *w); // waits for the end of the running loop call, then frees w

// SPDX-License-Identifier: BSD-2-Clause
// xdp.h - the card in the kernel: programs on Linux interfaces that hold the rules of adapter/adapter.h,
// and stay when the command that made them has ended.
//
// A card is maps and programs pinned in bpffs under weir/NAME/.  Whoever has it open has its lock: commands
// follow one another.  Needs root, or CAP_BPF and CAP_NET_ADMIN, and to create one CAP_PERFMON; sentences
// of errors say which is missing.
#pragma once

#include "adapter/adapter.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xdp_card;
struct card_act;

enum { XDP_IFACE_MAX = 15 };
enum xdp_mode {
	XDP_ANY,    // native, or skb where the driver takes no programs
	XDP_NATIVE, // in the driver, before the kernel has allocated anything for the frame
	XDP_SKB,    // in the kernel's core: every interface has it, at the price of an skb a frame
};
const char *xdp_mode_name(enum xdp_mode mode); // "native"

struct xdp_card_conf {
	const char *name;    // "t5nex0", as in struct adapter_conf
	unsigned n_ports;    // 1..ADAPTER_PORTS_MAX
	char *const *ifaces; // in the calling thread's network namespace; iport 0, 1, ...
	enum xdp_mode mode;
	bool forward; // what the filter passes on is forwarded by the kernel's routes, where it is plain
	// Hears what a user should know of a success: bpffs was mounted.
	void (*say)(void *arg, const char *text);
	void *arg;
};

// Makes a card without rules, that no packet meets before xdp_card_attach().  What is pinned so far goes with
// xdp_card_close().  -EEXIST there is one; -ENODEV no such interface, -EINVAL it is no Ethernet or
// given twice; -EPERM, -ENOMEM, or what the kernel says.
struct xdp_card *xdp_card_create(const struct xdp_card_conf *conf, struct err *err);

// NULL: -ENOENT there is no such card; -EPROTO another version of weir made it; -EPERM, -ENOMEM.
struct xdp_card *xdp_card_open(const char *name, struct err *err);
void xdp_card_close(struct xdp_card *c);

// The card's rules and words.  Changes are in force once xdp_card_publish() has returned 0, all together: a
// packet meets the old rules or the new ones, and so does the next command if this one is killed.  On an
// error (-E2BIG the tables do not fit, -ENOMEM, ...) the old ones stay.
struct adapter *xdp_card_adapter(struct xdp_card *c);
int xdp_card_publish(struct xdp_card *c, struct err *err);

// Hears of each attached port to which rules switch that came since the last call, and whose driver the
// kernel says cannot send what native programs switch to it, as things stand.  Before Linux 6.3: of none.
void xdp_card_warn(struct xdp_card *c, void (*say)(void *arg, const char *text), void *arg);

// Attaches the ports that are not, of a new card or whose interface went and is back, and looks up all
// interfaces' MACs again.  A port joins the other XDP programs of its interface, and others can join it, where
// the kernel can do libxdp's dispatcher.  say (may be NULL) hears of each where it cannot, and the card is
// alone; of each that skb mode was chosen for; and of a card that forwards each that no frame can leave
// by.  The first error, after all were tried: -EBUSY a program is there that ours cannot join, -ENODEV,
// -EXDEV the card's interfaces are in another network namespace.
int xdp_card_attach(
	struct xdp_card *c, void (*say)(void *arg, const char *text), void *arg, struct err *err);

// Takes an open card away, of which only part is attached.  On an error it stays, to be deleted.
int xdp_card_undo(struct xdp_card *c, struct err *err);
// Takes a card away with all that is pinned, whoever made it and however far they got.  -ENOENT, or -errno if
// it is in a dispatcher that it cannot be taken out of: then it stays.
int xdp_card_delete(const char *name, struct err *err);

// Whether there is a card of that name, as far as we may look.
bool xdp_card_exists(const char *name);
// Calls back for each card, in alphabetical order.  No bpffs: none.
int xdp_card_each(void (*each)(void *arg, const char *name), void *arg, struct err *err);

struct xdp_card_port {
	char iface[XDP_IFACE_MAX + 1]; // as it was called when it was attached
	uint32_t ifindex;              // 0: it is not attached
	bool gone;                     // it was attached, and the interface is no more
	bool unseen;                   // whether it is attached cannot be told from here
	bool dispatched;               // in libxdp's dispatcher; else alone, where it is attached
	enum xdp_mode mode;            // never XDP_ANY where it is attached
};
unsigned xdp_card_ports(const struct xdp_card *c, struct xdp_card_port out[ADAPTER_PORTS_MAX]);
// Whether it forwards, and how many of the frames that came in by each port it has forwarded itself.
bool xdp_card_forwards(const struct xdp_card *c, uint64_t out[ADAPTER_PORTS_MAX]);
// Nanoseconds of clock_ns() at which it was made.
uint64_t xdp_card_made_ns(const struct xdp_card *c);

// What an interface counts, since it is there or its statistics were cleared by the card's words.
enum xdp_count {
	XDP_RX_BYTES,
	XDP_RX_PACKETS,
	XDP_RX_ERRORS,
	XDP_RX_MISSED,
	XDP_TX_BYTES,
	XDP_TX_PACKETS,
	XDP_TX_ERRORS,
	XDP_COUNTS
};
// -ENODEV it is not in this network namespace.
int xdp_card_stats(
	const struct xdp_card *c, unsigned port, uint64_t out[XDP_COUNTS], struct err *err);

// What the programs are to do with a frame that the filter matches; slot: of its hit counter.
// With a sentence that names the word: -EOPNOTSUPP, a program in the kernel cannot do it; -EINVAL, an
// address of another family than the rule's.
int card_act_make(
	const struct adapter_filter *f, uint32_t slot, struct card_act *out, struct err *err);

// --- all rules at once, and back ---

// Takes out all rules, held addresses and modes, as with a new card, to be followed by other ones and
// xdp_card_publish().  Hits of all rules will begin at 0.  On an error the card is good for
// closing only.
int xdp_card_clear(struct xdp_card *c, struct err *err);

// The rules in force, by a descriptor that keeps them whatever becomes of the card; to be closed.
// -errno with a sentence.
int xdp_card_hold(struct xdp_card *c, struct err *err);

// Puts rules in force that were held, with all that was said of the card then; hits begin at 0, if they
// are not in force as it is.  The card is then good for closing only.
int xdp_card_put_back(struct xdp_card *c, int held, struct err *err);

// --- frames through a card's program, by the kernel's test-run call ---

// The program of one port with maps of its own: what it meets counts nowhere, leaves by no port, and
// no card in force takes note of it.
struct xdp_run;

enum { XDP_RUN_MIN = 14 }; // bytes of the shortest frame
#define XDP_RUN_NONE UINT32_MAX

// Frames come in by `port`, whose MAC is the first 48 bits, little end first, of mac48.  No rules yet.
// Takes half a second: the kernel verifies the program.
struct xdp_run *xdp_run_open(unsigned port, uint64_t mac48, struct err *err);
void xdp_run_close(struct xdp_run *r); // NULL is allowed

// The rules from now on: those of a map of a struct card_set, which may be closed afterwards.
int xdp_run_use(struct xdp_run *r, int set_fd, struct err *err);

struct xdp_verdict {
	enum adapter_action action;
	// Its place among those of the set, or XDP_RUN_NONE: the frame passes unmatched.
	uint32_t rule;
	uint32_t slot; // of the rule
};

// -EMSGSIZE: a frame below XDP_RUN_MIN or above what the kernel takes; -EPROTO: what the program did
// is not what the rule says.
int xdp_run_frame(
	struct xdp_run *r, const void *frame, size_t len, struct xdp_verdict *out, struct err *err);

// SPDX-License-Identifier: BSD-2-Clause
// box.h - a router made of configuration and ports: what `weir router` runs, and the lab's device
// under test in memory.
#pragma once

#include "adapter/adapter.h"
#include "base/err.h"
#include "conf/conf.h"
#include "path/path.h"
#include "port/port.h"
#include "router/router.h"

#include <stdint.h>

struct box;

struct box_port {
	const char *iface; // as the configuration calls it: igb2
	struct port *port; // open; the box does not close it
};

// What a box is made from; nothing of it is needed after box_new but ports and pool, which must
// outlive the box.
struct box_setup {
	const struct conf *conf;
	const struct box_port *ports;
	unsigned n_ports;         // 1..PATH_PORTS_MAX
	struct rte_mempool *pool; // for packets the box makes; frames of the largest MTU fit
	// The name of a card whose ports are the first four: "t5nex0".  NULL: none.  What passes a
	// rule goes on to the router.
	const char *adapter;
	// Called for each thing of the configuration that is left out because the interface it needs
	// has no port, and for what commands of a start script say; one sentence.  NULL: nobody wants
	// to know.  Needed as long as box_script() may be called.
	void (*note)(void *arg, const char *text);
	void *arg;
};

// -EINVAL with a sentence (and file:line where the configuration has it) if a port's interface is
// not in the configuration, or something of it cannot be honoured; -ENOMEM.
struct box *box_new(const struct box_setup *setup, struct err *err);
void box_free(struct box *b); // stops it first

// Forwards on worker `worker` (worker_start) until box_stop.  Once only.
int box_start(struct box *b, unsigned worker, struct err *err);
void box_stop(struct box *b);

// The card, for commands from one thread: the one that starts and stops the box.  NULL: none.
struct adapter *box_adapter(const struct box *b);

// --- another card in its place ---

// A card without rules, of the same name and ports, that no packet meets as yet; the box has one already.
// NULL with *err set: ENOMEM.
struct box_card;
struct box_card *box_card_new(const struct box *b, struct err *err);
void box_card_free(struct box_card *c); // NULL is allowed; not the one that packets meet
struct adapter *box_card_adapter(const struct box_card *c);

// Exchanges the box's card and *c, which packets no longer meet after the return and which keeps its rules
// and hits: a burst meets the one card or the other.  -ENOMEM: all is as it was.
int box_card_swap(struct box *b, struct box_card **c, struct err *err);

// Carries out the start script at path (conf_script_read) with the card.  -errno with "file:line: ..."
// at the first line that cannot be read, before any is carried out, or the first command that fails: a
// box that shall not start half filtered is then to be freed.
int box_script(struct box *b, const char *path, struct err *err);

// The same of a script that was read before; file is what errors call it.
int box_commands(struct box *b, const char *file, const struct conf_script *s, struct err *err);

// Waits for the end of the turn that its worker is in.
void box_quiet(struct box *b);

// One turn by the calling thread, for a box that is not started.
void box_once(struct box *b);

// While it runs, and after it.
void box_counters(const struct box *b, struct path_counters *out);
void box_router_counters(const struct box *b, struct router_counters *out);
uint64_t box_cpu_ns(const struct box *b); // CPU time of its worker; of a stopped one: to its end

// SPDX-License-Identifier: BSD-2-Clause
// lab.h - an experiment: device under test x conditions x traffic, measured in interleaved runs.
//
// A condition is a set of FreeBSD-style files.  An arm is a condition under one traffic (IPv4 or
// IPv6).  Runs come in blocks: each block holds one run of every arm, in a random order and the
// next block in the reverse one, so that values of one block are neighbours in time.  Every run
// starts the device anew.  One run gives one value: the median rate of its steady intervals.
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "gen/gen.h"
#include "lab/filter.h"
#include "lab/results.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lab_traffic;
struct port;
struct rte_mempool;

// Longer names of conditions are refused: an arm's name has more words.
enum { LAB_CONDITION_MAX = LAB_NAME_MAX - 16 };

struct lab_condition {
	char name[LAB_CONDITION_MAX];  // the folder's
	char dir[512];                 // "" = built in
	char setup[560];               // path of its setup.sh; "" = none
	char label[LAB_CONDITION_MAX]; // for people, of its one arm; "" = name and family
	int family;                    // the only one it is measured with; 0 = every one
	bool baseline;
	struct conf conf;
	// Of its cxgbetool.sh lab_conditions_read() finds the path only: rules are read by whoever
	// knows their words.
	struct lab_filter filter;
};

struct lab_conditions {
	struct lab_condition *list;
	unsigned n;
};

// Those that are built in: the forwarding lab as it is published ("forwarding"), and the same router
// with filters of 15, 1,000 and 10,000 rules ("15-first", "15-last", "15-never", ...) around the IPv4
// traffic `filtered`; NULL: without these.  only, baseline: as below; forwarding is the default baseline.
int lab_conditions_builtin(const char *only, const char *baseline,
	const struct lab_traffic *filtered, struct lab_conditions *out, struct err *err);

// Its files.
extern const char lab_builtin_rc[], lab_builtin_sysctl[];

// The folders in `dir`, sorted by name; files of a folder named "base" lie under those of every
// condition: settings add up (the condition's win), its setup.sh and cxgbetool.sh are for those that have
// none.  Baseline: `baseline` if not NULL, else the one whose name ends in "-default", else the first.
// only: names to take, comma separated; NULL = all.
int lab_conditions_read(const char *dir, const char *only, const char *baseline,
	struct lab_conditions *out, struct err *err);
void lab_conditions_free(struct lab_conditions *c);

// One traffic, as the tester sends it.
struct lab_traffic {
	int family;
	struct gen_conf gen; // addresses, ports, length, rate; MACs come from the device's start
};

// Where the tester is plugged in.  All of it belongs to the device and is valid until its stop.
struct lab_ends {
	struct port *out, *in;         // the tester sends on `out` and receives on `in`
	struct rte_mempool *pool;      // for the frames it makes
	struct mac smac, dmac;         // of the frames it sends
	struct mac out_smac, out_dmac; // of the frames that come back
	bool check_smac, check_dmac;   // whether those are known
};

// A device's account since its start.  What it cannot tell is 0.
struct dut_counters {
	uint64_t in, made, sent, queued, ended; // ended: frames for the device itself
	struct lab_drop drop[LAB_DROPS_MAX];
	unsigned n_drops;
	uint64_t cpu_ns; // CPU time of the thread that forwards
	// Of a polling thread's turns that found frames: how many, and their TSC cycles.
	uint64_t busy_turns, busy_cycles;
};

// A device under test.  start and stop come in pairs; all calls from one thread.
struct dut {
	void *state;
	char about[256];  // one line for people
	char tester[256]; // how the tester reaches it; may be filled by the first start
	bool accounts;    // in + made = sent + queued + ended + drops, and `in` counts every frame
	bool has_work;    // cpu_ns is told
	bool polls;       // its thread never sleeps: busy_cycles tell how long it worked
	double settle_s;  // so long nothing more must arrive before counters are read after a run
	bool both_ways;   // what comes by `in` crosses it too, and comes out by `out`

	// The notes of a condition's settings as they are true of this device; *n of them, the
	// caller frees the list.  NULL without memory.  notes itself may be NULL: conf's hold.
	struct conf_note *(*notes)(const struct lab_condition *c, unsigned *n);

	// A fresh device with the condition's settings, ports open and empty, ready to forward.
	int (*start)(struct dut *d, const struct lab_condition *c, const struct lab_traffic *t,
		struct lab_ends *ends, struct err *err);
	void (*read)(struct dut *d, struct dut_counters *out);
	// Frames that the n rules of the condition's filter have met since the start, in their order.
	// NULL: it cannot tell.
	void (*hits)(struct dut *d, uint64_t *hits, unsigned n);
	// Stops and takes everything away; also after a failed start.
	void (*stop)(struct dut *d);
};

// The Linux kernel in network namespaces of this process (root).  port_kind: "xdp", or "afpacket",
// whose frames come in pieces that cost the device up to twice as much.  To be called before
// port_init(), which binds the thread to a CPU: the device gets another of those it had.
int dut_linux(struct dut *d, const char *port_kind, struct err *err);
// The same with a card in the kernel, where a condition has rules for one (cxgbetool.sh) or says
// net.inet.ip.fastforwarding=1, which makes it forward as well.  weir: path of the program that makes it
// (`weir adapter create`); it must stay valid.  Freed like the other.
int dut_xdp(struct dut *d, const char *port_kind, const char *weir, struct err *err);
void dut_linux_free(struct dut *d);

// An unknown box between two ports.  Conditions other than the built-in one need a setup.sh, which
// runs on this machine with WEIR_OUT and WEIR_IN (the ports' names) and WEIR_CONDITION set.
struct dut_wire_conf {
	const char *out, *in; // port names: the tester sends on out, receives on in
	struct mac dmac;      // the box's MAC on the side of `out`
};
int dut_wire(struct dut *d, const struct dut_wire_conf *conf, struct err *err);
void dut_wire_free(struct dut *d);

// Zero-initialised members mean the default in brackets.
struct lab_options {
	const char *name;    // of the experiment ["lab"]
	const char *command; // that is run, for the results
	unsigned n_runs;     // an arm [16]
	double run_s;        // of a run's steady part [0.6]
	double window_s;     // [run_s / 12]
	double warm_s;       // sent and not counted before it [0.1]
	double margin;       // [0.02]
	double max_s;   // no block is begun that would end later, once there are n_min [no limit]
	unsigned n_min; // [8]
	uint64_t seed;  // of the order and of the bootstrap [from the clock]
	bool no_aa;     // no A/A arm
	bool all_same;  // a further arm of the baseline, judged as if it were another condition
	const char *folder; // where results go; NULL = runs/<utc>-<name>; "" = nowhere
	const struct lab_traffic *traffic;
	unsigned n_traffic;
	FILE *progress;                    // NULL = none
	const volatile sig_atomic_t *stop; // ends the experiment when not 0
};

// The traffic of the forwarding lab: 100 sources to 20 destinations (IPv6: 20 to 100), UDP port
// 2000, smallest frames.
void lab_traffic_default(int family, struct lab_traffic *out);

// How many flows it makes.
uint64_t lab_traffic_flows(const struct lab_traffic *t);

// Whether all its addresses lie in the ranges set aside for benchmarks (RFC 2544: 198.18.0.0/15,
// RFC 5180: 2001:2::/48), so that RFC 6815 has no objection.
bool lab_traffic_isolated(const struct lab_traffic *t);

// Makes the experiment.  0 also when runs were void and when no difference was found;
// -EINTR if *stop was set, -EINVAL, -EPERM, ... with a sentence if it could not be made.
// *out then needs no lab_results_free.  LAB_NOT_KEPT, with a sentence: *out holds the results, but
// their folder could not be written.  *folder gets the results' place ("" = none).
enum { LAB_NOT_KEPT = 1 };
int lab_run(struct dut *d, const struct lab_conditions *c, const struct lab_options *o,
	struct lab_results *out, char *folder, unsigned folder_size, struct err *err);

// The table, the boxes, the notes and the verdicts, for people; folder: where the results are, NULL =
// not told.
void lab_print(FILE *out, const struct lab_results *r, const char *folder);

// Reads a results folder, makes report.txt and report.html in it anew, and hands out the results.
int lab_report_again(const char *folder, struct lab_results *r, struct err *err);

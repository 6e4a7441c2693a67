// SPDX-License-Identifier: BSD-2-Clause
// results.h - what an experiment found, as plain data: the one source of table, JSON, CSV and HTML.
// Rates are packets a second, times seconds, lengths bytes without the CRC, shares and other
// relative figures fractions (0.01 = 1 %).  Strings are UTF-8 without a final newline.
#pragma once

#include "base/cpu.h"
#include "base/err.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

enum { LAB_NAME_MAX = 96, LAB_WHY_MAX = 240, LAB_DROPS_MAX = 24 };

// More comparisons than this are told in a table and grouped by verdict.
enum { LAB_COMPARISONS_FEW = 4 };

// Version of results.json; raised when a field changes its meaning or goes.
enum { LAB_SCHEMA = 1 };

// One interval of a run.
struct lab_window {
	double start_s;     // since the run's first frame
	double seconds;     // measured
	uint64_t offered;   // frames the tester's port took
	uint64_t received;  // frames that came back right
	uint64_t forwarded; // frames the device took in and finished; 0 where it cannot be asked
	uint64_t measured;  // of these, those the rate rests on
	double work_s;      // time the forwarding core worked on the measured ones; 0 = not known
	double pps;         // the interval's rate, on the results' basis
	bool steady;        // part of the run's value; the others are warm-up or an unsteady end
};

// Frames the device under test says it dropped, by its own name for the reason.
struct lab_drop {
	char name[32];
	uint64_t n;
};

struct lab_run {
	unsigned number;  // in the order they were made, from 1, void ones too
	unsigned block;   // runs of one block are neighbours in time, from 0
	unsigned arm;     // index into lab_results.arm
	unsigned attempt; // 1, or higher where void runs came before it
	bool valid;
	char gate[32];                    // the validity gate a void run failed: "duplicate"
	char why[LAB_WHY_MAX];            // the sentence of it
	double start_s;                   // since the experiment's start
	double seconds;                   // from the first frame to the last window's end
	double pps;                       // the run's value: median rate of its steady windows
	double offered_pps, received_pps; // by the wall clock, over the steady windows
	double cycles_per_packet;         // of the forwarding core, TSC cycles; 0 = not known
	double work_share;                // of the forwarding core's time; 0 = not known
	double turn_packets; // frames it found in a turn: 64 = always a full burst; 0 = not known
	double loss;         // share of the offered frames that never came back
	uint64_t offered, received; // over the whole run; received counts right frames only
	uint64_t bad_ttl, bad_checksum, bad_content, duplicate, foreign, reordered;
	uint64_t refused;       // offers the tester's port did not take
	uint64_t tester_missed; // frames lost between device and tester; no loss of the device
	uint64_t dut_in, dut_made, dut_sent, dut_queued; // the device's own account
	struct lab_drop drop[LAB_DROPS_MAX];             // only reasons that occurred
	unsigned n_drops;
	struct lab_window *window;
	unsigned n_windows;
};

// One arm of the experiment: a condition under one traffic.
struct lab_arm {
	char name[LAB_NAME_MAX];      // "inet4", "redirect-0 inet6"; unique
	char condition[LAB_NAME_MAX]; // folder name of the condition, or a built-in one's
	int family;                   // 4 or 6
	unsigned frame_len;
	bool baseline;
	bool repeat_of_baseline; // the A/A arm
	unsigned n, n_void;      // valid and void runs
	// Of the valid runs' values; 0 where n = 0.
	double median_pps, min_pps, max_pps, mean_pps, stddev_pps;
	double spread;            // (max - min) / median
	double cycles_per_packet; // median over runs
	double received_pps;      // median over runs, by the wall clock
	double work_share;        // median over runs
	double loss;              // of all its valid runs together
	double imix_bps;    // estimate by the formula PPS*(7*(40+14)+4*(576+14)+(1500+14))/12*8
	double imix_l1_bps; // the same with frames padded to 60 and 24 bytes of CRC, preamble, gap
};

struct lab_comparison {
	unsigned a, b;       // arms; a is the one compared with
	bool aa;             // both are the same condition
	unsigned n_blocks;   // pairs of neighbouring runs it rests on
	struct comparison c; // c.verdict is INVALID where runs are missing; then only c.why counts
	char verdict[64];    // "faster", "equivalent within 2%"
	char test[LAB_WHY_MAX]; // the test used
	char sentence[512];     // for people, with effect, interval and noise floor
	char *ministat;         // the box of both, as ministat prints it; "" where it cannot be
};

// A line of a condition's files that has no effect on this device, shown once.
struct lab_note {
	char condition[LAB_NAME_MAX];
	char where[256], what[128], why[200];
};

// What a condition's files set, whether it has an effect or not.
struct lab_setting {
	char condition[LAB_NAME_MAX];
	char file[32];   // "rc.conf", "sysctl.conf", "loader.conf"; "setup.sh": name is ""
	char name[128];  // of the setting
	char value[512]; // cut if longer, and then ends in "..."
	bool differs;    // from the baseline, by its full value
};

// In the place of hits that nobody counted; null in results.json.
#define LAB_NOT_COUNTED UINT64_MAX

// The filter of an arm.
struct lab_filtered {
	unsigned arm;
	unsigned n_rules;
	unsigned n_probes; // frames sent before and after the traffic of every run
	unsigned n_asked;  // rules for which one was looked for, spread over the list
	unsigned n_silent; // of these, without one: no frame that crosses the device matches them
	unsigned n_elsewhere; // ... or what they match is sent elsewhere or changed
	uint64_t frames;      // of the traffic of the valid runs
	uint64_t hits;        // the device's counters of all rules in these runs, probes too
	bool has_hits;        // the device counts; else hits is LAB_NOT_COUNTED
};

// A rule of it: those at the head of the list, the last one, and those the traffic meets.
struct lab_told_rule {
	unsigned arm;
	unsigned index; // the number it goes by
	char words[160];
	uint64_t flows; // of the traffic, that meet it first
	uint64_t hits;  // LAB_NOT_COUNTED: the device does not count, or not for this rule
};

struct lab_results {
	char name[LAB_NAME_MAX];
	char utc[32];       // start: 2026-03-01T12:00:00Z
	char version[32];   // of weir
	char command[1024]; // that made it, quoted for /bin/sh
	char dut[256];      // "weir: router and path in memory, one core"
	char tester[256];   // how the tester's ports are driven
	char env[256];      // pages, memory, CPUs
	char basis[160]; // what pps means: "frames a second of the forwarding core's working time"
	struct machine machine;
	uint64_t seed;
	uint64_t n_flows;
	double run_seconds, window_seconds;
	double duration_s; // of the whole experiment
	double margin;     // M of "equivalent within M%"
	double noise;      // A/A noise floor of this machine; 0 = not measured
	bool has_noise;
	struct lab_arm *arm;
	unsigned n_arms;
	struct lab_run *run; // in the order they were made, void ones too
	unsigned n_runs;
	struct lab_comparison *cmp;
	unsigned n_cmps;
	struct lab_note *note;
	unsigned n_notes;
	struct lab_setting *setting; // of all conditions
	unsigned n_settings;
	struct lab_filtered *filter; // of arms that have one
	unsigned n_filters;
	struct lab_told_rule *rule;
	unsigned n_rules;
	char verdict[1024]; // the last line
};

// Frees what *r points to; *r itself is the caller's.
void lab_results_free(struct lab_results *r);

// Writes results.json text; the caller frees it.  NULL without memory.
char *lab_results_json(const struct lab_results *r);

// The whole of `path` (a results.json) into *out.  -EINVAL with what is wrong in it; *out is then
// untouched.
int lab_results_read(const char *path, struct lab_results *out, struct err *err);

// One self-contained HTML page; the caller frees it.  NULL without memory.
char *lab_report_html(const struct lab_results *r);

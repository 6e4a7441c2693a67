// SPDX-License-Identifier: BSD-2-Clause
// gen_cmd.h - what the files of `weir gen` share.
#pragma once

#include "gen/gen.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum gen_function { GEN_TX, GEN_RX, GEN_PING, GEN_PONG, GEN_TXSEQ, GEN_RXSEQ };

// Exit statuses of pkt-gen.
enum { GEN_OK = 0, GEN_FAILED = 1, GEN_USAGE = 255 };

// The bits of -o that mean something here.
enum { O_PREFETCH = 1, O_ACCESS = 2, O_COPY = 4, O_MEMCPY = 8 };

// The command line after checking.  Texts point into argv.
struct gen_options {
	enum gen_function function;
	const char *port;
	const char *src_text, *dst_text;
	struct gen_conf conf;
	bool own_smac; // -S not given: the port's
	bool burst_set;
	unsigned threads;
	int first_cpu;   // -a; -1 = not bound
	unsigned n_cpus; // -c; modulus for -a
	int wait_s;      // -w; -1 = not given
	bool stop_idle;  // -W
	unsigned report_ms;
	unsigned report_flags; // enum gen_report
	unsigned touch;        // O_... bits
	bool dump;
	unsigned verbose;
	const char *capture; // -P
	struct gen_capture *frames;
	bool capture_once;
	uint16_t txslots, rxslots, txrings, rxrings; // 0 = not given
};

// GEN_OK; or -1 = all is said (--help, -h): exit 0; or GEN_USAGE, the reason printed.
int gen_options_read(int argc, char **argv, struct gen_options *o);

void gen_options_free(struct gen_options *o);

// Opens, runs and reports; the exit status.
int gen_run(const char *self, struct gen_options *o);

bool gen_sends(enum gen_function f);    // tx, txseq, ping
bool gen_receives(enum gen_function f); // rx, rxseq

struct port;
struct rte_mempool;
struct worker;

// One sending or receiving thread.  Exactly one of the four pointers is set.
struct gen_thread {
	const struct gen_options *o;
	struct gen_job *job;
	unsigned index;
	uint64_t number; // packets dumped
	struct sender *sender;
	struct receiver *receiver;
	struct pinger *pinger;
	struct ponger *ponger;
	uint64_t idle_since; // cycles: the last time something moved
	uint64_t complained; // rxseq, cycles: when this second's complaints began
	unsigned complaints;
	struct worker *worker; // NULL: the main thread runs it
	bool placed;
	_Atomic bool failed;
	_Atomic uint64_t start_ns, end_ns; // CLOCK_MONOTONIC; 0 = not yet
	uint64_t cpu_ns;
	_Atomic bool moved_any, done;
	_Atomic uint64_t last_moved; // cycles
};

struct gen_job {
	struct gen_options *o;
	struct port *port;
	struct rte_mempool *pool;
	unsigned slots; // of a receive ring
	cpu_set_t cpus; // of the process as it was started
	unsigned n;
	struct gen_thread *thread;
};

struct gen_counts {
	uint64_t packets, bytes, events;
};

// Makes the sender, receiver, ... of a thread.
int gen_thread_make(struct gen_thread *t, struct err *err);
void gen_thread_free(struct gen_thread *t);

// One turn of its loop; a done thread naps.
void gen_thread_turn(void *thread);

void gen_thread_counts(const struct gen_thread *t, struct gen_counts *out);

// Asks all threads to end; safe in a signal handler.
void gen_stop(void);
bool gen_stopping(void);

// The reporting thread: prints until all threads are done.  gen_report_wake() is safe in a signal
// handler.
void gen_report_init(struct gen_job *j); // before signals are caught
int gen_report_start(struct err *err);
void gen_report_wake(void);
void gen_report_finish(void);
void gen_report_totals(const struct gen_job *j);

// One diagnostic line on stderr with pkt-gen's prefix.
void gen_say(const char *function, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// A frame as -X shows it, on stdout.
void gen_dump(unsigned ring, unsigned slot, const uint8_t *frame, unsigned len);

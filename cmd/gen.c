// SPDX-License-Identifier: BSD-2-Clause
// gen.c - `weir gen`, also known as pkt-gen: sends, receives and measures on one port.
#include "command.h"
#include "gen_cmd.h"

#include "port/port.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SAY(...) gen_say("main", __LINE__, __VA_ARGS__)

// A visit of a port of live frames is dear by itself.
enum { SLOTS = 1024, SPARE = 2048, LIVE_BURST = GEN_BURST_MAX };

static void on_signal(int sig)
{
	(void)sig;
	gen_stop();
	gen_report_wake();
}

// A second signal ends a program that does not react to the first.
static void catch_signals(void)
{
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	if (!hangup_ignored())
		sigaction(SIGHUP, &a, NULL);
}

static bool starts_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

// Ports that this process makes: no link to wait for, and any MTU.
static bool made_here(const char *name)
{
	return strcmp(name, "null") == 0 || starts_with(name, "pcap:") ||
	       starts_with(name, "mem:") || starts_with(name, "tap:") ||
	       starts_with(name, "memif:");
}

// A bare tapX means a TAP device, as pkt-gen has it.
static const char *full_name(const char *name, char *room, size_t size)
{
	if (!starts_with(name, "tap") || strchr(name, ':') != NULL)
		return name;
	snprintf(room, size, "tap:%s", name);
	return room;
}

// How the port shall be, and the buffers that takes.
struct layout {
	struct port_conf conf;
	unsigned slots, buffers, frame_max;
};

static struct layout plan(const struct gen_options *o, const char *name)
{
	unsigned longest = o->frames != NULL ? gen_capture_longest(o->frames) : o->conf.len, tx;
	struct layout l = {.conf = {.n_txq = o->txrings,
				   .n_rxq = o->rxrings,
				   .n_txd = o->txslots,
				   .n_rxd = o->rxslots,
				   .promiscuous = !gen_sends(o->function),
				   .send_only = o->function == GEN_TX || o->function == GEN_TXSEQ}};

	if (l.conf.n_txq == 0)
		l.conf.n_txq = gen_sends(o->function) ? (uint16_t)o->threads : 1;
	if (l.conf.n_rxq == 0)
		l.conf.n_rxq = gen_receives(o->function) ? (uint16_t)o->threads : 1;
	if (made_here(name) && longest > 1514)
		l.conf.mtu = (uint16_t)(longest - 14);
	tx = o->txslots != 0 ? o->txslots : SLOTS;
	l.slots = o->rxslots != 0 ? o->rxslots : SLOTS;
	l.buffers = l.conf.n_txq * tx + l.conf.n_rxq * l.slots + SPARE * (o->threads + 1);
	l.frame_max = longest > 1518 ? longest : 1518;
	return l;
}

// A buffer takes its frame and headers, and some ports keep a copy of all of them.
static unsigned memory_mb(const struct layout *l)
{
	uint64_t bytes = 2ull * l->buffers * (l->frame_max + 1024);

	return 96 + (unsigned)(bytes >> 20);
}

static int open_port(struct gen_job *j, const char *name, struct layout *l, struct err *err)
{
	j->slots = l->slots;
	j->pool = port_pool("gen", l->buffers, l->frame_max, err);
	if (j->pool == NULL)
		return -1;
	l->conf.pool = j->pool;
	j->port = port_open(name, &l->conf, err);
	return j->port != NULL ? 0 : -1;
}

static void say_ranges(const struct gen_options *o)
{
	const char *function = o->conf.family == 4 ? "extract_ip_range" : "extract_ipv6_range";
	const struct gen_range *r[2] = {&o->conf.src, &o->conf.dst};
	char text[GEN_RANGE_TEXT_MAX];

	for (unsigned i = 0; i < 2; i++) {
		const char *oddity = gen_range_oddity(r[i]);

		gen_say(function, __LINE__, "range is %s", gen_range_text(r[i], text));
		if (oddity != NULL)
			gen_say(function, __LINE__, "that range: %s", oddity);
	}
}

static void say_special(const struct gen_options *o)
{
	// Every frame that is sent is written into a buffer of its own.
	bool copy = o->function == GEN_TX && !o->conf.rubbish &&
		    (gen_conf_flows(&o->conf) > 1 || o->conf.random_src || o->conf.random_dst ||
			    (o->touch & O_COPY) != 0);

	if (!copy && o->touch == 0 && !o->dump && !o->conf.rubbish && !o->conf.random_src &&
		!o->conf.random_dst)
		return;
	SAY("--- SPECIAL OPTIONS:%s%s%s%s%s%s%s%s\n", copy ? " copy" : "",
		o->touch & O_PREFETCH ? " prefetch" : "", o->touch & O_ACCESS ? " access" : "",
		o->touch & O_MEMCPY ? " memcpy" : "", o->dump ? " dump" : "",
		o->conf.rubbish ? " rubbish" : "", o->conf.random_src ? " random-src" : "",
		o->conf.random_dst ? " random-dst" : "");
}

static void say_start(const struct gen_job *j, const char *name)
{
	const struct gen_options *o = j->o;
	bool sends = gen_sends(o->function);
	char smac[ADDR_TEXT_MAX], dmac[ADDR_TEXT_MAX];
	const char *verb = o->function == GEN_TX || o->function == GEN_TXSEQ ? "Sending on"
			   : gen_receives(o->function)                       ? "Receiving from"
									     : "Working on";

	unsigned queues = gen_receives(o->function) ? port_rx_queues(j->port)
						    : port_tx_queues(j->port);

	printf("%s %s: %u queues, %u threads and %u cpus.\n", verb, name, queues, o->threads,
		o->n_cpus);
	if (sends && o->frames == NULL)
		printf("%s -> %s (%s -> %s)\n", o->src_text, o->dst_text,
			mac_text(&o->conf.smac, smac), mac_text(&o->conf.dmac, dmac));
	else if (sends)
		printf("%llu frames of %s\n", (unsigned long long)gen_capture_frames(o->frames),
			o->capture);
	fflush(stdout);
}

static void say_pace(const struct gen_options *o)
{
	unsigned burst = o->conf.burst;
	double period = 0;

	if (!gen_sends(o->function))
		return;
	if (o->conf.rate_pps != 0) {
		if (burst > o->conf.rate_pps / 300)
			burst = o->conf.rate_pps < 600 ? 1 : (unsigned)(o->conf.rate_pps / 300);
		period = (double)burst / (double)o->conf.rate_pps;
	}
	SAY("Sending %u packets every  %.9f s", burst, period);
}

static void wait_for_link(const struct gen_job *j, const char *name)
{
	int seconds = j->o->wait_s >= 0 ? j->o->wait_s : made_here(name) ? 0 : 2;
	struct timespec left = {.tv_sec = seconds};

	SAY("Wait %d secs for phy reset", seconds);
	while (!gen_stopping() && nanosleep(&left, &left) != 0 && errno == EINTR)
		;
	if (!port_link_up(j->port))
		SAY("the link of %s is down: nothing will pass", name);
	SAY("Ready...");
}

static void say_threads(const struct gen_job *j, const char *name)
{
	for (unsigned i = 0; i < j->n; i++)
		if (gen_receives(j->o->function))
			gen_say("receiver_body", __LINE__, "reading from %s queue %u", name, i);
		else
			gen_say("sender_body", __LINE__, "start, queue %u", i);
}

// Thread 0 is this one; the others are workers.  Returns when all are done.
static int run_threads(struct gen_job *j, struct err *err)
{
	int rc = 0;

	for (unsigned i = 1; i < j->n && rc == 0; i++) {
		j->thread[i].worker = worker_start(i - 1, gen_thread_turn, &j->thread[i], err);
		rc = j->thread[i].worker == NULL ? -1 : 0;
	}
	if (rc != 0)
		gen_stop();
	for (unsigned i = 0; i < j->n; i++) {
		struct gen_thread *t = &j->thread[i];

		if (i > 0 && t->worker == NULL)
			atomic_store(&t->done, true); // never began
		while (!atomic_load(&t->done))
			gen_thread_turn(&j->thread[0]); // which naps when it is done itself
	}
	for (unsigned i = 1; i < j->n; i++)
		worker_stop(j->thread[i].worker);
	return rc;
}

static void say_port_counters(const struct gen_job *j)
{
	struct port_stats s;

	port_stats(j->port, &s);
	SAY("the port counts %llu sent, %llu not sent, %llu received, %llu missed, %llu without "
	    "buffer, %llu errors",
		(unsigned long long)s.tx_packets, (unsigned long long)s.tx_errors,
		(unsigned long long)s.rx_packets, (unsigned long long)s.rx_missed,
		(unsigned long long)s.rx_no_buffer, (unsigned long long)s.rx_errors);
}

static int run_job(struct gen_job *j, const char *self, const char *name)
{
	struct err err = {0};
	int status = GEN_OK;

	for (unsigned i = 0; i < j->n; i++) {
		j->thread[i] = (struct gen_thread){.o = j->o, .job = j, .index = i};
		if (gen_thread_make(&j->thread[i], &err) != 0) {
			fprintf(stderr, "%s: %s\n", self, err.msg);
			return GEN_USAGE;
		}
	}
	say_start(j, name);
	say_special(j->o);
	say_pace(j->o);
	gen_report_init(j);
	catch_signals();
	wait_for_link(j, name);
	say_threads(j, name);
	if (gen_report_start(&err) != 0) {
		fprintf(stderr, "%s: %s\n", self, err.msg);
		return GEN_FAILED;
	}
	if (run_threads(j, &err) != 0) {
		fprintf(stderr, "%s: %s\n", self, err.msg);
		status = GEN_FAILED;
	}
	gen_report_finish();
	for (unsigned i = 0; i < j->n; i++)
		if (atomic_load(&j->thread[i].failed)) {
			SAY("ouch, thread %u exited with error", i);
			status = GEN_FAILED;
		}
	gen_report_totals(j);
	if (j->o->verbose > 0)
		say_port_counters(j);
	if (port_finish(j->port, &err) != 0) {
		fprintf(stderr, "%s: %s\n", self, err.msg);
		status = GEN_FAILED;
	}
	return status;
}

int gen_run(const char *self, struct gen_options *o)
{
	char room[64];
	const char *name = full_name(o->port, room, sizeof(room));
	struct layout layout = plan(o, name);
	struct port_env env = {.memory_mb = memory_mb(&layout),
		.n_workers = o->threads - 1,
		.first_cpu = -1,
		.names = &name,
		.n_names = 1};
	struct gen_job j = {.o = o, .n = o->threads};
	struct err err = {0};
	int status = GEN_USAGE;

	SAY("interface is %s", name);
	if (!o->burst_set)
		SAY("using default burst size: %u", o->conf.burst);
	SAY("running on %u cpus (have %u)", o->n_cpus, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	say_ranges(o);
	sched_getaffinity(0, sizeof(j.cpus), &j.cpus);
	if (port_init(&env, &err) != 0) {
		fprintf(stderr, "%s: %s\n", self, err.msg);
		return GEN_FAILED;
	}
	j.thread = calloc(j.n, sizeof(*j.thread));
	if (j.thread == NULL) {
		fprintf(stderr, "%s: no memory\n", self);
	} else if (open_port(&j, name, &layout, &err) != 0) {
		fprintf(stderr, "%s: %s\n", self, err.msg);
	} else {
		SAY("opened as %s; %s", port_describe(j.port), port_env_text());
		if (!o->burst_set && port_has_rows(j.port)) {
			o->conf.burst = LIVE_BURST;
			SAY("using default burst size for live frames: %u", o->conf.burst);
		}
		if (o->own_smac)
			port_mac(j.port, &o->conf.smac);
		o->conf.seed = (uint64_t)time(NULL);
		status = run_job(&j, self, name);
	}
	for (unsigned i = 0; j.thread != NULL && i < j.n; i++)
		gen_thread_free(&j.thread[i]);
	free(j.thread);
	port_close(j.port);
	if (j.pool != NULL)
		port_pool_free(j.pool);
	port_fini();
	return status;
}

int cmd_gen(int argc, char **argv)
{
	struct gen_options o;
	// As people typed it: pkt-gen, or weir gen.
	static char typed[] = "weir gen";
	char *self = strcmp(argv[0], "gen") == 0 ? typed : basename(argv[0]);
	int status;

	argv[0] = self;
	status = gen_options_read(argc, argv, &o);
	if (status == GEN_OK)
		status = gen_run(self, &o);
	gen_options_free(&o);
	return status < 0 ? GEN_OK : status;
}

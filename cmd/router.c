// SPDX-License-Identifier: BSD-2-Clause
// weir router: opens the ports, forwards until told to stop, prints the account.
#include "box.h"
#include "command.h"
#include "router_out.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFERS_A_PORT = 8192, FRAME_EXTRA = 14 + 8, MS_MAX = 3600000, FRAME_MAX_MIN = 2048 };

struct options {
	const char *conf_dir;
	const char *port[PATH_PORTS_MAX]; // IF=NAME
	unsigned n_ports;
	uint64_t seconds, report_ms, memory_mb; // 0 = not given
	bool loop, drain, json;
};

enum { O_CONF = 256, O_PORT, O_SECONDS, O_LOOP, O_DRAIN, O_JSON, O_REPORT, O_MEMORY };

static const struct option long_options[] = {
	{"conf", required_argument, NULL, O_CONF},
	{"port", required_argument, NULL, O_PORT},
	{"seconds", required_argument, NULL, O_SECONDS},
	{"report", required_argument, NULL, O_REPORT},
	{"memory", required_argument, NULL, O_MEMORY},
	{"loop", no_argument, NULL, O_LOOP},
	{"drain", no_argument, NULL, O_DRAIN},
	{"json", no_argument, NULL, O_JSON},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs("usage: weir router --conf DIR --port IF=PORT [--port IF=PORT ...] [OPTION ...]\n\n"
	      "Forwards IPv4 and IPv6 between ports as rc.conf, sysctl.conf and loader.conf in DIR\n"
	      "say, until it is interrupted; then prints what became of the packets.\n\n"
	      "  --conf DIR      the folder of the configuration files\n"
	      "  --port IF=PORT  the interface IF of the configuration is this port (mem:, pcap:,\n"
	      "                  null, xdp:, afpacket:, tap:, memif:, a PCI address, a Linux name)\n"
	      "  --seconds N     stop after N seconds\n"
	      "  --drain         stop when all captures have been read\n"
	      "  --loop          repeat captures for ever, from memory\n"
	      "  --report MS     print a line of JSON every MS milliseconds\n"
	      "  --json          print the account as JSON\n"
	      "  --memory MB     memory for buffers and tables (512)\n"
	      "  -h, --help      this text\n",
		out);
}

static int number(const char *option, const char *text, uint64_t max, uint64_t *out)
{
	struct err err = {0};

	if (text_u64(text, max, out, &err) == 0 && *out > 0)
		return 0;
	if (err.code == 0)
		err_set(&err, EINVAL, "'%s' is not above 0", text);
	fprintf(stderr, "weir router: --%s: %s\n", option, err.msg);
	return 2;
}

static int add_port(struct options *o, const char *text)
{
	const char *eq = strchr(text, '=');

	if (eq == NULL || eq == text || eq[1] == '\0') {
		fprintf(stderr, "weir router: --port: '%s' is not of the form IF=PORT\n", text);
		return 2;
	}
	if (o->n_ports == PATH_PORTS_MAX) {
		fprintf(stderr, "weir router: --port: more than %d ports\n", PATH_PORTS_MAX);
		return 2;
	}
	o->port[o->n_ports++] = text;
	return 0;
}

static int one_option(struct options *o, int c)
{
	switch (c) {
	case O_CONF:
		o->conf_dir = optarg;
		return 0;
	case O_PORT:
		return add_port(o, optarg);
	case O_SECONDS:
		return number("seconds", optarg, UINT32_MAX, &o->seconds);
	case O_REPORT:
		return number("report", optarg, MS_MAX, &o->report_ms);
	case O_MEMORY:
		return number("memory", optarg, 1u << 20, &o->memory_mb);
	case O_LOOP:
		o->loop = true;
		return 0;
	case O_DRAIN:
		o->drain = true;
		return 0;
	case O_JSON:
		o->json = true;
		return 0;
	default:
		fputs("weir router: `weir router --help` lists the options\n", stderr);
		return 2;
	}
}

static const char *port_text(const struct options *o, unsigned i)
{
	return strchr(o->port[i], '=') + 1;
}

// A port that receives from a capture (pcap:,OUT does not).
static bool is_capture(const char *name)
{
	return strncmp(name, "pcap:", 5) == 0 && name[5] != ',' && name[5] != '\0';
}

static bool any_capture(const struct options *o)
{
	for (unsigned i = 0; i < o->n_ports; i++)
		if (is_capture(port_text(o, i)))
			return true;
	return false;
}

// 0; else the exit status, or -1 for help.
static int parse(struct options *o, int argc, char **argv)
{
	int c, rc;

	*o = (struct options){0};
	optind = 0;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == 'h')
			return -1;
		rc = one_option(o, c);
		if (rc != 0)
			return rc;
	}
	if (optind < argc) {
		fprintf(stderr, "weir router: '%s' is not an option\n", argv[optind]);
		return 2;
	}
	if (o->conf_dir == NULL || o->n_ports == 0) {
		fputs("weir router: --conf and at least one --port are needed\n", stderr);
		return 2;
	}
	if ((o->drain || o->loop) && !any_capture(o)) {
		fprintf(stderr, "weir router: --%s: no port receives from a capture\n",
			o->drain ? "drain" : "loop");
		return 2;
	}
	if (o->drain && o->loop) {
		fputs("weir router: --drain never ends with --loop\n", stderr);
		return 2;
	}
	return 0;
}

// What runs; zero-initialised is nothing.
struct run {
	struct options o;
	struct conf conf;
	bool has_conf;
	char iface[PATH_PORTS_MAX][CONF_NAME_MAX];
	struct box_port port[PATH_PORTS_MAX];
	unsigned n_open;
	struct rte_mempool *pool;
	struct box *box;
};

// port_fc and conf_iface.fc count alike, but for -1 (not given) and 0.
static enum port_fc fc_of(int fc)
{
	static const enum port_fc kinds[] = {FC_NONE, FC_RX, FC_TX, FC_FULL};

	return fc >= 0 && fc <= 3 ? kinds[fc] : FC_KEEP;
}

// A PCI address: the other kinds of port have no flow control of their own.
static bool is_nic(const char *name)
{
	unsigned a, b, c, d;
	int end = 0;

	return (sscanf(name, "%x:%x:%x.%x%n", &a, &b, &c, &d, &end) == 4 ||
		       sscanf(name, "%x:%x.%x%n", &a, &b, &c, &end) == 3) &&
	       name[end] == '\0';
}

static int no_interface(const struct run *r, unsigned i, struct err *err)
{
	char known[256] = "";
	size_t n = 0;

	for (unsigned k = 0; k < r->conf.n_ifaces && n < sizeof(known); k++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", k > 0 ? ", " : "",
			r->conf.ifaces[k].name);
	return err_set(err, EINVAL, "--port %s: %s has no interface '%s'; it has %s", r->o.port[i],
		r->o.conf_dir, r->iface[i], n > 0 ? known : "none");
}

static int open_port(struct run *r, unsigned i, struct err *err)
{
	const char *name = port_text(&r->o, i);
	size_t len = (size_t)(name - 1 - r->o.port[i]);
	const struct conf_iface *f;
	struct port_conf c = {.pool = r->pool, .promiscuous = true};

	if (len >= CONF_NAME_MAX)
		return err_set(
			err, EINVAL, "--port %s: the interface's name is too long", r->o.port[i]);
	memcpy(r->iface[i], r->o.port[i], len);
	r->port[i].iface = r->iface[i];
	f = conf_iface_find(&r->conf, r->iface[i]);
	if (f == NULL)
		return no_interface(r, i, err);
	c.mtu = f->mtu;
	c.n_rxd = f->n_rxd;
	c.n_txd = f->n_txd;
	c.fc = is_nic(name) ? fc_of(f->fc) : FC_KEEP;
	if (f->fc > 0 && c.fc == FC_KEEP)
		router_no_fc(f->name, name);
	c.pcap_loop = r->o.loop && is_capture(name);
	r->port[i].port = port_open(name, &c, err);
	if (r->port[i].port == NULL)
		return -err->code;
	r->n_open++;
	return 0;
}

static unsigned frame_max(const struct conf *c)
{
	unsigned max = FRAME_MAX_MIN;

	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (c->ifaces[i].mtu + FRAME_EXTRA > (int)max)
			max = c->ifaces[i].mtu + FRAME_EXTRA;
	return max;
}

// The script of cxgbetool lines in the configuration's folder, if there is one.
static int run_script(struct run *r, struct err *err)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", r->o.conf_dir, CONF_SCRIPT) >= (int)sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s: the name is too long", r->o.conf_dir);
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	return box_script(r->box, path, err);
}

static int start(struct run *r, struct err *err)
{
	const char *names[PATH_PORTS_MAX];
	struct port_env env = {.n_workers = 1,
		.first_cpu = -1,
		.names = names,
		.n_names = r->o.n_ports,
		.memory_mb = (unsigned)r->o.memory_mb};
	struct box_setup setup = {
		.conf = &r->conf, .ports = r->port, .note = router_note, .adapter = "t5nex0"};
	int rc = conf_read_dir(r->o.conf_dir, &r->conf, err);

	if (rc != 0)
		return rc;
	r->has_conf = true;
	for (unsigned i = 0; i < r->o.n_ports; i++)
		names[i] = port_text(&r->o, i);
	rc = port_init(&env, err);
	if (rc != 0)
		return rc;
	r->pool = port_pool("router", BUFFERS_A_PORT * r->o.n_ports, frame_max(&r->conf), err);
	if (r->pool == NULL)
		return -err->code;
	for (unsigned i = 0; i < r->o.n_ports; i++) {
		rc = open_port(r, i, err);
		if (rc != 0)
			return rc;
	}
	router_conf_notes(&r->conf);
	setup.n_ports = r->o.n_ports;
	setup.pool = r->pool;
	r->box = box_new(&setup, err);
	if (r->box == NULL)
		return -err->code;
	rc = run_script(r, err);
	if (rc != 0)
		return rc;
	router_hello(r->port, r->o.n_ports);
	return box_start(r->box, 0, err);
}

static int finish(struct run *r, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < r->n_open; i++) {
		struct err one = {0};

		if (port_finish(r->port[i].port, &one) != 0 && rc == 0)
			rc = err_set(err, one.code, "%s", one.msg);
	}
	return rc;
}

static void clean(struct run *r)
{
	box_free(r->box);
	while (r->n_open > 0)
		port_close(r->port[--r->n_open].port);
	port_pool_free(r->pool);
	port_fini();
	if (r->has_conf)
		conf_free(&r->conf);
}

// Whether all captures are read and nothing moves any more.
static bool drained(const struct run *r, uint64_t *last_in)
{
	struct path_counters c;
	uint64_t before = *last_in;

	for (unsigned i = 0; i < r->o.n_ports; i++)
		if (is_capture(port_text(&r->o, i)) && !port_done(r->port[i].port))
			return false;
	box_quiet(r->box);
	box_counters(r->box, &c);
	*last_in = c.in;
	return c.in == before;
}

// Waits for a signal, the time, or the end of the captures, and reports on the way.
static void wait_for_end(const struct run *r, const sigset_t *signals)
{
	uint64_t tick_ms = r->o.report_ms != 0 ? r->o.report_ms : r->o.drain ? 2 : 1000;
	uint64_t start_ns = clock_ns(), end_ns = UINT64_MAX, due = start_ns, last_in = UINT64_MAX;
	struct router_window w;

	router_window_start(&w, r->box);
	if (r->o.seconds != 0)
		end_ns = start_ns + r->o.seconds * 1000000000u;
	for (uint64_t now = start_ns; now < end_ns; now = clock_ns()) {
		struct timespec t;
		uint64_t left;

		due += tick_ms * 1000000u;
		left = (due < end_ns ? due : end_ns) > now ? (due < end_ns ? due : end_ns) - now
							   : 0;
		t = (struct timespec){.tv_sec = (time_t)(left / 1000000000u),
			.tv_nsec = (long)(left % 1000000000u)};
		if (sigtimedwait(signals, NULL, &t) > 0)
			return;
		if (r->o.report_ms != 0)
			router_window_print(&w, r->box);
		if (r->o.drain && drained(r, &last_in))
			return;
	}
}

static int run(struct run *r, const sigset_t *signals, struct err *err)
{
	int rc = start(r, err);

	if (rc != 0)
		return rc;
	wait_for_end(r, signals);
	box_stop(r->box);
	rc = finish(r, err);
	router_account(r->box, r->port, r->o.n_ports, r->o.json);
	return rc;
}

int cmd_router(int argc, char **argv)
{
	struct run r = {0};
	struct err err = {0};
	sigset_t signals;
	int rc = parse(&r.o, argc, argv);

	if (rc != 0) {
		if (rc < 0)
			usage(stdout);
		return rc < 0 ? 0 : rc;
	}
	// Blocked before any thread exists, so that only sigtimedwait sees them.
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	rc = run(&r, &signals, &err);
	if (rc != 0)
		fprintf(stderr, "weir router: %s\n", err.msg);
	clean(&r);
	return rc != 0;
}

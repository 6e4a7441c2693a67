// SPDX-License-Identifier: BSD-2-Clause
// weir router: opens the ports, forwards until told to stop, prints the account.
#include "box.h"
#include "command.h"
#include "privileges.h"
#include "router_ctl.h"
#include "router_opts.h"
#include "router_out.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFERS_A_PORT = 8192, FRAME_EXTRA = 14 + 8, FRAME_MAX_MIN = 2048 };

// What runs; zero-initialised is nothing.
struct run {
	struct router_options o;
	struct conf conf;
	bool has_conf;
	char iface[PATH_PORTS_MAX][CONF_NAME_MAX];
	struct box_port port[PATH_PORTS_MAX];
	unsigned n_open;
	struct rte_mempool *pool;
	struct box *box;
	struct router_ctl *ctl;
	sigset_t signals;
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
	const char *name = router_port_text(&r->o, i);
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
	c.pcap_loop = r->o.loop && router_is_capture(name);
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

// A link that leads nowhere is there: its rules are missed when it is read.
static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 || errno != ENOENT;
}

// What router_save writes ends with a newline; a file that was cut short would be other rules.
static int check_kept(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char last = '\0';
	struct stat st;
	bool cut = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		   (st.st_size == 0 || pread(fd, &last, 1, st.st_size - 1) != 1 || last != '\n');

	if (fd >= 0)
		close(fd);
	if (!cut)
		return 0; // what else is wrong with it is told when it is read
	return err_set(err, EINVAL,
		"--save %s: %s, so rules are missing; mend it, or remove it to begin anew", path,
		st.st_size == 0 ? "is empty" : "does not end with a newline");
}

// The card's first rules: those that were kept, else those of the configuration's start script.
static int run_script(struct run *r, struct err *err)
{
	char path[PATH_MAX];
	bool has_script;
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", r->o.conf_dir, CONF_SCRIPT) >= (int)sizeof(path))
		return err_set(err, ENAMETOOLONG, "%s: the name is too long", r->o.conf_dir);
	has_script = is_there(path);
	if (r->o.save == NULL || !is_there(r->o.save))
		return has_script ? box_script(r->box, path, err) : 0;
	if (has_script)
		router_script_note(path, r->o.save);
	rc = check_kept(r->o.save, err);
	return rc != 0 ? rc : box_script(r->box, r->o.save, err);
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
		.conf = &r->conf, .ports = r->port, .note = router_note, .adapter = r->o.name};
	int rc = conf_read_dir(r->o.conf_dir, &r->conf, err);

	if (rc != 0)
		return rc;
	r->has_conf = true;
	r->ctl = router_ctl_new(r->o.name, &r->signals, err);
	if (r->ctl == NULL)
		return -err->code;
	for (unsigned i = 0; i < r->o.n_ports; i++)
		names[i] = router_port_text(&r->o, i);
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
	return 0;
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
		if (router_is_capture(router_port_text(&r->o, i)) && !port_done(r->port[i].port))
			return false;
	box_quiet(r->box);
	box_counters(r->box, &c);
	*last_in = c.in;
	return c.in == before;
}

// Serves the control socket until a signal, the time, or the end of the captures, and reports.
static void wait_for_end(const struct run *r)
{
	uint64_t tick_ms = r->o.report_ms != 0 ? r->o.report_ms : r->o.drain ? 2 : 1000;
	uint64_t now = clock_ns(), end_ns = UINT64_MAX, due = now, last_in = UINT64_MAX;
	struct router_window w;

	router_window_start(&w, r->box);
	if (r->o.seconds != 0)
		end_ns = now + r->o.seconds * 1000000000u;
	while (now < end_ns) {
		uint64_t until;

		if (due <= now)
			due += tick_ms * 1000000u;
		until = due < end_ns ? due : end_ns;
		// Rounded up: a wait that ends before its time would be made again at once.
		if (router_ctl_poll(
			    r->ctl, until > now ? (int)((until - now + 999999) / 1000000u) : 0))
			return;
		now = clock_ns();
		if (now < due)
			continue;
		if (r->o.report_ms != 0)
			router_window_print(&w, r->box);
		if (r->o.drain && drained(r, &last_in))
			return;
	}
}

static int give_up_privileges(const struct run *r, struct err *err)
{
	// As another user there is no way back to other people's folders.
	struct privileges p = {.user = r->o.user, .files = r->o.user == NULL && r->o.save != NULL};

	for (unsigned i = 0; i < r->o.n_ports; i++) {
		p.net_admin |= port_puts_back(r->port[i].port);
		p.files |= router_writes_capture(router_port_text(&r->o, i));
	}
	return privileges_drop(&p, err);
}

static int run(struct run *r, struct err *err)
{
	struct router_ctl_conf c = {.ports = r->port, .n_ports = r->o.n_ports, .save = r->o.save};
	int rc = start(r, err);

	if (rc == 0)
		rc = give_up_privileges(r, err);
	if (rc != 0)
		return rc;
	c.box = r->box;
	router_ctl_serve(r->ctl, &c);
	rc = router_ctl_save(r->ctl, err);
	if (rc == 0)
		rc = box_start(r->box, 0, err);
	if (rc != 0)
		return rc;
	wait_for_end(r);
	box_stop(r->box);
	router_ctl_end(r->ctl);
	rc = router_ctl_save(r->ctl, err);
	// Clients shall not wait for what the rest takes.
	router_ctl_free(r->ctl);
	r->ctl = NULL;
	privileges_raise();
	// One failure is told; the account is printed whatever happened.
	if (finish(r, rc == 0 ? err : NULL) != 0)
		rc = -1;
	router_account(r->box, r->port, r->o.n_ports, r->o.json);
	return rc;
}

int cmd_router(int argc, char **argv)
{
	struct run r = {0};
	struct err err = {0};
	int rc = router_parse(&r.o, argc, argv);

	if (rc != 0) {
		if (rc < 0)
			router_usage(stdout);
		return rc < 0 ? 0 : rc;
	}
	// Blocked before any thread exists, so that only the control socket's poll sees them.
	ending_signals(&r.signals);
	pthread_sigmask(SIG_BLOCK, &r.signals, NULL);
	rc = run(&r, &err);
	if (rc != 0)
		fprintf(stderr, "weir router: %s\n", err.msg);
	privileges_raise();
	router_ctl_free(r.ctl);
	clean(&r);
	return rc != 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// dut_linux.c - the Linux kernel as the device under test.
//
//	namespace "tester"            namespace "device"
//	port out - weir0 ======== igb2 \  (names of rc.conf)
//	                                 kernel
//	port in  - weir1 ======== igb3 /
//
// The device's receiving interface is served by a kernel thread of its own, bound to a CPU, whose
// CPU time is the cost of forwarding: what the stack does for a frame from the cable to the next
// cable happens there.  The end of the second cable belongs to the tester: a thread on the
// tester's CPU takes the frames off it.
#include "lab/dut_linux.h"
#include "lab/pools.h"

#include "base/cpu.h"
#include "port/port.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { N_FILES = 4 };

struct dut_linux {
	const char *kind; // of the tester's ports
	unsigned cpus[CPU_MAX], n_cpus;
	struct pools pools;
	// One start's:
	struct dut_linux_host host;
	struct port *out, *in;
	int file[N_FILES]; // of the device: dev, snmp, snmp6, netstat
	struct kernel_text text;
	struct dut_counters before;
};

// The CPU that the calling thread is bound to, or runs on.
static unsigned own_cpu(void)
{
	unsigned cpu[2];
	int now = sched_getcpu();

	return cpu_allowed(cpu, 2) == 1 || now < 0 ? cpu[0] : (unsigned)now;
}

// A CPU for the device that is not the tester's, of those the process had when the device was made
// (starting packet I/O binds the thread).  A process that may use only one shares it.
static void choose_cpus(struct dut_linux *s)
{
	s->host.tester_cpu = s->host.cpu = own_cpu();
	for (unsigned i = 0; i < s->n_cpus; i++)
		if (s->cpus[i] != s->host.tester_cpu) {
			s->host.cpu = s->cpus[i];
			return;
		}
}

struct opening {
	struct dut_linux *s;
	struct err *err;
};

static int open_ports(void *arg)
{
	struct opening *o = arg;
	struct dut_linux *s = o->s;
	struct port_conf conf = {.promiscuous = true};
	char name[64];

	snprintf(name, sizeof(name), "%s:%s", s->kind, s->host.in_cable);
	conf.pool = s->pools.out;
	s->out = port_open(name, &conf, o->err);
	if (s->out == NULL)
		return -o->err->code;
	snprintf(name, sizeof(name), "%s:%s", s->kind, s->host.out_cable);
	conf.pool = s->pools.in;
	s->in = port_open(name, &conf, o->err);
	return s->in != NULL ? 0 : -o->err->code;
}

static int close_ports(void *arg)
{
	struct dut_linux *s = arg;

	if (s->in != NULL)
		port_close(s->in);
	if (s->out != NULL)
		port_close(s->out);
	s->in = s->out = NULL;
	return 0;
}

static int open_files(struct dut_linux *s, struct err *err)
{
	static const char *const name[N_FILES] = {
		"/proc/net/dev", "/proc/net/snmp", "/proc/net/snmp6", "/proc/net/netstat"};

	for (unsigned i = 0; i < N_FILES; i++) {
		char path[64];

		netns_path(s->host.device, name[i], path, sizeof(path));
		s->file[i] = open(path, O_RDONLY | O_CLOEXEC);
		// A kernel without IPv6 has no snmp6.
		if (s->file[i] < 0 && !(i == 2 && errno == ENOENT))
			return err_set(err, errno, "%s: %s", path, strerror(errno));
	}
	return 0;
}

static void read_file(int fd, char *out, size_t size)
{
	size_t at = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && at < size - 1) {
		n = pread(fd, out + at, size - 1 - at, (off_t)at);
		if (n > 0)
			at += (size_t)n;
	}
	out[at] = '\0';
}

static void account(struct dut_linux *s, struct dut_counters *out)
{
	read_file(s->file[0], s->text.dev, sizeof(s->text.dev));
	read_file(s->file[1], s->text.snmp, sizeof(s->text.snmp));
	read_file(s->file[2], s->text.snmp6, sizeof(s->text.snmp6));
	read_file(s->file[3], s->text.netstat, sizeof(s->text.netstat));
	kernel_account(&s->text, s->host.in, s->host.out, out);
	out->cpu_ns = napi_cpu_ns(&s->host.forward);
}

static void describe(struct dut *d)
{
	struct dut_linux *s = d->state;
	struct utsname u;

	uname(&u);
	choose_cpus(s);
	snprintf(d->about, sizeof(d->about),
		"Linux %.60s%s: forwarding in a network namespace between veth pairs by the NAPI "
		"thread of %s on CPU %u, frames gathered for 100 us, GRO on, TSO off",
		u.release, s->host.weir != NULL ? " with a card in it" : "",
		s->host.in[0] != '\0' ? s->host.in : "one interface", s->host.cpu);
	if (s->out == NULL)
		snprintf(d->tester, sizeof(d->tester), "%s ports on CPU %u", s->kind,
			s->host.tester_cpu);
	else
		snprintf(d->tester, sizeof(d->tester), "%.60s and %.60s, CPU %u",
			port_describe(s->out), port_describe(s->in), s->host.tester_cpu);
}

static void ends_fill(
	struct dut_linux *s, const struct conf *c, const struct lab_topo *t, struct lab_ends *ends)
{
	ends->out = s->out;
	ends->in = s->in;
	ends->pool = s->pools.out;
	dut_linux_station(t, true, &ends->smac);
	dut_linux_mac(c, t->in, &ends->dmac);
	dut_linux_mac(c, t->out, &ends->out_smac);
	dut_linux_station(t, false, &ends->out_dmac);
	ends->check_smac = ends->check_dmac = true;
}

// The longest frame the cables can carry, with a VLAN tag.
static unsigned longest(const struct conf *c, const struct lab_topo *t)
{
	unsigned in = c->ifaces[t->in].mtu, out = c->ifaces[t->out].mtu;

	return (in > out ? in : out) + 18;
}

static int start(struct dut *d, const struct lab_condition *c, const struct lab_traffic *t,
	struct lab_ends *ends, struct err *err)
{
	struct dut_linux *s = d->state;
	struct opening o = {.s = s, .err = err};
	struct lab_topo topo;
	int rc = lab_topo(&c->conf, t, &topo, err);

	if (rc == 0 && !pools_fit(&s->pools, longest(&c->conf, &topo)))
		rc = pools_make(&s->pools, longest(&c->conf, &topo), err);
	if (rc != 0)
		return err_context(err, "condition %s", c->name);
	choose_cpus(s);
	rc = dut_linux_make(&s->host, c, t, &topo, err);
	if (rc == 0)
		rc = netns_call(s->host.tester, open_ports, &o, err);
	if (rc == 0)
		rc = dut_linux_sink(&s->host, err);
	if (rc == 0)
		rc = open_files(s, err);
	if (rc != 0)
		return err_context(err, "condition %s", c->name);
	ends_fill(s, &c->conf, &topo, ends);
	describe(d);
	account(s, &s->before);
	return 0;
}

static void read_counters(struct dut *d, struct dut_counters *out)
{
	struct dut_linux *s = d->state;

	account(s, out);
	account_since(out, &s->before);
}

static void stop(struct dut *d)
{
	struct dut_linux *s = d->state;

	dut_linux_lock(&s->host);
	// A port that is an AF_XDP socket is looked up once more to be closed.
	if (s->host.tester == NULL || netns_call(s->host.tester, close_ports, s, NULL) != 0)
		close_ports(s);
	for (unsigned i = 0; i < N_FILES; i++) {
		if (s->file[i] >= 0)
			close(s->file[i]);
		s->file[i] = -1;
	}
	dut_linux_unmake(&s->host);
}

static int make(struct dut *d, const char *port_kind, const char *weir, struct err *err)
{
	struct dut_linux *s;
	int rc = dut_linux_rights(err);

	if (rc != 0)
		return rc;
	if (strcmp(port_kind, "afpacket") != 0 && strcmp(port_kind, "xdp") != 0)
		return err_set(err, EINVAL, "'%s': the Linux device has ports of afpacket or xdp",
			port_kind);
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return err_set(err, ENOMEM, "no memory for the Linux device");
	s->kind = strcmp(port_kind, "xdp") == 0 ? "xdp" : "afpacket";
	s->host.weir = weir;
	s->n_cpus = cpu_allowed(s->cpus, CPU_MAX);
	for (unsigned i = 0; i < N_FILES; i++)
		s->file[i] = -1;
	*d = (struct dut){.state = s,
		.has_work = true,
		.settle_s = 0.05,
		.both_ways = true,
		.notes = weir != NULL ? dut_linux_card_notes : dut_linux_notes,
		.start = start,
		.read = read_counters,
		.stop = stop};
	describe(d);
	return 0;
}

int dut_linux(struct dut *d, const char *port_kind, struct err *err)
{
	return make(d, port_kind, NULL, err);
}

int dut_xdp(struct dut *d, const char *port_kind, const char *weir, struct err *err)
{
	return make(d, port_kind, weir, err);
}

void dut_linux_free(struct dut *d)
{
	struct dut_linux *s = d->state;

	if (s == NULL)
		return;
	pools_free(&s->pools);
	free(s);
	d->state = NULL;
}

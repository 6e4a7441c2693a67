// SPDX-License-Identifier: BSD-2-Clause
// weir lab: what does this box forward with these settings, and is the difference real?
#include "command.h"
#include "dut_weir.h"
#include "lab_cmd.h"
#include "lab_filter.h"

#include "base/text.h"
#include "port/port.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of an experiment whose number of runs nobody asked for.
enum { TIME_LIMIT_S = 75 };

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction act = {.sa_handler = on_signal};

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i] != SIGHUP || !hangup_ignored())
			sigaction(signals[i], &act, NULL);
}

// Ends as the signal would have ended it, so that the caller sees it was interrupted.
static void die_by_signal(void)
{
	if (stop == 0)
		return;
	signal(stop, SIG_DFL);
	raise(stop);
}

static int complain(const struct err *err, int status)
{
	fprintf(stderr, "weir lab: %s\n", err->msg);
	return status;
}

// What an error says about whose fault it is.
static int status_of(const struct err *err)
{
	switch (err->code) {
	case EPERM:
	case EACCES:
	case ENODEV:
	case EBUSY:
	case ENOTSUP:
	case EROFS:
		return LAB_REFUSED;
	case EINVAL:
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case EFBIG:
	case EEXIST:
	case E2BIG:
	case ENAMETOOLONG:
		return LAB_USAGE;
	default:
		return LAB_INVALID;
	}
}

// RFC 6815: tests of this kind belong into isolated networks.  In memory and in namespaces they are.
static int check_guard(const struct lab_cmd *c)
{
	for (unsigned i = 0; i < c->o.n_traffic; i++)
		if (c->device == DEVICE_WIRE && !c->owner &&
			!lab_traffic_isolated(&c->traffic[i])) {
			fputs("weir lab: the addresses lie outside 198.18.0.0/15 and 2001:2::/48, "
			      "the nets set aside for benchmarks (RFC 6815); if the network is "
			      "isolated and yours, say --i-own-this-network\n",
				stderr);
			return LAB_REFUSED;
		}
	return LAB_OK;
}

static int device_new(const struct lab_cmd *c, struct dut *d, struct err *err)
{
	const struct dut_wire_conf wire = {c->out, c->in, c->dmac};
	const char *ports = c->linux_ports != NULL ? c->linux_ports : "xdp";
	static char self[PATH_MAX]; // makes the cards of its starts
	ssize_t n;

	switch (c->device) {
	case DEVICE_LINUX:
		return dut_linux(d, ports, err);
	case DEVICE_XDP:
		n = readlink("/proc/self/exe", self, sizeof(self) - 1);
		if (n < 0)
			return err_set(err, errno, "/proc/self/exe: %s", strerror(errno));
		return dut_xdp(d, ports, self, err);
	case DEVICE_WIRE:
		return dut_wire(d, &wire, err);
	case DEVICE_WEIR:
		break;
	}
	return dut_weir(d, err);
}

static void device_free(const struct lab_cmd *c, struct dut *d)
{
	if (d->state == NULL)
		return;
	switch (c->device) {
	case DEVICE_LINUX:
	case DEVICE_XDP:
		dut_linux_free(d);
		return;
	case DEVICE_WIRE:
		dut_wire_free(d);
		return;
	case DEVICE_WEIR:
		dut_weir_free(d);
	}
}

static int start_ports(const struct lab_cmd *c, struct err *err)
{
	const char *names[] = {c->out, c->in};
	struct port_env env = {.first_cpu = -1, .memory_mb = 384};

	if (c->device == DEVICE_WEIR)
		env.n_workers = 1;
	if (c->device == DEVICE_WIRE) {
		env.names = names;
		env.n_names = 2;
	}
	return port_init(&env, err);
}

// The traffic the built-in filters are made around, NULL: without filters.  They are for Weir's own router: of the kernel, whose
// rules are walked one by one, a run with thousands of them says little in half a second.
static const struct lab_traffic *built_in_filters(const struct lab_cmd *c)
{
	bool wanted = c->only != NULL || (!c->quick && c->n_aa == 0);

	return c->device == DEVICE_WEIR && !c->only6 && wanted ? &c->traffic[0] : NULL;
}

static int read_conditions(struct lab_cmd *c, struct lab_conditions *out, struct err *err)
{
	static char name[LAB_NAME_MAX];
	char *copy;

	if (c->dir == NULL)
		return lab_conditions_builtin(c->only, c->baseline, built_in_filters(c), out, err);
	copy = strdup(c->dir);
	if (copy != NULL && c->o.name == NULL) {
		snprintf(name, sizeof(name), "%s", basename(copy));
		c->o.name = name;
	}
	free(copy);
	return lab_conditions_read(c->dir, c->only, c->baseline, out, err);
}

// With --fail-if-slower: whether a condition is proven slower, or may be.
static int judge(const struct lab_cmd *c, const struct lab_results *r)
{
	int status = LAB_OK;

	for (unsigned i = 0; i < r->n_cmps; i++) {
		const struct lab_comparison *k = &r->cmp[i];

		if (k->c.verdict == INVALID)
			return LAB_INVALID;
		if (c->fail_if_slower < 0 || k->aa)
			continue;
		if (k->c.verdict == SLOWER && k->c.ci_hi < -c->fail_if_slower)
			status = LAB_SLOWER;
		else if (status == LAB_OK && !(k->c.ci_lo >= -c->fail_if_slower))
			status = LAB_INCONCLUSIVE;
	}
	for (unsigned i = 0; i < r->n_arms; i++)
		if (r->arm[i].n == 0)
			return LAB_INVALID;
	return status;
}

static int print(const struct lab_cmd *c, const struct lab_results *r, const char *folder)
{
	if (c->json) {
		char *text = lab_results_json(r);

		if (text == NULL)
			return LAB_INVALID;
		puts(text);
		free(text);
	} else {
		lab_print(stdout, r, folder);
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return LAB_OK;
	fprintf(stderr, "weir lab: standard output: %s\n", strerror(errno));
	return LAB_INVALID;
}

static int experiment(struct lab_cmd *c, struct dut *d, const struct lab_conditions *conditions)
{
	struct lab_results r;
	struct err err = {0};
	char folder[PATH_MAX];
	int status, rc;

	if (c->n_aa > 0)
		return lab_cmd_aa(c, d, conditions);
	rc = lab_run(d, conditions, &c->o, &r, folder, sizeof(folder), &err);
	if (rc < 0)
		return complain(&err, status_of(&err));
	status = print(c, &r, rc == LAB_NOT_KEPT ? NULL : folder);
	if (status == LAB_OK)
		status = judge(c, &r);
	if (rc == LAB_NOT_KEPT)
		status = complain(&err, status_of(&err));
	lab_results_free(&r);
	return status;
}

static int make(struct lab_cmd *c)
{
	struct lab_conditions conditions = {0};
	struct dut d = {0};
	struct err err = {0};
	int status;

	if (read_conditions(c, &conditions, &err) != 0)
		return complain(&err, status_of(&err));
	if (lab_filter_load(c, &conditions, &err) != 0) {
		lab_conditions_free(&conditions);
		return complain(&err, status_of(&err));
	}
	// The device first: port_init() binds this thread to the CPU that it must still choose from.
	if (device_new(c, &d, &err) != 0 || start_ports(c, &err) != 0) {
		complain(&err, 0);
		status = status_of(&err) == LAB_USAGE ? LAB_USAGE : LAB_REFUSED;
	} else {
		status = experiment(c, &d, &conditions);
	}
	device_free(c, &d);
	lab_conditions_free(&conditions);
	port_fini();
	return status;
}

// The page anew, and the table.
static int report_again(const char *folder)
{
	struct lab_results r;
	struct err err = {0};

	if (lab_report_again(folder, &r, &err) != 0)
		return complain(&err, LAB_USAGE);
	lab_print(stdout, &r, folder);
	lab_results_free(&r);
	return LAB_OK;
}

// Twelve arms: shorter runs, so that the time allows enough of them.  The least of ten comparisons needs
// 10 runs that all agree (exact signed-rank test, p = 0.02 after Holm's correction); on a machine that
// is too busy for as many the verdicts are inconclusive, but there in time.
static void many_arms(struct lab_options *o)
{
	o->n_min = 6;
	if (o->run_s > 0)
		return;
	o->run_s = 0.2;
	o->warm_s = 0.04;
}

int cmd_lab(int argc, char **argv)
{
	struct lab_cmd c;
	struct err err = {0};
	int status;

	if (lab_cmd_parse(&c, argc, argv, &err) != 0)
		return complain(&err, LAB_USAGE);
	if (c.help) {
		lab_cmd_usage(stdout);
		return LAB_OK;
	}
	if (c.report != NULL)
		return report_again(c.report);
	if (c.o.n_runs == 0 && c.n_aa == 0)
		c.o.max_s = TIME_LIMIT_S;
	if (c.dir == NULL && built_in_filters(&c) != NULL && c.only == NULL)
		many_arms(&c.o);
	if (c.quick) {
		c.o.n_runs = 8;
		c.o.run_s = 0.2;
		c.o.window_s = 0.02;
		c.o.warm_s = 0.03;
	}
	status = check_guard(&c);
	if (status != LAB_OK)
		return status;
	c.o.progress = isatty(STDERR_FILENO) ? stderr : NULL;
	c.o.stop = &stop;
	catch_signals();
	status = make(&c);
	die_by_signal();
	return status;
}

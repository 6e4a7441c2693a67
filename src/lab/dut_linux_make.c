// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_make.c - a start of the Linux device, step by step.
#include "lab/dut_linux.h"
#include "lab/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	QUIET_TICK_MS = 10,
	QUIET_TICKS = 3,
	QUIET_TICKS_MAX = 100,
	STOP_TICKS_MAX = 300,
	SETUP_TIMEOUT_S = 60,
};

// As a NIC does under load, the device's receiving end gathers frames for a while instead of waking
// its thread for each, and does so for 20 ms after the last one.  Without it the cost of a frame
// depends on how fast the tester sends: with 0.1 to 0.25 Mpps sent, 2400 cycles a frame, with it
// 1900 to 2000 (200 us: 1850).  A cable's ring holds 256 frames: 200 us of what a core forwards.
static const char gather_ns[] = "100000", gather_idle_times[] = "200";

int dut_linux_rights(struct err *err)
{
	static const struct {
		unsigned bit;
		const char *name;
	} needed[] = {{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, {CAP_NET_ADMIN, "CAP_NET_ADMIN"},
		{CAP_NET_RAW, "CAP_NET_RAW"}, {CAP_SYS_NICE, "CAP_SYS_NICE"}};
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};
	char missing[128] = "";
	size_t n = 0;

	if (syscall(SYS_capget, &head, data) != 0)
		return err_set(err, errno, "capget: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if ((data[0].effective & 1u << needed[i].bit) == 0)
			n += (size_t)snprintf(missing + n, sizeof(missing) - n, "%s%s",
				n > 0 ? ", " : "", needed[i].name);
	if (n > 0)
		return err_set(err, EPERM,
			"the Linux device needs network namespaces: run as root (missing: %s)",
			missing);
	if (!napi_visible())
		return err_set(err, ENOTSUP,
			"the Linux device's cost is the CPU time of a kernel thread, and none is "
			"visible here: run outside the container, or with the host's process ids");
	return 0;
}

static int run_batch(struct netns *ns, const struct batch *b, struct err *err)
{
	const char *const argv[] = {"ip", "-batch", "-", NULL};
	struct netns_command c = {.argv = argv, .input = b->text};
	char said[1024] = "";
	int rc = netns_run(ns, &c, said, sizeof(said), err);

	return rc == -EINVAL && said[0] != '\0' ? batch_error(b, said, err) : rc;
}

static int apply_sysctls(struct netns *ns, const struct sysctl *list, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		char path[128];

		snprintf(path, sizeof(path), "/proc/sys/net/%s", list[i].path);
		// A kernel without IPv6 has no switch to turn it off.
		if (strstr(path, "/disable_ipv6") != NULL && strcmp(list[i].value, "1") == 0 &&
			access("/proc/sys/net/ipv6", F_OK) != 0)
			continue;
		if (netns_write(ns, path, list[i].value, err) != 0)
			return -err->code;
	}
	return 0;
}

static int cables(struct dut_linux_host *h, const struct conf *c, struct err *err)
{
	struct sysctl list[SYSCTLS_MAX];
	const struct sysctl no_ipv6 = {"ipv6/conf/default/disable_ipv6", "1"};
	unsigned n = dut_linux_sysctls(c, list);
	struct batch b;
	int rc;

	rc = apply_sysctls(h->tester, &no_ipv6, 1, err);
	if (rc == 0)
		rc = apply_sysctls(h->device, list, n, err);
	if (rc == 0)
		rc = dut_linux_links(c, netns_pid(h->tester), netns_pid(h->device), &b, err);
	if (rc == 0) {
		rc = run_batch(NULL, &b, err);
		batch_free(&b);
	}
	for (unsigned i = 0; rc == 0 && i < c->n_ifaces; i++) {
		n = dut_linux_iface_sysctls(c, i, list);
		rc = apply_sysctls(h->device, list, n, err);
	}
	return rc;
}

struct offload {
	const char *iface;
	uint32_t command; // ETHTOOL_SGRO, ETHTOOL_STSO
	bool on;
	struct err *err;
};

static int set_offload(void *arg)
{
	struct offload *o = arg;
	struct ethtool_value v = {.cmd = o->command, .data = o->on};
	struct ifreq r = {.ifr_data = (char *)&v};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc = 0;

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", o->iface);
	if (fd < 0 || ioctl(fd, SIOCETHTOOL, &r) != 0)
		rc = err_set(o->err, errno, "%s: turning %s %s: %s", o->iface,
			o->command == ETHTOOL_SGRO ? "GRO" : "TSO", o->on ? "on" : "off",
			strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

// A veth end whose GRO is on has a receive ring and a NAPI, and they are used for frames of a
// sender that has no TSO; other frames are handled in the sender's context.  (GRO itself merges no
// UDP frames here.)
static int offloads(struct dut_linux_host *h, struct err *err)
{
	struct {
		struct netns *ns;
		struct offload o;
	} list[] = {
		{h->tester, {h->in_cable, ETHTOOL_STSO, false, err}},
		{h->device, {h->in, ETHTOOL_SGRO, true, err}},
		{h->device, {h->out, ETHTOOL_STSO, false, err}},
		{h->tester, {h->out_cable, ETHTOOL_SGRO, true, err}},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]) && rc == 0; i++)
		rc = netns_call(list[i].ns, set_offload, &list[i].o, err);
	return rc;
}

static int set_attribute(
	struct netns *ns, const char *iface, const char *name, const char *value, struct err *err)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", iface, name);
	return netns_write(ns, path, value, err);
}

static int receive_by_thread(struct netns *ns, const char *iface, struct err *err)
{
	return set_attribute(ns, iface, "threaded", "1", err);
}

// The thread that forwards, and how it is woken.
static int forwarder(struct dut_linux_host *h, struct err *err)
{
	int rc = receive_by_thread(h->device, h->in, err);

	if (rc == 0)
		rc = set_attribute(h->device, h->in, "gro_flush_timeout", gather_ns, err);
	if (rc == 0)
		rc = set_attribute(
			h->device, h->in, "napi_defer_hard_irqs", gather_idle_times, err);
	if (rc == 0)
		rc = napi_find(h->in, &h->not_forward, &h->forward, err);
	return rc == 0 ? napi_pin(&h->forward, h->cpu, false, err) : rc;
}

static int settings(struct dut_linux_host *h, const struct conf *c, const struct lab_traffic *t,
	const struct lab_topo *topo, struct err *err)
{
	struct batch b;
	int rc = offloads(h, err);

	if (rc == 0)
		rc = dut_linux_tester(c, topo, &b, err);
	if (rc != 0)
		return rc;
	// The tester's ends first: the device's come up with a carrier.
	rc = run_batch(h->tester, &b, err);
	batch_free(&b);
	if (rc == 0)
		rc = dut_linux_device(c, t, topo, &b, err);
	if (rc != 0)
		return rc;
	rc = run_batch(h->device, &b, err);
	batch_free(&b);
	return rc;
}

// The condition's rules in nftables' words.
static int filter(struct dut_linux_host *h, const struct lab_condition *c, struct err *err)
{
	const char *const argv[] = {"nft", "-f", "-", NULL};
	char name[640];
	struct netns_command cmd = {.name = name, .argv = argv, .input = c->filter.nft};

	if (c->filter.nft == NULL)
		return 0;
	snprintf(name, sizeof(name), "%s in nftables' words", c->filter.path);
	return netns_run(h->device, &cmd, NULL, 0, err);
}

// A script may have made the interface anew, or its NAPI (by attaching an XDP program).
static int forwarder_again(struct dut_linux_host *h, const struct lab_condition *c, struct err *err)
{
	if (napi_alive(&h->forward, h->in))
		return 0;
	if (forwarder(h, err) == 0)
		return 0;
	return err_context(err,
		"%s took away the thread that forwards (GRO off, or %s down), so that its work "
		"cannot be told from the tester's",
		c->setup, h->in);
}

// Waits until the kernel has said what it says about new addresses (multicast reports).
static void quiet(const struct dut_linux_host *h)
{
	const struct timespec tick = {0, QUIET_TICK_MS * 1000000};
	uint64_t last = UINT64_MAX;

	for (int same = 0, i = 0; same < QUIET_TICKS && i < QUIET_TICKS_MAX; i++) {
		char path[64], text[8192] = "";
		uint64_t now;
		FILE *f = fopen(netns_path(h->device, "/proc/net/snmp6", path, sizeof(path)), "re");
		size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

		text[n] = '\0';
		if (f != NULL)
			fclose(f);
		now = kernel_field6(text, "Ip6OutRequests");
		same = now == last ? same + 1 : 0;
		last = now;
		nanosleep(&tick, NULL);
	}
}

// Kernel threads are told apart by their names and by when they came, so of all who see the same
// threads (a namespace of process ids, whatever their network namespaces) one at a time makes
// some: a start does, and so does a stop, because a cable that loses its XDP program gets its
// thread anew.  The lock ends with its holder.
static int lock_open(struct dut_linux_host *h, struct err *err)
{
	static const char file[] = "/proc/self/ns/pid";

	h->lock = open(file, O_RDONLY | O_CLOEXEC);
	return h->lock >= 0 ? 0 : err_set(err, errno, "%s: %s", file, strerror(errno));
}

static int lock(struct dut_linux_host *h, struct err *err)
{
	int rc = lock_open(h, err);

	if (rc == 0 && flock(h->lock, LOCK_EX) != 0)
		rc = err_set(
			err, errno, "waiting for another experiment's start: %s", strerror(errno));
	return rc;
}

void dut_linux_lock(struct dut_linux_host *h)
{
	const struct timespec tick = {0, QUIET_TICK_MS * 1000000};

	if (h->lock > 0 || lock_open(h, NULL) != 0)
		return;
	// Whoever holds it may be running a script for a minute; napi_find() can cope.
	for (int i = 0; flock(h->lock, LOCK_EX | LOCK_NB) != 0 && i < STOP_TICKS_MAX; i++)
		nanosleep(&tick, NULL);
}

static void unlock(struct dut_linux_host *h)
{
	if (h->lock > 0)
		close(h->lock);
	h->lock = -1;
}

int dut_linux_make(struct dut_linux_host *h, const struct lab_condition *c,
	const struct lab_traffic *t, const struct lab_topo *topo, struct err *err)
{
	int rc = lock(h, err);

	if (rc != 0)
		return rc;
	dut_linux_iface(&c->conf, topo->in, h->in);
	dut_linux_iface(&c->conf, topo->out, h->out);
	dut_linux_cable(topo->in, h->in_cable);
	dut_linux_cable(topo->out, h->out_cable);
	napi_list(h->in, &h->not_forward);
	napi_list(h->out_cable, &h->not_sink);
	h->tester = netns_new(err);
	if (h->tester == NULL)
		return -err->code;
	h->device = netns_new(err);
	if (h->device == NULL)
		return -err->code;
	rc = cables(h, &c->conf, err);
	if (rc == 0)
		rc = settings(h, &c->conf, t, topo, err);
	if (rc == 0)
		rc = forwarder(h, err);
	if (rc == 0)
		rc = receive_by_thread(h->tester, h->out_cable, err);
	if (rc == 0)
		rc = h->weir != NULL ? dut_linux_card(h, c, topo, err) : filter(h, c, err);
	if (rc == 0)
		rc = setup_run(h->device, c, h->in, h->out, SETUP_TIMEOUT_S, err);
	if (rc == 0)
		rc = forwarder_again(h, c, err);
	if (rc == 0)
		quiet(h);
	return rc;
}

int dut_linux_sink(struct dut_linux_host *h, struct err *err)
{
	int rc = napi_find(h->out_cable, &h->not_sink, &h->sink, err);

	unlock(h);
	return rc == 0 ? napi_pin(&h->sink, h->tester_cpu, true, err) : rc;
}

void dut_linux_unmake(struct dut_linux_host *h)
{
	netns_free(h->device);
	netns_free(h->tester);
	h->device = h->tester = NULL;
	unlock(h);
}

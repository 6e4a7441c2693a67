// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_sysctl.c - the switches of the device's namespace, and what has no switch in Linux.
#include "lab/dut_linux.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set(struct sysctl *out, unsigned *n, unsigned value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void set(struct sysctl *out, unsigned *n, unsigned value, const char *fmt, ...)
{
	struct sysctl *s = &out[(*n)++];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->path, sizeof(s->path), fmt, ap);
	va_end(ap);
	snprintf(s->value, sizeof(s->value), "%u", value);
}

static bool any_inet6(const struct conf *c)
{
	for (unsigned i = 0; i < c->n_ifaces; i++)
		if (c->ifaces[i].inet6)
			return true;
	return false;
}

unsigned dut_linux_sysctls(const struct conf *c, struct sysctl out[SYSCTLS_MAX])
{
	// Interfaces inherit from "default"; of "all" and the interface the stricter counts.
	static const char *const scope[] = {"all", "default"};
	unsigned n = 0;

	// First: it sets others back.
	set(out, &n, c->forward4, "ipv4/ip_forward");
	for (unsigned i = 0; i < 2; i++) {
		set(out, &n, 0, "ipv4/conf/%s/rp_filter", scope[i]);
		set(out, &n, c->redirect4, "ipv4/conf/%s/send_redirects", scope[i]);
		set(out, &n, 0, "ipv4/conf/%s/accept_redirects", scope[i]);
	}
	set(out, &n, c->ttl, "ipv4/ip_default_ttl");
	set(out, &n, c->icmp_reply_from_interface, "ipv4/icmp_errors_use_inbound_ifaddr");
	if (!any_inet6(c)) {
		for (unsigned i = 0; i < 2; i++)
			set(out, &n, 1, "ipv6/conf/%s/disable_ipv6", scope[i]);
		return n;
	}
	set(out, &n, c->forward6, "ipv6/conf/all/forwarding");
	for (unsigned i = 0; i < 2; i++) {
		set(out, &n, 0, "ipv6/conf/%s/accept_redirects", scope[i]);
		// Addresses are in force at once, and the kernel asks and learns nothing.
		set(out, &n, 0, "ipv6/conf/%s/accept_dad", scope[i]);
		set(out, &n, 0, "ipv6/conf/%s/dad_transmits", scope[i]);
		set(out, &n, 0, "ipv6/conf/%s/accept_ra", scope[i]);
		set(out, &n, 0, "ipv6/conf/%s/router_solicitations", scope[i]);
		// Multicast reports have no switch; so they are over within a tick.
		set(out, &n, 1, "ipv6/conf/%s/mldv2_unsolicited_report_interval", scope[i]);
		set(out, &n, c->hlim, "ipv6/conf/%s/hop_limit", scope[i]);
	}
	return n;
}

unsigned dut_linux_iface_sysctls(const struct conf *c, unsigned i, struct sysctl out[SYSCTLS_MAX])
{
	char name[IFACE_NAME_SIZE];
	unsigned n = 0;

	dut_linux_iface(c, i, name);
	set(out, &n, !c->ifaces[i].inet6, "ipv6/conf/%s/disable_ipv6", name);
	return n;
}

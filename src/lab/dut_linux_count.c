// SPDX-License-Identifier: BSD-2-Clause
// dut_linux_count.c - the kernel's own counters as the device's account.
//
// A packet that a rule of a firewall drops is in none of them: it is part of `in` and not of
// `sent`, and the difference is all that can be said of it from outside.
#include "lab/dut_linux.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of IPv4 in /proc/net/snmp, and the same names with Ip6 in front in snmp6.
static const char *const ip_drops[] = {"InHdrErrors", "InAddrErrors", "InUnknownProtos",
	"InDiscards", "OutDiscards", "OutNoRoutes", "FragFails", "ReasmFails"};
// Of IPv6 alone.
static const char *const ip6_drops[] = {"Ip6InTooBigErrors", "Ip6InNoRoutes", "Ip6InTruncatedPkts"};
// In /proc/net/netstat.
static const char *const ext_drops[][2] = {
	{"IpExt", "InNoRoutes"}, {"IpExt", "InTruncatedPkts"}, {"TcpExt", "IPReversePathFilter"}};

#define N(a) (sizeof(a) / sizeof((a)[0]))

static_assert(1 + 2 * N(ip_drops) + N(ip6_drops) + N(ext_drops) <= LAB_DROPS_MAX, "room for all");

void kernel_iface(const char *dev, const char *iface, struct iface_counters *out)
{
	size_t n = strlen(iface);

	*out = (struct iface_counters){0};
	for (const char *p = dev; p != NULL; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL) {
		unsigned long long rx, rx_drop, tx, tx_drop;

		p += strspn(p, " ");
		if (strncmp(p, iface, n) != 0 || p[n] != ':')
			continue;
		// bytes packets errs drop fifo frame compressed multicast, and the same of sending
		if (sscanf(p + n + 1, "%*u %llu %*u %llu %*u %*u %*u %*u %*u %llu %*u %llu", &rx,
			    &rx_drop, &tx, &tx_drop) == 4)
			*out = (struct iface_counters){rx, rx_drop, tx, tx_drop};
		return;
	}
}

// Two lines a group: its name and ':' in front of the fields' names, and of their values.
uint64_t kernel_field(const char *text, const char *group, const char *field)
{
	size_t n = strlen(group), f = strlen(field);

	for (const char *p = text; p != NULL; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL) {
		const char *name = p + n + 1, *value = strchr(p, '\n');

		if (strncmp(p, group, n) != 0 || p[n] != ':')
			continue;
		if (value == NULL || strncmp(++value, group, n) != 0 || value[n] != ':')
			return 0;
		value += n + 1;
		while (*name == ' ' && *value == ' ') {
			size_t len = strcspn(++name, " \n");

			value++;
			if (len == f && strncmp(name, field, f) == 0)
				return strtoull(value, NULL, 10);
			name += len;
			value += strcspn(value, " \n");
		}
		return 0;
	}
	return 0;
}

uint64_t kernel_field6(const char *text, const char *field)
{
	size_t n = strlen(field);

	for (const char *p = text; p != NULL; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL)
		if (strncmp(p, field, n) == 0 && (p[n] == ' ' || p[n] == '\t'))
			return strtoull(p + n, NULL, 10);
	return 0;
}

static void drop(struct dut_counters *to, uint64_t n, const char *a, const char *b)
{
	struct lab_drop *d = &to->drop[to->n_drops];

	if (to->n_drops == LAB_DROPS_MAX)
		return;
	to->n_drops++;
	snprintf(d->name, sizeof(d->name), "%s%s", a, b);
	d->n = n;
}

void kernel_account(
	const struct kernel_text *t, const char *in, const char *out, struct dut_counters *to)
{
	struct iface_counters a, b;
	char name[32];

	memset(to, 0, sizeof(*to));
	kernel_iface(t->dev, in, &a);
	kernel_iface(t->dev, out, &b);
	to->in = a.rx_packets;
	// What the far end of a veth pair refuses counts as the sender's drop; but the device has
	// sent it, and it is the tester that lost it.
	to->sent = b.tx_packets + b.tx_dropped;
	to->made = kernel_field(t->snmp, "Icmp", "OutMsgs") +
		   kernel_field6(t->snmp6, "Icmp6OutMsgs");
	to->ended = kernel_field(t->snmp, "Ip", "InDelivers") +
		    kernel_field6(t->snmp6, "Ip6InDelivers");
	drop(to, a.rx_dropped, in, " rx_dropped");
	for (size_t i = 0; i < N(ip_drops); i++)
		drop(to, kernel_field(t->snmp, "Ip", ip_drops[i]), "Ip", ip_drops[i]);
	for (size_t i = 0; i < N(ip_drops); i++) {
		snprintf(name, sizeof(name), "Ip6%s", ip_drops[i]);
		drop(to, kernel_field6(t->snmp6, name), name, "");
	}
	for (size_t i = 0; i < N(ip6_drops); i++)
		drop(to, kernel_field6(t->snmp6, ip6_drops[i]), ip6_drops[i], "");
	for (size_t i = 0; i < N(ext_drops); i++)
		drop(to, kernel_field(t->netstat, ext_drops[i][0], ext_drops[i][1]),
			ext_drops[i][0], ext_drops[i][1]);
}

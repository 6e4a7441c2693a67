// SPDX-License-Identifier: BSD-2-Clause
// dut_linux.h - shared by the files of the Linux device only.
#pragma once

#include "lab/account.h"
#include "lab/lab.h"
#include "lab/topo.h"

#include "lab/napi.h"
#include "lab/netns.h"

#include <stddef.h>
#include <sys/types.h>

enum { IFACE_NAME_SIZE = 16 }; // IFNAMSIZ

// One start's namespaces; the thread that forwards for the device, and that which takes frames off
// the cable behind it for the tester.
struct dut_linux_host {
	struct netns *tester, *device;
	char in[IFACE_NAME_SIZE], out[IFACE_NAME_SIZE];             // the device's interfaces
	char in_cable[IFACE_NAME_SIZE], out_cable[IFACE_NAME_SIZE]; // the tester's ends of them
	struct napi forward, sink;
	struct napi_list not_forward, not_sink; // threads of other namespaces, same interface name
	unsigned cpu, tester_cpu;
	const char *weir; // the program that makes cards in the kernel; NULL: rules go to nftables
	int lock; // held from make to sink, and from dut_linux_lock to unmake; 0 and -1 = not
};

// Makes namespaces and cables, applies the settings and runs setup.sh.  Waits while another process
// is between this and dut_linux_sink.  *h is zero-initialised but for the CPUs.  On an error what was made
// is in *h all the same, for dut_linux_unmake.
int dut_linux_make(struct dut_linux_host *h, const struct lab_condition *c,
	const struct lab_traffic *t, const struct lab_topo *topo, struct err *err);

// Whether the condition's card forwards as well.
bool dut_linux_forwards(const struct lab_condition *c);
// Makes the condition's card, if it has rules or is to forward.
int dut_linux_card(const struct dut_linux_host *h, const struct lab_condition *c,
	const struct lab_topo *topo, struct err *err);

// After the tester's ports were opened: finds and binds the sink.
int dut_linux_sink(struct dut_linux_host *h, struct err *err);

// To be called before the tester's ports close: keeps other processes from a start until
// dut_linux_unmake, or gives up after three seconds.
void dut_linux_lock(struct dut_linux_host *h);
void dut_linux_unmake(struct dut_linux_host *h);

// The missing rights by name, or that kernel threads cannot be seen.
int dut_linux_rights(struct err *err);

// What an interface of the settings is called in the device: the same, where Linux can.
void dut_linux_iface(const struct conf *c, unsigned i, char out[IFACE_NAME_SIZE]);

// The tester's end of its cable.
void dut_linux_cable(unsigned i, char out[IFACE_NAME_SIZE]);

// The MAC of the device's interface i: as the settings say, or made up.
void dut_linux_mac(const struct conf *c, unsigned i, struct mac *out);

// The MAC of the station next to the device on the side of the sources or of the destinations.
// The tester plays both.
void dut_linux_station(const struct lab_topo *t, bool sources, struct mac *out);

// Lines for `ip -batch -`, and for each the place in the settings it comes from ("" = none).
struct batch {
	char *text;
	const char **where; // point into the conf
	unsigned n;
};

void batch_free(struct batch *b);

// Cables: one for each interface, from the namespace of process `tester` to that of `device`.
int dut_linux_links(
	const struct conf *c, pid_t tester, pid_t device, struct batch *out, struct err *err);

// The tester's two ends.
int dut_linux_tester(
	const struct conf *c, const struct lab_topo *topo, struct batch *out, struct err *err);

// Addresses, routes and neighbours of the device.
int dut_linux_device(const struct conf *c, const struct lab_traffic *t, const struct lab_topo *topo,
	struct batch *out, struct err *err);

// The place and the kernel's words of the line that `ip -batch` failed at, from what it said.
int batch_error(const struct batch *b, const char *said, struct err *err);

struct sysctl {
	char path[96]; // below /proc/sys/net
	char value[12];
};
enum { SYSCTLS_MAX = 32 };

// Before there are interfaces; and of interface i.  Returns how many.
unsigned dut_linux_sysctls(const struct conf *c, struct sysctl out[SYSCTLS_MAX]);
unsigned dut_linux_iface_sysctls(const struct conf *c, unsigned i, struct sysctl out[SYSCTLS_MAX]);

// For struct dut; of the device with a card.
struct conf_note *dut_linux_notes(const struct lab_condition *c, unsigned *n);
struct conf_note *dut_linux_card_notes(const struct lab_condition *c, unsigned *n);

// The kernel's counters.
struct kernel_text {
	char dev[8192], snmp[4096], snmp6[8192], netstat[8192]; // of the device's /proc/net
};

// A counter of /proc/net/dev; 0 if there is no such interface.
struct iface_counters {
	uint64_t rx_packets, rx_dropped, tx_packets, tx_dropped;
};
void kernel_iface(const char *dev, const char *iface, struct iface_counters *out);

// A field of a group in /proc/net/snmp or netstat ("Ip", "InReceives"), or of snmp6 ("Ip6InNoRoutes").
uint64_t kernel_field(const char *text, const char *group, const char *field);
uint64_t kernel_field6(const char *text, const char *field);

// The account of all of it since boot of the namespace; in and out are the two interfaces' names.
void kernel_account(
	const struct kernel_text *t, const char *in, const char *out, struct dut_counters *to);

// SPDX-License-Identifier: BSD-2-Clause
// FreeBSD's settings in Linux's words, and the kernel's counters as an account; no root needed.
#include "lab/dut_linux.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char lab_rc[] = "gateway_enable=YES\n"
			     "ipv6_gateway_enable=YES\n"
			     "ifconfig_igb2=\"inet 198.18.0.209/25 mtu 9000\"\n"
			     "ifconfig_igb3=\"inet 198.19.0.209/25 ether 00:08:a2:09:33:db\"\n"
			     "ifconfig_igb2_ipv6=\"inet6 2001:2::209 prefixlen 64\"\n"
			     "static_routes=\"a b c\"\n"
			     "route_a=\"-net 198.18.0.0/16 198.18.0.203\"\n"
			     "route_b=\"-net 198.19.0.0/16 198.19.0.203\"\n"
			     "route_c=\"-net 10.0.0.0/8 -blackhole 127.0.0.1\"\n"
			     "static_arp_pairs=\"b\"\n"
			     "static_arp_b=\"198.19.0.203 00:1b:21:c4:95:7b\"\n";

static void read_rc(struct conf *c, const char *text)
{
	struct err err = {0};

	conf_init(c);
	if (conf_rc(c, "rc.conf", text, &err) != 0)
		fail_msg("%s", err.msg);
}

static void ip(const char *text, struct ip *out)
{
	assert_int_equal(ip_parse(text, out, NULL), 0);
}

static void flows(struct lab_traffic *t, const char *src, const char *src_hi, const char *dst,
	const char *dst_hi)
{
	memset(t, 0, sizeof(*t));
	t->family = t->gen.family = 4;
	ip(src, &t->gen.src.lo);
	ip(src_hi, &t->gen.src.hi);
	ip(dst, &t->gen.dst.lo);
	ip(dst_hi, &t->gen.dst.hi);
}

// The text of the device's batch.  The caller frees it.
static char *device(const char *rc, const struct lab_traffic *t, struct err *err)
{
	struct conf c;
	struct lab_topo topo;
	struct batch b;
	char *text = NULL;

	read_rc(&c, rc);
	assert_int_equal(lab_topo(&c, t, &topo, NULL), 0);
	if (dut_linux_device(&c, t, &topo, &b, err) == 0) {
		text = strdup(b.text);
		batch_free(&b);
	}
	conf_free(&c);
	return text;
}

static void the_lab_s_settings_become_ip_commands(void **state)
{
	struct lab_traffic t;
	char *text;

	(void)state;
	flows(&t, "198.18.10.1", "198.18.10.100", "198.19.10.1", "198.19.10.20");
	text = device(lab_rc, &t, NULL);
	assert_string_equal(text,
		"link set dev lo up\n"
		"link set dev igb2 address 02:77:65:64:00:00\n"
		"link set dev igb2 mtu 9000\n"
		"link set dev igb2 up\n"
		"addr replace 198.18.0.209/25 dev igb2 brd +\n"
		"addr replace 2001:2::209/64 dev igb2 nodad\n"
		"link set dev igb3 address 00:08:a2:09:33:db\n"
		"link set dev igb3 up\n"
		"addr replace 198.19.0.209/25 dev igb3 brd +\n"
		"route add 198.18.0.0/16 via 198.18.0.203\n"
		"route add 198.19.0.0/16 via 198.19.0.203\n"
		"route add blackhole 10.0.0.0/8\n"
		"neigh replace 198.19.0.203 lladdr 00:1b:21:c4:95:7b dev igb3 nud permanent\n"
		"neigh replace 198.18.0.203 lladdr 02:77:65:73:00:00 dev igb2 nud permanent\n");
	free(text);
}

static void stations_on_the_cable_itself_are_permanent_neighbours(void **state)
{
	struct lab_traffic t;
	char *text;

	(void)state;
	flows(&t, "198.18.10.1", "198.18.10.100", "198.19.0.254", "198.19.1.1");
	text = device("gateway_enable=YES\n"
		      "ifconfig_a0=\"inet 198.18.0.209/16\"\n"
		      "ifconfig_a1=\"inet 198.19.0.209/16\"\n",
		&t, NULL);
	assert_non_null(strstr(text, "neigh replace 198.18.10.1 lladdr "));
	assert_non_null(strstr(text, "neigh replace 198.18.10.100 lladdr "));
	assert_null(strstr(text, "neigh replace 198.18.10.101 "));
	assert_non_null(strstr(text, "neigh replace 198.19.0.254 lladdr "));
	assert_non_null(strstr(text, "neigh replace 198.19.0.255 lladdr "));
	assert_non_null(strstr(text, "neigh replace 198.19.1.1 lladdr "));
	assert_null(strstr(text, "neigh replace 198.19.1.2 "));
	free(text);
}

static void too_many_stations_on_a_cable_are_refused(void **state)
{
	struct lab_traffic t;
	struct err err = {0};

	(void)state;
	flows(&t, "198.18.10.1", "198.18.10.1", "198.19.0.1", "198.19.255.1");
	assert_null(device("ifconfig_a0=\"inet 198.18.0.209/16\"\n"
			   "ifconfig_a1=\"inet 198.19.0.209/16\"\n",
		&t, &err));
	assert_int_equal(err.code, EINVAL);
	assert_non_null(strstr(err.msg, "directly at a1"));
}

static void names_that_linux_cannot_have_are_replaced(void **state)
{
	struct conf_iface f[5] = {{.name = "igb2"}, {.name = "all"}, {.name = "a-very-long-name0"},
		{.name = "lo0"}, {.name = "fifteen_letters"}};
	struct conf c = {.ifaces = f, .n_ifaces = 5};
	static const char *const want[] = {"igb2", "port1", "port2", "lo", "fifteen_letters"};

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		char name[IFACE_NAME_SIZE];

		dut_linux_iface(&c, i, name);
		assert_string_equal(name, want[i]);
	}
}

static void cables_join_the_two_namespaces(void **state)
{
	struct conf c;
	struct batch b;

	(void)state;
	read_rc(&c, "ifconfig_em0=\"inet 192.0.2.1/24\"\n");
	assert_int_equal(dut_linux_links(&c, 11, 22, &b, NULL), 0);
	assert_string_equal(b.text,
		"link add name weir0 netns 11 numtxqueues 1 numrxqueues 1 type veth "
		"peer name em0 netns 22 numtxqueues 1 numrxqueues 1\n");
	assert_int_equal(b.n, 1);
	assert_string_equal(b.where[0], "rc.conf:1");
	batch_free(&b);
	conf_free(&c);
}

static void a_failed_line_is_told_with_its_place(void **state)
{
	const char *where[] = {"", "rc.conf:7"};
	char text[] = "link set dev lo up\nroute add 10.0.0.0/8 via 192.0.2.1\n";
	struct batch b = {.text = text, .where = where, .n = 2};
	struct err err = {0};

	(void)state;
	batch_error(&b, "Error: Nexthop has invalid gateway.\nCommand failed -:2\n", &err);
	assert_string_equal(err.msg, "rc.conf:7: ip route add 10.0.0.0/8 via 192.0.2.1: "
				     "Nexthop has invalid gateway.");
	batch_error(&b, "RTNETLINK answers: Operation not permitted\nCommand failed -:1\n", &err);
	assert_string_equal(err.msg, "ip link set dev lo up: Operation not permitted");
	batch_error(&b, "Command failed -:3\n", &err);
	assert_non_null(strstr(err.msg, "ip: Command failed"));
	batch_error(&b, "something else", &err);
	assert_string_equal(err.msg, "ip: something else");
}

static const char *value(const struct sysctl *list, unsigned n, const char *path)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(list[i].path, path) == 0)
			return list[i].value;
	return "none";
}

static void switches_follow_the_settings(void **state)
{
	struct sysctl list[SYSCTLS_MAX];
	struct conf c;
	unsigned n;

	(void)state;
	read_rc(&c, lab_rc);
	assert_int_equal(conf_sysctl(&c, "sysctl.conf",
				 "net.inet.ip.redirect=0\nnet.inet.ip.ttl=99\n", NULL),
		0);
	n = dut_linux_sysctls(&c, list);
	assert_true(n <= SYSCTLS_MAX);
	assert_string_equal(list[0].path, "ipv4/ip_forward");
	assert_string_equal(value(list, n, "ipv4/ip_forward"), "1");
	assert_string_equal(value(list, n, "ipv6/conf/all/forwarding"), "1");
	assert_string_equal(value(list, n, "ipv4/conf/all/send_redirects"), "0");
	assert_string_equal(value(list, n, "ipv4/conf/default/send_redirects"), "0");
	assert_string_equal(value(list, n, "ipv4/conf/all/rp_filter"), "0");
	assert_string_equal(value(list, n, "ipv4/ip_default_ttl"), "99");
	n = dut_linux_iface_sysctls(&c, 0, list);
	assert_string_equal(value(list, n, "ipv6/conf/igb2/disable_ipv6"), "0");
	n = dut_linux_iface_sysctls(&c, 1, list);
	assert_string_equal(value(list, n, "ipv6/conf/igb3/disable_ipv6"), "1");
	conf_free(&c);
	read_rc(&c, "ifconfig_em0=\"inet 192.0.2.1/24\"\n");
	n = dut_linux_sysctls(&c, list);
	assert_string_equal(value(list, n, "ipv4/ip_forward"), "0");
	assert_string_equal(value(list, n, "ipv4/conf/all/send_redirects"), "1");
	assert_string_equal(value(list, n, "ipv6/conf/all/forwarding"), "none");
	assert_string_equal(value(list, n, "ipv6/conf/default/disable_ipv6"), "1");
	n = dut_linux_iface_sysctls(&c, 0, list);
	assert_string_equal(value(list, n, "ipv6/conf/em0/disable_ipv6"), "1");
	conf_free(&c);
}

static const char *why(const struct conf_note *list, unsigned n, const char *what)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(list[i].what, what) == 0)
			return list[i].why;
	return "";
}

static void settings_that_linux_cannot_have_are_told(void **state)
{
	struct lab_condition c = {.name = "test"};
	struct conf_note *list;
	unsigned n;

	(void)state;
	read_rc(&c.conf, lab_rc);
	assert_int_equal(
		conf_rc(&c.conf, "more", "harvest_mask=351\nroute_z=\"10/8 192.0.2.1\"\n", NULL),
		0);
	assert_int_equal(
		conf_sysctl(&c.conf, "sysctl.conf",
			"net.inet.ip.redirect=0\nnet.inet6.ip6.redirect=0\ndev.igb.2.fc=0\n"
			"net.inet.tcp.blackhole=2\n",
			NULL),
		0);
	list = dut_linux_notes(&c, &n);
	assert_non_null(list);
	assert_string_equal(why(list, n, "net.inet.ip.redirect"), "");
	assert_non_null(strstr(why(list, n, "net.inet6.ip6.redirect"), "no such switch"));
	assert_non_null(strstr(why(list, n, "dev.igb.2.fc"), "veth"));
	assert_non_null(strstr(why(list, n, "net.inet.tcp.blackhole"), "setup.sh"));
	assert_non_null(strstr(why(list, n, "harvest_mask"), "setup.sh"));
	assert_non_null(strstr(why(list, n, "route_z"), "static_routes"));
	for (unsigned i = 0; i < n; i++)
		assert_null(strstr(list[i].why, "the router"));
	free(list);
	conf_free(&c.conf);
}

// As Linux 6.1 writes them, with figures put in.
static const char dev[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs "
	"drop fifo colls carrier compressed\n"
	"    lo:       1       2    3    4    5     6          7         8        9      10   11   "
	"12   13    14      15         16\n"
	"  igb2:    6000     100    0    7    0     0          0         0       70       1    0    "
	"0    0     0       0          0\n"
	"igb20:      60      55    0    0    0     0          0         0       70       1    0    "
	"0    0     0       0          0\n"
	"  igb3:       0       0    0    0    0     0          0         0     5400      90    0    "
	"3    0     0       0          0\n";
static const char snmp[] =
	"Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams InUnknownProtos "
	"InDiscards InDelivers OutRequests OutDiscards OutNoRoutes ReasmTimeout ReasmReqds ReasmOKs "
	"ReasmFails FragOKs FragFails FragCreates\n"
	"Ip: 1 64 100 2 0 95 0 0 3 95 0 0 0 0 0 0 0 0 0\n"
	"Icmp: InMsgs InErrors OutMsgs\n"
	"Icmp: 0 0 2\n";
static const char snmp6[] = "Ip6InReceives                   \t0\n"
			    "Ip6InNoRoutes                   \t5\n"
			    "Ip6InDelivers                   \t4\n"
			    "Icmp6OutMsgs                    \t1\n";
static const char netstat[] = "TcpExt: SyncookiesSent IPReversePathFilter\n"
			      "TcpExt: 0 6\n"
			      "IpExt: InNoRoutes InTruncatedPkts\n"
			      "IpExt: 8 0\n";

static uint64_t drop_of(const struct dut_counters *c, const char *name)
{
	for (unsigned i = 0; i < c->n_drops; i++)
		if (strcmp(c->drop[i].name, name) == 0)
			return c->drop[i].n;
	return 0;
}

static void the_kernel_s_counters_become_an_account(void **state)
{
	static struct kernel_text t;
	struct dut_counters now, before;

	(void)state;
	strcpy(t.dev, dev);
	strcpy(t.snmp, snmp);
	strcpy(t.snmp6, snmp6);
	strcpy(t.netstat, netstat);
	kernel_account(&t, "igb2", "igb3", &now);
	assert_int_equal(now.in, 100);
	assert_int_equal(now.sent, 93); // 3 of them the tester's end did not take
	assert_int_equal(now.made, 3);
	assert_int_equal(now.ended, 7);
	assert_int_equal(drop_of(&now, "igb2 rx_dropped"), 7);
	assert_int_equal(drop_of(&now, "IpInHdrErrors"), 2);
	assert_int_equal(drop_of(&now, "Ip6InNoRoutes"), 5);
	assert_int_equal(drop_of(&now, "TcpExtIPReversePathFilter"), 6);
	assert_int_equal(drop_of(&now, "IpExtInNoRoutes"), 8);
	memset(&before, 0, sizeof(before));
	before.in = 60;
	before.n_drops = 1;
	before.drop[0] = (struct lab_drop){"IpInHdrErrors", 2};
	account_since(&now, &before);
	assert_int_equal(now.in, 40);
	assert_int_equal(now.n_drops, 4); // what did not occur since is not listed
	assert_int_equal(drop_of(&now, "IpInHdrErrors"), 0);
}

static void cut_or_missing_counters_are_zero(void **state)
{
	struct iface_counters c;

	(void)state;
	kernel_iface(dev, "igb", &c);
	assert_int_equal(c.rx_packets, 0);
	kernel_iface("", "igb2", &c);
	assert_int_equal(c.rx_packets, 0);
	kernel_iface("igb2: 1 2", "igb2", &c);
	assert_int_equal(c.rx_packets, 0);
	assert_int_equal(kernel_field(snmp, "Ip", "None"), 0);
	assert_int_equal(kernel_field(snmp, "None", "InReceives"), 0);
	assert_int_equal(kernel_field("Ip: A B\n", "Ip", "A"), 0);
	assert_int_equal(kernel_field("Ip: A B\nIp: 1\n", "Ip", "A"), 1);
	assert_int_equal(kernel_field("Ip: A B\nIp: 1\n", "Ip", "B"), 0);
	assert_int_equal(kernel_field("Ip:", "Ip", "A"), 0);
	assert_int_equal(kernel_field("Ip: A\nIp", "Ip", "A"), 0);
	assert_int_equal(kernel_field6(snmp6, "Ip6In"), 0);
	assert_int_equal(kernel_field6("", "Ip6InDelivers"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lab_s_settings_become_ip_commands),
		cmocka_unit_test(stations_on_the_cable_itself_are_permanent_neighbours),
		cmocka_unit_test(too_many_stations_on_a_cable_are_refused),
		cmocka_unit_test(names_that_linux_cannot_have_are_replaced),
		cmocka_unit_test(cables_join_the_two_namespaces),
		cmocka_unit_test(a_failed_line_is_told_with_its_place),
		cmocka_unit_test(switches_follow_the_settings),
		cmocka_unit_test(settings_that_linux_cannot_have_are_told),
		cmocka_unit_test(the_kernel_s_counters_become_an_account),
		cmocka_unit_test(cut_or_missing_counters_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

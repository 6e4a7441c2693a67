// SPDX-License-Identifier: BSD-2-Clause
#include "conf/conf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// The router of the forwarding lab on an Atom C2558, IPv4 and IPv6 in one file.
static const char lab_rc[] =
	"# dual stack\n"
	"gateway_enable=\"YES\"\n"
	"ipv6_gateway_enable=\"YES\"\n"
	"ipv6_activate_all_interfaces=\"YES\"\n"
	"\n"
	"# towards the generator\n"
	"ifconfig_igb2=\"inet 198.18.0.209/25 -tso4 -tso6 -lro\"\n"
	"ifconfig_igb2_ipv6=\"inet6 2001:2::209 prefixlen 64\"\n"
	"route_generator=\"-net 198.18.0.0/16 198.18.0.203\"\n"
	"ipv6_route_generator=\"2001:2:: -prefixlen 49 2001:2::203\"\n"
	"static_arp_generator=\"198.18.0.203 00:1b:21:c4:95:7a\"\n"
	"static_ndp_generator=\"2001:2::203 00:1b:21:c4:95:7a\"\n"
	"\n"
	"# towards the receiver\n"
	"ifconfig_igb3=\"inet 198.19.0.209/25 -tso4 -tso6 -lro\"\n"
	"ifconfig_igb3_ipv6=\"inet6 2001:2:0:8000::209 prefixlen 64\"\n"
	"route_receiver=\"-net 198.19.0.0/16 198.19.0.203\"\n"
	"ipv6_route_receiver=\"2001:2:0:8000:: -prefixlen 49 2001:2:0:8000::203\"\n"
	"static_arp_receiver=\"198.19.0.203 00:1b:21:c4:95:7b\"\n"
	"static_ndp_receiver=\"2001:2:0:8000::203 00:1b:21:c4:95:7b\"\n"
	"\n"
	"static_routes=\"generator receiver\"\n"
	"static_arp_pairs=\"receiver generator\"\n"
	"ipv6_static_routes=\"generator receiver\"\n"
	"static_ndp_pairs=\"generator receiver\"\n";

static void assert_prefix(const struct prefix *p, const char *want)
{
	char text[ADDR_TEXT_MAX];

	assert_string_equal(prefix_text(p, text), want);
}

static void assert_ip(const struct ip *ip, const char *want)
{
	char text[ADDR_TEXT_MAX];

	assert_string_equal(ip_text(ip, text), want);
}

static void assert_mac(const struct mac *mac, const char *want)
{
	char text[ADDR_TEXT_MAX];

	assert_string_equal(mac_text(mac, text), want);
}

static const struct conf_note *note(const struct conf *c, const char *what)
{
	for (unsigned i = 0; i < c->n_notes; i++)
		if (strcmp(c->notes[i].what, what) == 0)
			return &c->notes[i];
	return NULL;
}

static void assert_note(
	const struct conf *c, const char *what, enum conf_note_kind kind, const char *says)
{
	const struct conf_note *n = note(c, what);

	if (n == NULL)
		fail_msg("no note on %s", what);
	if (n->kind != kind || strstr(n->why, says) == NULL)
		fail_msg("%s: kind %d: %s", what, n->kind, n->why);
}

// Reads rc.conf text that must be right.
static void rc(struct conf *c, const char *text)
{
	struct err err = {0};

	conf_init(c);
	if (conf_rc(c, "rc.conf", text, &err) != 0)
		fail_msg("%s\n-> %s", text, err.msg);
}

static void the_labs_rc_conf_reads_unchanged(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, lab_rc);
	assert_int_equal(c.n_notes, 0);
	assert_true(c.forward4 && c.forward6);
	assert_int_equal(c.n_ifaces, 2);
	assert_string_equal(c.ifaces[0].name, "igb2");
	assert_string_equal(c.ifaces[0].where, "rc.conf:7");
	assert_int_equal(c.ifaces[0].n_addrs, 2);
	assert_prefix(&c.ifaces[0].addrs[0], "198.18.0.209/25");
	assert_prefix(&c.ifaces[0].addrs[1], "2001:2::209/64");
	assert_int_equal(c.ifaces[0].tso4, 0);
	assert_int_equal(c.ifaces[0].tso6, 0);
	assert_int_equal(c.ifaces[0].lro, 0);
	assert_int_equal(c.ifaces[0].rxcsum, -1);
	assert_int_equal(c.ifaces[0].fc, -1);
	assert_int_equal(c.ifaces[0].mtu, 0);
	assert_true(c.ifaces[0].up && c.ifaces[0].inet6 && !c.ifaces[0].has_ether);
	assert_prefix(&c.ifaces[1].addrs[1], "2001:2:0:8000::209/64");

	assert_int_equal(c.n_routes, 4);
	assert_string_equal(c.routes[0].name, "generator");
	assert_string_equal(c.routes[0].where, "rc.conf:9");
	assert_prefix(&c.routes[0].dst, "198.18.0.0/16");
	assert_int_equal(c.routes[0].kind, CONF_GATEWAY);
	assert_ip(&c.routes[0].gateway, "198.18.0.203");
	assert_prefix(&c.routes[1].dst, "198.19.0.0/16");
	assert_prefix(&c.routes[2].dst, "2001:2::/49");
	assert_ip(&c.routes[2].gateway, "2001:2::203");
	assert_prefix(&c.routes[3].dst, "2001:2:0:8000::/49");

	assert_int_equal(c.n_neighs, 4);
	assert_ip(&c.neighs[0].ip, "198.19.0.203");
	assert_mac(&c.neighs[0].mac, "00:1b:21:c4:95:7b");
	assert_ip(&c.neighs[3].ip, "2001:2:0:8000::203");
	conf_free(&c);
}

static void defaults_are_those_of_freebsd(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "");
	assert_false(c.forward4 || c.forward6 || c.icmp_reply_from_interface);
	assert_true(c.redirect4 && c.redirect6);
	assert_int_equal(c.ttl, 64);
	assert_int_equal(c.hlim, 64);
	assert_int_equal(c.process_options, 1);
	assert_int_equal(c.icmp_limit_pps, 200);
	assert_int_equal(c.icmp_quote_bytes, 548);
	conf_free(&c);
}

static void the_settings_of_both_labs_have_effect_or_a_reason(void **state)
{
	static const char sysctl[] = "dev.igb.2.fc=0\n"
				     "dev.igb.3.fc=0\n"
				     "dev.igb.0.iflib.tx_abdicate=1\n"
				     "dev.igb.2.iflib.tx_abdicate=1\n"
				     "net.inet.ip.redirect=0\n"
				     "net.inet6.ip6.redirect=0\n"
				     "kern.random.sys.harvest.ethernet=0\n"
				     "kern.random.sys.harvest.point_to_point=0\n"
				     "kern.random.sys.harvest.interrupt=0\n";
	static const char loader[] = "hw.cxgbe.nrxq=32\n"
				     "hw.cxgbe.ntxq=32\n"
				     "machdep.hyperthreading_intr_allowed=1\n";
	struct conf c;

	(void)state;
	rc(&c, lab_rc);
	assert_int_equal(conf_rc(&c, "rc.conf.misc", "disablelrotso_enable=\"YES\"\n", NULL), 0);
	assert_int_equal(conf_sysctl(&c, "sysctl.conf", sysctl, NULL), 0);
	assert_int_equal(conf_loader(&c, "loader.conf", loader, NULL), 0);
	assert_int_equal(c.ifaces[0].fc, 0);
	assert_int_equal(c.ifaces[1].fc, 0);
	assert_false(c.redirect4 || c.redirect6);
	assert_note(&c, "dev.igb.2.iflib.tx_abdicate", CONF_NO_EFFECT, "no effect here because a");
	assert_note(&c, "kern.random.sys.harvest.ethernet", CONF_NO_EFFECT, "randomness");
	assert_note(&c, "machdep.hyperthreading_intr_allowed", CONF_NO_EFFECT, "polls");
	assert_note(&c, "hw.cxgbe.nrxq", CONF_NO_EFFECT, "no interface of the driver cxgbe");
	assert_note(&c, "disablelrotso_enable", CONF_NO_EFFECT, "merged");
	assert_string_equal(note(&c, "hw.cxgbe.nrxq")->where, "loader.conf:1");
	assert_string_equal(note(&c, "disablelrotso_enable")->where, "rc.conf.misc:1");
	for (unsigned i = 0; i < c.n_notes; i++)
		assert_int_not_equal(c.notes[i].kind, CONF_UNKNOWN);
	assert_int_equal(c.n_ifaces, 2); // the first text still counts
	conf_free(&c);
}

static void a_sysctl_file_of_one_line_is_enough(void **state)
{
	struct conf c;

	(void)state;
	conf_init(&c);
	assert_int_equal(conf_sysctl(&c, "s", "net.inet.ip.redirect=0", NULL), 0);
	assert_false(c.redirect4);
	assert_true(c.redirect6);
	assert_int_equal(c.n_notes, 0);
	conf_free(&c);
}

static void no_order_of_the_files_matters(void **state)
{
	static const char sysctl[] = "net.inet.ip.forwarding=0\ndev.cxl.0.pause_settings=5\n";
	static const char loader[] = "hw.cxgbe.qsize_txq=2048\nhw.cxgbe.pause_settings=0\n"
				     "hw.ix.num_queues=-1\n";
	static const char text[] =
		"gateway_enable=YES\nifconfig_cxl0=up\nifconfig_cxl1=up\nifconfig_ix0=up\n";
	struct conf c;

	(void)state;
	for (unsigned order = 0; order < 2; order++) {
		conf_init(&c);
		if (order == 0)
			assert_int_equal(conf_rc(&c, "r", text, NULL), 0);
		assert_int_equal(conf_sysctl(&c, "s", sysctl, NULL), 0);
		assert_int_equal(conf_loader(&c, "l", loader, NULL), 0);
		if (order == 1)
			assert_int_equal(conf_rc(&c, "r", text, NULL), 0);
		assert_false(c.forward4); // sysctl.conf is loaded last
		assert_int_equal(c.n_notes, 1);
		assert_note(&c, "hw.ix.num_queues", CONF_NO_EFFECT, "queues");
		assert_int_equal(c.ifaces[0].fc, 1);
		assert_int_equal(c.ifaces[1].fc, 0);
		assert_int_equal(c.ifaces[1].n_txd, 2048);
		assert_int_equal(c.ifaces[0].n_rxd, 0);
		conf_free(&c);
	}
}

static void later_values_win_across_texts(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "gateway_enable=NO\nifconfig_em0=\"inet 10.0.0.1/8\"\nifconfig_em0=\"inet "
	       "10.0.0.2/24\"\n");
	assert_int_equal(c.ifaces[0].n_addrs, 1);
	assert_prefix(&c.ifaces[0].addrs[0], "10.0.0.2/24");
	assert_int_equal(
		conf_rc(&c, "rc.conf.local",
			"gateway_enable=on\nifconfig_em0=\"${ifconfig_em0} mtu 9000\"\n", NULL),
		0);
	assert_true(c.forward4);
	assert_int_equal(c.ifaces[0].mtu, 9000);
	assert_prefix(&c.ifaces[0].addrs[0], "10.0.0.2/24");
	assert_int_equal(c.n_notes, 0);
	conf_free(&c);
}

static void all_forms_of_addresses(void **state)
{
	static const char *const want[] = {"192.0.2.1/24", "2001:db8::1/64", "10.0.0.1/28",
		"10.0.0.2/32", "10.0.0.3/32", "10.1.0.1/16", "10.0.2.1/32", "10.0.3.1/24",
		"2001:db8:1::1/64", "10.0.4.9/30", "2001:db8:2::9/64", "2001:db8:2::a/128",
		"2001:db8:2::b/128"};
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_re0=\"192.0.2.1/24 ether 02:00:00:00:00:01 mtu 1400 description 'to b'\"\n"
	       "ifconfig_re0_ipv6='inet6 2001:db8::1/64 -no_dad auto_linklocal'\n"
	       "ipv4_addrs_re0='10.0.0.1-3/28 10.1.0.1/16'\n"
	       "ifconfig_re0_alias10='inet 10.0.3.1 netmask 0xffffff00'\n"
	       "ifconfig_re0_alias2='inet 10.0.2.1 netmask 255.255.255.255'\n"
	       "ifconfig_re0_alias11='inet6 2001:db8:1::1 prefixlen 64'\n"
	       "ifconfig_re0_aliases='inet 10.0.4.9/30 inet6 2001:db8:2::9-b/64'\n");
	assert_int_equal(c.n_ifaces, 1);
	assert_note(&c, "ifconfig_re0", CONF_NO_EFFECT, "description: no effect here because");
	assert_int_equal(c.ifaces[0].mtu, 1400);
	assert_true(c.ifaces[0].has_ether);
	assert_mac(&c.ifaces[0].ether, "02:00:00:00:00:01");
	assert_int_equal(c.ifaces[0].n_addrs, 13);
	for (unsigned i = 0; i < 13; i++)
		assert_prefix(&c.ifaces[0].addrs[i], want[i]);
	conf_free(&c);
}

static void an_address_given_again_takes_the_new_length(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_re0='inet 192.0.2.1/24'\nifconfig_re0_alias0='inet 192.0.2.1/28'\n");
	assert_int_equal(c.ifaces[0].n_addrs, 1);
	assert_prefix(&c.ifaces[0].addrs[0], "192.0.2.1/28");
	conf_free(&c);
}

static void aliases_end_at_an_empty_one_and_may_lack_the_family(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_re0_alias0='192.0.2.1/24'\nifconfig_re0_alias1=\n"
	       "ifconfig_re0_alias2='inet 192.0.2.3/32'\nifconfig_re0_ipv6='2001:db8::1/64'\n");
	assert_int_equal(c.ifaces[0].n_addrs, 2);
	assert_note(&c, "ifconfig_re0_alias2", CONF_NO_EFFECT, "up to an empty one");
	assert_note(&c, "ifconfig_re0_alias0", CONF_PARTIAL, "inet is missing");
	assert_note(&c, "ifconfig_re0_ipv6", CONF_PARTIAL, "inet6 is missing");
	conf_free(&c);
}

static void which_interfaces_there_are(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "network_interfaces='lo0 em.0 em1'\nifconfig_em_0='up'\nifconfig_em2='up'\n"
	       "ifconfig_DEFAULT='mtu 1400'\nifconfig_lo0_alias0='inet 127.0.0.2/32'\n");
	assert_int_equal(c.n_ifaces, 2);
	assert_string_equal(c.ifaces[0].name, "em.0");
	assert_int_equal(c.ifaces[0].mtu, 0);
	assert_string_equal(c.ifaces[1].name, "em1");
	assert_int_equal(c.ifaces[1].mtu, 1400);
	assert_note(&c, "ifconfig_em2", CONF_NO_EFFECT, "does not list em2");
	assert_note(&c, "ifconfig_lo0_alias0", CONF_NO_EFFECT, "loopback");
	conf_free(&c);

	rc(&c, "ifconfig_igb0=up\nvlans_igb0='7 guest'\ncloned_interfaces='lo1:sticky'\n"
	       "ifconfig_igb0_7='inet 10.0.0.1/8'\nifconfig_guest=up\nifconfig_lo1=up\n"
	       "ifconfig_igb1=\nifconfig_igb2='NOAUTO inet 10.2.0.1/24'\nifconfig_igb3=DHCP\n");
	assert_int_equal(c.n_ifaces, 4);
	assert_string_equal(c.ifaces[0].name, "igb0");
	assert_true(c.ifaces[0].up);
	assert_string_equal(c.ifaces[1].name, "igb1");
	assert_false(c.ifaces[1].up);
	assert_false(c.ifaces[2].up);
	assert_int_equal(c.ifaces[2].n_addrs, 0);
	assert_note(&c, "ifconfig_igb0_7", CONF_NO_EFFECT, "VLAN");
	assert_note(&c, "ifconfig_guest", CONF_NO_EFFECT, "VLAN");
	assert_note(&c, "ifconfig_lo1", CONF_NO_EFFECT, "cloned");
	assert_note(&c, "vlans_igb0", CONF_NO_EFFECT, "VLAN");
	assert_note(&c, "ifconfig_igb2", CONF_PARTIAL, "left alone");
	assert_note(&c, "ifconfig_igb3", CONF_NO_EFFECT, "static");
	conf_free(&c);
}

static void renamed_interfaces(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_wan0='inet 192.0.2.1/24'\nifconfig_igb0_name=wan0\n"
	       "ifconfig_igb0='inet 10.0.0.1/8'\nifconfig_igb0_descr=x\n"
	       "static_routes=a\nroute_a='-net 10/8 -interface wan0'\n");
	assert_int_equal(conf_sysctl(&c, "s", "dev.igb.0.fc=0", NULL), 0);
	assert_int_equal(c.n_ifaces, 1);
	assert_string_equal(c.ifaces[0].name, "wan0");
	assert_string_equal(c.ifaces[0].device, "igb0");
	assert_prefix(&c.ifaces[0].addrs[0], "192.0.2.1/24");
	assert_int_equal(c.ifaces[0].fc, 0);
	assert_ptr_equal(conf_iface_find(&c, "igb0"), &c.ifaces[0]);
	assert_note(&c, "ifconfig_igb0", CONF_NO_EFFECT, "renamed to wan0");
	conf_free(&c);

	rc(&c, "ifconfig_a0=up\nifconfig_a1='up mtu 1400'\nifconfig_a0_name=a1\n"
	       "ifconfig_a1_name=a0\n");
	assert_int_equal(c.n_ifaces, 2);
	assert_string_equal(c.ifaces[0].name, "a1");
	assert_string_equal(c.ifaces[0].device, "a0");
	assert_int_equal(c.ifaces[0].mtu, 1400);
	assert_int_equal(c.ifaces[1].mtu, 0);
	assert_int_equal(c.n_notes, 0);
	conf_free(&c);
}

static void all_forms_of_routes(void **state)
{
	static const struct {
		const char *words, *dst;
		enum conf_route_kind kind;
		const char *via;
	} r[] = {
		{"-net 10/8 192.0.2.9", "10.0.0.0/8", CONF_GATEWAY, "192.0.2.9"},
		{"-net 172.16 -netmask 255.240.0.0 192.0.2.9", "172.16.0.0/12", CONF_GATEWAY,
			"192.0.2.9"},
		{"198.51.100.77/24 192.0.2.9", "198.51.100.0/24", CONF_GATEWAY, "192.0.2.9"},
		{"-host 198.51.100.7 192.0.2.9", "198.51.100.7/32", CONF_GATEWAY, "192.0.2.9"},
		{"198.51.100.8 192.0.2.9", "198.51.100.8/32", CONF_GATEWAY, "192.0.2.9"},
		{"-inet -net 10.1.0.0 -prefixlen 16 192.0.2.9", "10.1.0.0/16", CONF_GATEWAY,
			"192.0.2.9"},
		{"-net 10.2.0.0/16 -interface em0", "10.2.0.0/16", CONF_IFACE, "em0"},
		{"-net 10.3.0.0/16 -iface em0", "10.3.0.0/16", CONF_IFACE, "em0"},
		{"-net 10.4.0.0/16 127.0.0.1 -reject", "10.4.0.0/16", CONF_REJECT, NULL},
		{"-blackhole -net 10.5.0.0/16", "10.5.0.0/16", CONF_BLACKHOLE, NULL},
		{"-static -fib 0 default 192.0.2.9", "0.0.0.0/0", CONF_GATEWAY, "192.0.2.9"},
		{"2001:db8:1::/48 2001:db8::9", "2001:db8:1::/48", CONF_GATEWAY, "2001:db8::9"},
		{"-inet6 2001:db8:2:: -prefixlen 48 fe80::9%em0", "2001:db8:2::/48", CONF_GATEWAY,
			"fe80::9"},
		{"-host 2001:db8:3::7 2001:db8::9", "2001:db8:3::7/128", CONF_GATEWAY,
			"2001:db8::9"},
		{"default 2001:db8::9", "::/0", CONF_GATEWAY, "2001:db8::9"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(r) / sizeof(r[0]); i++) {
		const char *six = strchr(r[i].dst, ':') != NULL ? "ipv6_" : "";
		char text[512];
		struct conf c;

		snprintf(text, sizeof(text),
			"ifconfig_em0='inet 192.0.2.1/24'\n%sstatic_routes=a-b\n%sroute_a_b='%s'\n",
			six, six, r[i].words);
		rc(&c, text);
		assert_int_equal(c.n_routes, 1);
		assert_int_equal(c.n_notes, 0);
		assert_prefix(&c.routes[0].dst, r[i].dst);
		assert_int_equal(c.routes[0].kind, r[i].kind);
		if (r[i].kind == CONF_GATEWAY)
			assert_ip(&c.routes[0].gateway, r[i].via);
		if (r[i].kind == CONF_IFACE || strchr(r[i].words, '%') != NULL)
			assert_string_equal(c.routes[0].iface, "em0");
		conf_free(&c);
	}
}

static void lists_of_routes(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_em0='inet 192.0.2.1/24'\nstatic_routes='a b:em0 c:em9 d e f'\n"
	       "route_a='-net 10.0.0.0/8 192.0.2.2'\nroute_b='-net 11/8 192.0.2.2'\n"
	       "route_c='-net 12/8 192.0.2.2'\nroute_d='-net 10.0.0.7/8 192.0.2.3'\n"
	       "route_f='-net 14/8 192.0.2.2 -fib 1'\nroute_g='-net 13/8 192.0.2.2'\n"
	       "defaultrouter=192.0.2.4\nipv6_defaultrouter=NO\n");
	assert_int_equal(c.n_routes, 3);
	assert_ip(&c.routes[0].gateway, "192.0.2.2");
	assert_prefix(&c.routes[1].dst, "11.0.0.0/8");
	assert_string_equal(c.routes[2].name, "default");
	assert_prefix(&c.routes[2].dst, "0.0.0.0/0");
	assert_note(&c, "route_c", CONF_NO_EFFECT, "no interface em9");
	assert_note(&c, "route_d", CONF_NO_EFFECT, "rc.conf:3 has the route");
	assert_note(&c, "route_f", CONF_NO_EFFECT, "one routing table");
	assert_note(&c, "route_g", CONF_NO_EFFECT, "does not list");
	assert_note(&c, "static_routes", CONF_PARTIAL, "route_e is not found");
	conf_free(&c);
}

static void neighbours(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "ifconfig_em0='inet 192.0.2.1/24'\nstatic_arp_pairs='a b x'\n"
	       "static_arp_a='192.0.2.2 02:0:0:0:0:1'\nstatic_arp_b='192.0.2.2 02:0:0:0:0:2'\n"
	       "static_ndp_pairs=l\nstatic_ndp_l='fe80::1%em0 02-00-00-00-00-03'\n");
	assert_int_equal(c.n_neighs, 2);
	assert_mac(&c.neighs[0].mac, "02:00:00:00:00:02");
	assert_ip(&c.neighs[1].ip, "fe80::1");
	assert_string_equal(c.neighs[1].zone, "em0");
	assert_note(&c, "static_arp_pairs", CONF_PARTIAL, "static_arp_x is not found");
	conf_free(&c);
}

static void yes_and_no_in_all_their_forms(void **state)
{
	static const struct {
		const char *text;
		bool on, noted;
	} t[] = {{"YES", 1, 0}, {"yes", 1, 0}, {"True", 1, 0}, {"ON", 1, 0}, {"1", 1, 0},
		{"NO", 0, 0}, {"false", 0, 0}, {"Off", 0, 0}, {"0", 0, 0}, {"", 0, 0}, {"Y", 0, 1},
		{"enable", 0, 1}};

	(void)state;
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char text[64];
		struct conf c;

		snprintf(text, sizeof(text), "gateway_enable='%s'", t[i].text);
		rc(&c, text);
		assert_int_equal(c.forward4, t[i].on);
		assert_int_equal(c.n_notes, t[i].noted);
		if (t[i].noted)
			assert_note(&c, "gateway_enable", CONF_PARTIAL, "neither YES nor NO");
		conf_free(&c);
	}
}

static void each_setting_reaches_its_field(void **state)
{
	struct conf c;

	(void)state;
	conf_init(&c);
	assert_int_equal(conf_sysctl(&c, "s",
				 "net.inet.ip.forwarding=1\nnet.inet6.ip6.forwarding=1\n"
				 "net.inet.ip.ttl=255\nnet.inet6.ip6.hlim=1\n"
				 "net.inet.ip.process_options=2\nnet.inet.icmp.icmplim=70000\n"
				 "net.inet.icmp.quotelen=0x80\n"
				 "net.inet.icmp.reply_from_interface=1\n",
				 NULL),
		0);
	assert_true(c.forward4 && c.forward6 && c.icmp_reply_from_interface);
	assert_true(c.redirect4 && c.redirect6);
	assert_int_equal(c.ttl, 255);
	assert_int_equal(c.hlim, 1);
	assert_int_equal(c.process_options, 2);
	assert_int_equal(c.icmp_limit_pps, 70000);
	assert_int_equal(c.icmp_quote_bytes, 128);
	conf_free(&c);
}

static void malformed_values_are_refused_with_their_line(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"ifconfig_a0='inet 198.18.0.256/25'", "r:1: ifconfig_a0: "},
		{"\nifconfig_a0='inet 198.18.0.1/33'", "r:2: ifconfig_a0: "},
		{"ifconfig_a0='inet 198.18.0.1'", "neither a netmask nor a /length"},
		{"ifconfig_a0='inet 198.18.0.1 netmask 255.0.255.0'", "255.0.255.0"},
		{"ifconfig_a0='inet 198.18.0.1/24 netmask 255.255.255.0'", "second length"},
		{"ifconfig_a0='inet 198.18.0.1 netmask'", "nothing behind"},
		{"ifconfig_a0='netmask 255.255.255.0'", "without an address"},
		{"ifconfig_a0='inet'", "nothing behind"},
		{"ifconfig_a0='inet6 1.2.3.4/8'", "not an inet6 address"},
		{"ifconfig_a0='inet 2001:db8::1/64'", "not an inet address"},
		{"ifconfig_a0_ipv6='inet6 2001:db8::1 prefixlen 129'", "129"},
		{"ifconfig_a0_ipv6='inet6 fe80::1%b0/64'", "another interface"},
		{"ifconfig_a0='inet 1.2.3.4 1.2.3.5'", "point-to-point"},
		{"ifconfig_a0='inet 1.2.3.4/24 inet 1.2.3.5/24'", "more than one address"},
		{"ifconfig_a0='inet 224.0.0.1/24'", "cannot be"},
		{"ifconfig_a0='inet 0.0.0.0/24'", "cannot be"},
		{"ifconfig_a0='mtu 71'", "72..65535"},
		{"ifconfig_a0='mtu 65536'", "72..65535"},
		{"ifconfig_a0='mtu 09000'", "octal"},
		{"ifconfig_a0='mtu many'", "not a whole number"},
		{"ifconfig_a0='ether 00:1b:21:c4:95'", "00:1b:21:c4:95"},
		{"ifconfig_a0='ether 01:00:00:00:00:01'", "group"},
		{"ifconfig_a0='upp'", "'upp'"},
		{"ifconfig_a0='up; reboot'", "quote it"},
		{"ifconfig_a0=\"description 'x\"", "never closed"},
		{"ipv4_addrs_a0='10.0.0.5-3/24'", "before the beginning"},
		{"ipv4_addrs_a0='10.0.0.5-256/24'", "last group"},
		{"ipv4_addrs_a0='10.0.0.5'", "/length"},
		{"ipv4_addrs_a0='10.0.0.5-7'", "range"},
		{"ifconfig_a0_aliases='inet6 2001:db8::1-801/64'", "more than 2048"},
		{"static_routes=a\nroute_a='-net 10.0.0.0/8'", "r:2: route_a: a gateway"},
		{"static_routes=a\nroute_a=' '", "destination is missing"},
		{"static_routes=a\nroute_a='-net 10.0.0.0 1.2.3.4'", "needs /LENGTH"},
		{"static_routes=a\nroute_a='10.0.0.0 1.2.3.4'", "needs /LENGTH"},
		{"static_routes=a\nroute_a='-net 10.0.0.0/8 1.2.3.4 5.6.7.8'", "too many"},
		{"static_routes=a\nroute_a='-net 10/33 1.2.3.4'", "33"},
		{"static_routes=a\nroute_a='-net 10/8 2001:db8::1'", "not an IPv4"},
		{"static_routes=a\nroute_a='-net 10/8 -interface b0'", "no interface 'b0'"},
		{"static_routes=a\nroute_a='-net 10/8 -frob 1.2.3.4'", "-frob"},
		{"static_routes=a\nroute_a='-host 10.0.0.1/8 1.2.3.4'", "host"},
		{"ipv6_static_routes=a\nipv6_route_a='-net 2001:: ::1'", "needs /LENGTH"},
		{"ipv6_static_routes=a\nipv6_route_a='2001::/16 fe80::1'", "%IF"},
		{"ipv6_static_routes=a\nipv6_route_a='2001::/16 fe80::1%b0'", "no interface"},
		{"defaultrouter='1.2.3.4 -reject'", "not an address"},
		{"defaultrouter=gw", "gw"},
		{"static_arp_pairs=a\nstatic_arp_a='10.0.0.1 02:0:0:0:0:1'", "no interface's net"},
		{"static_arp_pairs=a\nstatic_arp_a='10.0.0.1'", "ADDRESS MAC"},
		{"static_arp_pairs=a\nstatic_arp_a='2001:db8::1 02:0:0:0:0:1'", "not an IPv4"},
		{"static_ndp_pairs=a\nstatic_ndp_a='fe80::1 02:0:0:0:0:1'", "%IF"},
		{"pf_enable=YES", "no packet filter"},
		{"ifconfig_a0_name=x0\nifconfig_b0_name=x0", "x0 already"},
		{"ifconfig_this_name_is_longer_than_freebsd_has_them0=up", "too long"},
	};
	static const char *const settings[] = {"net.inet.ip.forwarding=2", "net.inet.ip.ttl=0",
		"net.inet.ip.ttl=256", "net.inet.ip.redirect=yes",
		"net.inet.ip.redirect=", "net.inet.icmp.icmplim=-1", "dev.igb.0.fc=4",
		"dev.cxl.0.pause_settings=8", "hw.igb.rxd=65536",
		"net.inet.ip.ttl=99999999999999999999"};
	char before[ADDR_TEXT_MAX];
	struct conf c;

	(void)state;
	rc(&c, lab_rc);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};

		if (conf_rc(&c, "r", bad[i].text, &err) != -EINVAL)
			fail_msg("taken: %s", bad[i].text);
		if (strstr(err.msg, bad[i].says) == NULL || strncmp(err.msg, "r:", 2) != 0)
			fail_msg("%s\n-> %s", bad[i].text, err.msg);
	}
	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct err err = {0};

		if (conf_sysctl(&c, "s", settings[i], &err) != -EINVAL ||
			strncmp(err.msg, "s:1: ", 5) != 0)
			fail_msg("%s\n-> %s", settings[i], err.msg);
	}
	// Nothing of it all has stuck.
	assert_int_equal(c.n_ifaces, 2);
	assert_int_equal(c.n_routes, 4);
	assert_int_equal(c.n_notes, 0);
	assert_string_equal(prefix_text(&c.ifaces[0].addrs[0], before), "198.18.0.209/25");
	assert_int_equal(conf_rc(&c, "r", "gateway_enable=NO", NULL), 0);
	assert_int_equal(c.n_ifaces, 2);
	assert_false(c.forward4);
	conf_free(&c);
}

static void notes_tell_the_known_from_the_unknown(void **state)
{
	struct conf c;

	(void)state;
	rc(&c, "sshd_enable=YES\nharvest_mask=351\nfrobnicate=1\nnet=198.18\n"
	       "static_routes=\"$none a\"\nroute_a=\"-net $net.0.0/16 198.18.0.1\"\n"
	       "ifconfig_a0='media 1000baseT inet 198.18.0.2/24 tso4'\npf_rules=/etc/pf.conf\n");
	assert_note(&c, "sshd_enable", CONF_HOST, "host");
	assert_note(&c, "harvest_mask", CONF_NO_EFFECT, "no effect here because");
	assert_note(&c, "frobnicate", CONF_UNKNOWN, "unknown");
	assert_note(&c, "none", CONF_PARTIAL, "not set above");
	assert_note(&c, "ifconfig_a0", CONF_NO_EFFECT, "media: no effect here because");
	assert_note(&c, "pf_rules", CONF_NO_EFFECT, "packet filter");
	assert_null(note(&c, "net"));
	assert_int_equal(c.n_notes, 7); // ifconfig_a0 twice: media and tso4
	assert_int_equal(conf_sysctl(&c, "s", "net.foo=1\nhw.igb.rx_process_limit=-1\n", NULL), 0);
	assert_note(&c, "net.foo", CONF_UNKNOWN, "unknown");
	assert_note(&c, "hw.igb.rx_process_limit", CONF_NO_EFFECT, "burst");
	assert_int_equal(conf_loader(&c, "l", "net.inet.ip.redirect=0\n", NULL), 0);
	assert_true(c.redirect4);
	assert_note(&c, "net.inet.ip.redirect", CONF_NO_EFFECT, "belongs in sysctl.conf");
	conf_free(&c);
}

static void settings_can_be_listed_as_they_stand(void **state)
{
	struct conf_setting s;
	struct conf c;

	(void)state;
	conf_init(&c);
	assert_false(conf_setting(&c, 0, &s));
	rc(&c, "a=1\nb='2 3'\na=4\n");
	assert_int_equal(conf_loader(&c, "l", "z=1", NULL), 0);
	assert_true(conf_setting(&c, 0, &s));
	assert_string_equal(s.file, "rc.conf");
	assert_string_equal(s.name, "a");
	assert_string_equal(s.value, "4");
	assert_string_equal(s.where, "rc.conf:3");
	assert_true(conf_setting(&c, 2, &s));
	assert_string_equal(s.file, "loader.conf");
	assert_false(conf_setting(&c, 3, &s));
	conf_free(&c);
}

// What the BSD Router Project's bench folders set, and what FreeBSD's manuals name for a router.
static void names_in_common_use_are_known(void **state)
{
	static const char rc_names[] =
		"hostname ifconfig_igb0_name ifconfig_igb0_descr ipv6_prefix_igb0 cloned_interfaces "
		"create_args_vlan0 vlans_igb0 pf_rules pf_flags pf_program pf_fallback_rules_enable "
		"pflog_enable pflog_logfile pfsync_enable pfsync_syncdev pfsync_syncpeer "
		"firewall_script firewall_type firewall_quiet firewall_logging firewall_nat_enable "
		"firewall_flags ipfilter_rules ipnat_rules harvest_mask icmp_drop_redirect "
		"icmp_log_redirect icmp_bmcastecho tcp_extensions tcp_drop_synfin log_in_vain "
		"ip_portrange_first ip_portrange_last forward_sourceroute accept_sourceroute "
		"arpproxy_all kld_list defaultroute_delay ipsec_enable openvpn_enable "
		"wireguard_enable tincd_enable quagga_enable bird_enable rtadvd_enable "
		"disablelrotso_enable txabdicate_enable chelsio_affinity_enable sshd_enable "
		"sendmail_enable moused_enable blanktime update_motd dumpdev syslogd_flags "
		"entropy_file root_rw_mount growfs_enable ";
	static const char settings[] =
		"net.inet.ip.fastforwarding net.inet.ip.portrange.first net.inet.ip.random_id "
		"net.inet.ip.rfc6864 net.inet.ip.source_address_validation net.inet.ip.stealth "
		"net.inet.ip.sourceroute net.inet.ip.accept_sourceroute net.inet.ip.maxfragpackets "
		"net.inet.ip.maxfragsperpacket net.inet.ip.fragttl net.inet.icmp.icmplim_output "
		"net.inet.icmp.icmplim_jitter net.inet.icmp.drop_redirect net.inet.icmp.log_redirect "
		"net.inet.icmp.redirtimeout net.inet.icmp.reply_src net.inet.icmp.bmcastecho "
		"net.inet.icmp.tstamprepl net.inet.icmp.maskrepl net.inet.tcp.blackhole "
		"net.inet.udp.blackhole net.inet.tcp.tso net.link.ether.inet.max_age "
		"net.link.ether.inet.maxtries net.link.ether.inet.wait net.inet6.icmp6.nd6_delay "
		"net.inet6.icmp6.nd6_maxqueuelen net.inet.ip.fw.dyn_max net.inet.ip.fw.one_pass "
		"net.pf.states_hashsize dev.ix.0.iflib.tx_abdicate dev.ix.0.iflib.override_nrxqs "
		"dev.ix.0.iflib.override_ntxds dev.ix.0.iflib.core_offset dev.ix.0.fc "
		"dev.ix.0.iflib.separate_txrx dev.ix.0.iflib.disable_msix dev.cc.0.pause_settings "
		"dev.ix.0.iflib.use_logical_cores dev.ix.0.iflib.rx_budget dev.ix.0.iflib.simple_tx "
		"dev.ix.0.iflib.tx_reclaim_thresh dev.ix.0.iflib.disable_prefetch "
		"dev.mce.0.rx_pauseframe_control dev.mce.0.tx_pauseframe_control "
		"dev.t5nex.0.toe.tx_align hw.intr_storm_threshold hw.pci.do_power_nodriver "
		"kern.coredump security.bsd.see_other_uids hw.syscons.bell kern.random.fortuna.x "
		"net.route.netisr_maxqlen net.inet.raw.maxdgram net.bpf.zerocopy_enable "
		"kern.ipc.maxsockbuf net.inet.ipsec.async_crypto hw.cxgbe.nrxq hw.cxgbe.ntxq10g "
		"hw.cxgbe.qsize_rxq hw.cxgbe.holdoff_timer_idx hw.cxgbe.holdoff_pktc_idx "
		"hw.cxgbe.toecaps_allowed hw.cxgbe.rdmacaps_allowed hw.cxgbe.iscsicaps_allowed "
		"hw.cxgbe.fcoecaps_allowed hw.cxgbe.pause_settings hw.ix.flow_control "
		"hw.ixl.flow_control hw.cxgbe.cop_managed_offloading hw.cxgbe.num_vis "
		"hw.cxgbe.nnmrxq_vi hw.cxgbe.nm_txcsum hw.cxgbe.rsrv_noflowq hw.cxgbe.cong_drop "
		"hw.igb.num_queues hw.ix.num_queues dev.mce.0.conf.channels hw.igb.rxd hw.em.txd "
		"hw.ix.rx_process_limit hw.ix.tx_process_limit hw.igb.max_interrupt_rate "
		"hw.igb.enable_aim hw.ix.unsupported_sfp hw.ix.allow_unsupported_sfp "
		"dev.mce.0.conf.rx_queue_size dev.mce.0.conf.rx_coalesce_usecs "
		"machdep.hyperthreading_allowed machdep.hyperthreading_intr_allowed net.fibs "
		"net.link.ifqmaxlen net.isr.maxqlimit net.isr.maxthreads net.isr.bindthreads "
		"net.inet.rss.udp_4tuple fib_dxr_load dpdk_lpm4_load dpdk_lpm6_load if_igb_load "
		"net.route.algo.inet.algo t5fw_cfg_load mlx5en_load aesni_load boot_multicons "
		"comconsole_port hw.usb.no_pf hw.vga.textmode autoboot_delay ";
	const char *lists[] = {rc_names, settings, settings};
	int (*const read[])(struct conf *, const char *, const char *, struct err *) = {
		conf_rc, conf_sysctl, conf_loader};

	(void)state;
	for (unsigned l = 0; l < 3; l++) {
		char name[128];
		int n;

		for (const char *p = lists[l]; sscanf(p, "%100s%n", name, &n) == 1; p += n) {
			struct err err = {0};
			struct conf c;

			strcat(name, "=1");
			conf_init(&c);
			if (read[l](&c, "f", name, &err) != 0)
				fail_msg("%s", err.msg);
			for (unsigned i = 0; i < c.n_notes; i++)
				if (c.notes[i].kind == CONF_UNKNOWN)
					fail_msg("%s: %s", name, c.notes[i].why);
			conf_free(&c);
		}
	}
}

// --- folders -----------------------------------------------------------------------------------

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void folders_of_both_shapes(void **state)
{
	char dir[] = "/tmp/weir-conf-XXXXXX", path[256];
	struct err err = {0};
	struct conf c, d;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(conf_read_dir(dir, &c, &err), -ENOENT);
	snprintf(path, sizeof(path), "%s/etc", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(dir, "etc/rc.conf", lab_rc);
	write_file(dir, "etc/rc.conf.local", "ipv6_gateway_enable=NO\nodd=1\n");
	write_file(dir, "sysctl.conf", "net.inet.ip.redirect=0");
	write_file(dir, "loader.conf", "hw.igb.rxd=\"2048\"\n");
	assert_int_equal(conf_read_dir(dir, &c, &err), 0);
	assert_int_equal(c.n_ifaces, 2);
	assert_int_equal(c.ifaces[0].n_rxd, 2048);
	assert_true(c.forward4 && !c.forward6 && !c.redirect4);
	assert_string_equal(note(&c, "odd")->where, "etc/rc.conf.local:2");

	write_file(dir, "etc/rc.conf.local", "");
	write_file(dir, "rc.conf", "");
	d = c;
	assert_int_equal(conf_read_dir(dir, &d, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "both rc.conf and etc/rc.conf"));
	assert_memory_equal(&c, &d, sizeof(c));
	write_file(dir, "etc/rc.conf.local", "A=(");
	snprintf(path, sizeof(path), "%s/rc.conf", dir);
	unlink(path);
	assert_int_equal(conf_add_dir(&c, dir, &err), -EINVAL);
	snprintf(path, sizeof(path), "%s/etc/rc.conf.local:1: ", dir);
	assert_int_equal(strncmp(err.msg, path, strlen(path)), 0);
	assert_int_equal(c.n_ifaces, 2);
	conf_free(&c);

	snprintf(path, sizeof(path), "rm -r %s", dir);
	assert_int_equal(system(path), 0);
	assert_int_equal(conf_read_dir(dir, &c, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no such folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_labs_rc_conf_reads_unchanged),
		cmocka_unit_test(defaults_are_those_of_freebsd),
		cmocka_unit_test(the_settings_of_both_labs_have_effect_or_a_reason),
		cmocka_unit_test(a_sysctl_file_of_one_line_is_enough),
		cmocka_unit_test(no_order_of_the_files_matters),
		cmocka_unit_test(later_values_win_across_texts),
		cmocka_unit_test(all_forms_of_addresses),
		cmocka_unit_test(an_address_given_again_takes_the_new_length),
		cmocka_unit_test(aliases_end_at_an_empty_one_and_may_lack_the_family),
		cmocka_unit_test(which_interfaces_there_are),
		cmocka_unit_test(renamed_interfaces),
		cmocka_unit_test(all_forms_of_routes),
		cmocka_unit_test(lists_of_routes),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(yes_and_no_in_all_their_forms),
		cmocka_unit_test(each_setting_reaches_its_field),
		cmocka_unit_test(malformed_values_are_refused_with_their_line),
		cmocka_unit_test(notes_tell_the_known_from_the_unknown),
		cmocka_unit_test(settings_can_be_listed_as_they_stand),
		cmocka_unit_test(names_in_common_use_are_known),
		cmocka_unit_test(folders_of_both_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: BSD-2-Clause
// notes.c - why settings that are known have no effect here.
//
// The first pattern (fnmatch's) that fits counts.  Each reason completes the sentence "no effect
// here because ...", and must stay true: whoever gives a setting its effect takes its line out.
#include "conf/build.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

struct reason {
	const char *pattern, *why;
};

static const char host[] = ""; // it is the host's matter
static const char no_filter[] = "this version has no packet filter";
static const char no_socket[] = "the router has no sockets; packets for itself it drops and counts";
static const char no_local[] = "packets for the router itself are dropped and counted";
static const char no_daemon[] = "the router starts no other programs";
static const char no_vlan[] = "the router has no VLAN or cloned interfaces";
static const char no_redirect[] = "redirects are never followed";
static const char no_segments[] = "frames are forwarded as they came: nothing is merged or cut";
static const char no_toe[] = "a router ends no TCP connections for a card to take over";
static const char no_interrupt[] = "the router polls its ports and takes no interrupts";
static const char no_queue[] = "no queue lies between receiving and sending";
static const char static_neighbours[] = "neighbours are the static ones, which do not age";
static const char no_reassembly[] = "fragments are forwarded, never put together";
static const char no_entropy[] = "packets are not used as a source of randomness";
static const char no_ra[] = "router advertisements are neither read nor sent";
static const char one_table[] = "the router has one routing table";
static const char one_lookup[] = "the router has one lookup structure of its own";
static const char no_module[] = "the router loads no kernel modules";
static const char no_driver[] = "the ports are driven by other drivers, without this knob";
static const char burst[] = "a turn takes one burst of at most 64 frames from a queue";
static const char own_stack[] = "no packet goes through the kernel's network stack";

static const struct reason rc_reasons[] = {
	{"pf_*", no_filter},
	{"pflog_*", no_filter},
	{"pfsync_*", no_filter},
	{"firewall_*", no_filter},
	{"firewall6_*", no_filter},
	{"ipfilter_*", no_filter},
	{"ipnat_*", no_filter},
	{"ipmon_*", no_filter},
	{"ipfs_*", no_filter},
	{"natd_*", no_filter},
	{"dummynet_enable", no_filter},
	{"harvest_mask", no_entropy},
	{"icmp_drop_redirect", no_redirect},
	{"icmp_log_redirect", no_redirect},
	{"icmp_bmcastecho", no_local},
	{"tcp_extensions", no_socket},
	{"tcp_drop_synfin", no_socket},
	{"tcp_keepalive", no_socket},
	{"log_in_vain", no_socket},
	{"ip_portrange_*", no_socket},
	{"forward_sourceroute", "packets with a source route are always refused"},
	{"accept_sourceroute", "packets with a source route are always refused"},
	{"arpproxy_all", "the router answers no ARP requests for others"},
	{"kld_list", no_module},
	{"defaultroute_delay", "addresses are static, so there is nothing to wait for"},
	{"defaultroute_carrier_delay", "addresses are static, so there is nothing to wait for"},
	{"netwait_*", "addresses are static, so there is nothing to wait for"},
	{"dhclient_*", "addresses are static"},
	{"background_dhclient*", "addresses are static"},
	{"synchronous_dhclient", "addresses are static"},
	{"disablelrotso_enable", no_segments},
	{"txabdicate_enable", no_queue},
	{"chelsio_affinity_enable", no_interrupt},
	{"*_affinity_enable", no_interrupt},
	{"rtsold_*", no_ra},
	{"rtsol_*", no_ra},
	{"rtadvd_*", no_ra},
	{"ipv6_cpe_wanif", no_ra},
	{"ipv6_privacy", no_ra},
	{"ipv6_prefix_*", "addresses are not made from prefixes; write them out"},
	{"ipv6_addrs_*", "ifconfig_IF_aliases is read instead"},
	{"ipv6_ifconfig_*", "FreeBSD 9 renamed it to ifconfig_IF_ipv6"},
	{"ipv6_default_interface", "link-local addresses carry their interface"},
	{"ip6addrctl_*", no_socket},
	{"cloned_interfaces", no_vlan},
	{"cloned_interfaces_sticky", no_vlan},
	{"create_args_*", no_vlan},
	{"vlans_*", no_vlan},
	{"autobridge_*", no_vlan},
	{"gif_interfaces", no_vlan},
	{"wlans_*", no_vlan},
	{"wpa_supplicant_*", no_vlan},
	{"hostapd_*", no_vlan},
	{"route_*", "static_routes does not list it"},
	{"ipv6_route_*", "ipv6_static_routes does not list it"},
	{"static_arp_*", "static_arp_pairs does not list it"},
	{"static_ndp_*", "static_ndp_pairs does not list it"},
	{"ifconfig_*_descr", "descriptions are shown nowhere"},
	{"ifconfig_DEFAULT", "no interface is without its own ifconfig_IF"},
	{"ipsec_*", no_daemon},
	{"racoon_*", no_daemon},
	{"strongswan_*", no_daemon},
	{"openvpn_*", no_daemon},
	{"wireguard_*", no_daemon},
	{"tincd_*", no_daemon},
	{"quagga_*", no_daemon},
	{"frr_*", no_daemon},
	{"bird_*", no_daemon},
	{"routed_*", no_daemon},
	{"route6d_*", no_daemon},
	{"mpd_*", no_daemon},
	{"ppp_*", no_daemon},
	{"lldpd_*", no_daemon},
	{"netgraph_*", no_daemon},
	{"hostname", host},
	{"sshd_*", host},
	{"sendmail_*", host},
	{"moused_*", host},
	{"mousechar_start", host},
	{"blanktime", host},
	{"saver", host},
	{"keymap", host},
	{"keyrate", host},
	{"font8x*", host},
	{"allscreens_*", host},
	{"update_motd", host},
	{"dumpdev", host},
	{"dumpdir", host},
	{"savecore_*", host},
	{"crashinfo_*", host},
	{"syslogd_*", host},
	{"newsyslog_*", host},
	{"entropy_*", host},
	{"root_rw_mount", host},
	{"growfs_*", host},
	{"ntpd_*", host},
	{"ntpdate_*", host},
	{"cron_*", host},
	{"devd_*", host},
	{"devfs_*", host},
	{"powerd_*", host},
	{"performance_*", host},
	{"economy_*", host},
	{"microcode_update_*", host},
	{"clear_tmp_*", host},
	{"cleanvar_*", host},
	{"tmpmfs*", host},
	{"varmfs*", host},
	{"background_fsck*", host},
	{"fsck_*", host},
	{"zfs_*", host},
	{"kern_securelevel*", host},
	{"hostid_*", host},
	{"rc_*", host},
	{"local_*", host},
	{"inetd_*", host},
	{"rpcbind_*", host},
	{"nfs_*", host},
	{"bsnmpd_*", host},
	{"snmpd_*", host},
	{"watchdogd_*", host},
	{"virecover_enable", host},
	{"opensm_enable", host},
};

// sysctl.conf and loader.conf share their names.
static const struct reason setting_reasons[] = {
	{"net.inet.ip.fastforwarding", "the router has one way for packets, the fast one"},
	{"net.inet.ip.portrange.*", no_socket},
	{"net.inet.ip.random_id*", "identifications of packets made here count up"},
	{"net.inet.ip.rfc6864", "identifications of packets made here count up"},
	{"net.inet*.ip*.source_address_validation",
		"sources are held against the martian nets only"},
	{"net.inet.ip.check_interface", "sources are held against the martian nets only"},
	{"net.inet*.ip*.stealth", "the TTL or hop limit is always lowered"},
	{"net.inet.ip.sourceroute", "packets with a source route are always refused"},
	{"net.inet.ip.accept_sourceroute", "packets with a source route are always refused"},
	{"net.inet*.ip*.maxfrag*", no_reassembly},
	{"net.inet*.ip*.frag*", no_reassembly},
	{"net.inet.ip.intr_queue_maxlen", no_queue},
	{"net.inet6.ip6.intr_queue_maxlen", no_queue},
	{"net.inet.icmp.icmplim_output", "what the limit held back is counted, not logged"},
	{"net.inet.icmp.icmplim_jitter", "the limit is not varied at random"},
	{"net.inet*.icmp*.*redir*", no_redirect},
	{"net.inet.icmp.reply_src", "reply_from_interface chooses the address of ICMP errors"},
	{"net.inet.icmp.bmcastecho", no_local},
	{"net.inet.icmp.tstamprepl", no_local},
	{"net.inet.icmp.maskrepl", no_local},
	{"net.inet.tcp.blackhole", no_local},
	{"net.inet.udp.blackhole", no_local},
	{"net.inet.sctp.blackhole", no_local},
	{"net.inet.tcp.tso", no_segments},
	{"net.inet.tcp.*", no_socket},
	{"net.inet.udp.*", no_socket},
	{"net.inet.raw.*", no_socket},
	{"net.inet.sctp.*", no_socket},
	{"net.link.ether.inet.proxyall", "the router answers no ARP requests for others"},
	{"net.link.ether.inet.*", static_neighbours},
	{"net.inet6.icmp6.nd6_*", static_neighbours},
	{"net.inet6.icmp6.icmp6lim", "net.inet.icmp.icmplim limits both families, each by itself"},
	{"net.inet6.ip6.accept_rtadv", no_ra},
	{"net.inet6.ip6.no_radr", no_ra},
	{"net.inet6.ip6.rfc6204w3", no_ra},
	{"net.inet6.ip6.auto_linklocal", "each IPv6 interface has its link-local address"},
	{"net.inet6.ip6.dad_count", "addresses are never probed for duplicates"},
	{"net.inet.ip.fw.*", no_filter},
	{"net.inet6.ip6.fw.*", no_filter},
	{"net.inet.ip.dummynet.*", no_filter},
	{"net.inet.ip.alias.*", no_filter},
	{"net.pf.*", no_filter},
	{"net.pfsync.*", no_filter},
	{"net.inet.ipf.*", no_filter},
	{"net.inet*.ipsec*.*", "the router has no IPsec"},
	{"net.inet.carp.*", "the router has no CARP"},
	{"net.link.bridge.*", no_vlan},
	{"net.link.lagg.*", no_vlan},
	{"net.link.vlan.*", no_vlan},
	{"net.link.epair.*", no_vlan},
	{"net.link.tap.*", no_vlan},
	{"net.link.tun.*", no_vlan},
	{"net.link.ifqmaxlen", no_queue},
	{"net.isr.*", own_stack},
	{"net.route.netisr_maxqlen", own_stack},
	{"net.route.algo.*", one_lookup},
	{"net.route.*", one_table},
	{"net.fibs", one_table},
	{"net.add_addr_allfibs", one_table},
	{"net.inet.rss.*", own_stack},
	{"net.bpf.*", own_stack},
	{"net.graph.*", own_stack},
	{"dev.netmap.*", own_stack},
	{"dev.*.iflib.tx_abdicate", "a worker sends what it received itself; no ring is handed on"},
	{"dev.*.iflib.core_offset", "the CPUs are given on the command line"},
	{"dev.*.iflib.separate_txrx", "a worker receives and sends on one CPU"},
	{"dev.*.iflib.use_logical_cores", "the CPUs are given on the command line"},
	{"dev.*.iflib.disable_msix", no_interrupt},
	{"dev.*.iflib.rx_budget", burst},
	{"dev.*.iflib.*", no_driver},
	{"dev.*.rx_processing_limit", burst},
	{"dev.*.toe.*", no_toe},
	{"dev.*coalesce*", no_interrupt},
	{"dev.*.holdoff_*", no_interrupt},
	{"dev.*.enable_aim", no_interrupt},
	{"dev.[0-9a-z]*", no_driver},
	{"hw.*.rx_process_limit", burst},
	{"hw.*.tx_process_limit", burst},
	{"hw.*.max_interrupt_rate", no_interrupt},
	{"hw.*.enable_aim", no_interrupt},
	{"hw.*.enable_msix", no_interrupt},
	{"hw.*.holdoff_*", no_interrupt},
	{"hw.*.unsupported_sfp", no_driver},
	{"hw.*.allow_unsupported_sfp", no_driver},
	{"hw.cxgbe.*caps_allowed", no_toe},
	{"hw.cxgbe.cop_managed_offloading", no_toe},
	{"hw.cxgbe.num_vis", "netmap's extra interfaces are for a generator"},
	{"hw.cxgbe.nnm*", "netmap's extra interfaces are for a generator"},
	{"hw.cxgbe.nm_*", "netmap's extra interfaces are for a generator"},
	{"hw.cxgbe.*", no_driver},
	{"hw.mlx*", no_driver},
	{"hw.intr_storm_threshold", no_interrupt},
	{"machdep.hyperthreading_allowed", "the CPUs are given on the command line"},
	{"machdep.hyperthreading_intr_allowed", no_interrupt},
	{"kern.random.*", no_entropy},
	{"fib_dxr_load", one_lookup},
	{"dpdk_lpm*_load", one_lookup},
	{"*_load", no_module},
	{"*_name", no_module},
	{"*_type", no_module},
	{"hw.pci.*", host},
	{"hw.syscons.*", host},
	{"hw.usb.*", host},
	{"hw.vga.*", host},
	{"hw.memtest.*", host},
	{"hw.acpi.*", host},
	{"hw.efi.*", host},
	{"hint.*", host},
	{"debug.*", host},
	{"kern.*", host},
	{"machdep.*", host},
	{"security.*", host},
	{"vfs.*", host},
	{"vm.*", host},
	{"autoboot_delay", host},
	{"beastie_disable", host},
	{"boot_*", host},
	{"bootfile", host},
	{"comconsole_*", host},
	{"console", host},
	{"efi_*", host},
	{"exec", host},
	{"kernel*", host},
	{"loader_*", host},
	{"module_path", host},
	{"password", host},
	{"screen.*", host},
	// Only loader.conf's get here: sysctl.conf's have their effect.
	{"net.inet*.ip*.forwarding", "it belongs in sysctl.conf"},
	{"net.inet*.ip*.redirect", "it belongs in sysctl.conf"},
	{"net.inet.ip.ttl", "it belongs in sysctl.conf"},
	{"net.inet6.ip6.hlim", "it belongs in sysctl.conf"},
	{"net.inet.ip.process_options", "it belongs in sysctl.conf"},
	{"net.inet.icmp.icmplim", "it belongs in sysctl.conf"},
	{"net.inet.icmp.quotelen", "it belongs in sysctl.conf"},
	{"net.inet.icmp.reply_from_interface", "it belongs in sysctl.conf"},
};

static int one(struct build *b, const struct var *v, const struct reason *table, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (fnmatch(table[i].pattern, v->name, 0) != 0)
			continue;
		if (table[i].why == host)
			return conf_note(
				b, CONF_HOST, v, "a matter of the host, not of the router");
		return conf_note(b, CONF_NO_EFFECT, v, "no effect here because %s", table[i].why);
	}
	return conf_note(b, CONF_UNKNOWN, v, "unknown name");
}

// A file that asks for a packet filter must not get a router that lets everything through.
static int refuse_filters(struct build *b)
{
	static const char *const names[] = {
		"pf_enable", "firewall_enable", "ipfilter_enable", "ipnat_enable", "natd_enable"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct var *v = vars_find(&b->in->rc, names[i]);
		bool yes;
		int rc = conf_rc_yes(b, names[i], &yes);

		if (rc != 0)
			return rc;
		if (yes)
			return conf_bad(b, v,
				"%s; without it everything would pass, so the file is refused",
				no_filter);
	}
	return 0;
}

int conf_build_notes(struct build *b)
{
	struct vars *settings[] = {&b->in->sysctl, &b->in->loader};
	int rc = refuse_filters(b);

	for (unsigned i = 0; i < b->in->unset.n && rc == 0; i++) {
		struct var *v = &b->in->unset.v[i];

		rc = conf_note(
			b, CONF_PARTIAL, v, "referred to but not set above; empty, as in sh");
	}
	for (unsigned i = 0; i < b->in->rc.n && rc == 0; i++)
		if (!b->in->rc.v[i].used && !b->in->rc.v[i].referred)
			rc = one(b, &b->in->rc.v[i], rc_reasons,
				sizeof(rc_reasons) / sizeof(rc_reasons[0]));
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < settings[s]->n && rc == 0; i++)
			if (!settings[s]->v[i].used)
				rc = one(b, &settings[s]->v[i], setting_reasons,
					sizeof(setting_reasons) / sizeof(setting_reasons[0]));
	return rc;
}

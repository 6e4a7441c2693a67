// SPDX-License-Identifier: BSD-2-Clause
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "router/inside.h"
#include "router/rig_test.h"

#include <errno.h>
#include <string.h>

static struct rig rig;

static int start(void **state)
{
	struct router_conf c = {.forward4 = true, .forward6 = true};

	(void)state;
	rig_start(&rig, &c);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	rig_stop(&rig);
	return 0;
}

static enum drop sent_to(const char *dst)
{
	struct frame f;

	if (strchr(dst, ':') != NULL)
		frame_udp6(&f, "2001:2:0:1::1", dst, 64, 18);
	else
		frame_udp4(&f, "198.18.10.1", dst, 64, 18);
	return rig_one(&rig, 0, &f);
}

// Through whom a packet to dst went: the last byte of the MAC.
static unsigned via(const char *dst)
{
	assert_int_equal(sent_to(dst), DROP_NONE);
	return rig_data(&rig, 0)[5];
}

static int route(const char *dst, const char *gateway, struct err *err)
{
	struct route r = {.dst = rig_prefix(dst), .gateway = rig_ip(gateway)};

	return router_route_add(rig.r, &r, err);
}

static int neigh(const char *ip, const char *mac, struct err *err)
{
	struct ip a = rig_ip(ip);
	struct mac m = rig_mac_of(mac);

	return router_neigh_add(rig.r, &a, &m, err);
}

static void a_connected_host_needs_a_neighbour(void **state)
{
	(void)state;
	assert_int_equal(sent_to("198.19.0.200"), DROP_NEIGHBOUR);
	assert_int_equal(neigh("198.19.0.200", "02:00:00:00:00:01", NULL), 0);
	assert_int_equal(via("198.19.0.200"), 1);
	assert_int_equal(neigh("198.19.0.200", "02:00:00:00:00:02", NULL), 0);
	assert_int_equal(via("198.19.0.200"), 2);
}

static void a_route_waits_for_its_gateways_neighbour(void **state)
{
	(void)state;
	assert_int_equal(route("10.1.0.0/16", "198.19.0.201", NULL), 0);
	assert_int_equal(sent_to("10.1.2.3"), DROP_NEIGHBOUR);
	assert_int_equal(neigh("198.19.0.201", "02:00:00:00:00:03", NULL), 0);
	assert_int_equal(via("10.1.2.3"), 3);
	assert_int_equal(via("198.19.0.201"), 3);
}

static void a_static_route_inside_a_net_wins_over_its_neighbours(void **state)
{
	struct route r = {.dst = rig_prefix("198.19.0.144/28"), .kind = ROUTE_BLACKHOLE};

	(void)state;
	assert_int_equal(neigh("198.19.0.150", "02:00:00:00:00:04", NULL), 0);
	assert_int_equal(via("198.19.0.150"), 4);
	assert_int_equal(router_route_add(rig.r, &r, NULL), 0);
	assert_int_equal(sent_to("198.19.0.150"), DROP_BLACKHOLE);
	// The other order.
	assert_int_equal(neigh("198.19.0.151", "02:00:00:00:00:05", NULL), 0);
	assert_int_equal(sent_to("198.19.0.151"), DROP_BLACKHOLE);
	// A host route takes the place of the neighbour's.
	assert_int_equal(neigh("198.19.0.160", "02:00:00:00:00:06", NULL), 0);
	assert_int_equal(route("198.19.0.160", "198.19.0.203", NULL), 0);
	assert_int_equal(via("198.19.0.160"), 0x7b);
	// But as a gateway it is still there.
	assert_int_equal(route("10.2.0.0/16", "198.19.0.150", NULL), 0);
	assert_int_equal(via("10.2.0.1"), 4);
}

static void a_default_route_leaves_special_addresses_alone(void **state)
{
	(void)state;
	assert_int_equal(sent_to("8.8.8.8"), DROP_IP4_NO_ROUTE);
	assert_int_equal(route("0.0.0.0/0", "198.19.0.203", NULL), 0);
	assert_int_equal(route("::/0", "2001:2:0:8000::203", NULL), 0);
	assert_int_equal(via("8.8.8.8"), 0x7b);
	assert_int_equal(via("191.255.255.255"), 0x7b);
	assert_int_equal(via("223.255.255.255"), 0x7b);
	assert_int_equal(via("2a00::1"), 0x7b);
	assert_int_equal(via("fdff::1"), 0x7b);
	assert_int_equal(sent_to("127.0.0.1"), DROP_IP4_DST_MARTIAN);
	assert_int_equal(sent_to("0.1.2.3"), DROP_IP4_DST_MARTIAN);
	assert_int_equal(sent_to("169.254.3.4"), DROP_IP4_DST_MARTIAN);
	assert_int_equal(sent_to("240.0.0.1"), DROP_IP4_DST_MARTIAN);
	assert_int_equal(sent_to("224.0.0.1"), DROP_IP4_MULTICAST);
	assert_int_equal(sent_to("239.255.255.255"), DROP_IP4_MULTICAST);
	assert_int_equal(sent_to("255.255.255.255"), DROP_IP4_BROADCAST);
	assert_int_equal(sent_to("198.18.0.128"), DROP_IP4_BROADCAST);
	assert_int_equal(sent_to("198.18.0.255"), DROP_IP4_BROADCAST);
	assert_int_equal(sent_to("198.18.0.209"), DROP_LOCAL);
	assert_int_equal(sent_to("::1"), DROP_IP6_DST_MARTIAN);
	assert_int_equal(sent_to("::ffff:8.8.8.8"), DROP_IP6_DST_MARTIAN);
	assert_int_equal(sent_to("ff0e::1"), DROP_IP6_MULTICAST);
	assert_int_equal(sent_to("fe80::1"), DROP_IP6_SCOPE);
	assert_int_equal(sent_to("2001:2::209"), DROP_LOCAL);
	assert_int_equal(sent_to("2001:2::"), DROP_LOCAL); // subnet-router anycast
	assert_int_equal(sent_to("fe80::208:a2ff:fe09:33da"), DROP_LOCAL);
	assert_int_equal(sent_to("fe80::208:a2ff:fe09:33db"), DROP_IP6_SCOPE); // of the other port
}

static void a_net_on_an_interface_has_neighbours_without_an_address_there(void **state)
{
	struct route r = {.dst = rig_prefix("10.3.0.0/24"), .kind = ROUTE_INTERFACE, .port = 1};

	(void)state;
	assert_int_equal(neigh("10.3.0.7", "02:00:00:00:00:07", NULL), -EINVAL);
	assert_int_equal(router_route_add(rig.r, &r, NULL), 0);
	assert_int_equal(sent_to("10.3.0.7"), DROP_NEIGHBOUR);
	assert_int_equal(neigh("10.3.0.7", "02:00:00:00:00:07", NULL), 0);
	assert_int_equal(via("10.3.0.7"), 7);
	assert_int_equal(route("10.4.0.0/16", "10.3.0.7", NULL), 0);
	assert_int_equal(via("10.4.1.1"), 7);
}

static void a_link_local_gateway_needs_its_interface(void **state)
{
	struct route r = {.dst = rig_prefix("2001:db8::/32"), .gateway = rig_ip("fe80::9")};
	struct mac mac = rig_mac_of("02:00:00:00:00:09");
	struct err err = {0};

	(void)state;
	assert_int_equal(router_route_add(rig.r, &r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "2001:db8::/32: the link-local gateway fe80::9 needs"));
	r.has_port = true;
	r.port = 1;
	assert_int_equal(router_route_add(rig.r, &r, NULL), 0);
	assert_int_equal(router_neigh_add(rig.r, &r.gateway, &mac, NULL), -EINVAL);
	assert_int_equal(router_neigh_add_on(rig.r, 0, &r.gateway, &mac, NULL), 0);
	assert_int_equal(sent_to("2001:db8::1"), DROP_NEIGHBOUR); // that is another one
	assert_int_equal(router_neigh_add_on(rig.r, 1, &r.gateway, &mac, NULL), 0);
	assert_int_equal(via("2001:db8::1"), 9);
}

static void refuse_route(const char *dst, const char *gateway, int code, const char *sentence)
{
	struct err err = {0};

	assert_int_equal(route(dst, gateway, &err), -code);
	assert_int_equal(err.code, code);
	if (strcmp(err.msg, sentence) != 0)
		fail_msg("'%s', not '%s'", err.msg, sentence);
}

static void impossible_routes_are_refused_in_words(void **state)
{
	(void)state;
	refuse_route(
		"198.19.0.0/16", "198.19.0.204", EEXIST, "198.19.0.0/16: there is a route already");
	refuse_route("198.19.0.128/25", "198.19.0.204", EEXIST,
		"198.19.0.128/25: there is a route already");
	refuse_route("10.5.0.0/16", "10.5.0.1", EINVAL,
		"10.5.0.0/16: the gateway 10.5.0.1 lies in no connected net");
	refuse_route("10.5.0.0/16", "198.19.0.209", EINVAL,
		"10.5.0.0/16: the gateway 198.19.0.209 is an address of this box");
	refuse_route("10.5.0.0/16", "2001:2::203", EINVAL,
		"10.5.0.0/16: the gateway 2001:2::203 is of the other family");
	refuse_route("127.1.0.0/16", "198.19.0.203", EINVAL,
		"127.1.0.0/16: lies in 127.0.0.0/8, which is never forwarded");
	refuse_route("ff05::/16", "2001:2::203", EINVAL,
		"ff05::/16: lies in ff00::/8, which is never forwarded");
}

static void refuse_addr(uint16_t port, const char *addr, const char *sentence)
{
	struct prefix p = rig_prefix(addr);
	struct err err = {0};

	assert_true(router_addr_add(rig.r, port, &p, &err) < 0);
	if (strcmp(err.msg, sentence) != 0)
		fail_msg("'%s', not '%s'", err.msg, sentence);
}

static void impossible_addresses_are_refused_in_words(void **state)
{
	(void)state;
	refuse_addr(0, "198.19.0.210/25", "198.19.0.210/25: its net has a route already");
	refuse_addr(0, "198.18.0.209/25", "198.18.0.209/25: the address is in use");
	refuse_addr(
		0, "127.0.0.1/8", "127.0.0.1/8: lies in 127.0.0.0/8, which no interface can have");
	refuse_addr(0, "10.6.0.0/24", "10.6.0.0/24: is the net's own or broadcast address");
	refuse_addr(0, "10.6.0.255/24", "10.6.0.255/24: is the net's own or broadcast address");
	refuse_addr(0, "10.6.0.1/0", "10.6.0.1/0: impossible prefix length for an address");
	refuse_addr(5, "10.6.0.1/24", "10.6.0.1/24: there is no port 5");
}

static void a_second_address_shares_the_net_of_the_first(void **state)
{
	struct prefix second = rig_prefix("198.18.0.210/25"), p31 = rig_prefix("10.7.0.0/31");
	struct prefix alias = rig_prefix("198.18.0.211/32");

	(void)state;
	assert_int_equal(router_addr_add(rig.r, 0, &second, NULL), 0);
	assert_int_equal(router_addr_add(rig.r, 0, &alias, NULL), 0);
	assert_int_equal(router_addr_add(rig.r, 0, &p31, NULL), 0); // RFC 3021
	assert_int_equal(sent_to("198.18.0.210"), DROP_LOCAL);
	assert_int_equal(sent_to("198.18.0.211"), DROP_LOCAL);
	assert_int_equal(sent_to("10.7.0.0"), DROP_LOCAL);
	assert_int_equal(sent_to("10.7.0.1"), DROP_NEIGHBOUR);
}

static void impossible_ports_are_refused(void **state)
{
	struct mac mac = rig_mac_of("02:00:00:00:00:0a"), group = rig_mac_of("01:00:5e:00:00:01");
	struct prefix addr6 = rig_prefix("2001:db8:9::1/64");
	struct err err = {0};

	(void)state;
	assert_int_equal(router_port_add(rig.r, 0, "igb4", &mac, 1500, &err), -EEXIST);
	assert_int_equal(router_port_add(rig.r, 2, "igb3", &mac, 1500, &err), -EEXIST);
	assert_int_equal(router_port_add(rig.r, 16, "igb4", &mac, 1500, &err), -EINVAL);
	assert_int_equal(router_port_add(rig.r, 2, "igb4", &group, 1500, &err), -EINVAL);
	assert_int_equal(router_port_add(rig.r, 2, "igb4", &mac, 67, &err), -EINVAL);
	assert_int_equal(router_port_add(rig.r, 2, "igb4", &mac, 1279, &err), 0);
	assert_int_equal(router_addr_add(rig.r, 2, &addr6, &err), -EINVAL);
	assert_string_equal(
		err.msg, "2001:db8:9::1/64: the MTU of igb4, 1279, is below IPv6's 1280");
}

static void a_full_table_refuses_and_stays(void **state)
{
	unsigned n = 0;
	int rc = 0;

	(void)state;
	for (; n < 5000; n++) {
		struct route r = {.gateway = rig_ip("198.19.0.203")};

		r.dst = rig_prefix("100.0.0.0/24");
		r.dst.addr.v4 += n << 8;
		rc = router_route_add(rig.r, &r, NULL);
		if (rc != 0)
			break;
	}
	assert_int_equal(rc, -ENOSPC);
	assert_in_range(n, 256, 4096);
	assert_int_equal(via("100.0.0.1"), 0x7b);
	assert_int_equal(via("198.19.0.203"), 0x7b);
}

static void many_neighbours_are_kept_apart(void **state)
{
	struct neighs ns = {0};
	struct ip ip = rig_ip("10.0.0.0");

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		ip.v4 = 0x0a000000 + i * 7;
		assert_null(neigh_find(&ns, (uint16_t)(i % 3), &ip));
		assert_non_null(neigh_enter(&ns, (uint16_t)(i % 3), &ip, i, NULL));
	}
	for (unsigned i = 0; i < 5000; i++) {
		ip.v4 = 0x0a000000 + i * 7;
		assert_int_equal(neigh_find(&ns, (uint16_t)(i % 3), &ip)->hop, i);
		assert_null(neigh_find(&ns, (uint16_t)((i + 1) % 3), &ip));
	}
	neigh_undo(&ns);
	assert_null(neigh_find(&ns, 4999 % 3, &ip));
	neighs_free(&ns);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		T(a_connected_host_needs_a_neighbour),
		T(a_route_waits_for_its_gateways_neighbour),
		T(a_static_route_inside_a_net_wins_over_its_neighbours),
		T(a_default_route_leaves_special_addresses_alone),
		T(a_net_on_an_interface_has_neighbours_without_an_address_there),
		T(a_link_local_gateway_needs_its_interface),
		T(impossible_routes_are_refused_in_words),
		T(impossible_addresses_are_refused_in_words),
		T(a_second_address_shares_the_net_of_the_first),
		T(impossible_ports_are_refused),
		T(a_full_table_refuses_and_stays),
		cmocka_unit_test(many_neighbours_are_kept_apart),
	};

	return cmocka_run_group_tests_name("route", tests, NULL, NULL);
}

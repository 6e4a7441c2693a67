// SPDX-License-Identifier: BSD-2-Clause
// The Linux device with raw frames: what it forwards, what a set-up script changes, what it says
// when one fails, and that nothing stays behind.
#include "lab/dut_linux.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { FRAMES = 2000, FRAME_LEN = 60 };

// The forwarding lab's router as data.
static struct prefix addrs[2][2];
static struct conf_iface ifaces[2];
static struct conf_route routes[4];
static struct conf_neigh neighs[4];

static void ip(const char *text, struct ip *out)
{
	assert_int_equal(ip_parse(text, out, NULL), 0);
}

static void net(const char *text, struct prefix *out)
{
	assert_int_equal(prefix_parse(text, out, NULL), 0);
}

static void condition(struct lab_condition *c)
{
	static const char *const names[] = {"igb2", "igb3"};
	static const char *const addr[][2] = {{"198.18.0.209/25", "2001:2::209/64"},
		{"198.19.0.209/25", "2001:2:0:8000::209/64"}};
	static const char *const route[][2] = {{"198.18.0.0/16", "198.18.0.203"},
		{"198.19.0.0/16", "198.19.0.203"}, {"2001:2::/49", "2001:2::203"},
		{"2001:2:0:8000::/49", "2001:2:0:8000::203"}};

	memset(c, 0, sizeof(*c));
	snprintf(c->name, sizeof(c->name), "test");
	c->conf = (struct conf){.ifaces = ifaces,
		.n_ifaces = 2,
		.routes = routes,
		.n_routes = 4,
		.neighs = neighs,
		.n_neighs = 4,
		.forward4 = true,
		.forward6 = true,
		.ttl = 64,
		.hlim = 64};
	memset(ifaces, 0, sizeof(ifaces));
	for (unsigned i = 0; i < 2; i++) {
		struct conf_iface *f = &ifaces[i];

		snprintf(f->name, sizeof(f->name), "%s", names[i]);
		snprintf(f->where, sizeof(f->where), "rc.conf:%u", i + 1);
		net(addr[i][0], &addrs[i][0]);
		net(addr[i][1], &addrs[i][1]);
		f->addrs = addrs[i];
		f->n_addrs = 2;
		f->up = f->inet6 = true;
	}
	for (unsigned i = 0; i < 4; i++) {
		memset(&routes[i], 0, sizeof(routes[i]));
		net(route[i][0], &routes[i].dst);
		ip(route[i][1], &routes[i].gateway);
		snprintf(routes[i].where, sizeof(routes[i].where), "rc.conf:%u", 10 + i);
		memset(&neighs[i], 0, sizeof(neighs[i]));
		neighs[i].ip = routes[i].gateway;
		assert_int_equal(mac_parse(i % 2 == 0 ? "00:1b:21:c4:95:7a" : "00:1b:21:c4:95:7b",
					 &neighs[i].mac, NULL),
			0);
	}
}

static void traffic(struct lab_traffic *t, int family)
{
	memset(t, 0, sizeof(*t));
	t->family = t->gen.family = family;
	ip(family == 4 ? "198.18.10.1" : "2001:2:0:1::1", &t->gen.src.lo);
	ip(family == 4 ? "198.18.10.100" : "2001:2:0:1::14", &t->gen.src.hi);
	ip(family == 4 ? "198.19.10.1" : "2001:2:0:8001::1", &t->gen.dst.lo);
	ip(family == 4 ? "198.19.10.20" : "2001:2:0:8001::64", &t->gen.dst.hi);
	t->gen.src.group = t->gen.dst.group = 7;
}

// One start, and raw sockets where the tester's ports would be.
struct rig {
	struct lab_condition c;
	struct lab_traffic t;
	struct lab_topo topo;
	struct dut_linux_host host;
	struct dut_counters before;
	int out, in;
};

static int raw(const char *iface)
{
	struct sockaddr_ll a = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(iface)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
	int size = 64 << 20;

	assert_true(fd >= 0 && a.sll_ifindex != 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static int open_raw(void *arg)
{
	struct rig *r = arg;

	r->out = raw(r->host.in_cable);
	r->in = raw(r->host.out_cable);
	return 0;
}

static void counters(struct rig *r, struct dut_counters *out)
{
	static struct kernel_text t;
	static const char *const names[] = {"dev", "snmp", "snmp6", "netstat"};
	char *text[] = {t.dev, t.snmp, t.snmp6, t.netstat};
	size_t size[] = {sizeof(t.dev), sizeof(t.snmp), sizeof(t.snmp6), sizeof(t.netstat)};

	for (unsigned i = 0; i < 4; i++) {
		char name[32], path[64];
		FILE *f;
		size_t n;

		snprintf(name, sizeof(name), "/proc/net/%s", names[i]);
		f = fopen(netns_path(r->host.device, name, path, sizeof(path)), "re");
		assert_non_null(f);
		n = fread(text[i], 1, size[i] - 1, f);
		text[i][n] = '\0';
		fclose(f);
	}
	kernel_account(&t, r->host.in, r->host.out, out);
	out->cpu_ns = napi_cpu_ns(&r->host.forward);
}

static int rig_up(struct rig *r, const char *script, int family, struct err *err)
{
	int rc;

	memset(r, 0, sizeof(*r));
	r->out = r->in = -1;
	condition(&r->c);
	traffic(&r->t, family);
	if (script != NULL) {
		FILE *f;

		snprintf(r->c.setup, sizeof(r->c.setup), "/tmp/weir-test-%d.sh", (int)getpid());
		f = fopen(r->c.setup, "we");
		assert_non_null(f);
		fputs(script, f);
		fclose(f);
	}
	assert_int_equal(lab_topo(&r->c.conf, &r->t, &r->topo, err), 0);
	rc = dut_linux_make(&r->host, &r->c, &r->t, &r->topo, err);
	if (script != NULL)
		unlink(r->c.setup);
	if (rc != 0)
		return rc;
	assert_int_equal(netns_call(r->host.tester, open_raw, r, err), 0);
	assert_int_equal(dut_linux_sink(&r->host, err), 0);
	counters(r, &r->before);
	return 0;
}

static void rig_down(struct rig *r)
{
	if (r->out >= 0)
		close(r->out);
	if (r->in >= 0)
		close(r->in);
	dut_linux_unmake(&r->host);
}

static uint16_t sum(const uint8_t *p, unsigned n)
{
	uint32_t s = 0;

	for (unsigned i = 0; i < n; i += 2)
		s += (uint32_t)p[i] << 8 | p[i + 1];
	while (s >> 16 != 0)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)~s;
}

// Frame i of 2000 flows; UDP without a checksum over IPv4, and one that nobody looks at over IPv6.
static void frame(const struct rig *r, unsigned i, uint8_t f[FRAME_LEN + 2])
{
	struct mac smac, dmac;
	uint8_t *p = f + 14;
	uint16_t s;

	memset(f, 0, FRAME_LEN + 2);
	dut_linux_mac(&r->c.conf, r->topo.in, &dmac);
	dut_linux_station(&r->topo, true, &smac);
	memcpy(f, dmac.b, 6);
	memcpy(f + 6, smac.b, 6);
	if (r->t.family == 4) {
		const uint8_t head[] = {0x45, 0, 0, FRAME_LEN - 14, 0, 0, 0, 0, 64, 17, 0, 0, 198,
			18, 10, (uint8_t)(1 + i % 100), 198, 19, 10, (uint8_t)(1 + i / 100 % 20)};

		f[12] = 8;
		memcpy(p, head, sizeof(head));
		s = sum(p, 20);
		p[10] = (uint8_t)(s >> 8);
		p[11] = (uint8_t)s;
		p += 20;
	} else {
		f[12] = 0x86;
		f[13] = 0xdd;
		p[0] = 0x60;
		p[5] = 8;
		p[6] = 17;
		p[7] = 64;
		memcpy(p + 8, r->t.gen.src.lo.v6.b, 16);
		p[23] = (uint8_t)(1 + i % 20);
		memcpy(p + 24, r->t.gen.dst.lo.v6.b, 16);
		p[39] = (uint8_t)(1 + i / 20 % 100);
		p += 40;
	}
	p[0] = p[2] = 7;
	p[1] = p[3] = 0xd0;
	p[5] = r->t.family == 4 ? FRAME_LEN - 34 : 8;
	p[6] = r->t.family == 4 ? 0 : 1;
}

struct seen {
	unsigned right, wrong;
};

// Whether f is frame i as it must come out: MACs, TTL one lower, header checksum.
static bool is_right(const struct rig *r, const uint8_t *f, ssize_t n, const uint8_t *sent)
{
	unsigned len = r->t.family == 4 ? FRAME_LEN : FRAME_LEN + 2;
	uint8_t want[FRAME_LEN + 2];
	struct mac smac, dmac;

	memcpy(want, sent, sizeof(want));
	dut_linux_mac(&r->c.conf, r->topo.out, &smac);
	dut_linux_station(&r->topo, false, &dmac);
	memcpy(want, dmac.b, 6);
	memcpy(want + 6, smac.b, 6);
	if (r->t.family == 4) {
		uint16_t s;

		want[22] = 63;
		want[24] = want[25] = 0;
		s = sum(want + 14, 20);
		want[24] = (uint8_t)(s >> 8);
		want[25] = (uint8_t)s;
	} else {
		want[21] = 63;
	}
	return n == (ssize_t)len && memcmp(f, want, len) == 0;
}

// The frame that f must have been when it was sent, by its addresses.
static unsigned number(const struct rig *r, const uint8_t *f)
{
	if (r->t.family == 4)
		return (unsigned)(f[29] - 1) + 100u * (unsigned)(f[33] - 1);
	return (unsigned)(f[37] - 1) + 20u * (unsigned)(f[53] - 1);
}

static void collect(const struct rig *r, struct seen *seen)
{
	uint8_t f[2048], sent[FRAME_LEN + 2];
	ssize_t n;

	while ((n = recv(r->in, f, sizeof(f), 0)) > 0) {
		frame(r, number(r, f), sent);
		if (is_right(r, f, n, sent))
			seen->right++;
		else
			seen->wrong++;
	}
}

// Until the kernel holds none of the frames sent any more, however busy the machine.
static void await_delivery(const struct rig *r)
{
	int left = 1;

	for (unsigned i = 0; i < 2000 && left > 0; i++) {
		usleep(1000);
		assert_int_equal(ioctl(r->out, SIOCOUTQ, &left), 0);
	}
	assert_int_equal(left, 0);
}

// Sends all flows once, and takes in what comes back until nothing has come for 50 ms.
static void exchange(const struct rig *r, struct seen *seen)
{
	uint8_t f[FRAME_LEN + 2];
	size_t len = r->t.family == 4 ? FRAME_LEN : FRAME_LEN + 2;
	uint64_t last;
	unsigned before;

	memset(seen, 0, sizeof(*seen));
	for (unsigned i = 0; i < FRAMES; i++) {
		frame(r, i, f);
		assert_int_equal(send(r->out, f, len, 0), len);
		if (i % 50 == 49)
			await_delivery(r); // a cable holds 256
		collect(r, seen);
	}
	for (last = clock_ns(); clock_ns() - last < 50000000u;) {
		before = seen->right + seen->wrong;
		collect(r, seen);
		if (seen->right + seen->wrong != before)
			last = clock_ns();
	}
}

static void forwards(int family)
{
	struct err err = {0};
	struct dut_counters now;
	struct rig r;
	struct seen seen;

	if (rig_up(&r, NULL, family, &err) != 0)
		fail_msg("%s", err.msg);
	exchange(&r, &seen);
	counters(&r, &now);
	account_since(&now, &r.before);
	rig_down(&r);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.right, FRAMES);
	assert_int_equal(now.in, FRAMES);
	assert_int_equal(now.sent, FRAMES);
	assert_int_equal(now.n_drops, 0);
	assert_int_equal(now.made, 0);
	assert_int_equal(now.ended, 0);
	assert_true(now.cpu_ns > 0);
}

static void ipv4_frames_come_back_one_hop_older_and_nothing_else(void **state)
{
	(void)state;
	forwards(4);
}

static void ipv6_frames_come_back_one_hop_older_and_nothing_else(void **state)
{
	(void)state;
	forwards(6);
}

static void a_rule_set_by_the_script_shows_as_loss(void **state)
{
	struct err err = {0};
	struct dut_counters now;
	struct rig r;
	struct seen seen;

	(void)state;
	if (rig_up(&r,
		    "set -e\n"
		    "nft add table ip t\n"
		    "nft add chain ip t c '{ type filter hook forward priority 0; }'\n"
		    "nft add rule ip t c iifname $WEIR_IN oifname $WEIR_OUT "
		    "ip saddr 198.18.10.1-198.18.10.25 drop\n"
		    "[ \"$WEIR_CONDITION\" = test ]\n",
		    4, &err) != 0)
		fail_msg("%s", err.msg);
	exchange(&r, &seen);
	counters(&r, &now);
	account_since(&now, &r.before);
	rig_down(&r);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.right, FRAMES * 3 / 4);
	assert_int_equal(now.in, FRAMES);
	assert_int_equal(now.sent, FRAMES * 3 / 4);
}

static void frames_without_a_route_are_told_by_the_kernel_s_name(void **state)
{
	struct err err = {0};
	struct dut_counters now;
	struct rig r;
	struct seen seen;
	bool found = false;

	(void)state;
	if (rig_up(&r, "ip route del 198.19.0.0/16", 4, &err) != 0)
		fail_msg("%s", err.msg);
	exchange(&r, &seen);
	counters(&r, &now);
	account_since(&now, &r.before);
	rig_down(&r);
	assert_int_equal(seen.right + seen.wrong, 0);
	for (unsigned i = 0; i < now.n_drops; i++)
		if (strcmp(now.drop[i].name, "IpExtInNoRoutes") == 0 ||
			strcmp(now.drop[i].name, "IpOutNoRoutes") == 0)
			found = now.drop[i].n == FRAMES;
	assert_true(found);
}

static void a_failing_script_is_an_error_with_its_last_words(void **state)
{
	struct err err = {0};
	struct rig r;

	(void)state;
	assert_true(rig_up(&r, "echo first >&2; echo 'no such rule' >&2; exit 3\n", 4, &err) < 0);
	rig_down(&r);
	assert_non_null(strstr(err.msg, ".sh: no such rule"));
	assert_null(strstr(err.msg, "first"));
}

static void a_script_that_stops_the_forwarding_thread_is_an_error(void **state)
{
	struct err err = {0};
	struct rig r;

	(void)state;
	assert_true(rig_up(&r, "ethtool -K $WEIR_IN gro off\n", 4, &err) < 0);
	rig_down(&r);
	assert_non_null(strstr(err.msg, "took away the thread"));
}

static void a_route_that_linux_refuses_is_named_with_its_line(void **state)
{
	struct err err = {0};
	struct rig r;

	(void)state;
	memset(&r, 0, sizeof(r));
	condition(&r.c);
	traffic(&r.t, 4);
	ip("203.0.113.1", &routes[3].gateway);
	net("192.0.2.0/24", &routes[3].dst);
	assert_int_equal(lab_topo(&r.c.conf, &r.t, &r.topo, &err), 0);
	assert_true(dut_linux_make(&r.host, &r.c, &r.t, &r.topo, &err) < 0);
	dut_linux_unmake(&r.host);
	assert_non_null(strstr(err.msg, "rc.conf:13: ip route add 192.0.2.0/24 via 203.0.113.1"));
}

// What a start has made that is visible from outside.
struct traces {
	ino_t ns[2]; // namespaces
	struct napi forward;
};

static ino_t ns_of(const struct netns *ns)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)netns_pid(ns));
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

// Whether any process holds the namespace; lsns looks at all of them.
static bool is_held(ino_t ns)
{
	char command[96];

	snprintf(
		command, sizeof(command), "lsns -n -t net -o NS | grep -qw %lu", (unsigned long)ns);
	return system(command) == 0;
}

static bool visible(const struct traces *t)
{
	return is_held(t->ns[0]) || is_held(t->ns[1]) || napi_alive(&t->forward, "igb2");
}

static void a_process_that_is_killed_leaves_nothing(void **state)
{
	struct traces made;
	int ready[2], status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct err err = {0};
		struct rig r;

		// A daemon of the script's, too.
		if (rig_up(&r, "sleep 1000 &\n", 4, &err) == 0) {
			made = (struct traces){
				{ns_of(r.host.tester), ns_of(r.host.device)}, r.host.forward};
			(void)!write(ready[1], &made, sizeof(made));
		}
		pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &made, sizeof(made)), sizeof(made));
	close(ready[0]);
	assert_true(is_held(made.ns[0]) && is_held(made.ns[1]));
	assert_true(napi_alive(&made.forward, "igb2"));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	// The thread goes with its interface, so this says that the interfaces are gone too.
	for (unsigned i = 0; i < 200 && visible(&made); i++)
		usleep(50000);
	assert_false(visible(&made));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ipv4_frames_come_back_one_hop_older_and_nothing_else),
		cmocka_unit_test(ipv6_frames_come_back_one_hop_older_and_nothing_else),
		cmocka_unit_test(a_rule_set_by_the_script_shows_as_loss),
		cmocka_unit_test(frames_without_a_route_are_told_by_the_kernel_s_name),
		cmocka_unit_test(a_failing_script_is_an_error_with_its_last_words),
		cmocka_unit_test(a_script_that_stops_the_forwarding_thread_is_an_error),
		cmocka_unit_test(a_route_that_linux_refuses_is_named_with_its_line),
		cmocka_unit_test(a_process_that_is_killed_leaves_nothing),
	};
	struct err err = {0};

	if (dut_linux_rights(&err) != 0) {
		printf("skipped: %s\n", err.msg);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

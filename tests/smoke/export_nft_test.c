// SPDX-License-Identifier: BSD-2-Clause
// The kernel's nft does what the card does: random rules are exported and loaded at the ingress of two
// veth ports in a namespace of this process's own, random frames are sent, and each rule's counter is
// compared with what the rules' own equation says of the frames.  What the kernel's IPv4 still gets is
// counted too, so that drop is drop and accept is accept.  As root, or skipped.
#include "export_rig.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { N_TABLES = 30, N_RULES = 15, N_FRAMES = 300 };

static uint64_t seed;

static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}
#define PICK(list) (list)[pick(sizeof(list) / sizeof((list)[0]))]

// --- the card ---

// "Chelsio Rules of Engagement", with addresses that the frames below have.
static void document_rules(struct adapter *a)
{
	static const char *const rules[] = {"0 frag 1 action drop",
		"10 action pass dport 32768:0x8000", "20 iport 0 action pass dport 80 proto 6",
		"30 iport 0 action pass dport 443 proto 6",
		"40 iport 0 action pass dport 443 proto 17",
		"50 iport 0 action pass sip 10.0.0.1 dport 0 proto 6",
		"60 iport 0 action pass sip 10.0.0.1 proto 1",
		"70 iport 0 action pass sport 1000 dport 0 proto 17",
		"80 iport 1 action pass sip 10.0.0.0/24 proto 1",
		"81 iport 1 action pass sip 10.0.0.0/24 dport 80 proto 6",
		"82 iport 1 action pass sip 10.0.0.0/24 dport 443 proto 6",
		"83 iport 1 action pass sip 10.0.0.0/24 dport 0 proto 17",
		"100 action drop proto 6", "101 action drop proto 17", "102 action drop proto 1"};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		command(a, "filter %s", rules[i]);
}

// Words for a rule of few values, so that frames of few values meet it.
static void random_rule(struct adapter *a, unsigned idx, bool stock)
{
	static const char *const protos[] = {"proto 6", "proto 17", "proto 1", "proto 0:0x10", ""};
	static const char *const ports[] = {"dport 80", "dport 32768:0x8000", "dport 0:0x8000",
		"sport 1000", "dport 0", "", "", ""};
	static const char *const frags[] = {"frag 0", "frag 1", "", "", "", ""};
	static const char *const in[] = {"iport 0", "iport 1", "iport 1:1", "", "", ""};
	static const char *const sip[] = {
		"sip 10.0.0.1", "sip 10.0.0.0/24", "sip 10.0.0.9/24", "", ""};
	static const char *const sip6[] = {"sip 2001:db8::1", "sip 2001:db8::/64", "", ""};
	static const char *const dip[] = {"dip 10.1.0.1", "dip 10.0.0.0/8", "", "", ""};
	static const char *const stock_only[] = {"matchtype 0", "matchtype 2", "matchtype 4",
		"matchtype 6", "ivlan 5:0xfff", "ivlan 5", "ivlan 0:0", "fcoe 0", "", "", "", "",
		""};
	static const char *const other_only[] = {"tos 16", "tos 16:0xfc", "ethtype 0x806",
		"ethtype 0x800", "ethtype 0x8000:0x8000", "ethtype 0x800:0xff0f", "", "", "", ""};
	bool six = pick(4) == 0;

	command(a, "filter %u %s %s %s %s %s %s %s %s action %s", six ? idx * 4 : idx * 4 + pick(4),
		six ? "type ipv6" : "type ipv4", PICK(protos), PICK(ports), PICK(frags), PICK(in),
		six ? PICK(sip6) : PICK(sip), six ? "" : PICK(dip),
		stock ? PICK(stock_only) : PICK(other_only), pick(2) != 0 ? "drop" : "pass");
}

// --- frames ---

struct frame {
	uint8_t b[160];
	unsigned len, port;
	struct classify_key key;
	bool to_ip4; // the kernel's IPv4 gets it, if nothing drops it
};

static void put(struct frame *f, const void *p, unsigned n)
{
	memcpy(f->b + f->len, p, n);
	f->len += n;
}

static void put16(struct frame *f, unsigned v)
{
	put(f, (uint8_t[]){(uint8_t)(v >> 8), (uint8_t)v}, 2);
}

static void put32(struct frame *f, uint32_t v)
{
	put16(f, v >> 16);
	put16(f, v & 0xffff);
}

static void put_ethernet(struct frame *f, const uint8_t own[N_PORTS][6])
{
	static const uint8_t kinds[4][6] = {{0}, {0x01, 0, 0x5e, 0, 0, 1}, {2, 9, 9, 9, 9, 9},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	static const uint8_t matchtypes[4] = {0, 2, 4, 6};
	unsigned kind = pick(2) != 0 ? 0 : pick(4);

	f->key.matchtype = matchtypes[kind];
	f->to_ip4 = kind != 2;
	put(f, kind == 0 ? own[f->port] : kinds[kind], 6);
	put(f, (uint8_t[]){2, 0, 0, 0, 9, 9}, 6);
	if (pick(3) == 0) {
		static const uint16_t tags[] = {5, 0x2005, 6};

		f->key.ivlan = PICK(tags);
		f->key.vlan_valid |= CLASSIFY_HAS_IVLAN;
		put16(f, 0x8100);
		put16(f, f->key.ivlan);
		f->to_ip4 = false; // there is no such VLAN
	}
}

enum part { WHOLE, FIRST, LATER };

static void put_ip4(struct frame *f, enum part part, unsigned payload)
{
	static const uint16_t offset[] = {[WHOLE] = 0x4000, [FIRST] = 0x2000, [LATER] = 100};
	struct classify_key *k = &f->key;
	unsigned at = f->len;
	uint32_t sum = 0;

	put16(f, 0x4500u | k->tos);
	put16(f, 20 + payload);
	put16(f, 1);
	put16(f, offset[part]);
	put16(f, 64u << 8 | k->proto);
	put16(f, 0);
	put32(f, k->src[0]);
	put32(f, k->dst[0]);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)f->b[at + i] << 8 | f->b[at + i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	f->b[at + 10] = (uint8_t)(sum >> 8);
	f->b[at + 11] = (uint8_t)sum;
}

// A fragment header over a whole datagram (RFC 6946) for some that are no fragment.
static void put_ip6(struct frame *f, enum part part, unsigned payload)
{
	static const uint16_t offset[] = {[WHOLE] = 0, [FIRST] = 1, [LATER] = 800};
	struct classify_key *k = &f->key;
	bool header = part != WHOLE || pick(4) == 0;

	put32(f, 6u << 28 | (uint32_t)k->tos << 20);
	put16(f, payload + (header ? 8 : 0));
	put16(f, (header ? 44u : k->proto) << 8 | 64);
	for (unsigned i = 0; i < 4; i++)
		put32(f, k->src[i]);
	for (unsigned i = 0; i < 4; i++)
		put32(f, k->dst[i]);
	if (header) {
		put16(f, (unsigned)k->proto << 8);
		put16(f, offset[part]);
		put32(f, 7);
	}
}

static void random_addresses(struct classify_key *k)
{
	static const uint32_t v4[] = {0x0a000001, 0x0a000002, 0x0a010001, 0xc0000201};

	if (k->family == 4) {
		k->src[0] = PICK(v4);
		k->dst[0] = PICK(v4);
	} else {
		k->src[0] = k->dst[0] = 0x20010db8;
		k->src[2] = pick(2);
		k->src[3] = 1 + pick(2);
		k->dst[3] = 7;
	}
}

static void random_frame(struct frame *f, const uint8_t own[N_PORTS][6])
{
	static const uint8_t protos[] = {6, 17, 1, 47}, toses[] = {0, 16, 18};
	static const uint16_t dports[] = {80, 40000, 0, 443}, sports[] = {1000, 2000};
	struct classify_key *k = &f->key;
	enum part part = pick(4) != 0 ? WHOLE : 1 + pick(2);
	unsigned what = pick(10);

	memset(f, 0, sizeof(*f));
	f->port = k->iport = (uint8_t)pick(N_PORTS);
	put_ethernet(f, own);
	k->family = what == 0 ? 0 : what < 4 ? 6 : 4;
	k->ethertype = k->family == 4 ? 0x0800 : k->family == 6 ? 0x86dd : 0x0806;
	put16(f, k->ethertype);
	f->to_ip4 = f->to_ip4 && k->family == 4;
	if (k->family != 0) {
		k->proto = PICK(protos);
		k->tos = PICK(toses);
		k->frag = part != WHOLE;
		random_addresses(k);
		if (k->family == 4)
			put_ip4(f, part, 24);
		else
			put_ip6(f, part, 24);
		if (part != LATER && (k->proto == 6 || k->proto == 17)) {
			k->vlan_valid |= CLASSIFY_HAS_PORTS;
			k->sport = PICK(sports);
			k->dport = PICK(dports);
			put16(f, k->sport);
			put16(f, k->dport);
		} else
			put32(f, 0x01bb0050); // looks like ports and is none
		put(f, (uint8_t[20]){0}, 20);
	} else
		put(f, (uint8_t[46]){0, 1, 8, 0, 6, 4, 0, 2}, 46);
}

// --- what must come of it ---

struct want {
	struct rule {
		uint32_t idx;
		bool drop;
		struct classify_rule rule;
		uint64_t hits;
	} rules[N_RULES];
	unsigned n;
};

static void want_rule(void *arg, uint32_t idx, const struct adapter_filter *f, uint64_t hits)
{
	struct want *w = arg;
	struct rule *r = &w->rules[w->n++];

	(void)hits;
	r->idx = idx;
	r->drop = f->action == ADAPTER_DROP;
	adapter_rule(f, &r->rule);
}

static bool matches(const struct classify_rule *r, const struct classify_key *k)
{
	const uint8_t *key = (const uint8_t *)k, *v = (const uint8_t *)&r->value,
		      *m = (const uint8_t *)&r->mask;

	for (size_t i = 0; i < sizeof(*k); i++)
		if ((key[i] & m[i]) != v[i])
			return false;
	return true;
}

// Whether it passes.
static bool decide(struct want *w, const struct classify_key *k)
{
	for (unsigned i = 0; i < w->n; i++)
		if (matches(&w->rules[i].rule, k)) {
			w->rules[i].hits++;
			return !w->rules[i].drop;
		}
	return true;
}

// --- the kernel ---

static uint64_t ip4_received(void)
{
	char line[1024];
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/net/snmp", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Ip: %*u %*u %llu", &n) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return n;
}

// The counters of the lines of a rule, by its comment.
static bool counters_agree(const struct want *w, bool tell)
{
	uint64_t got[128] = {0};
	char line[2048];
	FILE *f = popen("nft list table netdev weir_t5nex0", "r");
	bool same = true;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		const char *counter = strstr(line, "counter packets "),
			   *name = strstr(line, "\"filter ");
		unsigned long long n;
		unsigned idx;

		if (counter != NULL && name != NULL &&
			sscanf(counter, "counter packets %llu", &n) == 1 &&
			sscanf(name, "\"filter %u\"", &idx) == 1 &&
			idx < sizeof(got) / sizeof(got[0]))
			got[idx] += n;
	}
	if (f == NULL || pclose(f) != 0)
		return false;
	for (unsigned i = 0; i < w->n; i++)
		if (got[w->rules[i].idx] != w->rules[i].hits) {
			same = false;
			if (tell)
				fprintf(stderr, "filter %u: nft counts %llu, the rules say %llu\n",
					w->rules[i].idx, (unsigned long long)got[w->rules[i].idx],
					(unsigned long long)w->rules[i].hits);
		}
	return same;
}

static int open_port(const char *name)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		perror(name);
		exit(1);
	}
	return fd;
}

static void load(const struct adapter *a)
{
	FILE *f = popen("nft -f -", "w");
	struct adapter_out out = {to_file, f};

	if (f == NULL || adapter_export(a, EXPORT_NFT, ifaces, &out) != 0 || pclose(f) != 0) {
		fputs("nft does not take what was exported\n", stderr);
		out.arg = stderr;
		adapter_export(a, EXPORT_NFT, ifaces, &out);
		exit(1);
	}
}

enum kind { DOCUMENT, STOCK, OTHER_MODE };

static bool one_table(const int fds[N_PORTS], const uint8_t own[N_PORTS][6], enum kind kind)
{
	struct adapter *a = card(128);
	struct adapter_out out = {to_file, stderr};
	struct want want = {.n = 0};
	uint64_t passed = 0, begin;
	bool same = false;

	if (kind == OTHER_MODE)
		command(a, "filter mode frag tos proto iport ethtype");
	if (kind == DOCUMENT)
		document_rules(a);
	for (unsigned i = 0; kind != DOCUMENT && i < N_RULES; i++)
		random_rule(a, i, kind == STOCK);
	load(a);
	adapter_each(a, false, want_rule, &want);
	begin = ip4_received();
	for (unsigned i = 0; i < N_FRAMES; i++) {
		struct frame f;

		random_frame(&f, own);
		if (decide(&want, &f.key) && f.to_ip4)
			passed++;
		if (send(fds[f.port], f.b, f.len, 0) != (ssize_t)f.len) {
			perror("send");
			exit(1);
		}
	}
	for (unsigned i = 0; i < 100 && !same; i++) {
		same = counters_agree(&want, false) && ip4_received() - begin == passed;
		if (!same)
			usleep(20000);
	}
	if (!same) {
		counters_agree(&want, true);
		fprintf(stderr, "IPv4 received %llu, the rules say %llu\n",
			(unsigned long long)(ip4_received() - begin), (unsigned long long)passed);
		adapter_save(a, &out);
	}
	adapter_free(a);
	return same;
}

int main(void)
{
	static const uint8_t own[N_PORTS][6] = {{2, 0, 0, 0, 0, 0x10}, {2, 0, 0, 0, 0, 0x11}};
	int fds[N_PORTS];
	unsigned failed = 0;

	enter("nft --version >/dev/null 2>&1", "nft");
	run("for i in 0 1; do ip link add p$i type veth peer name q$i && "
	    "sysctl -qw net.ipv6.conf.p$i.disable_ipv6=1 net.ipv6.conf.q$i.disable_ipv6=1 && "
	    "ip link set p$i address 02:00:00:00:00:1$i && ip link set p$i up && ip link set q$i up "
	    "|| exit 1; done");
	fds[0] = open_port("q0");
	fds[1] = open_port("q1");
	seed = (uint64_t)time(NULL);
	printf("seed %llu\n", (unsigned long long)seed);
	for (unsigned i = 0; i < N_TABLES; i++)
		failed += !one_table(fds, own, i == 0 ? DOCUMENT : i % 2 == 0 ? STOCK : OTHER_MODE);
	printf("%u of %u tables as the card has them\n", N_TABLES - failed, N_TABLES);
	return failed == 0 ? 0 : 1;
}

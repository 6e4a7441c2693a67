// SPDX-License-Identifier: BSD-2-Clause
// port_probe.c - a port in a process of its own, for port.sh to play with.
//
//	port_probe open NAME N              opens and closes it N times; descriptors must not leak
//	port_probe tx NAME N                sends N numbered frames
//	port_probe rx NAME N SECONDS        waits for N numbered frames; says what came
//	port_probe loop NAME1 NAME2 N       sends N through NAME1, expects them from NAME2, and back
//	port_probe hold NAME                opens it and waits to be killed
//
// Prints one line; exit 0 if all went as it says above, 1 if not, 2 with a sentence if a port does
// not open.
#include "port/port.h"

#include "base/clock.h"

#include <dirent.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// IEEE 802's ethertype for experiments: nothing else sends it.
enum { FRAME = 60, TYPE = 0x88b5, BURST = 32, MARK = 0x57454952 };

static struct rte_mempool *pool;

static struct port *open_or_exit(const char *name)
{
	struct port_conf conf = {.pool = pool, .promiscuous = true};
	struct err err = {0};
	struct port *p = port_open(name, &conf, &err);

	if (p == NULL) {
		fprintf(stderr, "%s\n", err.msg);
		port_fini();
		exit(2);
	}
	return p;
}

static unsigned count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

static int run_open(const char *name, unsigned n)
{
	unsigned fds = 0, buffers = 0;

	for (unsigned i = 0; i < n; i++) {
		struct port *p = open_or_exit(name);

		if (i == 0)
			printf("%s\n", port_describe(p));
		port_close(p);
		if (i == 0) {
			fds = count_fds();
			buffers = rte_mempool_avail_count(pool);
		}
	}
	if (count_fds() != fds || rte_mempool_avail_count(pool) != buffers) {
		printf("leak: %u descriptors, were %u; %u buffers, were %u\n", count_fds(), fds,
			rte_mempool_avail_count(pool), buffers);
		return 1;
	}
	return 0;
}

static struct rte_mbuf *make(uint32_t seq)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t b[FRAME] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 0x99, TYPE >> 8, TYPE & 0xff};
	uint32_t mark = MARK;

	if (m == NULL)
		return NULL;
	memcpy(b + 14, &mark, 4);
	memcpy(b + 18, &seq, 4);
	memset(b + 22, (int)(seq & 0xff), FRAME - 22);
	memcpy(rte_pktmbuf_mtod(m, void *), b, FRAME);
	m->data_len = FRAME;
	m->pkt_len = FRAME;
	return m;
}

// The number of one of ours, or -1 for others' frames; -2 if ours is damaged.
static int64_t number(const struct rte_mbuf *m)
{
	const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t mark, seq;

	if (m->pkt_len < FRAME || b[12] != TYPE >> 8 || b[13] != (TYPE & 0xff))
		return -1;
	memcpy(&mark, b + 14, 4);
	memcpy(&seq, b + 18, 4);
	if (m->pkt_len != FRAME || mark != MARK)
		return -2;
	for (unsigned i = 22; i < FRAME; i++)
		if (b[i] != (seq & 0xff))
			return -2;
	return seq;
}

// Slow enough that a receiver on the same core keeps up.
static int send_all(struct port *p, unsigned n)
{
	uint64_t end = clock_ns() + 10000000000u;

	for (uint32_t seq = 0; seq < n;) {
		struct rte_mbuf *m[BURST];
		unsigned k = 0, sent;

		while (k < BURST && seq + k < n && (m[k] = make(seq + k)) != NULL)
			k++;
		sent = port_tx(p, 0, m, k);
		port_free(m + sent, k - sent);
		seq += sent;
		usleep(500);
		if (clock_ns() > end)
			return (int)seq;
	}
	return (int)n;
}

struct received {
	unsigned good, out_of_order, damaged;
	int64_t last;
};

static void receive(struct port *p, struct received *r)
{
	struct rte_mbuf *m[BURST];
	unsigned n = port_rx(p, 0, m, BURST);

	for (unsigned i = 0; i < n; i++) {
		int64_t seq = number(m[i]);

		if (seq == -2)
			r->damaged++;
		if (seq < 0)
			continue;
		r->good++;
		r->out_of_order += seq <= r->last;
		r->last = seq;
	}
	port_free(m, n);
}

static int report(const struct port *p, const struct received *r, unsigned want)
{
	printf("%s: received %u of %u, %u out of order, %u damaged\n", port_describe(p), r->good,
		want, r->out_of_order, r->damaged);
	return r->good == want && r->out_of_order == 0 && r->damaged == 0 ? 0 : 1;
}

static int run_tx(const char *name, unsigned n)
{
	struct port *p = open_or_exit(name);
	int sent = send_all(p, n);
	struct port_stats s;
	struct err err = {0};

	if (port_finish(p, &err) < 0)
		fprintf(stderr, "%s\n", err.msg);
	port_stats(p, &s);
	printf("%s: sent %d, %llu counted\n", port_describe(p), sent,
		(unsigned long long)s.tx_packets);
	port_close(p);
	return sent == (int)n && s.tx_packets == n && err.code == 0 ? 0 : 1;
}

static int run_rx(const char *name, unsigned n, unsigned seconds)
{
	struct port *p = open_or_exit(name);
	struct received r = {.last = -1};
	uint64_t end = clock_ns() + seconds * 1000000000ull;
	int e;

	puts("ready");
	fflush(stdout);
	while (r.good < n && clock_ns() < end)
		receive(p, &r);
	e = report(p, &r, n);
	port_close(p);
	return e;
}

static int one_way(struct port *from, struct port *to, unsigned n)
{
	struct received r = {.last = -1};
	uint64_t end = clock_ns() + 5000000000u;

	for (uint32_t seq = 0; r.good < n && clock_ns() < end;) {
		struct rte_mbuf *m[BURST];
		unsigned k = 0, sent;

		while (k < BURST && seq + k < n && (m[k] = make(seq + k)) != NULL)
			k++;
		sent = port_tx(from, 0, m, k);
		port_free(m + sent, k - sent);
		seq += sent;
		receive(to, &r);
	}
	return report(to, &r, n);
}

static int run_loop(const char *a, const char *b, unsigned n)
{
	struct port *p = open_or_exit(a), *q = open_or_exit(b);
	uint64_t end = clock_ns() + 3000000000u;
	int e;

	while (clock_ns() < end && !(port_link_up(p) && port_link_up(q)))
		usleep(1000);
	e = one_way(p, q, n) | one_way(q, p, n);
	port_close(q);
	port_close(p);
	return e;
}

static int run_hold(const char *name)
{
	struct port *p = open_or_exit(name);

	printf("%s\n", port_describe(p));
	fflush(stdout);
	pause();
	port_close(p);
	return 0;
}

static int run(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "open") == 0)
		return run_open(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && strcmp(argv[1], "tx") == 0)
		return run_tx(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 5 && strcmp(argv[1], "rx") == 0)
		return run_rx(argv[2], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	if (argc == 5 && strcmp(argv[1], "loop") == 0)
		return run_loop(argv[2], argv[3], (unsigned)atoi(argv[4]));
	if (argc == 3 && strcmp(argv[1], "hold") == 0)
		return run_hold(argv[2]);
	fputs("usage: port_probe open|tx|rx|loop|hold NAME ...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct port_env env = {.first_cpu = -1,
		.memory_mb = 128,
		.names = (const char *const *)argv,
		.n_names = (unsigned)argc};
	struct err err = {0};
	int e;

	if (port_init(&env, &err) < 0 || (pool = port_pool("probe", 8192, 1514, &err)) == NULL) {
		fprintf(stderr, "%s\n", err.msg);
		return 2;
	}
	e = run(argc, argv);
	port_pool_free(pool);
	port_fini();
	return e;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "port/port.h"

#include <dirent.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct rte_mempool *pool;
static char dir[] = "/tmp/weir-port-XXXXXX";

static struct port *must_open(const char *name, struct port_conf conf)
{
	struct err err = {0};
	struct port *p;

	conf.pool = pool;
	p = port_open(name, &conf, &err);
	if (p == NULL)
		fail_msg("%s", err.msg);
	return p;
}

static void must_fail(const char *name, struct port_conf conf, int code, const char *part)
{
	struct err err = {0};

	conf.pool = pool;
	assert_null(port_open(name, &conf, &err));
	if (err.code != code || strstr(err.msg, part) == NULL || strchr(err.msg, '\n') != NULL)
		fail_msg("%s: code %d: '%s'", name, err.code, err.msg);
}

static struct rte_mbuf *frame(unsigned len, uint8_t fill)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	memset(rte_pktmbuf_append(m, (uint16_t)len), fill, len);
	return m;
}

static const char *path(const char *name)
{
	static char p[4][128];
	static unsigned i;

	i = (i + 1) % 4;
	snprintf(p[i], sizeof(p[i]), "%s/%s", dir, name);
	return p[i];
}

static const char *format(const char *fmt, const char *a, const char *b)
{
	static char p[300];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(p, sizeof(p), fmt, a, b);
#pragma GCC diagnostic pop
	return p;
}

// A capture of n frames of 60 + i bytes filled with i.
static void write_capture(const char *file, unsigned n, int link)
{
	pcap_t *dead = pcap_open_dead(link, 65535);
	pcap_dumper_t *d = pcap_dump_open(dead, file);
	unsigned char data[2000];

	assert_non_null(d);
	for (unsigned i = 0; i < n; i++) {
		struct pcap_pkthdr h = {.caplen = 60 + i, .len = 60 + i};

		memset(data, (int)i, sizeof(data));
		pcap_dump((unsigned char *)d, &h, data);
	}
	pcap_dump_close(d);
	pcap_close(dead);
}

static unsigned count_files(const char *folder)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n - 2;
}

static void what_one_end_of_a_pair_sends_the_other_receives(void **state)
{
	struct port *a = must_open("mem:x", (struct port_conf){0});
	struct port *b = must_open("mem:x", (struct port_conf){0});
	struct rte_mbuf *m[64], *got[64];
	struct port_stats s;
	struct mac ma, mb;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		m[i] = frame(60 + i, (uint8_t)i);
	assert_int_equal(port_tx(a, 0, m, 64), 64);
	assert_int_equal(port_rx(a, 0, got, 64), 0);
	assert_int_equal(port_rx(b, 0, got, 64), 64);
	assert_memory_equal(m, got, sizeof(m));
	assert_int_equal(port_tx(b, 0, got, 10), 10);
	assert_int_equal(port_rx(a, 0, got, 64), 10);
	port_free(got, 64);
	port_stats(a, &s);
	assert_int_equal(s.tx_packets, 64);
	assert_int_equal(s.rx_packets, 10);
	port_mac(a, &ma);
	port_mac(b, &mb);
	assert_memory_not_equal(&ma, &mb, sizeof(ma));
	assert_int_equal(ma.b[0], 2);
	assert_true(port_link_up(a));
	assert_int_equal(port_mtu(a), 1500);
	assert_false(port_done(a));
	must_fail("mem:x", (struct port_conf){0}, EBUSY, "both ends");
	port_close(a);
	port_close(b);
}

static void a_full_ring_takes_no_more_and_frames_under_way_are_freed(void **state)
{
	unsigned before = rte_mempool_avail_count(pool), sent = 0;
	struct port *a = must_open("mem:full", (struct port_conf){.n_txd = 128, .n_rxd = 256});
	struct port *b = must_open("mem:full", (struct port_conf){0});
	struct rte_mbuf *m;

	(void)state;
	for (;; sent++) {
		m = frame(60, 0);
		if (port_tx(a, 0, &m, 1) == 0)
			break;
	}
	rte_pktmbuf_free(m);
	assert_int_equal(sent, 127);
	// What a sent before it closed is still there.
	port_close(a);
	assert_int_equal(port_rx(b, 0, &m, 1), 1);
	rte_pktmbuf_free(m);
	a = must_open("mem:full", (struct port_conf){0});
	m = frame(60, 0);
	assert_int_equal(port_tx(a, 0, &m, 1), 1);
	port_close(b);
	port_close(a);
	assert_int_equal(rte_mempool_avail_count(pool), before);
}

static void ends_of_a_pair_must_fit_each_other(void **state)
{
	struct port *a = must_open("mem:q", (struct port_conf){.n_rxq = 2, .n_txq = 3});

	(void)state;
	must_fail("mem:q", (struct port_conf){0}, EINVAL, "queues");
	must_fail("mem:q", (struct port_conf){.n_rxq = 3, .n_txq = 2, .n_rxd = 64}, EINVAL,
		"descriptors");
	must_fail("mem:z", (struct port_conf){.n_rxd = 100}, EINVAL, "power of two");
	must_fail("mem:z", (struct port_conf){.n_rxq = 17}, EINVAL, "at most 16");
	struct port *b = must_open("mem:q", (struct port_conf){.n_rxq = 3, .n_txq = 2});
	struct rte_mbuf *m = frame(60, 0), *got;

	assert_int_equal(port_rx_queues(b), 3);
	assert_int_equal(port_tx_queues(b), 2);
	assert_int_equal(port_tx(a, 2, &m, 1), 1);
	assert_int_equal(port_rx(b, 2, &got, 1), 1);
	rte_pktmbuf_free(got);
	port_close(b);
	port_close(a);
}

static void null_takes_everything_and_brings_nothing(void **state)
{
	unsigned before = rte_mempool_avail_count(pool);
	struct port *p = must_open("null", (struct port_conf){0});
	struct port *second = must_open("null", (struct port_conf){0});
	struct rte_mbuf *m[32];
	struct port_stats s;

	(void)state;
	for (unsigned i = 0; i < 32; i++)
		m[i] = frame(60, 0);
	assert_int_equal(port_tx(p, 0, m, 32), 32);
	assert_int_equal(port_rx(p, 0, m, 32), 0);
	port_stats(p, &s);
	assert_int_equal(s.tx_packets, 32);
	must_fail("null", (struct port_conf){.fc = FC_NONE}, ENOTSUP, "flow control");
	must_fail("null", (struct port_conf){.pcap_loop = true}, EINVAL, "repeated");
	must_fail("null", (struct port_conf){.mtu = 67}, EINVAL, "MTU");
	port_close(p);
	port_close(second);
	assert_int_equal(rte_mempool_avail_count(pool), before);
}

static void a_capture_passes_through_unchanged_and_ends(void **state)
{
	struct port *p;
	struct rte_mbuf *m[64];
	unsigned n, total = 0;
	char errbuf[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *h;
	const unsigned char *data;
	pcap_t *pcap;
	struct err err = {0};

	(void)state;
	write_capture(path("in=,[x"), 0, DLT_EN10MB);
	write_capture(path("in=[x"), 100, DLT_EN10MB);
	p = must_open(format("pcap:%s,%s", path("in=[x"), path("out")), (struct port_conf){0});
	assert_non_null(strstr(port_describe(p), "100 frames"));
	assert_false(port_done(p));
	while ((n = port_rx(p, 0, m, 64)) > 0) {
		for (unsigned i = 0; i < n; i++, total++) {
			assert_int_equal(m[i]->pkt_len, 60 + total);
			assert_int_equal(*rte_pktmbuf_mtod(m[i], uint8_t *), total);
		}
		assert_int_equal(port_tx(p, 0, m, n), n);
	}
	assert_int_equal(total, 100);
	assert_true(port_done(p));
	assert_int_equal(access(path("out"), F_OK), -1);
	assert_int_equal(port_finish(p, &err), 0);
	assert_int_equal(access(path("out"), F_OK), 0);
	port_close(p);

	pcap = pcap_open_offline(path("out"), errbuf);
	assert_non_null(pcap);
	for (total = 0; pcap_next_ex(pcap, &h, &data) == 1; total++) {
		assert_int_equal(h->caplen, 60 + total);
		assert_int_equal(data[59], total);
	}
	assert_int_equal(total, 100);
	pcap_close(pcap);
	unlink(path("in=[x"));
	unlink(path("in=,[x"));
	unlink(path("out"));
	assert_int_equal(count_files(dir), 0);
}

static void a_capture_can_be_repeated_for_ever(void **state)
{
	unsigned before = rte_mempool_avail_count(pool);
	struct port *p;
	struct rte_mbuf *m[32];

	(void)state;
	write_capture(path("in"), 7, DLT_EN10MB);
	p = must_open(format("pcap:%s%s", path("in"), ""), (struct port_conf){.pcap_loop = true});
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(port_rx(p, 0, m, 32), 32);
		for (unsigned k = 0; k < 32; k++)
			assert_int_equal(m[k]->pkt_len, 60 + (i * 32 + k) % 7);
		assert_int_equal(port_tx(p, 0, m, 32), 32);
	}
	assert_false(port_done(p));
	port_close(p);
	assert_int_equal(rte_mempool_avail_count(pool), before);
	unlink(path("in"));
}

static void a_capture_that_cannot_be_used_is_refused_in_words(void **state)
{
	FILE *f;
	struct port_conf none = {0}, loop = {.pcap_loop = true};

	(void)state;
	write_capture(path("raw"), 3, DLT_RAW);
	write_capture(path("empty"), 0, DLT_EN10MB);
	write_capture(path("cut"), 3, DLT_EN10MB);
	write_capture(path("many"), 1500, DLT_EN10MB);
	assert_int_equal(truncate(path("cut"), 24 + 16 + 60 + 20), 0);
	f = fopen(path("text"), "w");
	fputs("no capture at all, but a text\n", f);
	fclose(f);
	assert_int_equal(mkfifo(path("fifo"), 0600), 0);
	write_capture(path("snapped"), 3, DLT_EN10MB);
	f = fopen(path("snapped"), "r+"); // the second frame's length on the wire
	assert_int_equal(fseek(f, 24 + 16 + 60 + 12, SEEK_SET), 0);
	assert_int_equal(fwrite(&(uint32_t){1514}, 4, 1, f), 1);
	fclose(f);

	must_fail(format("pcap:%s%s", path("missing"), ""), none, ENOENT, "No such file");
	must_fail(format("pcap:%s%s", dir, ""), none, EINVAL, "regular file");
	must_fail(format("pcap:%s%s", path("fifo"), ""), none, EINVAL, "regular file");
	must_fail(format("pcap:%s%s", path("text"), ""), none, EINVAL, "not a capture");
	must_fail(format("pcap:%s%s", path("raw"), ""), none, EINVAL, "not Ethernet");
	must_fail(format("pcap:%s,%s", path("cut"), path("out")), none, EINVAL, "frame 2");
	must_fail(format("pcap:%s%s", path("snapped"), ""), none, EINVAL,
		"frame 2: only 61 of its 1514 bytes were captured");
	must_fail(format("pcap:%s%s", path("empty"), ""), loop, EINVAL, "no frame");
	must_fail(format("pcap:%s%s", path("many"), ""), (struct port_conf){.n_rxq = 2}, EINVAL,
		"one queue");
	must_fail(format("pcap:%s,%s", path("empty"), dir), none, EISDIR, "folder");
	must_fail(format("pcap:,%s%s", path("no/such/out"), ""), none, ENOENT, "No such file");
	must_fail(format("pcap:,%s%s", path("out"), ""), loop, EINVAL, "no capture to repeat");
	// 4096 buffers cannot hold it beside what is under way.
	write_capture(path("many"), 1900, DLT_EN10MB);
	struct rte_mbuf *m[2000];

	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, m, 2000), 0);
	must_fail(format("pcap:%s%s", path("many"), ""), loop, ENOMEM, "1900 frames");
	rte_pktmbuf_free_bulk(m, 2000);

	const char *files[] = {"raw", "empty", "cut", "many", "text", "fifo", "snapped"};

	for (unsigned i = 0; i < 7; i++)
		unlink(path(files[i]));
	assert_int_equal(count_files(dir), 0);
}

static void a_capture_is_written_whole_or_not_at_all(void **state)
{
	struct port *p = must_open(format("pcap:,%s%s", path("out"), ""), (struct port_conf){0});
	struct rte_mbuf *m = frame(60, 1);
	struct stat st;

	(void)state;
	assert_int_equal(port_rx(p, 0, &m, 1), 0);
	m = frame(60, 1);
	assert_int_equal(port_tx(p, 0, &m, 1), 1);
	must_fail(format("pcap:,%s%s", path("out"), ""), (struct port_conf){0}, EBUSY,
		"already open");
	assert_int_equal(count_files(dir), 0);
	port_close(p);
	assert_int_equal(stat(path("out"), &st), 0);
	assert_int_equal(st.st_size, 24 + 16 + 60);
	assert_int_equal(count_files(dir), 1);
	unlink(path("out"));
	// The disk is full.
	p = must_open("pcap:,/dev/full", (struct port_conf){0});
	port_close(p);
}

static void no_capture_is_written_over_one_in_use(void **state)
{
	struct port *p;
	struct stat st;
	off_t size;

	(void)state;
	write_capture(path("in"), 3, DLT_EN10MB);
	assert_int_equal(stat(path("in"), &st), 0);
	size = st.st_size;
	assert_int_equal(link(path("in"), path("link")), 0);
	must_fail(format("pcap:%s,%s", path("in"), path("in")), (struct port_conf){0}, EINVAL,
		"write over");
	must_fail(format("pcap:%s,%s", path("in"), path("./in")), (struct port_conf){0}, EINVAL,
		"write over");
	must_fail(format("pcap:%s,%s", path("in"), path("link")), (struct port_conf){0}, EINVAL,
		"write over");
	p = must_open(format("pcap:%s,%s", path("in"), path("out")), (struct port_conf){0});
	must_fail(format("pcap:,%s%s", path("link"), ""), (struct port_conf){0}, EBUSY, "already");
	must_fail(format("pcap:,%s%s", path("./out"), ""), (struct port_conf){0}, EBUSY, "already");
	port_close(p);
	assert_int_equal(stat(path("in"), &st), 0);
	assert_int_equal(st.st_size, size);
	unlink(path("in"));
	unlink(path("link"));
	unlink(path("out"));
	assert_int_equal(count_files(dir), 0);
}

static void ports_can_be_opened_and_closed_for_ever(void **state)
{
	static const char *const names[] = {"mem:a", "mem:a", "null"};
	struct port *p[4];
	unsigned fds = 0, buffers = rte_mempool_avail_count(pool);
	struct rte_malloc_socket_stats s0 = {0}, s1;

	(void)state;
	write_capture(path("in"), 20, DLT_EN10MB);
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned k = 0; k < 3; k++)
			p[k] = must_open(names[k], (struct port_conf){0});
		p[3] = must_open(format("pcap:%s,%s", path("in"), path("out")),
			(struct port_conf){.pcap_loop = i % 2 == 1});
		for (unsigned k = 0; k < 4; k++)
			port_close(p[(k + i) % 4]);
		if (i == 3) {
			fds = count_files("/proc/self/fd");
			rte_malloc_get_socket_stats(0, &s0);
		}
	}
	rte_malloc_get_socket_stats(0, &s1);
	assert_int_equal(count_files("/proc/self/fd"), fds);
	// DPDK 22.11's null driver itself loses a dummy frame a queue, 384 bytes a time.
	assert_in_range(s1.heap_allocsz_bytes - s0.heap_allocsz_bytes, 0, 96 * 400);
	assert_int_equal(rte_mempool_avail_count(pool), buffers);
	unlink(path("in"));
	unlink(path("out"));
}

static void pools_hold_frames_up_to_their_limit(void **state)
{
	struct err err = {0};
	struct rte_mempool *p = port_pool("a name much longer than DPDK's", 64, 9600, &err);

	(void)state;
	assert_non_null(p);
	assert_true(rte_pktmbuf_data_room_size(p) - RTE_PKTMBUF_HEADROOM >= 9600);
	assert_int_equal(rte_mempool_avail_count(p), 64);
	port_pool_free(p);
	assert_null(port_pool("x", 0, 1514, &err));
	assert_null(port_pool("x", 64, 65535, &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(port_pool("x", 10 * 1000 * 1000, 1514, &err));
	assert_int_equal(err.code, ENOMEM);
}

static _Atomic unsigned n_turns, in_loop;

static void turn(void *arg)
{
	in_loop = 1;
	n_turns++;
	usleep(*(unsigned *)arg);
	in_loop = 0;
}

static void a_quiet_point_lies_between_two_turns(void **state)
{
	unsigned nap = 2000, before;
	struct err err = {0};
	struct worker *w = worker_start(0, turn, &nap, &err);

	(void)state;
	assert_non_null(w);
	assert_null(worker_start(0, turn, &nap, &err));
	assert_int_equal(err.code, EBUSY);
	assert_null(worker_start(1, turn, &nap, &err));
	assert_int_equal(err.code, EINVAL);
	for (unsigned i = 0; i < 20; i++) {
		before = n_turns;
		worker_quiet(w);
		// The turn that ran at the call has ended: the next one has begun or will.
		assert_true(n_turns > before || in_loop == 0);
	}
	worker_stop(w);
	before = n_turns;
	assert_int_equal(in_loop, 0);
	usleep(5000);
	assert_int_equal(n_turns, before);
}

static void spin(void *arg)
{
	(void)arg;
	for (volatile unsigned i = 0; i < 1000; i++)
		;
}

static void a_workers_cpu_time_counts_its_own_work_only(void **state)
{
	struct err err = {0};
	struct worker *w = worker_start(0, spin, NULL, &err);
	uint64_t a, b;

	(void)state;
	assert_non_null(w);
	a = worker_cpu_ns(w);
	do {
		usleep(1000);
		b = worker_cpu_ns(w);
	} while (b < a + 10 * 1000 * 1000);
	worker_stop(w);
	// This thread slept: it used far less than the worker.
	unsigned nap = 20000;

	n_turns = 0;
	w = worker_start(0, turn, &nap, &err);
	while (n_turns < 3)
		usleep(1000);
	assert_true(worker_cpu_ns(w) < 10 * 1000 * 1000);
	worker_stop(w);
}

static int start(void **state)
{
	struct port_env env = {.n_workers = 1, .first_cpu = -1, .memory_mb = 128};
	struct err err = {0};

	(void)state;
	if (mkdtemp(dir) == NULL)
		return -1;
	if (port_init(&env, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return -1;
	}
	if (port_init(&env, &err) != -EINVAL)
		return -1;
	pool = port_pool("test", 4096, 1514, &err);
	return pool == NULL ? -1 : 0;
}

static int stop(void **state)
{
	(void)state;
	port_pool_free(pool);
	port_fini();
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_one_end_of_a_pair_sends_the_other_receives),
		cmocka_unit_test(a_full_ring_takes_no_more_and_frames_under_way_are_freed),
		cmocka_unit_test(ends_of_a_pair_must_fit_each_other),
		cmocka_unit_test(null_takes_everything_and_brings_nothing),
		cmocka_unit_test(a_capture_passes_through_unchanged_and_ends),
		cmocka_unit_test(a_capture_can_be_repeated_for_ever),
		cmocka_unit_test(a_capture_that_cannot_be_used_is_refused_in_words),
		cmocka_unit_test(a_capture_is_written_whole_or_not_at_all),
		cmocka_unit_test(no_capture_is_written_over_one_in_use),
		cmocka_unit_test(ports_can_be_opened_and_closed_for_ever),
		cmocka_unit_test(pools_hold_frames_up_to_their_limit),
		cmocka_unit_test(a_quiet_point_lies_between_two_turns),
		cmocka_unit_test(a_workers_cpu_time_counts_its_own_work_only),
	};

	return cmocka_run_group_tests(tests, start, stop);
}

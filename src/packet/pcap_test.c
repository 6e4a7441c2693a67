// SPDX-License-Identifier: BSD-2-Clause
#include "packet/pcap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/pcap_test.XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

// Captures by hand: magic, version 2.4, zone, accuracy, snap length, link type.
static const uint8_t micro_be[] = {0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0xff, 0xff, 0, 0, 0, 1,
	// frame 1: 3 s + 5 us, 4 bytes of 60
	0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 60, 'a', 'b', 'c', 'd',
	// frame 2: 4 s + 999999 us, no byte at all
	0, 0, 0, 4, 0, 0x0f, 0x42, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t nano_le[] = {0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff,
	0xff, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 'x', 'y'};

static void microseconds_big_endian(void **state)
{
	struct pcapfile p;

	(void)state;
	assert_int_equal(pcapfile_read_memory("m", micro_be, sizeof(micro_be), &p, NULL), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.frames[0].t_ns, 3000005000);
	assert_int_equal(p.frames[0].len, 4);
	assert_int_equal(p.frames[0].wire_len, 60);
	assert_memory_equal(p.frames[0].data, "abcd", 4);
	assert_int_equal(p.frames[1].t_ns, 4999999000);
	assert_int_equal(p.frames[1].len, 0);
	pcapfile_free(&p);
	assert_null(p.frames);
}

static void nanoseconds_little_endian(void **state)
{
	struct pcapfile p;

	(void)state;
	assert_int_equal(pcapfile_read_memory("n", nano_le, sizeof(nano_le), &p, NULL), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.frames[0].t_ns, 3000000005);
	assert_memory_equal(p.frames[0].data, "xy", 2);
	pcapfile_free(&p);
}

static void a_header_alone_is_an_empty_capture(void **state)
{
	struct pcapfile p;

	(void)state;
	assert_int_equal(pcapfile_read_memory("e", nano_le, 24, &p, NULL), 0);
	assert_int_equal(p.n, 0);
	pcapfile_free(&p);
}

// Every length at which the file may be cut, apart from those between two frames.
static void a_cut_file_is_refused_and_named(void **state)
{
	(void)state;
	for (unsigned len = 0; len < sizeof(micro_be); len++) {
		struct pcapfile p = {.n = 77};
		struct err err = {0};

		if (len == 24 || len == 44)
			continue;
		assert_int_equal(
			pcapfile_read_memory("cut.pcap", micro_be, len, &p, &err), -EINVAL);
		assert_int_equal(p.n, 77);
		assert_non_null(strstr(err.msg, "cut.pcap: "));
		if (len > 44)
			assert_non_null(strstr(err.msg, "frame 2: "));
	}
}

static void another_link_type_is_refused_in_words(void **state)
{
	uint8_t raw_ip[sizeof(nano_le)];
	struct err err = {0};
	struct pcapfile p;

	(void)state;
	memcpy(raw_ip, nano_le, sizeof(raw_ip));
	raw_ip[20] = 101;
	assert_int_equal(
		pcapfile_read_memory("raw.pcap", raw_ip, sizeof(raw_ip), &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "raw.pcap: link type is RAW (12), not Ethernet"));
}

static void more_captured_than_sent_is_refused(void **state)
{
	uint8_t bad[sizeof(nano_le)];
	struct err err = {0};
	struct pcapfile p;

	(void)state;
	memcpy(bad, nano_le, sizeof(bad));
	bad[36] = 1; // two bytes of a frame of one
	assert_int_equal(pcapfile_read_memory("bad", bad, sizeof(bad), &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "bad: frame 1: "));
}

static void what_is_no_capture_is_refused(void **state)
{
	const char text[] = "hostname=\"router\"\ngateway_enable=\"YES\"\n";
	struct err err = {0};
	struct pcapfile p;

	(void)state;
	assert_int_equal(pcapfile_read_memory("rc.conf", text, sizeof(text), &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "rc.conf: "));
	assert_int_equal(pcapfile_read(path_of("none.pcap"), &p, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "none.pcap: No such file"));
	assert_true(pcapfile_read(dir, &p, &err) < 0);
	assert_non_null(strstr(err.msg, dir));
}

static void what_was_written_is_read_back(void **state)
{
	enum { N = 3000 };
	static uint8_t frame[2000];
	const char *path = path_of("out.pcap");
	struct pcapfile_writer *w;
	struct pcapfile p;

	(void)state;
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 31);
	w = pcapfile_create(path, NULL);
	assert_non_null(w);
	for (unsigned i = 0; i < N; i++)
		pcapfile_put(w, 1700000000999999000u + i * 7u, frame + i % 100, i % 1900);
	assert_int_equal(pcapfile_close(w, NULL), 0);

	assert_int_equal(pcapfile_read(path, &p, NULL), 0);
	assert_int_equal(p.n, N);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(p.frames[i].t_ns, 1700000000999999000u + i * 7u);
		assert_int_equal(p.frames[i].len, i % 1900);
		assert_int_equal(p.frames[i].wire_len, i % 1900);
		assert_memory_equal(p.frames[i].data, frame + i % 100, i % 1900);
	}
	pcapfile_free(&p);
	unlink(path);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	struct err err = {0};
	struct pcapfile_writer *w;

	(void)state;
	assert_null(pcapfile_create(path_of("no/such/folder.pcap"), &err));
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, "no/such/folder.pcap: "));

	w = pcapfile_create("/dev/full", &err);
	assert_non_null(w);
	pcapfile_put(w, 0, "frame", 5);
	assert_int_equal(pcapfile_close(w, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "/dev/full: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(microseconds_big_endian),
		cmocka_unit_test(nanoseconds_little_endian),
		cmocka_unit_test(a_header_alone_is_an_empty_capture),
		cmocka_unit_test(a_cut_file_is_refused_and_named),
		cmocka_unit_test(another_link_type_is_refused_in_words),
		cmocka_unit_test(more_captured_than_sent_is_refused),
		cmocka_unit_test(what_is_no_capture_is_refused),
		cmocka_unit_test(what_was_written_is_read_back),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}

// SPDX-License-Identifier: BSD-2-Clause
// Rows against a port that is told what to take, and keeps a copy of every frame it tried.
#include "gen/rows.h"

#include "gen/capture.h"
#include "gen/source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KEPT = 1 << 18, ROOM = 128 };

static struct {
	struct port_rows mem;
	unsigned makes;
	unsigned at_most; // frames a call tries before "a signal" ends it
	unsigned n;
	uint8_t (*frame)[ROOM];
	uint16_t *len;
} port;

static int make_fails;

const char *port_name(const struct port *p)
{
	(void)p;
	return "fake";
}

int port_rows_make(struct port *p, uint16_t queue, struct port_rows *rows, struct err *err)
{
	(void)p;
	(void)queue;
	port.makes++;
	if (make_fails != 0)
		return err_set(err, make_fails, "fake");
	rows->stride = (rows->frame_max + 63) / 64 * 64;
	rows->frames = calloc(rows->n, rows->stride);
	rows->lengths = rows->varies ? calloc(rows->n, sizeof(uint64_t)) : NULL;
	port.mem = *rows;
	return 0;
}

void port_rows_taken(const struct port *p, uint16_t queue, uint64_t *frames, uint64_t *bytes)
{
	(void)p;
	(void)queue;
	*frames = port.n;
	*bytes = 0;
}

void port_rows_send(
	struct port *p, uint16_t queue, unsigned first, unsigned n, struct port_sent *sent)
{
	(void)p;
	(void)queue;
	assert_true(first < port.mem.n);
	*sent = (struct port_sent){.tried = n < port.at_most ? n : port.at_most};
	sent->taken = sent->tried;
	for (unsigned i = 0; i < sent->tried; i++, port.n++) {
		unsigned at = (first + i) % port.mem.n;

		assert_true(port.n < KEPT);
		port.len[port.n] = (uint16_t)(port.mem.varies ? port.mem.lengths[at]
							      : port.mem.frame_max);
		memcpy(port.frame[port.n], port.mem.frames + (size_t)at * port.mem.stride,
			port.len[port.n]);
	}
}

static int set_up(void **state)
{
	(void)state;
	memset(&port, 0, sizeof(port));
	port.at_most = UINT32_MAX;
	port.frame = calloc(KEPT, ROOM);
	port.len = calloc(KEPT, sizeof(*port.len));
	make_fails = 0;
	return port.frame != NULL && port.len != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	free(port.frame);
	free(port.len);
	free(port.mem.frames);
	free(port.mem.lengths);
	return 0;
}

static struct gen_conf profile(const char *src, const char *dst)
{
	struct gen_conf c = {.family = 4, .len = 60, .burst = 512, .seed = 7};

	assert_int_equal(gen_range_parse(src, 4, &c.src, NULL), 0);
	assert_int_equal(gen_range_parse(dst, 4, &c.dst, NULL), 0);
	return c;
}

// Sends n frames in calls of the given sizes, turn by turn.
static void send_in(const struct gen_conf *c, unsigned n, const unsigned *sizes, unsigned n_sizes)
{
	struct feed *feed = feed_new(c, NULL);
	struct rows *rows = rows_new(feed, NULL, 0, NULL);
	struct port_sent sent;

	assert_non_null(rows);
	for (unsigned i = 0; port.n < n; i++)
		rows_send(rows, sizes[i % n_sizes], &sent);
	rows_free(rows);
	feed_free(feed);
}

// The same frames, one at a time, from the source that all other ports get them from.
static void assert_as_the_source_has_them(const struct gen_conf *c, unsigned n)
{
	struct source *s = source_new(c, NULL);
	uint8_t frame[ROOM], *buf = frame;
	uint16_t len;

	for (unsigned i = 0; i < n; i++) {
		source_fill(s, &buf, &len, 1);
		assert_int_equal(port.len[i], len);
		assert_memory_equal(port.frame[i], frame, len);
	}
	source_free(s);
}

static const unsigned sizes[] = {1, 700, 3, 64, 65, 2500, 63};
enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void few_flows_are_written_once_and_go_round(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.0.0.100", "10.1.0.1-10.1.0.20");

	(void)state;
	send_in(&c, 9000, sizes, N_SIZES);
	assert_int_equal(port.mem.n, 2000);
	assert_null(port.mem.lengths);
	assert_as_the_source_has_them(&c, 9000);
}

static void one_flow_has_one_row(void **state)
{
	struct gen_conf c = profile("10.0.0.1", "10.1.0.1");

	(void)state;
	send_in(&c, 1000, sizes, N_SIZES);
	assert_int_equal(port.mem.n, 1);
	assert_as_the_source_has_them(&c, 1000);
}

static void numbered_frames_are_written_anew(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.0.0.100", "10.1.0.1-10.1.0.20");

	(void)state;
	c.txseq = true;
	send_in(&c, 9000, sizes, N_SIZES);
	assert_as_the_source_has_them(&c, 9000);
}

static void more_than_all_rows_are_sent_in_several_calls(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.1.0.0", "10.1.0.1");
	unsigned all = UINT32_MAX;

	(void)state;
	send_in(&c, 140000, &all, 1);
	assert_true(port.mem.n < 140000);
	assert_as_the_source_has_them(&c, 140000);
}

static void random_addresses_and_lengths_come_in_their_order(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.0.0.100", "10.1.0.1-10.1.0.20");

	(void)state;
	c.random_src = c.random_dst = true;
	c.len = 120;
	c.len_min = 60;
	send_in(&c, 9000, sizes, N_SIZES);
	assert_non_null(port.mem.lengths);
	assert_as_the_source_has_them(&c, 9000);
}

static void a_call_cut_short_goes_on_where_it_ended(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.0.0.100", "10.1.0.1-10.1.0.20");

	(void)state;
	port.at_most = 130;
	c.txseq = true;
	send_in(&c, 5000, sizes, N_SIZES);
	assert_as_the_source_has_them(&c, 5000);
	port.n = 0;
	free(port.mem.frames);
	c.txseq = false;
	send_in(&c, 5000, sizes, N_SIZES);
	assert_as_the_source_has_them(&c, 5000);
}

static void count_look(void *arg, const uint8_t *frame, unsigned len)
{
	(void)frame;
	(void)len;
	++*(unsigned *)arg;
}

static void who_looks_sees_every_frame(void **state)
{
	struct gen_conf c = profile("10.0.0.1-10.0.0.100", "10.1.0.1");
	unsigned seen = 0;

	(void)state;
	c.look = count_look;
	c.look_arg = &seen;
	send_in(&c, 3000, sizes, N_SIZES);
	assert_int_equal(seen, port.n);
	assert_as_the_source_has_them(&c, 3000);
}

static void a_capture_keeps_its_lengths_and_goes_round(void **state)
{
	uint8_t bytes[100];
	struct pcapfile_frame frames[3] = {{.data = bytes, .len = 60},
		{.data = bytes + 1, .len = 14}, {.data = bytes + 2, .len = 98}};
	struct gen_capture capture = {.file = {.n = 3, .frames = frames}, .longest = 98};
	struct gen_conf c = profile("10.0.0.1", "10.1.0.1");

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	c.capture = &capture;
	send_in(&c, 1000, sizes, N_SIZES);
	assert_int_equal(port.mem.n, 3);
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(port.len[i], frames[i % 3].len);
		assert_memory_equal(port.frame[i], frames[i % 3].data, port.len[i]);
	}
}

static void a_frame_below_the_ethernet_header_is_refused(void **state)
{
	struct pcapfile_frame frame = {.data = (const uint8_t *)"0123456789abc", .len = 13};
	struct gen_capture capture = {.file = {.n = 1, .frames = &frame}, .longest = 13};
	struct gen_conf c = profile("10.0.0.1", "10.1.0.1");
	struct err err = {0};
	struct feed *feed;

	(void)state;
	c.capture = &capture;
	feed = feed_new(&c, NULL);
	assert_null(rows_new(feed, NULL, 0, &err));
	assert_int_equal(err.code, EMSGSIZE);
	assert_non_null(strstr(err.msg, "13 bytes"));
	assert_int_equal(port.makes, 0);
	feed_free(feed);
}

static void a_port_without_memory_is_reported(void **state)
{
	struct gen_conf c = profile("10.0.0.1", "10.1.0.1");
	struct feed *feed = feed_new(&c, NULL);
	struct err err = {0};

	(void)state;
	make_fails = ENOMEM;
	assert_null(rows_new(feed, NULL, 0, &err));
	assert_int_equal(err.code, ENOMEM);
	feed_free(feed);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(few_flows_are_written_once_and_go_round),
		TEST(one_flow_has_one_row),
		TEST(numbered_frames_are_written_anew),
		TEST(more_than_all_rows_are_sent_in_several_calls),
		TEST(random_addresses_and_lengths_come_in_their_order),
		TEST(a_call_cut_short_goes_on_where_it_ended),
		TEST(who_looks_sees_every_frame),
		TEST(a_capture_keeps_its_lengths_and_goes_round),
		TEST(a_frame_below_the_ethernet_header_is_refused),
		TEST(a_port_without_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

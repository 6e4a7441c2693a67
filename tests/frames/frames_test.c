// SPDX-License-Identifier: BSD-2-Clause
// Carries every golden frame through the router: alone, cut over two buffers in all kinds of
// places, and in bursts among others.  What comes out must be what the tables say, each drop under
// its reason, and in + made = sent + dropped every time.
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

// Each case by itself with `head` bytes in the first buffer.
static void run_each(unsigned head)
{
	static struct outcome o;
	unsigned failed = 0;

	for (unsigned kind = 0; kind < RIG_KINDS; kind++) {
		struct rig *rig = rig_new((enum rig_kind)kind);

		for (unsigned i = 0; i < n_golden; i++) {
			const struct golden *g = &golden[i];

			if (g->c->rig != kind || (head != HEAD_ALL && head >= g->in.n))
				continue;
			rig_run(rig, g->c->port, &g->in, 1, head, &o);
			if (golden_matches(g, &o))
				continue;
			if (head != HEAD_ALL)
				fprintf(stderr, "With %u bytes in the first buffer: ", head);
			golden_print(g, &o);
			failed++;
		}
		rig_free(rig);
	}
	if (failed > 0)
		fail_msg("%u of %u cases", failed, n_golden);
}

static void every_frame_alone(void **state)
{
	(void)state;
	assert_true(n_golden >= 60);
	run_each(HEAD_ALL);
}

// A port may hand over a frame in several buffers; the router must not care where the cut is.
static void every_frame_cut_in_two(void **state)
{
	const unsigned heads[] = {1, 13, 14, 15, 18, 33, 34, 41, 42, 53, 54, 55, 60, 61};

	(void)state;
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		run_each(heads[i]);
}

static void an_empty_burst_stays_empty(void **state)
{
	static struct outcome o;
	struct rig *rig = rig_new(RIG_PLAIN);

	(void)state;
	rig_run(rig, 0, NULL, 0, HEAD_ALL, &o);
	assert_int_equal(o.n, 0);
	assert_int_equal(o.made, 0);
	assert_int_equal(o.dropped, 0);
	rig_free(rig);
}

// The room of a burst is enough for these: at most 64 frames of which one becomes three.
static void neighbours_in_a_burst_do_not_matter(void **state)
{
	static struct outcome o;
	static struct batch b;

	(void)state;
	srand(1);
	for (unsigned kind = 0; kind < RIG_KINDS; kind++) {
		struct rig *rig = rig_new((enum rig_kind)kind);

		for (unsigned round = 0; round < 200; round++) {
			uint16_t port = round % 8 == 7;

			batch_fill(&b, (enum rig_kind)kind, port);
			rig_run(rig, port, b.in, b.n, HEAD_ALL, &o);
			batch_check(&b, &o);
		}
		rig_free(rig);
	}
}

// What the wire may make of a frame: some bytes changed, its end cut off, bytes behind it; the
// header checksum is made right again half of the time, so that what lies behind it is reached.
static void mutate(struct frame *f)
{
	unsigned what = (unsigned)rand() % 8, max = f->n < 80 ? f->n : 80;
	uint16_t sum = 0;

	if (what == 6)
		f->n -= (unsigned)rand() % (f->n + 1);
	else if (what == 7 && f->n < FRAME_BYTES_MAX - 20)
		f->n += (unsigned)rand() % 20;
	else if (max > 0)
		for (unsigned i = 0; i < what % 4; i++)
			f->b[(unsigned)rand() % max] = (uint8_t)(rand() >> 8);
	if (rand() % 2 == 0 || f->n < 34 || (f->b[14] & 15u) < 5 || f->b[12] != 8)
		return;
	f->b[24] = f->b[25] = 0;
	for (unsigned i = 14; i < f->n && i < 14 + (f->b[14] & 15u) * 4; i++) {
		unsigned s = sum + (i % 2 == 0 ? (unsigned)f->b[i] << 8 : f->b[i]);

		sum = (uint16_t)(s > 0xffff ? s - 0xffff : s);
	}
	f->b[24] = (uint8_t)(~sum >> 8);
	f->b[25] = (uint8_t)~sum;
}

static bool outcomes_equal(const struct outcome *a, const struct outcome *b)
{
	if (a->n != b->n || memcmp(a->drop, b->drop, sizeof(a->drop)) != 0)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		const struct frame *fa = &a->out[i].frame, *fb = &b->out[i].frame;

		if (a->out[i].port != b->out[i].port || fa->n != fb->n ||
			memcmp(fa->b, fb->b, fa->n) != 0)
			return false;
	}
	return true;
}

// Two routers see the same mutated bursts, one of them with every frame cut in two, which no fast
// path takes: nothing may crash, leak or get lost, and both must agree to the byte.
static void damaged_frames_are_treated_alike_by_every_path(void **state)
{
	static struct outcome a, b;
	static struct batch batch;
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srand(seed);
	for (unsigned kind = 0; kind < RIG_KINDS; kind++) {
		struct rig *whole = rig_new((enum rig_kind)kind);
		struct rig *cut = rig_new((enum rig_kind)kind);

		for (unsigned round = 0; round < 300; round++) {
			uint16_t port = round % 8 == 7;

			batch_fill(&batch, (enum rig_kind)kind, port);
			for (unsigned i = 0; i < batch.n; i++)
				mutate(&batch.in[i]);
			rig_run(whole, port, batch.in, batch.n, HEAD_ALL, &a);
			rig_run(cut, port, batch.in, batch.n, 1 + (unsigned)rand() % 60, &b);
			if (!outcomes_equal(&a, &b))
				fail_msg("seed %u: rig %u, round %u", seed, kind, round);
		}
		rig_free(cut);
		rig_free(whole);
	}
}

// A reason that no golden frame has is one nobody looked at.
static void every_reason_a_router_has_is_tested(void **state)
{
	bool seen[DROP_COUNT] = {false};

	(void)state;
	// No buffer, no room, a full queue are not in a frame; the card is not the router's.
	seen[DROP_FILTER] = seen[DROP_SWITCH] = seen[DROP_NO_MBUF] = seen[DROP_BUF_CHAIN] =
		seen[DROP_BURST_FULL] = seen[DROP_TX_FULL] = true;
	for (unsigned i = 0; i < n_golden; i++)
		seen[golden[i].c->why] = true;
	for (unsigned i = 0; i < DROP_COUNT; i++) {
		if (!seen[i])
			fail_msg(
				"%s: no golden frame is dropped for this", drop_name((enum drop)i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_alone),
		cmocka_unit_test(every_frame_cut_in_two),
		cmocka_unit_test(an_empty_burst_stays_empty),
		cmocka_unit_test(neighbours_in_a_burst_do_not_matter),
		cmocka_unit_test(damaged_frames_are_treated_alike_by_every_path),
		cmocka_unit_test(every_reason_a_router_has_is_tested),
	};

	return cmocka_run_group_tests(tests, golden_read, NULL);
}

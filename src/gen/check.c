// SPDX-License-Identifier: BSD-2-Clause
// check.c - every frame compared with what it must be.
//
// A frame's sequence number says which flow it belongs to, and so all its bytes are known before
// it is looked at.  For profiles of few flows the expected heads lie in a table: one row is
// compared under a mask (which leaves out the number, the UDP checksum over it, and MAC addresses
// nobody asked about), then the UDP checksum, then what lies behind the head.  Only a frame that
// differs is taken apart to say how.
//
// Frames of one sender come nearly in order, so the number is kept as a distance from the next
// expected one: that rebuilds 64 bits from 32 (or from the flow label's 20), and the row follows
// without a division.  A bitmap of the last 2^18 numbers finds duplicates and frames that came
// after a later one of their flow.
#include "gen/check.h"

#include "gen/explain.h"
#include "gen/source.h"
#include "gen/window.h"

#include <errno.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef void check_fn(
	struct check *c, const uint8_t *const *frame, const uint16_t *len, unsigned n);

struct check {
	_Alignas(FRAME_HEAD) uint8_t mask[FRAME_HEAD]; // of the head: bits that must be as expected
	check_fn *fn;
	uint8_t *table;   // NULL: expected frames are made one by one
	uint64_t next_at; // the row of window.next
	struct checker_counters n;
	struct expect expect;
	struct window window;
};

// The full number of a frame from the bits it carries.  It wraps below 0 in a frame that never was sent.
static inline uint64_t frame_seq(
	const struct check *c, const uint8_t *f, enum frame_seq kind, unsigned off)
{
	uint32_t bits = load_be32(f + off) - (uint32_t)c->window.next;
	int32_t distance = kind == SEQ_LABEL ? (int32_t)(bits << 12) >> 12 : (int32_t)bits;

	return c->window.next + (uint64_t)(int64_t)distance;
}

static unsigned seq_off(const struct check *c)
{
	return c->expect.tmpl.seq == SEQ_LABEL ? FRAME_ETH : c->expect.tmpl.seq_off;
}

// A frame that is right, though not the next one.
static __attribute__((noinline)) void count_out_of_line(struct check *c, uint64_t seq)
{
	uint64_t flows = c->expect.flows.n;
	bool late = false;

	if (seq > INT64_MAX) { // before the first
		c->n.foreign++;
		return;
	}
	if (seq >= c->window.next) {
		window_advance(&c->window, seq);
		c->next_at = (seq + 1) % flows;
	} else if (!window_add_late(&c->window, seq, flows, &late)) {
		c->n.duplicate++;
		return;
	}
	c->n.good++;
	c->n.reordered += late;
}

// A frame that is not as expected, or for which there is no table.
static __attribute__((noinline)) void take_apart(struct check *c, const uint8_t *f, unsigned len)
{
	uint64_t seq = frame_seq(c, f, c->expect.tmpl.seq, seq_off(c));

	switch (explain(&c->expect, f, len, seq)) {
	case FAULT_NONE:
		count_out_of_line(c, seq);
		break;
	case FAULT_TTL:
		c->n.bad_ttl++;
		break;
	case FAULT_CHECKSUM:
		c->n.bad_checksum++;
		break;
	case FAULT_CONTENT:
		c->n.bad_content++;
		break;
	case FAULT_FOREIGN:
		c->n.foreign++;
		break;
	}
}

// The row of a number, for which most often the next one's does.
static inline uint64_t row_of(const struct check *c, uint64_t seq)
{
	uint64_t flows = c->expect.flows.n, ahead = seq - c->window.next, at = c->next_at + ahead;

	if (ahead >= flows)
		return seq % flows;
	return at >= flows ? at - flows : at;
}

static inline bool row_equal(const uint8_t *f, const uint8_t *want, const uint8_t *mask)
{
	uint64_t a[8], b[8], m[8], differ = 0;

	memcpy(a, f, sizeof(a));
	memcpy(b, want, sizeof(b));
	memcpy(m, mask, sizeof(m));
	for (unsigned i = 0; i < 8; i++)
		differ |= (a[i] ^ b[i]) & m[i];
	return differ == 0;
}

#if defined(__x86_64__)
static inline __attribute__((target("avx512f"))) bool row_equal_wide(
	const uint8_t *f, const uint8_t *want, const uint8_t *mask)
{
	__m512i differ = _mm512_xor_si512(_mm512_loadu_si512(f), _mm512_load_si512(want));

	return _mm512_test_epi64_mask(differ, _mm512_load_si512(mask)) == 0;
}
#endif

// What lies behind the head, but for the number.
static bool tail_equal(const struct frame_tmpl *t, const uint8_t *f)
{
	unsigned from = FRAME_HEAD;

	if (t->seq == SEQ_PAYLOAD && t->seq_off + 4 > FRAME_HEAD) {
		if (memcmp(f + from, t->bytes + from, t->seq_off - from) != 0)
			return false;
		from = t->seq_off + 4;
	}
	return memcmp(f + from, t->bytes + from, t->len - from) == 0;
}

typedef bool equal_fn(const uint8_t *f, const uint8_t *want, const uint8_t *mask);

// kind and equal are constants in each caller, so that each gets a loop of its own.
static inline __attribute__((always_inline)) void check_rows(struct check *c,
	const uint8_t *const *frame, const uint16_t *len, unsigned n, enum frame_seq kind,
	equal_fn *equal)
{
	const struct frame_tmpl *t = &c->expect.tmpl;
	unsigned off = seq_off(c), sum_off = t->udp_cksum_off, want_len = t->len;
	uint64_t flows = c->expect.flows.n;

	for (unsigned i = 0; i < n; i++) {
		const uint8_t *f = frame[i], *want;
		uint64_t seq = frame_seq(c, f, kind, off), at = row_of(c, seq);

		want = c->table + at * FRAME_HEAD;
		if (len[i] != want_len || !equal(f, want, c->mask) ||
			(want_len > FRAME_HEAD && !tail_equal(t, f)) ||
			(kind == SEQ_PAYLOAD &&
				load16(f + sum_off) !=
					frame_seq_cksum(load16(want + sum_off), load32(f + off)))) {
			take_apart(c, f, len[i]);
		} else if (seq - c->window.next < INT32_MAX) {
			window_advance(&c->window, seq);
			c->next_at = at + 1 == flows ? 0 : at + 1;
			c->n.good++;
		} else {
			count_out_of_line(c, seq);
		}
	}
}

static void plain_payload(struct check *c, const uint8_t *const *f, const uint16_t *len, unsigned n)
{
	check_rows(c, f, len, n, SEQ_PAYLOAD, row_equal);
}

static void plain_label(struct check *c, const uint8_t *const *f, const uint16_t *len, unsigned n)
{
	check_rows(c, f, len, n, SEQ_LABEL, row_equal);
}

static void one_by_one(struct check *c, const uint8_t *const *f, const uint16_t *len, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		take_apart(c, f[i], len[i]);
}

#if defined(__x86_64__)
static __attribute__((target("avx512f"))) void wide_payload(
	struct check *c, const uint8_t *const *f, const uint16_t *len, unsigned n)
{
	check_rows(c, f, len, n, SEQ_PAYLOAD, row_equal_wide);
}

static __attribute__((target("avx512f"))) void wide_label(
	struct check *c, const uint8_t *const *f, const uint16_t *len, unsigned n)
{
	check_rows(c, f, len, n, SEQ_LABEL, row_equal_wide);
}
#endif

void check_use(struct check *c, enum check_how how)
{
	bool label = c->expect.tmpl.seq == SEQ_LABEL;

	c->fn = label ? plain_label : plain_payload;
#if defined(__x86_64__)
	if (how == CHECK_FASTEST && __builtin_cpu_supports("avx512f"))
		c->fn = label ? wide_label : wide_payload;
#endif
	if (how == CHECK_SLOW || c->table == NULL)
		c->fn = one_by_one;
}

static void fill_mask(struct check *c)
{
	const struct frame_tmpl *t = &c->expect.tmpl;
	uint8_t *m = c->mask;

	memset(m, 0xff, FRAME_HEAD);
	if (c->expect.any_dmac)
		memset(m, 0, MAC_LEN);
	if (c->expect.any_smac)
		memset(m + MAC_LEN, 0, MAC_LEN);
	if (t->len < FRAME_HEAD)
		memset(m + t->len, 0, FRAME_HEAD - t->len);
	if (t->seq == SEQ_LABEL) {
		m[FRAME_ETH + 1] &= 0xf0;
		memset(m + FRAME_ETH + 2, 0, 2);
		return;
	}
	memset(m + t->udp_cksum_off, 0, 2);
	if (t->seq_off + 4 <= FRAME_HEAD)
		memset(m + t->seq_off, 0, 4);
}

static struct check *check_alloc(const struct gen_conf *conf)
{
	size_t size = (sizeof(struct check) + FRAME_HEAD - 1) / FRAME_HEAD * FRAME_HEAD;
	struct check *c = aligned_alloc(FRAME_HEAD, size);

	if (c == NULL)
		return NULL;
	memset(c, 0, sizeof(*c));
	c->expect.scratch = calloc(1, (size_t)conf->len + FRAME_HEAD);
	if (c->expect.scratch == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

struct check *check_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct err *err)
{
	struct expect *x;
	struct check *c;

	if (gen_conf_check(conf, err) != 0)
		return NULL;
	if (!conf->stamp || hops > 63) {
		err_set(err, EINVAL,
			hops > 63 ? "more than 63 hops" : "only stamped frames can be checked");
		return NULL;
	}
	c = check_alloc(conf);
	if (c == NULL) {
		err_set(err, ENOMEM, "no memory for a checker");
		return NULL;
	}
	x = &c->expect;
	x->conf = *conf;
	x->any_dmac = out_dmac == NULL;
	x->any_smac = out_smac == NULL;
	if (out_smac != NULL)
		x->conf.smac = *out_smac;
	if (out_dmac != NULL)
		x->conf.dmac = *out_dmac;
	flows_init(&x->flows, conf);
	if (frame_tmpl_init(&x->tmpl, &x->conf, (uint8_t)(64 - hops), err) != 0) {
		check_free(c);
		return NULL;
	}
	c->table = source_table(&x->conf, &x->tmpl, &x->flows);
	fill_mask(c);
	check_use(c, CHECK_FASTEST);
	return c;
}

void check_free(struct check *c)
{
	if (c == NULL)
		return;
	free(c->table);
	free(c->expect.scratch);
	frame_tmpl_fini(&c->expect.tmpl);
	free(c);
}

void check_frames(struct check *c, const uint8_t *const *frame, const uint16_t *len, unsigned n)
{
	c->n.packets += n;
	for (unsigned i = 0; i < n; i++)
		c->n.bytes += len[i];
	c->fn(c, frame, len, n);
}

struct checker_counters *check_counters(struct check *c)
{
	return &c->n;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "lab/tester.h"

#include "lab/account.h"

#include "base/clock.h"
#include "port/port.h"

#include <errno.h>
#include <string.h>

// The port that sends is asked for frames every RETURN_TURNS turns only.
enum { LOT = 64, RETURN_TURNS = 32 };

// Empties the port: until nothing came for `quiet_s`, a second at most.
static void drain(struct port *in, double quiet_s)
{
	uint64_t now = clock_ns(), end = now + 1000000000u, quiet = now;

	while (now < end && (double)(now - quiet) < quiet_s * 1e9) {
		struct rte_mbuf *m[LOT];
		unsigned n = port_rx(in, 0, m, LOT);

		port_free(m, n);
		now = clock_ns();
		if (n > 0)
			quiet = now;
	}
}

int tester_new(struct tester *t, struct dut *dut, const struct lab_ends *ends,
	const struct lab_traffic *traffic, uint32_t run, struct err *err)
{
	struct gen_conf conf = traffic->gen;
	struct port_stats stats;

	*t = (struct tester){.dut = dut, .ends = *ends};
	conf.run = run;
	conf.smac = ends->smac;
	conf.dmac = ends->dmac;
	drain(ends->in, dut->settle_s);
	t->sender = sender_new(&conf, ends->out, 0, ends->pool, err);
	if (t->sender == NULL)
		return -err->code;
	t->checker = checker_new(&conf, 1, ends->check_smac ? &ends->out_smac : NULL,
		ends->check_dmac ? &ends->out_dmac : NULL, ends->in, 0, err);
	if (t->checker == NULL) {
		tester_free(t);
		return -err->code;
	}
	port_stats(ends->in, &stats);
	t->missed_before = stats.rx_missed + stats.rx_no_buffer;
	dut->read(dut, &t->before);
	return 0;
}

void tester_free(struct tester *t)
{
	if (t->sender != NULL)
		sender_free(t->sender);
	if (t->checker != NULL)
		checker_free(t->checker);
	t->sender = NULL;
	t->checker = NULL;
}

static uint64_t now_ns(void *arg)
{
	(void)arg;
	return clock_ns();
}

// ICMP errors and redirects come back to the port that sends.
static void take_returned(struct tester *t)
{
	struct rte_mbuf *m[LOT];
	unsigned n = port_rx(t->ends.out, 0, m, LOT);

	port_free(m, n);
	t->returned += n;
}

static unsigned turn(void *arg, bool sending)
{
	struct tester *t = arg;
	unsigned got = 0, n;

	if (t->turns++ % RETURN_TURNS == 0)
		take_returned(t);

	if (sending)
		sender_step(t->sender, clock_cycles());
	// Twice what was sent at most, so that a backlog shrinks and sending still has its turn.
	for (unsigned i = 0; i < 2; i++) {
		n = checker_step(t->checker);
		got += n;
		if (n < LOT)
			break;
	}
	return got;
}

static void device(void *arg, struct dut_counters *out)
{
	struct tester *t = arg;

	t->dut->read(t->dut, out);
	account_since(out, &t->before);
}

static void read_counts(void *arg, struct trial_count *out)
{
	struct tester *t = arg;
	struct sender_counters sent;
	struct port_stats stats;

	sender_counters(t->sender, &sent);
	checker_counters(t->checker, &out->got);
	port_stats(t->ends.in, &stats);
	out->offered = sent.packets;
	out->refused = sent.refused;
	out->returned = t->returned;
	out->missed = stats.rx_missed + stats.rx_no_buffer - t->missed_before;
	device(t, &out->dut);
}

void tester_io(struct tester *t, struct trial_io *io)
{
	*io = (struct trial_io){t, now_ns, turn, read_counts, device};
}

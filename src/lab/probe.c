// SPDX-License-Identifier: BSD-2-Clause
// probe.c - sending the probes and judging what comes of them.
#include "lab/probe.h"

#include "lab/trial.h"

#include "base/clock.h"
#include "base/load.h"
#include "port/port.h"

#include <string.h>

// The tag ends the frame: "WEIR", the run, the probe's number.
enum { TAG = 12, PAYLOAD = 32, P_TCP = 6, LOT = 64 };
enum { WAIT_MAX_S = 2, LATE_S = 1 };

static const uint8_t magic[4] = {'W', 'E', 'I', 'R'};

static void put32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

unsigned probe_frame(const struct probe *p, const struct lab_ends *ends, unsigned i, uint32_t run,
	bool arrived, uint8_t frame[PROBE_FRAME_MAX])
{
	// A first fragment's length is a multiple of 8 with TCP's 20 bytes too.
	uint8_t payload[PAYLOAD + 4] = {0};
	unsigned len = PAYLOAD + (p->b.proto == P_TCP ? 4 : 0);
	struct build b = p->b;
	struct mac none = {0};

	memcpy(payload + len - TAG, magic, sizeof(magic));
	put32(payload + len - 8, run);
	put32(payload + len - 4, i);
	b.payload = payload;
	b.payload_len = len;
	if (b.opt_len > 0)
		b.opt = p->opt;
	if (!arrived) {
		b.smac = p->back ? ends->out_dmac : ends->smac;
		b.dmac = p->back ? ends->out_smac : ends->dmac;
	} else {
		b.ttl--;
		b.smac = p->back ? ends->dmac : ends->check_smac ? ends->out_smac : none;
		b.dmac = p->has_station && ends->check_dmac ? p->station : none;
	}
	return build_frame(&b, frame, PROBE_FRAME_MAX);
}

int probe_number(const uint8_t *frame, unsigned len, uint32_t run)
{
	const uint8_t *tag = frame + len - TAG;
	uint32_t i;

	if (len < TAG || memcmp(tag, magic, sizeof(magic)) != 0 || load_be32(tag + 4) != run)
		return -1;
	i = load_be32(tag + 8);
	return i <= PROBES_MAX ? (int)i : -1;
}

// One way through the device, and what came out of it.
struct outcome {
	unsigned arrived[PROBES_MAX + 1], changed[PROBES_MAX + 1];
};

struct round {
	const struct probe_set *set;
	const struct lab_ends *ends;
	uint32_t run;
	struct outcome seen[2]; // going, back
	struct receiver *receiver[2];
	struct err err;
};

struct side {
	struct round *round;
	unsigned back;
};

static bool mac_fits(const uint8_t *got, const uint8_t *want)
{
	static const uint8_t none[MAC_LEN];

	return memcmp(want, none, MAC_LEN) == 0 || memcmp(got, want, MAC_LEN) == 0;
}

static void look(void *arg, const uint8_t *frame, unsigned len)
{
	struct side *s = arg;
	struct round *r = s->round;
	struct outcome *seen = &r->seen[s->back];
	int i = probe_number(frame, len, r->run);
	uint8_t want[PROBE_FRAME_MAX];
	unsigned n;

	if (i < 0 || (unsigned)i >= r->set->n)
		return;
	n = probe_frame(&r->set->probe[i], r->ends, (unsigned)i, r->run, true, want);
	seen->arrived[i]++;
	if (r->set->probe[i].back != (s->back == 1) || n != len || !mac_fits(frame, want) ||
		!mac_fits(frame + MAC_LEN, want + MAC_LEN) ||
		memcmp(frame + 2 * MAC_LEN, want + 2 * MAC_LEN, n - 2 * MAC_LEN) != 0)
		seen->changed[i]++;
}

static unsigned receive(struct round *r)
{
	port_tx(r->ends->out, 0, NULL, 0);
	port_tx(r->ends->in, 0, NULL, 0);
	return receiver_step(r->receiver[0]) + receiver_step(r->receiver[1]);
}

// Sends the probes one by one; false if a port does not take one.
static bool send_all(struct round *r)
{
	for (unsigned i = 0; i < r->set->n; i++) {
		const struct probe *p = &r->set->probe[i];
		struct port *port = p->back ? r->ends->in : r->ends->out;
		uint64_t end = clock_ns() + WAIT_MAX_S * UINT64_C(1000000000);
		uint8_t frame[PROBE_FRAME_MAX];
		unsigned len = probe_frame(p, r->ends, i, r->run, false, frame);

		while (!gen_frame_send(port, 0, r->ends->pool, frame, len)) {
			receive(r);
			if (clock_ns() > end)
				return false;
		}
		receive(r);
	}
	return true;
}

static bool all_arrived(const struct round *r)
{
	for (unsigned i = 0; i < r->set->n; i++) {
		const struct probe *p = &r->set->probe[i];

		if (p->passes && r->seen[p->back].arrived[i] == 0)
			return false;
	}
	return true;
}

// Whether the device has taken all of them in and is through with them.
static bool finished(struct dut *d, const struct dut_counters *before, unsigned n)
{
	struct dut_counters now = {0};

	if (!d->accounts)
		return true;
	d->read(d, &now);
	return now.in - before->in >= n && now.in + now.made == trial_out(&now);
}

// Until the device is through and then nothing came for a while; those that must arrive are waited
// for longer.
static void await(struct round *r, struct dut *d, const struct dut_counters *before)
{
	uint64_t start = clock_ns(), quiet = start, now = start;

	while (now - start < WAIT_MAX_S * UINT64_C(1000000000)) {
		bool some = receive(r) > 0;

		now = clock_ns();
		if (some)
			quiet = now;
		if ((double)(now - quiet) < d->settle_s * 1e9)
			continue;
		if (!finished(d, before, r->set->n)) {
			quiet = now;
			continue;
		}
		// What the device has sent waits at the port by now.
		if (receive(r) > 0)
			quiet = now;
		else if (all_arrived(r) || now - start > LATE_S * UINT64_C(1000000000))
			return;
	}
}

static void judge(
	const struct round *r, const struct lab_filter *f, const char *when, struct lab_run *run)
{
	for (unsigned i = 0; i < r->set->n && run->valid; i++) {
		const struct probe *p = &r->set->probe[i];
		unsigned came = r->seen[0].arrived[i] + r->seen[1].arrived[i];
		unsigned changed = r->seen[0].changed[i] + r->seen[1].changed[i];
		char rule[LAB_RULE_TEXT];

		lab_rule_text(f, p->first, rule);
		if (came > 0 && !p->passes)
			trial_void(run, "probe", "%s: a frame that %s must drop came through", when,
				rule);
		else if (came == 0 && p->passes)
			trial_void(run, "probe", "%s: a frame that matches %s did not come through",
				when, rule);
		else if (came > 1)
			trial_void(run, "probe", "%s: a frame that matches %s came %u times", when,
				rule, came);
		else if (changed > 0)
			trial_void(run, "probe", "%s: a frame that matches %s came back wrong",
				when, rule);
	}
}

// What waits at the ports from before is none of ours.
static int open_receivers(struct round *r, struct side side[2], struct err *err)
{
	struct port *port[] = {r->ends->in, r->ends->out};

	for (unsigned i = 0; i < 2; i++) {
		struct receiver_conf conf = {.burst = LOT, .look = look, .arg = &side[i]};

		side[i] = (struct side){r, i};
		r->receiver[i] = receiver_new(&conf, port[i], 0, err);
		if (r->receiver[i] == NULL)
			return -err->code;
	}
	return 0;
}

bool probe_round(const struct probe_set *set, const struct lab_filter *f, struct dut *d,
	const struct lab_ends *ends, const char *when, struct lab_run *run)
{
	struct round r = {.set = set, .ends = ends, .run = run->number};
	struct dut_counters before = {0};
	struct side side[2];
	struct err err = {0};

	if (open_receivers(&r, side, &err) != 0) {
		trial_void(run, "probe", "%s", err.msg);
	} else {
		d->read(d, &before);
		if (send_all(&r)) {
			await(&r, d, &before);
			judge(&r, f, when, run);
		} else {
			trial_void(
				run, "probe", "%s: the tester's port did not take a probe", when);
		}
	}
	for (unsigned i = 0; i < 2; i++)
		if (r.receiver[i] != NULL)
			receiver_free(r.receiver[i]);
	return run->valid;
}

// SPDX-License-Identifier: BSD-2-Clause
// gen.h - making, pacing, sending, receiving and checking test traffic.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct port;
struct rte_mempool;

// Addresses and ports from lo to hi inclusive (pkt-gen's ranges).
struct gen_range {
	struct ip lo, hi; // same family; in IPv6 only one 16-bit group counts up
	uint8_t group;    // IPv6: 0..7, which one
	uint16_t port_lo, port_hi;
};

// pkt-gen's grammar, A[:P][-B[:Q]] and [G@][A]:P-..., family 4 or 6.  -EINVAL with a sentence.
int gen_range_parse(const char *text, int family, struct gen_range *out, struct err *err);

enum { GEN_LEN_MAX = 9600 };

// One traffic profile.  Lengths are frame bytes without the 4 of the CRC.
struct gen_conf {
	int family; // 4 or 6
	struct gen_range src, dst;
	struct mac smac, dmac;
	uint16_t len, len_min; // len_min 0 = all frames have len
	uint64_t count;        // frames to send; 0 = without end
	uint64_t rate_pps;     // 0 = as fast as the port takes them
	unsigned burst;        // most frames a call; 1..64
	bool random_src, random_dst;
	uint64_t seed;
	// Puts a run number and a sequence number into every frame (IPv4, and IPv6 with 8 bytes of
	// payload or more: in the payload; shorter IPv6: the low 20 bits of it in the flow label),
	// so that a checker can tell lost, duplicate and foreign frames.
	bool stamp;
	uint32_t run;
};

struct sender;
struct sender *sender_new(const struct gen_conf *conf, struct port *port, uint16_t queue,
	struct rte_mempool *pool, struct err *err);
void sender_free(struct sender *s);

// Sends what is due at clock_cycles() time `now`, at most a burst; returns the frames the port
// took.  Frames it did not take are offered again by the next call.
unsigned sender_step(struct sender *s, uint64_t now);

struct sender_counters {
	uint64_t packets, bytes; // taken by the port
	uint64_t refused;        // offers the port did not take
	uint64_t events;         // calls that moved at least one packet
};

void sender_counters(const struct sender *s, struct sender_counters *out);
bool sender_done(const struct sender *s);

// Checks what comes back from a device under test against the profile it was sent with.
struct checker_counters {
	uint64_t packets, bytes; // all frames received
	uint64_t good;           // of the profile, forwarded right
	uint64_t bad_ttl, bad_checksum, bad_content, duplicate, foreign, reordered;
	uint64_t events;
};

// hops: how far TTL / hop limit must have been lowered.  out_smac, out_dmac: the MAC addresses a
// right frame carries behind the device; NULL = not checked.
struct checker;
struct checker *checker_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct port *port, uint16_t queue, struct err *err);
void checker_free(struct checker *c);

// Receives at most a burst, checks and frees it; returns the frames received.
unsigned checker_step(struct checker *c);
void checker_counters(const struct checker *c, struct checker_counters *out);

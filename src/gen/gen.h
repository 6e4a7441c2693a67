// SPDX-License-Identifier: BSD-2-Clause
// gen.h - making, pacing, sending, receiving and checking test traffic.
// Every object here belongs to one thread.  Counters may be read from another one: they are plain
// 64-bit words, and a reader may see one a burst older than its neighbour.
#pragma once

#include "base/addr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct port;
struct rte_mempool;

// Addresses and ports from lo to hi inclusive (pkt-gen's ranges).  IPv4 ends and ports are in
// order.  In IPv6 only one 16-bit group counts up: other differences between the ends do not
// matter, and a start above its end stays at the start.
struct gen_range {
	struct ip lo, hi; // same family
	uint8_t group;    // IPv6: 0..7, which one
	uint16_t port_lo, port_hi;
};

enum { GEN_RANGE_TEXT_MAX = 160, GEN_PORT_DEFAULT = 1234 };

// pkt-gen's grammar, family 4 or 6.  -EINVAL with a sentence; *out is then untouched.
//	IPv4	A[:P][-B[:Q]]		P = 1234, Q = P, B = A when not given; reversed ends are swapped
//	IPv6	[G@]A[-[G@]B]		A and B bare, or in brackets and then with :P
// Ports are read as C numbers (0x50, 010).  If only one half has a G it is for both.
int gen_range_parse(const char *text, int family, struct gen_range *out, struct err *err);

// "A:P to B:Q", IPv6 "G@[A]:P to G@[B]:Q", into out (GEN_RANGE_TEXT_MAX bytes), which it returns.
const char *gen_range_text(const struct gen_range *r, char *out);

// Addresses in r.
uint64_t gen_range_addrs(const struct gen_range *r);

// NULL, or what about an IPv6 range will surprise: its ends differ outside the group that counts,
// or it starts above its end.
const char *gen_range_oddity(const struct gen_range *r);

// Frames of a capture file in memory.
struct gen_capture;

// All frames of the file at path (pcap or pcapng, Ethernet).  NULL with *err set: unreadable,
// malformed, no frames, or a frame longer than GEN_LEN_MAX.
struct gen_capture *gen_capture_read(const char *path, struct err *err);
void gen_capture_free(struct gen_capture *c);
uint64_t gen_capture_frames(const struct gen_capture *c);
unsigned gen_capture_longest(const struct gen_capture *c); // bytes

enum { GEN_LEN_MAX = 9600, GEN_BURST_MAX = 4096 };

// Bytes of Ethernet, IP and UDP header: the shortest frame of the family.
static inline unsigned gen_headers_len(int family)
{
	return family == 4 ? 42 : 62;
}

// One traffic profile.  Lengths are frame bytes without the 4 of the CRC.
// Frame number i (from 0) of a profile is the same bytes in every run: random addresses and
// lengths are functions of seed and i.
struct gen_conf {
	int family; // 4 or 6
	struct gen_range src, dst;
	struct mac smac, dmac;
	uint16_t len;        // gen_headers_len(family)..GEN_LEN_MAX
	uint16_t len_min;    // not 0: every 64 frames share a random length, len_min <= it < len
	uint64_t count;      // frames to send; 0 = without end
	uint64_t rate_pps;   // 0 = as fast as the port takes them
	unsigned pace_group; // with a rate: this many frames become due at once; 0 = 1
	// Most frames a sender_step() moves, 1..GEN_BURST_MAX; the port gets them in lots of 64.
	unsigned burst;
	bool random_src, random_dst; // IPv4: unicast address and port; IPv6: the group and the port
	uint64_t seed;
	// Puts a run number and a sequence number into every frame (IPv4, and IPv6 with 8 bytes of
	// payload or more: big-endian in the first 8 bytes of payload; shorter IPv6: the low 20 bits
	// of the sequence in the flow label), so that a checker can tell lost, duplicate and
	// foreign frames.  IPv4 needs len (and len_min) of at least 50.
	bool stamp;
	uint32_t run;

	bool txseq;   // the sequence number alone, in the first 4 bytes of payload
	bool rubbish; // frames hold whatever the buffers held; only the length counts
	// Send these frames again and again instead of made ones; NULL = made.  Outlives the sender.
	const struct gen_capture *capture;
	bool capture_timing; // at the distances of the capture instead of rate_pps

	// Sees every frame once, before it is first offered to the port; may be NULL.
	void (*look)(void *arg, const uint8_t *frame, unsigned len);
	void *look_arg;
};

// 0, or -EINVAL with the sentence that says what does not fit together.
int gen_conf_check(const struct gen_conf *conf, struct err *err);

// Distinct flows (source and destination address and port); UINT64_MAX if more.  Not for random.
uint64_t gen_conf_flows(const struct gen_conf *conf);

struct sender;

// -EINVAL by gen_conf_check(); -EMSGSIZE if the port does not take frames of that length.
struct sender *sender_new(const struct gen_conf *conf, struct port *port, uint16_t queue,
	struct rte_mempool *pool, struct err *err);
void sender_free(struct sender *s);

// Sends what is due at clock_cycles() time `now`, at most a burst; returns the frames the port
// took.  Frames it did not take are offered again by the next call.  The first call starts the
// clock of a rate; a sender that falls behind catches up, by at most a second's worth.
unsigned sender_step(struct sender *s, uint64_t now);

// Cycles from now until the next frame is due; 0 without a rate.
uint64_t sender_wait(const struct sender *s, uint64_t now);

struct sender_counters {
	uint64_t packets, bytes; // taken by the port
	uint64_t refused;        // offers the port did not take in full
	uint64_t events;         // calls that moved at least one packet
	uint64_t no_buffer;      // calls that found the pool empty
};

void sender_counters(const struct sender *s, struct sender_counters *out);
bool sender_done(const struct sender *s); // count is reached

// Checks what comes back from a device under test against the profile it was sent with.
struct checker_counters {
	uint64_t packets, bytes; // all frames received
	uint64_t good;           // of the profile, forwarded right, not seen before
	// The rest, each in one of:
	uint64_t bad_ttl;      // TTL / hop limit is not lowered by hops, everything else is right
	uint64_t bad_checksum; // the IP or UDP checksum is wrong, everything else is right
	uint64_t bad_content;  // a known flow, but some other byte or the length differs
	uint64_t duplicate;    // right, but seen before (or CHECKER_WINDOW behind the newest frame)
	uint64_t foreign;      // of no flow of the profile, or of another run
	// Also counted as good: came after a later frame of its own flow.
	uint64_t reordered;
	uint64_t events; // calls that received at least one frame
};

// So many frames back a duplicate and a late frame are told apart.
enum { CHECKER_WINDOW = (1 << 18) - 64 };

// hops: how far TTL / hop limit must have been lowered.  out_smac, out_dmac: the MAC addresses a
// right frame carries behind the device; NULL = not checked.  conf->stamp must be set, and
// conf->capture and rubbish not.
struct checker;
struct checker *checker_new(const struct gen_conf *conf, unsigned hops, const struct mac *out_smac,
	const struct mac *out_dmac, struct port *port, uint16_t queue, struct err *err);
void checker_free(struct checker *c);

// Receives at most 64 frames, checks and frees them; returns the frames received.
unsigned checker_step(struct checker *c);
void checker_counters(const struct checker *c, struct checker_counters *out);

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

// What ports take at most: an MTU of 9582 and the Ethernet header.
enum { GEN_LEN_MAX = 9596, GEN_BURST_MAX = 1 << 18 };

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
	// A port that has rows gets the whole burst.
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

// Ends of a UDP frame.
struct gen_flow {
	struct ip src, dst;
	uint16_t sport, dport;
};

// The flow of frame number i, i in 0..gen_conf_flows() - 1; frame i + gen_conf_flows() is of the same.
// Not for random ends.
void gen_conf_flow(const struct gen_conf *conf, uint64_t i, struct gen_flow *out);

// The first bytes of a frame of flow number i as a sender makes it: Ethernet, IP and UDP header, and what
// follows; without a sequence number.  -ENOMEM.
enum { GEN_HEAD = 64 };
int gen_conf_head(const struct gen_conf *conf, uint64_t i, uint8_t head[GEN_HEAD], struct err *err);

// Sends one frame as it is; false if the port does not take it now, the pool is empty, or the frame
// is longer than a buffer of it.
bool gen_frame_send(struct port *port, uint16_t queue, struct rte_mempool *pool, const void *frame,
	unsigned len);

struct sender;

// -EINVAL by gen_conf_check(); -EMSGSIZE if the port does not take frames of that length.
struct sender *sender_new(const struct gen_conf *conf, struct port *port, uint16_t queue,
	struct rte_mempool *pool, struct err *err);
void sender_free(struct sender *s);

// Sends what is due at clock_cycles() time `now`, at most a burst; returns the frames the port
// took.  Frames it did not take are offered again by the next call; those of a port with rows are lost,
// and frames behind them take their place in the count.  The first call starts the
// clock of a rate; a sender that falls behind catches up, by at most a second's worth.
unsigned sender_step(struct sender *s, uint64_t now);

// Cycles from now until the next frame is due; 0 without a rate.  After an error of the port: until it
// is worth asking again.
uint64_t sender_wait(const struct sender *s, uint64_t now);

struct sender_counters {
	uint64_t packets, bytes; // taken by the port
	uint64_t refused;        // offers the port did not take in full
	uint64_t events;         // calls that moved at least one packet
	uint64_t no_buffer;      // calls that found the pool empty
	int error;               // errno of the latest offer, where the port told one; else 0
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

// --- What pkt-gen's other functions need.

// Least free space of receive rings where no frame came since it was last asked for.
enum { RECEIVER_NO_SPACE_SEEN = 99999 };

enum receiver_event {
	RECEIVER_GAP,          // a higher number than expected
	RECEIVER_OUT_OF_ORDER, // a lower one
	RECEIVER_SHORT,        // UDP, but without room for a number; found = the frame's length
	RECEIVER_SEGMENTS,     // a frame of found segments instead of expected
};

struct receiver_conf {
	unsigned burst; // most frames a call, 1..GEN_BURST_MAX
	unsigned slots; // of the port's receive ring, for the free space
	bool prefetch;  // the first line of every frame of a lot before the lot is looked at
	bool touch;     // reads the first byte of every frame
	bool sequence;  // follows the numbers of txseq in UDP frames
	uint64_t count; // frames to receive; 0 = without end
	// Called for what sequence finds, and for every frame; may be NULL.
	void (*event)(void *arg, enum receiver_event e, uint32_t expected, uint32_t found);
	void (*look)(void *arg, const uint8_t *frame, unsigned len);
	void *arg;
};

struct receiver_counters {
	uint64_t packets, bytes, events;
	uint64_t gaps, out_of_order; // by sequence
};

struct receiver;
struct receiver *receiver_new(
	const struct receiver_conf *conf, struct port *port, uint16_t queue, struct err *err);
void receiver_free(struct receiver *r);
unsigned receiver_step(struct receiver *r); // receives and frees at most a burst
void receiver_counters(const struct receiver *r, struct receiver_counters *out);
bool receiver_done(const struct receiver *r); // count is reached

// Least free space of the ring that a burst met since the last call: its slots less the frames
// taken until it was empty.  RECEIVER_NO_SPACE_SEEN if none came.  For one other thread.
unsigned receiver_min_space(struct receiver *r);

// Round trip times.  Bucket k counts those of 2^k ns to below 2^(k+1).
enum { RTT_BUCKETS = 40 };

struct rtt {
	uint64_t count, sum_ns;
	uint64_t min_ns; // UINT64_MAX: none
	uint64_t bucket[RTT_BUCKETS];
};

// Sends numbered, time-stamped frames of a profile's first flow and takes their echoes.  Without a
// rate at most conf->burst are on their way.  len must hold 12 bytes of payload.  conf->look sees
// what comes back, too.
struct pinger;
struct pinger *pinger_new(
	const struct gen_conf *conf, struct port *port, struct rte_mempool *pool, struct err *err);
void pinger_free(struct pinger *p);
unsigned pinger_step(struct pinger *p, uint64_t now);       // frames sent and received
uint64_t pinger_wait(const struct pinger *p, uint64_t now); // as sender_wait()
// All count frames are sent and answered, or the last answer is PINGER_PATIENCE_S late.
bool pinger_done(const struct pinger *p);

enum { PINGER_PATIENCE_S = 3 };

struct pinger_counters {
	struct sender_counters sent;
	uint64_t timeouts; // waits of PINGER_PATIENCE_S without an echo
	uint64_t foreign;  // frames that are no echo
	struct rtt rtt;    // of all echoes
};

void pinger_counters(const struct pinger *p, struct pinger_counters *out);

// The least time since the last call; UINT64_MAX: none.  For one other thread.
uint64_t pinger_min_ns(struct pinger *p);

// Sends IPv4 and IPv6 frames back to where they came from: MAC and IP addresses change places,
// ports do not.  A frame that came to a group address goes back from the port's own MAC.
struct ponger_conf {
	unsigned burst; // most frames a call, 1..64
	uint64_t count; // frames to send back; 0 = without end
	void (*look)(void *arg, const uint8_t *frame, unsigned len); // at those that come; or NULL
	void *look_arg;
};

struct ponger;
struct ponger *ponger_new(const struct ponger_conf *conf, struct port *port, struct err *err);
void ponger_free(struct ponger *p);
unsigned ponger_step(struct ponger *p);
void ponger_counters(const struct ponger *p, struct sender_counters *out); // sent back
bool ponger_done(const struct ponger *p);

// --- Report lines, as bench scripts read them.

enum gen_report {
	REPORT_PLAIN = 1,   // -N: whole numbers without K, M, G
	REPORT_FRAMING = 2, // -B: CRC, preamble and gap count as 24 more bytes a packet
	REPORT_SPREAD = 4,  // -A: average and deviation of the last reports
};

enum { REPORT_HISTORY = 15, REPORT_LINE_MAX = 320 };

// Packets a second of the last reports that were not zero.
struct report_history {
	double pps[REPORT_HISTORY];
	unsigned n, next;
};

struct report_interval {
	uint64_t packets, bytes, events;
	uint64_t usec; // its real length, not 0
	uint64_t min_space;
};

// The line of an interval without its prefix and newline; adds it to the history.
const char *report_interval_text(const struct report_interval *i, unsigned flags,
	struct report_history *h, char out[REPORT_LINE_MAX]);

struct report_total {
	const char *verb; // "Sent" or "Received"
	uint64_t packets, bytes, events;
	double seconds;
};

// The last two lines with their newlines, or the one that says that nothing moved.
const char *report_total_text(
	const struct report_total *t, unsigned flags, char out[2 * REPORT_LINE_MAX]);

// "SSS.UUUUUU function [line] " of a time of day.
const char *report_prefix(
	uint64_t seconds, unsigned usec, const char *function, int line, char out[REPORT_LINE_MAX]);

// "count C RTT: min M av A ns", and the histogram's "k: lo .. hi" with a second line of counts.
const char *report_rtt_text(const struct rtt *r, char out[REPORT_LINE_MAX]);
const char *report_rtt_histogram(const struct rtt *r, char *out, size_t size);

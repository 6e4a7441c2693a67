// SPDX-License-Identifier: BSD-2-Clause
// frame.h - the bytes of a frame of a profile.
//
// A template holds what all frames share and the partial Internet checksums over it.  The first
// FRAME_HEAD bytes of a frame hold everything that differs from flow to flow; behind them only
// the sequence number may differ (IPv6 with payload).  The sums of one frame are then the
// template's plus those of a dozen words (RFC 1071: the order of adding does not matter).
#pragma once

#include "base/load.h"
#include "gen/flows.h"
#include "gen/gen.h"

#include <string.h>

enum { FRAME_HEAD = 64, FRAME_ETH = 14 };

enum frame_seq {
	SEQ_NONE,
	SEQ_PAYLOAD, // 32 bits, big-endian, at seq_off
	SEQ_LABEL,   // the low 20 bits in the IPv6 flow label
};

struct frame_tmpl {
	int family;
	unsigned headers; // bytes: 42 or 62
	unsigned len;     // of the longest frame
	enum frame_seq seq;
	unsigned seq_off, udp_cksum_off;
	uint64_t ip_sum;       // of the IPv4 header but addresses and total length
	uint64_t udp_sum;      // of pseudo header and UDP header but addresses, ports and lengths
	uint32_t *payload_sum; // [n]: of the first n bytes of payload; 0..len - headers
	uint8_t *bytes;        // len, rounded up to FRAME_HEAD; addresses, ports and sums are 0
	struct gen_range src, dst;
};

// ttl: TTL or hop limit.  The profile must have passed gen_conf_check().
int frame_tmpl_init(
	struct frame_tmpl *t, const struct gen_conf *conf, uint8_t ttl, struct err *err);
void frame_tmpl_fini(struct frame_tmpl *t);

// Where the profile's sequence number goes.
enum frame_seq frame_seq_kind(const struct gen_conf *conf);

// The first FRAME_HEAD bytes of a frame of len bytes of that flow, checksums right for sequence
// number 0.  A frame shorter than FRAME_HEAD is filled up with template bytes.
void frame_head(const struct frame_tmpl *t, const struct flow *flow, unsigned len, uint8_t *head);

// What lies behind the head.
static inline void frame_tail(const struct frame_tmpl *t, unsigned len, uint8_t *frame)
{
	if (len > FRAME_HEAD)
		memcpy(frame + FRAME_HEAD, t->bytes + FRAME_HEAD, len - FRAME_HEAD);
}

// The UDP checksum field of a frame numbered seq, given the one of the same frame numbered 0.
static inline uint16_t frame_seq_cksum(uint16_t cksum0, uint32_t seq_be)
{
	uint32_t sum = (uint16_t)~cksum0 + (seq_be & 0xffff) + (seq_be >> 16);

	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16;
	// RFC 768: a sum of 0 is sent as all ones, since 0 means "none".
	return (uint16_t)sum == 0xffff ? 0xffff : (uint16_t)~sum;
}

// Numbers a finished frame whose number is 0.  off and cksum_off are the template's.
static inline void frame_number(
	uint8_t *frame, enum frame_seq kind, unsigned off, unsigned cksum_off, uint64_t seq)
{
	uint32_t be = __builtin_bswap32((uint32_t)seq);

	if (kind == SEQ_PAYLOAD) {
		uint16_t sum = frame_seq_cksum(load16(frame + cksum_off), be);

		memcpy(frame + off, &be, sizeof(be));
		memcpy(frame + cksum_off, &sum, sizeof(sum));
	} else if (kind == SEQ_LABEL) {
		// The flow label is in no checksum (RFC 8200 8.1).
		be = __builtin_bswap32(0x60000000u | ((uint32_t)seq & 0xfffff));
		memcpy(frame + FRAME_ETH, &be, sizeof(be));
	}
}

// SPDX-License-Identifier: BSD-2-Clause
// rig_test.h - a router set up as the forwarding lab's, frames for it, and what became of them.
#pragma once

#include "packet/burst.h"
#include "router/router.h"

#include <stdint.h>

struct rte_mbuf;

// Port 0 is igb2 (198.18.0.209/25, 2001:2::209/64), port 1 igb3 (198.19.0.209/25,
// 2001:2:0:8000::209/64).  Behind each is a neighbour .203 / ::203 and 198.18.0.0/16,
// 2001:2::/49 or 198.19.0.0/16, 2001:2:0:8000::/49 by way of it.
struct rig {
	struct rte_mempool *pool;
	struct router *r;
	struct drops drops;
	struct burst b;
};

extern const uint8_t rig_mac[2][6], rig_peer[2][6];

// Starts EAL, once.
void rig_eal(void);

// Starts EAL, makes the pool; then a router as above.
void rig_start(struct rig *g, const struct router_conf *conf);
void rig_stop(struct rig *g); // checks that no buffer was lost

struct prefix rig_prefix(const char *text);
struct ip rig_ip(const char *text);
struct mac rig_mac_of(const char *text);

struct frame {
	uint8_t b[9600];
	unsigned len;
};

// A UDP packet from port 0 to port 1 of `payload` bytes behind the UDP header, padded to 60 bytes.
void frame_udp4(struct frame *f, const char *src, const char *dst, uint8_t ttl, unsigned payload);
void frame_udp6(struct frame *f, const char *src, const char *dst, uint8_t hlim, unsigned payload);
// Puts `len` bytes of options (a multiple of 4) into an IPv4 frame and makes its header right.
void frame_options(struct frame *f, const uint8_t *opt, unsigned len);
// Makes the IPv4 header checksum right again.
void frame_sum(struct frame *f);

// Puts the frame into the burst as the next one.
void rig_put(struct rig *g, const struct frame *f);
// Carries the burst in from port `in` through the router at time now_ns.
void rig_run(struct rig *g, uint16_t in, uint64_t now_ns);
// The same for one frame; returns its drop reason, or DROP_NONE.  b.pkt[] then holds what leaves.
enum drop rig_one(struct rig *g, uint16_t in, const struct frame *f);
// Frees what the burst holds and empties it.
void rig_clear(struct rig *g);

const uint8_t *rig_data(const struct rig *g, unsigned i);
unsigned rig_len(const struct rig *g, unsigned i);

// The sum of len bytes the slow way (RFC 1071), complemented; 0 for a right header.
uint16_t slow_sum(uint64_t sum, const uint8_t *p, unsigned len);
